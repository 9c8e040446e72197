"""The command line: what it prints, how it ends, and that it starts quickly."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from analysis.cli.main import run
from analysis.cli.typed import WORDS, resume_command
from analysis.results import open_results
from sim.config import content_hash, load_configuration
from tests.test_tournament import FIRST

pytestmark = pytest.mark.compiled

PLAYERS = str(Path(__file__).parent / "strategies_for_tests" / "players.py")
COMMANDS = (
    [], ["tournament"], ["play"], ["bench"], ["plan"], ["strategies"], ["strategies", "check"], ["strategies", "new"],
    ["rules"], ["rules", "show"], ["rules", "validate"], ["rules", "export"],
    ["balance"], ["balance", "seats"], ["balance", "coins"], ["balance", "tokens"], ["balance", "cards"],
    ["balance", "actions"], ["balance", "strategies"], ["balance", "health"], ["compare"], ["report"], ["ladder"],
    ["tune"],
)  # fmt: skip


class Said:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


Typed = Callable[..., Said]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Run a command line in this process."""
    monkeypatch.setenv("COLUMNS", "140")

    def type_in(*words: str) -> Said:
        code = run(words)
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return type_in


# --- help and errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_has_examples(typed: Typed, words: list[str]) -> None:
    said = typed(*words, "--help")
    assert said.code == 0
    assert "Usage: encyclopedia" in said.out
    if words:
        assert "Examples" in said.out
        assert f"encyclopedia {words[0]}" in said.out


def test_help_imports_nothing_slow() -> None:
    slow = ("numba", "polars", "pydantic", "scipy", "numpy")
    code = (
        "import sys\nfrom analysis.cli.main import run\nrun(['--help'])\n"
        f"print([name for name in {slow} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_the_version_is_said(typed: Typed) -> None:
    assert re.fullmatch(r"encyclopedia [0-9.]+ \(engine [0-9a-f]{16}\)\n", typed("--version").out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tournament"], "Missing argument"),
        (["tournament", "random", "--players"], "requires an argument"),
        (
            ["tournament", "random", "--games", "none"],
            "found 'none'; a whole number of at least 1 is needed",
        ),
        (["tournament", "random", "--games", "0"], "--games / -g: found '0'; a whole number of at least 1 is needed"),
        (
            ["tournament", "random", "--seed", "-1"],
            "a whole number from 0 to 9223372036854775807 is needed",
        ),
        (["tournament", "random", "--patience", "0"], "--patience: found '0'; a number of at least 0.1 is needed"),
        (
            ["tournament", "random", "--threads", "x"],
            "found 'x'; a whole number of at least 1 is needed",
        ),
        (["tournament", "random", "--lineups", "odd"], "'odd'; allowed: all, mixed, distinct, mirror"),
        (["tournament", "random", "--colour"], "--colour"),
        (["tournament", "nobody"], "strategy 'nobody'"),
        (["tournament", "random", "random"], "'random' is given 2 times"),
        (["tournament", "random", "--players", "7"], "players: found 7; ruleset 'standard' allows 2 to 4"),
        (["tournament", "random", "--set", "coins=3"], "coins"),
        (["tournament", "random", "--ruleset", "nowhere.toml"], "nowhere.toml"),
        (["tournament", "random", "--resume"], "give --out"),
        (["tournament", "random", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "give one of them"),
        (["tournament", f"{PLAYERS}:nothing"], "nothing"),
        (["play", "random"], "1 given, one a seat"),
        (["play", "random", "random", "--json", "--explain"], "give one of them"),
        (["rules", "show", "--table", "dice"], "allowed: rules, animals, experts, tokens"),
        (["rules", "validate", "--set", "rounds=0"], "rounds"),
        (["bench", "--strategy", "nobody"], "strategy 'nobody'"),
        (["dance"], "dance"),
        (["balance", "tokens", "--paired-every", "0"], "see encyclopedia balance tokens --help"),
        (["balance", "coins", "--precision", "3vp"], "this question takes 0.2pp"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_line_and_ends_with_2(typed: Typed, words: list[str], said: str) -> None:
    found = typed(*words)
    assert found.code == 2
    assert said in found.err
    assert "Traceback" not in found.err


def test_debug_shows_where_an_error_came_from() -> None:
    with pytest.raises(Exception, match="nobody"):
        run(["tournament", "nobody", "--debug"])


def test_the_command_to_resume_is_the_one_that_was_typed() -> None:
    token = WORDS.set(("tournament", "my bot.py:a", "--out", "x", "--overwrite"))
    assert resume_command() == "encyclopedia tournament 'my bot.py:a' --out x --resume"
    WORDS.reset(token)


# --- tournament -----------------------------------------------------------------------------------------------------


def test_a_tournament_prints_its_tables(typed: Typed) -> None:
    said = typed("tournament", "random", FIRST, "--games", "100", "--seed", "3")
    assert said.code == 0
    assert "100 games rounded up to 120: whole blocks of 6 line-ups" in said.err
    for text in ("Strategies", "Seats", "win share", "95% interval", "mean VP", "mean rank", "random"):
        assert text in said.out
    assert "120 games of 4 players in 65 blocks of 6 line-ups" in said.out
    assert re.search(r"120 games played in .* games/s", said.out)


def test_a_tournament_writes_results_that_can_be_played_again(typed: Typed, tmp_path: Path) -> None:
    words = ("tournament", "random", FIRST, "-p", "3", "--games", "60", "--seed", "3", "--out", str(tmp_path), "-q")
    said = typed(*words, "--set", "bank.coins=6")
    assert said.code == 0
    assert said.err == ""
    command = re.search(r"To look at a game: encyclopedia (play .*)", said.out)
    assert command is not None
    assert "--set bank.coins=6" in command[1]
    played = typed(*command[1].split(), "--json")
    events = [json.loads(line) for line in played.out.splitlines()]
    seats = pl.read_parquet(tmp_path / "seats.parquet").filter(pl.col("game") == events[0]["game"])
    assert events[0]["strategies"] == seats["strategy"].to_list()
    assert [seat["total"] for seat in events[-1]["seats"]] == seats["total"].to_list()
    # Once it is there it is not played again, but shown.
    assert typed(*words, "--set", "bank.coins=6").code == 2
    again = typed(*words, "--set", "bank.coins=6", "--resume")
    assert again.code == 0
    assert again.out.split("60 games played")[0].splitlines()[:6] == said.out.splitlines()[:6]
    assert typed(*words, "--resume").code == 2


@pytest.mark.parametrize(
    ("strategies", "lineups", "game"),
    [
        (["random", FIRST], "all", f"play {FIRST} random {FIRST} --seed 0 --game 20"),
        (["random", FIRST], "mirror", f"play {FIRST} {FIRST} {FIRST} --seed 0 --game 23"),
        (["random", FIRST], "mixed", f"play {FIRST} random {FIRST} --seed 0 --game 23"),
        (["random"], "all", "play random random random --seed 0 --game 23"),
    ],
)
def test_the_game_to_look_at_is_one_in_which_strategies_meet(
    typed: Typed, strategies: list[str], lineups: str, game: str
) -> None:
    said = typed("tournament", *strategies, "--players", "3", "--games", "24", "--lineups", lineups)
    assert f"To look at a game: encyclopedia {game}\n" in said.out


def test_a_dry_run_says_what_it_would_take_and_does_nothing(typed: Typed, tmp_path: Path) -> None:
    said = typed("tournament", "random", FIRST, "--games", "10000000", "--dry-run", "--out", str(tmp_path / "out"))
    assert said.code == 0
    for text in ("10,000,008", "shards", "GB", "core-hours"):
        assert text in said.out
    assert not (tmp_path / "out").exists()


def test_plan_says_how_many_games_a_precision_needs(typed: Typed) -> None:
    said = typed("plan", "random", FIRST, "--players", "2", "--precision", "0.5pp", "--threads", "2")
    assert said.code == 0
    assert re.search(r"for ±0\.5%\s+[\d,]+ games, ", said.out)
    assert re.search(r"core-hours\s+less than 0\.01 *\n", said.out)
    assert re.search(r"Plan\n\s*\n games ", said.out), "no empty headings"


def test_a_narrow_interval_is_forecast_with_its_digits(typed: Typed) -> None:
    said = typed("plan", "random", FIRST, "--players", "2", "--games", "1000000000")
    assert re.search(r"random ±0\.00[1-9]\d*%", said.out)


BAD = """
def outside(state, tables, actions, count, random, weights):
    return count

def failing(state, tables, actions, count, random, weights):
    if count > 0:
        raise ValueError("out of ideas")
    return 0

def fraction(state, tables, actions, count, random, weights):
    return 0.5

def short(state, tables, actions):
    return 0
"""


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("outside", 1, "returned 8, allowed are 0 to 7, asked for a 'draft'"),
        ("failing", 1, "raised ValueError: out of ideas"),
        ("fraction", 2, "returns a float64"),
        ("short", 2, "its arguments are"),
    ],
)
def test_a_strategy_that_breaks_its_contract_is_named(
    typed: Typed, tmp_path: Path, name: str, code: int, said: str
) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    spec = f"{tmp_path}/bad.py:{name}"
    found = typed("tournament", spec, "--games", "8")
    assert found.code == code
    assert said in found.err
    assert spec in found.err
    if code == 1:
        assert re.search(r"in seat \d of game \d+", found.err)


STUCK = """
def stuck(state, tables, actions, count, random, weights):
    number = 1
    while number > 0:
        number = number % 7 + 1
    return number


def crashing(state, tables, actions, count, random, weights):
    return state[1_000_000_000_000]
"""
UNTRIED = "import analysis.tournament; analysis.tournament.try_out = lambda *given: None; "
"""As if the trial before a run had found nothing."""


@pytest.mark.parametrize(
    ("first", "name", "said"),
    [
        ("", "stuck", r"no decision came back for 1 s, asked for a 'draft' in seat \d of game \d+"),
        ("", "crashing", r"its process ended with -\d+"),
        (UNTRIED, "stuck", r"in seat \d of game \d+ never returns"),
    ],
)
def test_a_strategy_that_hangs_or_crashes_is_named(tmp_path: Path, first: str, name: str, said: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(STUCK)
    done = subprocess.run(
        [sys.executable, "-c", f"{first}from analysis.cli.main import main; main()", "tournament", f"{bot}:{name}",
         "--games", "8", "--patience", "1"],
        capture_output=True, text=True, timeout=60, check=False, env=os.environ,
    )  # fmt: skip
    assert done.returncode == 1
    assert re.search(said, done.stderr), done.stderr
    assert f"bot.py:{name}" in done.stderr
    assert "Traceback" not in done.stderr


# --- questions ------------------------------------------------------------------------------------------------------


def test_intervals_have_the_level_that_is_said(typed: Typed) -> None:
    said = typed("balance", "seats", "random", "--players", "2", "--precision", "5pp", "-q")
    assert said.out.count("96% interval") == 3
    assert "; 96% intervals (so that 95% hold whichever look is the last), precision 5pp reached" in said.out
    assert said.out.count("95%") == 1
    plain = typed("balance", "seats", "random", "--players", "2", "--games", "40", "-q").out
    assert "; 95% intervals\n40 games played in " in plain


def test_games_of_changes_are_told_apart(typed: Typed) -> None:
    said = typed("balance", "tokens", "random", "--players", "2", "--games", "48", "-q")
    assert "Computed on 48 games" in said.out
    assert re.search(r"\d+ games played \(the 48 above, the others with what was tried\) in ", said.out)
    assert "played on top" in " ".join(typed("balance", "coins", "--help").out.replace("│", " ").split())


# --- play -----------------------------------------------------------------------------------------------------------


def test_a_game_is_told(typed: Typed) -> None:
    said = typed("play", "random", FIRST, "--seed", "1", "--game", "17")
    assert said.code == 0
    assert said.out.startswith("Game 17 of seed 1: 2 players, ruleset standard\n")
    assert "Round 6 of 6" in said.out


def test_a_game_is_told_with_thoughts(typed: Typed) -> None:
    said = typed("play", "random", FIRST, "--seed", "1", "--game", "17", "--explain")
    assert "  ? seat 1, draft: [animal " in said.out
    plain = typed("play", "random", FIRST, "--seed", "1", "--game", "17").out.splitlines()
    assert [line for line in said.out.splitlines() if not line.strip().startswith("? ")] == plain


# --- rules, strategies ----------------------------------------------------------------------------------------------


def test_rules_are_shown_with_their_provenance(typed: Typed) -> None:
    said = typed("rules", "show", "--set", "bank.coins=6")
    assert re.search(r"bank\.coins\s+6\s+changed\s+4\.7", said.out)
    assert re.search(r"coins\.offsets\s+2, 3, 3, 4\s+S\s+2\.4", said.out)
    rows = json.loads(typed("rules", "show", "--json").out)
    assert {"key": "bank.coins", "value": 5, "provenance": "S", "rule": "4.7"} in rows


@pytest.mark.parametrize("table", ["animals", "experts", "tokens"])
def test_cards_are_shown(typed: Typed, table: str) -> None:
    cards = getattr(load_configuration().cards, table)
    rows = json.loads(typed("rules", "show", "--table", table, "--json").out)
    assert [row["name"] for row in rows] == [card.name for card in cards]
    assert typed("rules", "show", "--table", table).code == 0


def test_rules_are_exported_and_checked(typed: Typed, tmp_path: Path) -> None:
    folder = str(tmp_path / "mine")
    assert typed("rules", "export", folder, "--set", "rounds=5").code == 0
    said = typed("rules", "validate", "--ruleset", folder, "--cards", folder)
    assert said.code == 0
    assert "75 animals, 55 experts, 12 round tokens, 5 rounds" in said.out
    again = typed("rules", "export", folder)
    assert (again.code, "give --overwrite" in again.err) == (2, True)
    assert typed("rules", "export", folder, "--overwrite").code == 0


@pytest.fixture
def game(typed: Typed, tmp_path: Path) -> str:
    """A folder with rules and cards that are not the standard ones, though they are called so."""
    folder = str(tmp_path / "game")
    typed("rules", "export", folder, "--set", "bank.coins=6", "--set", "experts.7.amount=9")
    return folder


def hashes(kind: str, *changes: str) -> str:
    return content_hash(getattr(load_configuration(overrides=changes), kind))


def test_a_folder_brings_its_cards(typed: Typed, game: str) -> None:
    cards = hashes("cards", "experts.7.amount=9")
    rows = json.loads(typed("rules", "show", "--ruleset", game, "--table", "experts", "--json").out)
    assert rows[6]["amount"] == 9
    words = ("balance", "seats", "random", "--games", "4", "--ruleset", game)
    assert f"cards {game} ({cards})" in typed(*words).out
    assert f"cards standard ({hashes('cards')})" in typed(*words, "--cards", "standard").out
    assert f"cards standard ({hashes('cards')})" in typed(*words[:-1], f"{game}/ruleset.toml").out


def test_a_folder_brings_its_cards_to_its_side_of_a_comparison(typed: Typed, game: str) -> None:
    words = ("compare", "standard", game, "--strategy", "random", "--games", "4")
    rules, cards = hashes("ruleset", "bank.coins=6"), hashes("cards", "experts.7.amount=9")
    plain = f"ruleset standard ({hashes('ruleset')}), cards standard ({hashes('cards')})"
    assert f"A: {plain}; B: ruleset {game} ({rules}), cards {game} ({cards})" in typed(*words).out
    for option in ("--cards", "--cards-b"):
        expected = f"A: {plain}; B: ruleset {game} ({rules}), cards standard ({hashes('cards')})"
        assert expected in typed(*words, option, "standard").out
    swapped = typed("compare", game, "standard", *words[3:])
    assert f"A: ruleset {game} ({rules}), cards {game} ({cards}); B: {plain}" in swapped.out


def test_rules_are_called_what_they_were_asked_for_as(typed: Typed, game: str) -> None:
    rules = hashes("ruleset", "bank.coins=6")
    assert f"Ruleset {game} ({rules})" in typed("rules", "validate", "--ruleset", game).out
    assert f"Ruleset standard with bank.coins=6 ({rules})" in typed("rules", "validate", "--set", "bank.coins=6").out


def test_a_game_of_a_tournament_with_cards_of_a_folder_is_played_with_them(
    typed: Typed, game: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = ("tournament", "random", FIRST, "--games", "24", "--out", str(out), "-q", "--ruleset", game)
    for more in ((), ("--cards", "standard", "--overwrite")):
        said = typed(*words, *more)
        command = said.out.partition("encyclopedia play ")[2].split()
        events = [json.loads(line) for line in typed("play", *command, "--json").out.splitlines()]
        seats = pl.read_parquet(out / "seats.parquet").filter(pl.col("game") == events[0]["game"])
        assert [seat["total"] for seat in events[-1]["seats"]] == seats["total"].to_list()
        assert open_results(out).about["card set"] == ("standard" if more else game)


def test_strategies_are_listed(typed: Typed) -> None:
    assert "random" in typed("strategies").out
    assert "random" in [row["name"] for row in json.loads(typed("strategies", "--json").out)]


def test_a_new_strategy_plays(typed: Typed, tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    said = typed("strategies", "new", str(bot))
    assert said.code == 0
    assert typed("tournament", "random", f"{bot}:mine", "--games", "12", "--players", "2").code == 0
    assert typed("strategies", "new", str(bot)).code == 2
