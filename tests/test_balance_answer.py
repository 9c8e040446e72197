"""Answers: what they say they were computed on, their files, and the commands that give them."""

import json

import polars as pl
import pytest

from analysis.balance.answer import Answer, check_free, read, write
from analysis.balance.pool import POOLS, pool_of
from analysis.balance.seats import seat_balance
from analysis.cli.main import run
from analysis.parquet import METADATA_KEY
from analysis.tournament import make_plan
from sim.errors import InputError, RunError
from tests.strategies_for_tests.players import first, make_player


@pytest.fixture(scope="module")
def answer():
    plan = make_plan(["random"], 2, 100, 5, overrides=["bank.coins=6"], record_cards=False)
    return seat_balance(plan, options={"overrides": ["bank.coins=6"]})


def test_about(answer):
    about = answer.about
    assert about["games"] == about["games played"] == 100
    assert about["blocks"] == 100
    assert about["strategies"] == ["random"]
    assert about["line-up"] == ["random / random"]
    assert about["overrides"] == ["bank.coins=6"]
    assert about["seed"] == 5
    assert {"program version", "engine", "ruleset", "ruleset hash", "cards hash", "weights", "looks"} <= set(about)
    json.dumps(dict(about))


def test_players_without_a_spec():
    answer = seat_balance(make_plan([make_player(first, weights=(1.5,))], 2, 10, 1, record_cards=False))
    assert answer.about["strategies"] == ["first"]
    assert answer.about["weights"] == {"first": [1.5]}


def test_files(answer, tmp_path):
    files = write(answer, tmp_path / "new", command="encyclopedia balance seats")
    assert [file.name for file in files] == ["seats_results.parquet", "seats_fairness.parquet", "seats.json"]
    metadata = json.loads(pl.read_parquet_metadata(files[0])[METADATA_KEY])
    assert metadata["command"] == "encyclopedia balance seats"
    assert metadata["overrides"] == ["bank.coins=6"]
    back = read("seats", tmp_path / "new")
    assert back.findings == answer.findings
    assert all(back[name].equals(frame) and back[name].schema == frame.schema for name, frame in answer.frames.items())
    with pytest.raises(InputError, match=r"holds seats\.json already"):
        write(answer, tmp_path / "new")
    write(answer, tmp_path / "new", overwrite=True)
    assert not list((tmp_path / "new").glob("*.part"))


def test_answers_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read("seats", tmp_path)
    (tmp_path / "seats.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        read("seats", tmp_path)


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        check_free("seats", tmp_path / "file")


def test_frames_by_name():
    assert Answer("test", (), {"rows": pl.DataFrame({"a": [1]})}, {})["rows"]["a"].to_list() == [1]


def test_pools():
    assert set(pool_of("all")) == {"random", *pool_of("archetypes")}
    assert {"greedy", "balanced"} <= set(pool_of("archetypes"))
    with pytest.raises(InputError, match=f"allowed: {', '.join(POOLS)}"):
        pool_of("best")


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("question", "options", "frames", "words"),
    [
        ("seats", ["-g", "200"], ["results", "fairness"], "fair is 50.0% each"),
        ("coins", ["-g", "200"], ["shares", "vectors", "model"], "ecommended"),
        ("tokens", ["-g", "1200", "--paired-every", "2"], ["tokens", "rounds"], "Worth most to a seat"),
        ("cards", ["-g", "40", "--no-ban", "--paired-every", "1"], ["cards", "groups", "association", "verdicts"],
         "Must-takes"),
    ],
)  # fmt: skip
def test_commands(question, options, frames, words, tmp_path, capsys):
    command = ["balance", question, "random", "-p", "2", "--seed", "1", *options, "--out", str(tmp_path)]
    assert run(command) == 0
    printed = capsys.readouterr().out
    assert words in printed
    assert "Computed on" in printed
    answer = read(question, tmp_path)
    assert list(answer.frames) == frames
    assert answer.about["command"].startswith(f"encyclopedia balance {question} random -p 2")
    assert answer.about["card set"] == "standard"
    assert run(command) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_default_strategies_and_pools(capsys):
    assert run(["balance", "seats", "-p", "2", "-g", "12"]) == 0
    assert "3 line-ups of greedy, random)" in capsys.readouterr().out
    assert run(["balance", "seats", "random", "--pool", "archetypes", "-p", "2", "-g", "12"]) == 0
    assert "random)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--games", "100", "--precision", "1pp"], "give one of them"),
        (["--precision", "1"], "write half the width wanted"),
        (["--pool", "best"], "pool 'best'"),
        (["--overwrite"], "give --out"),
        (["nobody"], "nobody"),
        (["--set", "coins.offset=1"], "coins.offset"),
    ],
)
def test_wrong_options(options, message, capsys):
    assert run(["balance", "seats", "-p", "2", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_offsets_are_not_judged_by_vp(capsys):
    assert run(["balance", "coins", "random", "--precision", "1vp"]) == 2
    assert "this question takes 0.2pp" in capsys.readouterr().err
