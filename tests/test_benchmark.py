"""The benchmark: what it measures, what it says of two measurements, and that it refuses what is wrong.

No time is asserted here; `make bench-guard` does that.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.benchmark import accepted, guard
from analysis.benchmark.cases import Case, cases
from analysis.benchmark.document import Wanted, as_json, measured
from analysis.benchmark.figures import REFERENCE_YARDSTICK, Document, Line, Repeat, speed_up
from analysis.benchmark.fingerprints import check
from analysis.benchmark.layers import LAYERS
from analysis.benchmark.positions import GUIDE, positions
from analysis.benchmark.timing import Work, timed
from analysis.benchmark.verdicts import TOLERANCE, compare, ratio_of, read_document
from analysis.cli.main import run
from sim.config import Configuration
from sim.errors import InputError, RunError
from sim.layout import KIND

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("benchmark")]

QUICK = ("--seconds", "0.01", "--repeats", "2", "--quiet")


def line_of(yardsticks: Sequence[float], **changed: Any) -> Line:
    """A line whose decisions took so many yardsticks of 50 ns; 10 decisions a game."""
    repeats = tuple(
        Repeat(games=100, decisions=1000, seconds=each * 50e-6, cpu_seconds=each * 50e-6, yardstick_ns=50.0)
        for each in yardsticks
    )
    about = {"players": 4, "strategy": "random", "threads": 1, "layer": "seats", "fingerprint": "f", "checked": True}
    return Line(**(about | changed), repeats=repeats)


def document_of(*lines: Line) -> Document:
    return Document(machine={"processor": "made up"}, yardstick_ns=50.0, speeds=lines, layers=())


def noisy(middle: float, seed: int, repeats: int = 7, noise: float = 0.01) -> list[float]:
    return list(middle * np.exp(np.random.default_rng(seed).normal(0, noise, repeats)))


def word_for(then: Sequence[float], now: Sequence[float]) -> str:
    (found,) = compare(document_of(line_of(then)), document_of(line_of(now)))
    return found.word


# --- figures --------------------------------------------------------------------------------------------------------


def test_figures_follow_from_repeats() -> None:
    line = line_of([2.0, 3.0, 2.0, 9.0, 2.5])
    assert line.yardsticks_a_decision.median == pytest.approx(2.5)
    assert line.yardsticks_a_decision.spread == pytest.approx(0.5 * 1.4826, rel=1e-3)
    assert line.ns_a_decision.median == pytest.approx(125)
    assert line.decisions_per_second.median == pytest.approx(8e6)
    games, scaled = line.games_per_second, line.games_per_second_at_reference
    assert games is not None
    assert scaled is not None
    assert games.median == pytest.approx(8e5)
    assert scaled.median == pytest.approx(8e5 * 50 / REFERENCE_YARDSTICK)


def test_decisions_without_games_have_no_games_a_second() -> None:
    timing = Repeat(games=0, decisions=10, seconds=1.0, cpu_seconds=1.0, yardstick_ns=50.0)
    line = line_of([1.0]).model_copy(update={"repeats": (timing,)})
    assert line.games_per_second is None
    assert line.cpu_us_a_game is None
    assert line.decisions_per_second.median == 10


def test_speed_up_pairs_repeats() -> None:
    base, twice = line_of([2.0, 4.0, 2.0]), line_of([1.0, 2.0, 1.0], threads=2)
    assert speed_up(twice, base).median == pytest.approx(2)
    assert speed_up(twice, base).spread == pytest.approx(0)


def test_work_is_timed_in_turn() -> None:
    order: list[str] = []

    def work(name: str) -> Work:
        return Work(1, lambda: order.append(name) or 5)

    found = timed({"a": work("a"), "b": work("b")}, 3)
    assert order == ["a", "b"] * 3
    assert [repeat.decisions for repeat in found["b"]] == [5, 5, 5]


# --- verdicts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_a_clear_difference_is_seen_and_none_is_not(seed: int) -> None:
    base = noisy(3.0, seed)
    assert word_for(base, noisy(3.0, seed + 1000)) == "no difference seen"
    assert word_for(base, noisy(4.0, seed + 1000)) == "slower"
    assert word_for(base, noisy(2.2, seed + 1000)) == "faster"


def test_a_difference_within_tolerance_is_none_however_little_noise_there_is() -> None:
    base = [3.0] * 7
    assert word_for(base, [3.0 * (1 + 0.9 * TOLERANCE)] * 7) == "no difference seen"
    assert word_for(base, [3.0 * (1 + 1.1 * TOLERANCE)] * 7) == "slower"


def test_one_disturbed_repeat_decides_nothing() -> None:
    base = noisy(3.0, 1)
    assert word_for(base, [*noisy(3.0, 2)[:6], 30.0]) == "no difference seen"
    assert word_for(base, [*noisy(1.5, 2)[:6], 30.0]) == "faster"


def test_much_noise_hides_a_difference() -> None:
    assert word_for(noisy(3.0, 3, noise=0.5), noisy(3.6, 4, noise=0.5)) == "no difference seen"


def test_single_repeats_say_nothing() -> None:
    assert word_for([3.0], [9.0]) == "too few repeats"
    assert ratio_of([3.0], [9.0]) == (pytest.approx(3.0), None, None)


def test_only_lines_of_both_are_compared() -> None:
    then = document_of(line_of([1.0, 1.0]), line_of([1.0, 1.0], threads=2))
    now = document_of(line_of([1.0, 1.0]), line_of([1.0, 1.0], layer="choices"))
    assert [found.threads for found in compare(then, now)] == [1]
    with pytest.raises(InputError, match="no line in common"):
        compare(document_of(line_of([1.0, 1.0], players=2)), now)


def test_other_games_are_said_to_be_others() -> None:
    (found,) = compare(document_of(line_of([1.0, 1.0])), document_of(line_of([1.0, 1.0], fingerprint="g")))
    assert not found.same_games


# --- documents ------------------------------------------------------------------------------------------------------


def test_a_document_is_read_as_it_was_written(tmp_path: Path) -> None:
    document, file = document_of(line_of(noisy(3.0, 5))), tmp_path / "a.json"
    file.write_text(as_json(document, compare(document, document)), encoding="utf-8")
    assert read_document(file) == document
    assert json.loads(file.read_text())["comparison"][0]["word"] == "no difference seen"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no json", "invalid json"),
        ("{}", "machine: field required"),
        ("[1]", "the file"),
        (as_json(document_of(line_of([1.0]))).replace('"schema_version": 1', '"schema_version": 99'), "found 99"),
        (as_json(document_of(line_of([1.0]))).replace('"decisions": 1000', '"decisions": 0'), "decisions"),
        (as_json(document_of(line_of([1.0]))).replace('"yardstick_ns": 50.0', '"yardstick_ns": "x"'), "yardstick_ns"),
    ],
)
def test_what_is_no_benchmark_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "old.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as refused:
        read_document(file)
    assert "old.json" in str(refused.value)


# --- the right games ------------------------------------------------------------------------------------------------


@pytest.fixture
def expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What is expected, in a file that a test may change."""
    tables = accepted.read()
    monkeypatch.setattr(accepted, "FILE", tmp_path / "accepted.toml")
    accepted.write(tables)
    return tables


def test_all_standard_cases_are_checked() -> None:
    for case in cases(["random", "balanced", "rollout:budget=32"], [2, 4]):
        assert check(case)[1], case.name


def test_other_games_and_other_choices_are_refused(expected: dict[str, dict[str, Any]]) -> None:
    expected[accepted.GAMES]["random-2"] = expected[accepted.CHOICES]["rollout:budget=32-2"] = "0" * 16
    accepted.write(expected)
    for strategy in ("random", "rollout:budget=32"):
        with pytest.raises(RunError, match="the games are not the ones expected"):
            check(Case(strategy, 2))


def test_what_has_no_fingerprint_is_timed_and_noted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bench", "-p", "2", "-S", "balanced:publish=1.5", "-t", "1", "--layer", "none", *QUICK)
    assert run(words) == 0
    assert "Timed without a check of the games, since none is recorded: balanced:publish=1.5" in capsys.readouterr().out


def test_positions_have_their_share_of_every_kind(standard: Configuration) -> None:
    few, many = (positions(standard, 2, 1, number) for number in (40, 400))
    for kind in {int(position.state[KIND]) for position in many}:
        share = sum(position.state[KIND] == kind for position in many) / len(many)
        assert abs(sum(position.state[KIND] == kind for position in few) - share * len(few)) <= 1
    assert GUIDE == "balanced"


# --- the command ----------------------------------------------------------------------------------------------------


def test_speeds_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-p", "2", "-S", "random", "-S", "rollout:budget=8", "-t", "1", "-t", "2", "--layer", "none")
    assert run(["bench", *words, *QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"processor", "cores in use", "python", "numba", "engine", "measured"} <= found["machine"].keys()
    assert [(line["strategy"], line["threads"], line["layer"]) for line in found["speeds"]] == [
        ("random", 1, "seats"), ("random", 2, "seats"),
        ("rollout:budget=8", 1, "choices"), ("rollout:budget=8", 2, "choices"),
    ]  # fmt: skip
    assert all(len(line["repeats"]) == 2 and line["yardsticks_a_decision"]["median"] > 0 for line in found["speeds"])
    assert found["layers"] == []


def test_layers_play_the_same_games() -> None:
    found = measured(Wanted.of(["random"], [2], [1], ["cards", "parquet-cards"], seconds=0.01, repeats=2))
    assert not found.speeds
    assert [line.layer for line in found.layers] == ["engine", "cards", "parquet-cards"]
    games = {line.layer: {(repeat.games, repeat.decisions) for repeat in line.repeats} for line in found.layers}
    assert games["engine"] == games["cards"]
    assert all(len(each) == 1 for each in games.values())


def test_a_comparison_ends_with_1_only_if_asked_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "before.json"
    words = ("bench", "-p", "2", "-S", "random", "-t", "1", "--layer", "none", *QUICK)
    assert run([*words, "--json"]) == 0
    file.write_text(capsys.readouterr().out, encoding="utf-8")
    assert run([*words, "--compare", str(file), "--fail-above", "1000"]) == 0
    assert "Compared with" in capsys.readouterr().out
    # As if it had taken next to no time before: no noise of a busy machine reaches that far.
    old = json.loads(file.read_text())
    for repeat in old["speeds"][0]["repeats"]:
        repeat["seconds"] /= 1e60
    file.write_text(json.dumps(old), encoding="utf-8")
    assert run([*words, "--compare", str(file)]) == 0
    assert "slower" in capsys.readouterr().out
    assert run([*words, "--compare", str(file), "--fail-above", "10"]) == 1
    assert "more than 10 times the yardsticks a decision took: random, 2 players" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--players", "7"], "players: found 7; the standard ruleset allows 2 to 4"),
        (["--strategy", "nobody"], "strategy 'nobody'"),
        (["--layer", "everything"], "layer 'everything'"),
        (["--fail-above", "2"], "give --compare or --guard"),
        (["--compare", "nowhere.json"], "nowhere.json: cannot be read"),
        (["--repeats", "0"], "--repeats"),
    ],
)
def test_what_cannot_be_used_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", *words]) == 2
    assert said in capsys.readouterr().err


def test_layers_in_the_help_are_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    run(["bench", "--help"])
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert ", ".join(LAYERS) in said


# --- the guard ------------------------------------------------------------------------------------------------------


def test_the_guard_fails_what_takes_more_than_twice_as_much(
    expected: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected[accepted.YARDSTICKS] = {"random-4": 2.0, "balanced-4": 2.0}
    accepted.write(expected)
    measured_yardsticks = {"random": iter([9.0, 3.9]), "balanced": iter([4.1] * 9)}
    monkeypatch.setattr(guard, "best_yardsticks", lambda case: next(measured_yardsticks[case.strategy]))
    monkeypatch.setattr(guard, "cases", lambda *which: cases(*which) if which else [Case("random", 2)])
    assert run(["bench", "--guard", "--quiet"]) == 1
    said = capsys.readouterr()
    assert "balanced, 4 players (2.05 times)" in said.err
    assert "random" not in said.err


def test_the_guard_fails_other_games(expected: dict[str, dict[str, Any]]) -> None:
    expected[accepted.GAMES]["random-2"] = "0" * 16
    accepted.write(expected)
    with pytest.raises(RunError, match="not the ones expected"):
        guard.guard(checked=[Case("random", 2)])


def test_the_guard_needs_something_accepted(expected: dict[str, dict[str, Any]]) -> None:
    del expected[accepted.YARDSTICKS]
    accepted.write(expected)
    with pytest.raises(RunError, match="run encyclopedia bench --accept"):
        guard.guard(checked=[])


def test_what_is_accepted_is_what_is_expected(
    expected: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "best_yardsticks", lambda case: {"random": 1.234, "balanced": 5.0}[case.strategy])
    monkeypatch.setattr(guard, "STRATEGIES", ("random", "rollout:budget=32"))
    guard.accept()
    found = accepted.read()
    assert found[accepted.GAMES] == {k: v for k, v in expected[accepted.GAMES].items() if k.startswith("random")}
    assert set(found[accepted.CHOICES]) == {f"rollout:budget=32-{players}" for players in (2, 3, 4)}
    assert found[accepted.YARDSTICKS] == {"random-4": 1.23, "balanced-4": 5.0}
