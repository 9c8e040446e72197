"""Tuning: better weights found, the same whatever way the run went, and said honestly."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

from analysis.cli.main import run
from analysis.runs import LocalExecutor, ignore
from analysis.tuning.checks import Comparison, compare_rows
from analysis.tuning.hall import Hall, leads_of
from analysis.tuning.search import Tuned, tune
from analysis.tuning.state import Generation
from analysis.tuning.task import Tuning, make_tuning
from analysis.tuning.writing import file_text
from sim.errors import InputError, RunError
from strategies.api import find, load
from strategies.weightfile import parse_weights

pytestmark = pytest.mark.compiled

BOT = """
from sim.chance import draw_unit
from strategies.declare import Weight, strategy


@strategy(weights={"steady": Weight(0.1, 0.0, 1.0), "idle": Weight(0.5, 0.0, 1.0), "free": 1.0})
def mine(state, tables, actions, count, random, weights):
    if draw_unit(random) < weights[0]:
        return 0
    return int(draw_unit(random) * count)
"""


def small(players: int = 2, **changes: object) -> Tuning:
    given: dict[str, object] = {"only": ["coin", "token"], "tables": 4, "population": 4} | changes
    return make_tuning("balanced", ["greedy"], players, 3, **given)  # type: ignore[arg-type]


def test_leads() -> None:
    totals = np.array([[60, 40, 50], [70, 70, 10]])
    assert leads_of(totals, np.array([0, 2])).round(3).tolist() == [0.690, 0.008]


def test_shares_are_those_of_the_records() -> None:
    tuning = small(players=3)
    hall = Hall(tuning, LocalExecutor(1), ignore)
    seatings = np.zeros((60, 3), dtype=np.int32)
    totals, shares = hall.play(hall.opponents, seatings, np.arange(60), seed=1)
    best = totals == totals.max(axis=1, keepdims=True)
    assert (shares == best / best.sum(axis=1, keepdims=True)).all()
    assert shares.sum(axis=1) == pytest.approx(1), "ties are shared"


def test_what_is_varied() -> None:
    tuning = make_tuning("balanced", players=2, fixed=["noise"])
    declared = find("balanced").declaration.weights
    assert tuning.names == tuple(name for name in declared if name != "noise")
    assert tuning.against == ("balanced",)
    assert tuning.row(tuning.place(tuning.start)) == pytest.approx(tuning.start)
    for corner, bound in ((-1.0, "low"), (2.0, "high")):
        row = dict(zip(declared, tuning.row(np.full(len(tuning.names), corner)), strict=True))
        assert all(row[name] == getattr(declared[name], bound) for name in tuning.names)
        assert row["noise"] == find("balanced").weights(2)["noise"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"strategy": "random"}, "no weights"),
        ({"strategy": "nobody"}, "nobody"),
        ({"against": ["nobody"]}, "nobody"),
        ({"players": 1}, "players: found 1"),
        ({"players": 9}, "players: found 9"),
        ({"only": ["coins"]}, "did you mean 'coin'"),
        ({"fixed": ["coins"]}, "did you mean 'coin'"),
        ({"population": 2}, "population: found 2"),
        ({"tables": 0}, "tables: found 0"),
        ({"spread": 0.0}, "spread: found 0"),
        ({"seed": -1}, "seed: found -1"),
    ],
)
def test_what_cannot_be_used_is_said(changes: dict[str, object], said: str) -> None:
    given = {"strategy": "balanced", "players": 2} | changes
    with pytest.raises(InputError, match=said):
        make_tuning(**given)  # type: ignore[arg-type]


def test_weights_without_bounds_stay_as_they_are(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    assert make_tuning(f"{bot}:mine", players=2).names == ("steady", "idle")
    with pytest.raises(InputError, match="free have no bounds"):
        make_tuning(f"{bot}:mine", players=2, only=["free"])


def test_it_finds_what_is_better() -> None:
    """A player that is drunk sobers up, and the check is sure that this is better."""
    tuning = make_tuning("balanced:noise=15", ["greedy"], 2, 1, only=["noise"], tables=20, population=5, spread=0.2)
    tuned = tune(tuning, 8, check_tables=100)
    assert tuned.weights["noise"] < 8
    assert (np.delete(tuned.row, tuning.columns) == np.delete(tuning.start, tuning.columns)).all()
    head_to_head, against_others = tuned.checks
    assert head_to_head.verdict == against_others.verdict == "better"
    assert head_to_head.tuned > head_to_head.old
    assert tuned.generations[-1].mean > tuned.generations[0].old


def test_a_check_of_equal_weights_shows_no_difference() -> None:
    tuning = small(players=3)
    head_to_head, against_others = compare_rows(tuning, tuning.start, 40)
    assert head_to_head.verdict == "no difference shown"
    assert head_to_head.games == 120
    assert against_others.difference == 0
    assert against_others.tuned == against_others.old
    assert against_others.games == 240


@pytest.mark.parametrize("strategy", ["balanced", "balanced:noise=15", "bot"])
def test_a_candidate_can_be_made_again_of_its_name(tmp_path: Path, strategy: str) -> None:
    if strategy == "bot":
        (tmp_path / "bot.py").write_text(BOT)
        strategy = f"{tmp_path / 'bot.py'}:mine"
    tuning = make_tuning(strategy, ["greedy"], 2)
    row = tuning.row(np.full(len(tuning.names), 1 / 3))
    candidate = Hall(tuning, LocalExecutor(1), ignore).candidate(row)
    assert (find(candidate.name).row(2) == row).all()
    assert (load(candidate.name, 2).weights == candidate.weights).all()


def test_two_processes_and_folders_that_cannot_be_written(tmp_path: Path) -> None:
    state = tmp_path / "kept.json"
    with FileLock(tmp_path / ".kept.json.lock"), pytest.raises(RunError, match="another process"):
        tune(small(), 1, check_tables=0, state=state)
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        tune(small(), 1, check_tables=0, state=tmp_path / "file" / "kept.json")


def test_threads_and_interruptions_change_nothing(tmp_path: Path) -> None:
    tuning, state = small(), tmp_path / "kept.json"
    whole = tune(tuning, 4, check_tables=0, executor=LocalExecutor(1))
    seen: list[Generation] = []

    def stop(number: int, generation: Generation) -> None:
        if number == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(tuning, 4, check_tables=0, state=state, on_generation=stop)
    assert len(json.loads(state.read_text())["generations"]) == 2
    played: list[int] = []
    gone_on = tune(
        tuning, 4, check_tables=0, state=state, resume=True, executor=LocalExecutor(2),
        advance=played.append, on_generation=lambda number, generation: seen.append(generation),
    )  # fmt: skip
    assert (gone_on.row == whole.row).all()
    assert gone_on.generations == whole.generations == tuple(seen)
    assert sum(played) == 2 * tuning.games_a_generation
    again = tune(tuning, 4, check_tables=0, state=state, resume=True, advance=played.append)
    assert (again.row == whole.row).all()
    assert sum(played) == 2 * tuning.games_a_generation


def test_a_kept_run_is_neither_lost_nor_mixed_with_another(tmp_path: Path) -> None:
    state = tmp_path / "kept.json"
    tune(small(), 1, check_tables=0, state=state)
    with pytest.raises(InputError, match="--resume"):
        tune(small(), 1, check_tables=0, state=state)
    with pytest.raises(InputError, match="tables was 4 there and is 5 now"):
        tune(small(tables=5), 2, check_tables=0, state=state, resume=True)
    state.write_text("{}")
    with pytest.raises(InputError, match="not a tuning"):
        tune(small(), 2, check_tables=0, state=state, resume=True)


def test_all_candidates_of_a_generation_meet_the_same_luck() -> None:
    """With nothing but equal candidates, all achieve the same."""
    generation = tune(small(spread=1e-9), 1, check_tables=0).generations[0]
    assert len({*generation.candidates, generation.old, generation.mean}) == 1


def test_a_file_holds_tunings_for_several_numbers_of_players(tmp_path: Path) -> None:
    path = tmp_path / "weights.toml"
    path.write_text('describe = "mine"\nmade = "by hand"\n[weights]\nbank = 2.0\n[players.3]\ncoin = 1.0\n')
    check = Comparison("head to head", 0.6, 0.4, 0.2, 0.1, 0.3, 10, 20)
    row = small().start.copy()
    row[list(find("balanced").declaration.weights).index("coin")] = 0.25
    text = file_text(Tuned(small(), row, (), (check,)), "first", path)
    path.write_text(text)
    read = parse_weights(file_text(Tuned(small(), row, (), ()), "second", path), "here")
    assert read.strategy == "weighted"
    assert read.describe == "mine"
    assert read.made.splitlines() == ["by hand", "2 players: second"]
    assert read.weights == {"bank": 2.0}
    assert read.at(2)["coin"] == 0.25
    assert read.by_players[3] == {"coin": 1.0}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "weights.toml"
    words = ["tune", "balanced", "--against", "greedy,random", "--players", "2", "--only", "coin,token", "--quiet"]
    words += ["--generations", "2", "--tables", "3", "--population", "4", "--check-tables", "5", "--out", str(out)]
    assert run(words) == 0
    said = capsys.readouterr().out
    for text in ("coin", "tuned", "head to head", "against others", "95% interval", f"balanced@{out}"):
        assert text in said
    assert f"play them as balanced@{out}\n" in said
    assert set(find(f"balanced@{out}").files[-1].by_players[2]) == {"coin", "token"}
    assert "encyclopedia tune balanced --against greedy,random" in out.read_text()
    before = out.read_text()
    assert run(words) == 2
    assert "--overwrite" in capsys.readouterr().err
    assert run([*words, "--resume"]) == 0
    assert run([*words, "--overwrite"]) == 0
    assert out.read_text().splitlines()[-2:] == before.splitlines()[-2:]
    assert run(["tune", "balanced", "--resume"]) == 2
    assert run(["tune", "random", "--players", "2"]) == 2


def test_the_command_says_how_a_strategy_of_a_file_is_played_with_its_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, out = tmp_path / "my bot.py", tmp_path / "tuned.toml"
    bot.write_text(BOT)
    words = ["tune", f"{bot}:mine:steady=0.2,free=2", "--against", "random", "--players", "2", "--only", "steady"]
    words += ["--generations", "1", "--tables", "2", "--population", "4", "--check-tables", "0", "--quiet"]
    assert run([*words, "--out", str(out)]) == 0
    played_as = shlex.split(capsys.readouterr().out.split("play them as ")[1])
    assert played_as == [f"{bot}:mine@{out}:free=2"]
    assert find(played_as[0]).weights(2)["free"] == 2.0
