"""Game logs: complete, and true by the word of a referee who knows nothing but the log."""

import copy
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim import layout as lay
from sim.batch import Batch, Player, Schedule, StrategyError
from sim.calls import address_of, compile_strategy
from sim.chance import draw
from sim.config import Configuration, load_configuration
from sim.game import Game
from sim.gamelog import LoggedGame, play_logged, to_json_lines
from sim.narrative import LEVELS, narrate, to_text
from sim.tables import NO_EXPERIMENT, Experiment, build_tables
from tests.lockstep import configuration_from, eager_picker
from tests.naive import samples
from tests.referee import Event, RejectedError, check_log, read_log

DATA = Path(__file__).parent / "data" / "logs"
FEW = (14, 9)
"""Animals and experts of a small card set, whose decks are remade often."""


def draw_any(state, tables, actions, count, random, weights):
    return draw(random, count)


def weigh_first(state, tables, actions, count, random, weights):
    """Prefer early options, as much as the weights say."""
    return min(draw(random, count), draw(random, count) + np.int64(weights[1]))


def point_beyond(state, tables, actions, count, random, weights):
    return count


def give_up(state, tables, actions, count, random, weights):
    if count > 3:
        raise ValueError("too much to choose from")
    return 0


@cache
def player(strategy: Callable[..., int], *weights: float) -> Player:
    code = compile_strategy(strategy)
    return Player(strategy.__name__, address_of(code), np.array(weights, dtype=np.float64), code)


@cache
def odd(number: int) -> Configuration:
    rules = samples.odd_rules(number)
    return configuration_from(rules, samples.random_cards(rules, number, *(FEW if number % 3 == 0 else ())))


@cache
def small() -> Configuration:
    """The standard rules, made small for logs that are kept."""
    rules = samples.standard_rules()
    rules |= {"name": "small", "rounds": 3}
    rules["dice"]["per_player"] = 2
    rules["display"] = {"experts": 3, "animals": [4, 6, 8]}
    rules["university"]["spaces"] = 1
    return configuration_from(rules, samples.random_cards(rules, 4, *FEW))


def random_log(configuration: Configuration, seats: int, luck: int) -> list[Event]:
    """Log of a random game, as somebody reads it from a file."""
    game = (configuration, [player(draw_any)], [0] * seats)
    return read_log(to_json_lines(play_logged(*game, seed=11, luck=luck, game_number=luck)))


def eager_log(
    configuration: Configuration, seats: int, luck: int, experiment: Experiment = NO_EXPERIMENT
) -> list[Event]:
    """Log of a game with many expeditions and publications."""
    names = ["eager"] * seats
    game = LoggedGame(configuration, seats, 12, luck, experiment, strategies=names, game_number=luck)
    pick = eager_picker(luck)
    while not game.over:
        game.choose(pick(game))
    return read_log(to_json_lines(game.events))


def sources(events: list[Event]) -> set[str]:
    """What kinds of effects fired."""
    named = {event["source"] for event in events if event["event"] == "effect"}
    return {source if source.endswith("beyond") else source.partition(":")[0] for source in named}


# --- true logs ------------------------------------------------------------------------------------------------------


def test_the_referee_knows_nothing_of_the_simulator() -> None:
    code = "import sys, tests.referee; sys.exit(any(name.partition('.')[0] == 'sim' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=Path(__file__).parents[1]).returncode == 0


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_standard_games(standard: Configuration, seats: int) -> None:
    fired = set()
    for luck in range(2):
        for log in (random_log(standard, seats, luck), eager_log(standard, seats, luck)):
            assert check_log(log) == [seat["total"] for seat in log[-1]["seats"]]
            fired |= sources(log)
    assert fired >= {"expert", "token", "reputation", "stolen"}


@pytest.mark.parametrize("number", range(1, 13))
def test_odd_games(number: int) -> None:
    seats = 2 + number % 3
    check_log(random_log(odd(number), seats, number))
    check_log(eager_log(odd(number), seats, number))


def test_remade_decks_and_the_end_of_the_track() -> None:
    """What is rare comes up, and the referee agrees with it."""
    logs = [random_log(odd(number), 4, 1) for number in (10, 30)]
    for log in logs:
        check_log(log)
    events = [event for log in logs for event in log]
    assert any("reshuffled" in event for event in events if event["event"] == "deal")
    assert any("reshuffled" in event for event in events if event["event"] == "effect")
    assert "reputation:beyond" in sources(events)


def test_experiment(standard: Configuration) -> None:
    hired = [card.id for card in standard.cards.experts if card.trigger == "hire"]
    changes = Experiment(
        banned_animals=[3, 4],
        banned_experts=[hired[0]],
        given_animals={9: 1, 8: 1, 30: 0},
        given_experts=dict.fromkeys(reversed(hired[1:7]), 0),
    )
    log = eager_log(standard, 2, 3, changes)
    check_log(log)
    assert log[0]["experiment"]["given_animals"] == [[8, 1], [9, 1], [30, 0]]
    assert any("experiment" in line.text for line in narrate(log))
    del log[0]["experiment"]
    with pytest.raises(RejectedError):
        check_log(log)


ORDER = re.compile(
    r"game (deal )*(effect )*(draft )*(start )+state "
    r"((deal )*round (effect )*(roll )+(place )+state ((turn|seal) (effect )*state )+)+state score "
)


@pytest.mark.parametrize("number", [0, 3, 5])
def test_order_and_completeness(standard: Configuration, number: int) -> None:
    configuration, seats = (odd(number) if number else standard), 3
    log = random_log(configuration, seats, 0)
    assert ORDER.fullmatch("".join(f"{event['event']} " for event in log))
    rules = configuration.ruleset
    count = {kind: sum(event["event"] == kind for event in log) for kind in ("turn", "seal", "round", "start")}
    assert count["turn"] == seats * rules.rounds * rules.dice.per_player
    assert count["round"] == rules.rounds
    assert count["start"] == seats
    if rules.seals.per_round == 1:
        assert count["seal"] == seats * rules.rounds
    assert log[0]["ruleset"] == rules.model_dump(mode="json")
    assert list(log[0]["cards"]["animals"][0]) == ["id", "name", "latin", "continent", *rules.types]
    assert len(log[0]["dice"]) == rules.dice.per_colour * len(rules.continents.names)
    assert sum(log[-1]["win_share"]) == pytest.approx(1)


# --- the same game as a batch's -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "seats"), [(0, 4), (0, 2), (7, 3)])
def test_it_is_the_game_of_a_batch(standard: Configuration, number: int, seats: int) -> None:
    configuration = odd(number) if number else standard
    players = [player(draw_any), player(weigh_first, 0.0, 1.0), player(weigh_first, 0.0, 2.0)]
    seatings = np.array([[(game + seat) % 3 for seat in range(seats)] for game in range(4)], dtype=np.int32)
    schedule = Schedule(np.arange(4), np.arange(4) // 2, seatings)
    batch = Batch(build_tables(configuration, seats), players, seed=5, threads=1)
    results = batch.play(schedule)
    for game in range(4):
        logged = _Watch()
        events = play_logged(
            configuration, players, seatings[game], seed=5, luck=game // 2, game_number=game, on_decision=logged
        )
        start = lay.REC_SEATS
        record = logged.game.arena.record[start : start + seats * lay.REC_SEAT_SIZE].reshape(seats, -1)
        np.testing.assert_array_equal(record.T, results.seats[:, game * seats : (game + 1) * seats])
        assert logged.decisions == results.games[0, game]
        totals = [seat["total"] for seat in events[-1]["seats"]]
        assert totals == results.seats[lay.REC_TOTAL, game * seats : (game + 1) * seats].tolist()
        ranks = [1 + sum(other > total for other in totals) for total in totals]
        assert ranks == results.seats[lay.REC_RANK, game * seats : (game + 1) * seats].tolist()
        tokens = [event["token"] for event in events if event["event"] == "round"]
        assert tokens == [configuration.cards.tokens[row].id for row in results.tokens[:, game]]
        assert events[0]["strategies"] == [players[index].name for index in seatings[game]]


class _Watch:
    """Counts decisions and looks at what it is told of them."""

    def __init__(self) -> None:
        self.decisions = 0

    def __call__(self, game: Game, seat: int, options: list[tuple[object, ...]], chosen: int) -> None:
        self.game = game
        self.decisions += 1
        assert seat == game.seat
        assert len(options) == game.count > 1
        assert 0 <= chosen < game.count


@pytest.mark.parametrize(
    ("strategy", "objection"),
    [(point_beyond, "returned 6, which is not one of the 6 legal actions"), (give_up, "too much to choose from")],
)
def test_a_strategy_that_breaks_its_contract(
    standard: Configuration, strategy: Callable[..., int], objection: str
) -> None:
    with pytest.raises(StrategyError, match=rf"'{strategy.__name__}' in seat 1 of game 8.*'draft'.*{objection}"):
        play_logged(standard, [player(strategy)], [0, 0], seed=0, luck=0, game_number=8)


def test_a_long_game_has_room() -> None:
    """Many rounds, more rows than a record holds at once."""
    rules = samples.standard_rules() | {"rounds": 40}
    cards = samples.random_cards(rules, 2)
    tokens = [{**cards["tokens"][n % 12], "id": n + 1} for n in range(40)]
    check_log(random_log(configuration_from(rules, {**cards, "tokens": tokens}), 2, 0))


# --- false logs -----------------------------------------------------------------------------------------------------


def first(log: list[Event], kind: str, where: Callable[[Event], Any] = lambda _: True) -> int:
    """Position of the first event of a kind that fits."""
    return next(n for n, event in enumerate(log) if event["event"] == kind and where(event))


def _wrong_state(log: list[Event]) -> None:
    log[first(log, "state", lambda event: event["round"] == 2)]["seats"][1]["coins"] += 1


def _wrong_score(log: list[Event]) -> None:
    log[-1]["seats"][0]["category_bonus"] += 3


def _wrong_win(log: list[Event]) -> None:
    log[-1]["win_share"].reverse()


def _wrong_value(log: list[Event]) -> None:
    log[first(log, "turn", lambda event: event["action"] == "embassy")]["value"] += 1


def _wrong_roll(log: list[Event]) -> None:
    die = log[first(log, "roll")]["dice"][0]
    die["value"] = die["value"] % 6 + 1


def _illegal_die(log: list[Event]) -> None:
    taken = log[first(log, "turn")]["die"]
    log[first(log, "turn", lambda event: event["die"] != taken)]["die"] = taken


def _other_colour(log: list[Event]) -> None:
    event = log[first(log, "turn", lambda event: event["recolour"] == "paid")]
    event["recolour"] = None


def _free_boost(log: list[Event]) -> None:
    log[first(log, "turn", lambda event: event["coins"] > 0)]["coins"] -= 1


def _dear_cubes(log: list[Event]) -> None:
    event = log[first(log, "turn", lambda event: event.get("cubes"))]
    event["cubes"].append(event["cubes"][0])


def _forgotten_cube(log: list[Event]) -> None:
    log[first(log, "turn", lambda event: event.get("cubes"))]["cubes"].pop()


def _kept_reference(log: list[Event]) -> None:
    log[first(log, "turn", lambda event: event.get("gave"))]["gave"].pop(0)


def _skipped_effect(log: list[Event]) -> None:
    del log[first(log, "effect", lambda event: event["source"].startswith("stolen"))]


def _swapped_effects(log: list[Event]) -> None:
    position = first(log, "effect", lambda event: event["source"].startswith("token"))
    log[position], log[position + 1] = log[position + 1], log[position]


def _invented_effect(log: list[Event]) -> None:
    position = first(log, "turn")
    log.insert(position + 1, {"event": "effect", "seat": 0, "source": "reputation:4", "coins": 1})


def _dealt_twice(log: list[Event]) -> None:
    position = first(log, "deal", lambda event: event["to"] == "academy")
    deal = log[first(log[position + 1 :], "deal", lambda event: event["to"] == "academy") + position + 1]
    deal["cards"][0] = deal["display"][0] = log[position]["cards"][0]


def _wrong_draft(log: list[Event]) -> None:
    log[first(log, "draft")]["animals"][0] = log[first(log, "draft") + 1]["animals"][0]


def _wrong_place(log: list[Event]) -> None:
    log[first(log, "place")]["spaces"].reverse()


def _missing_pass(log: list[Event]) -> None:
    position = first(log, "seal", lambda event: event.get("pass"))
    del log[position : position + 2]


def _cut_off(log: list[Event]) -> None:
    del log[-1]


def _goes_on(log: list[Event]) -> None:
    log.append(log[-2])


def _other_rule(log: list[Event]) -> None:
    log[0]["ruleset"]["bank"]["coins"] += 1


def _other_dice(log: list[Event]) -> None:
    log[0]["dice"][0] = log[0]["dice"][-1]


FORGERIES = {
    _wrong_state: r"\.seats\[1\]\.coins should be",
    _wrong_score: "category_bonus should be",
    _wrong_win: "win_share",
    _wrong_value: r"\.value should be",
    _wrong_roll: "value should be|is not one of",
    _illegal_die: "is not one of|should be",
    _other_colour: r"\.recolour should be",
    _free_boost: "should be|is not one of",
    _dear_cubes: "is not one of|cubes should be",
    _forgotten_cube: "cubes",
    _kept_reference: r"\.gave should be",
    _skipped_effect: "event should be 'effect'|source should be",
    _swapped_effects: "seat should be",
    _invented_effect: "event should be|source should be",
    _dealt_twice: "leaves its deck twice|cannot be in the deck",
    _wrong_draft: "is not one of|leaves|should be",
    _wrong_place: "should be",
    _missing_pass: "should be|is due",
    _cut_off: "the log ends where a score is due",
    _goes_on: "nothing comes after the score",
    _other_rule: "should be",
    _other_dice: "equally many dice",
}


@cache
def honest_log() -> str:
    return to_json_lines(eager_log(load_configuration(), 3, 1))


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forged_logs(forge: Callable[[list[Event]], None]) -> None:
    log = read_log(honest_log())
    forge(log)
    with pytest.raises(RejectedError, match=FORGERIES[forge]):
        check_log(log)


def numbers_in(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the numbers of an event stand."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [place for key, item in items for place in numbers_in(item, (*path, key))]
    return [path] if isinstance(value, int) and not isinstance(value, bool) else inner


def test_any_other_number_is_noticed() -> None:
    rng = random.Random(0)
    log = random_log(small(), 2, 0)
    check_log(log)
    for _ in range(150):
        forged = copy.deepcopy(log)
        event = rng.choice(forged[1:])
        *path, last = rng.choice(numbers_in(event) or [("event",)])
        place: Any = event
        for key in path:
            place = place[key]
        place[last] = place[last] + rng.choice([-1, 1]) if last != "event" else "nothing"
        with pytest.raises(RejectedError):
            check_log(forged)


def test_any_missing_event_is_noticed() -> None:
    log = random_log(small(), 2, 0)
    for position in range(1, len(log), 2):
        with pytest.raises(RejectedError):
            check_log(log[:position] + log[position + 1 :])


# --- kept logs ------------------------------------------------------------------------------------------------------


KEPT = ("cubes-of-others", "along-and-under")


def stored(name: str) -> tuple[str, str]:
    """A kept log and its telling."""
    log, text = (DATA / f"{name}{suffix}" for suffix in (".jsonl", ".txt"))
    return log.read_text(encoding="utf-8"), text.read_text(encoding="utf-8")


def played_again(name: str) -> tuple[str, str]:
    """The same, from the ruleset, the cards and the luck that the kept log names."""
    game = json.loads(stored(name)[0].partition("\n")[0])
    log = eager_log(configuration_from(game["ruleset"], game["cards"]), game["players"], game["game"])
    return to_json_lines(log), to_text(narrate(log))


@pytest.mark.parametrize("name", KEPT)
def test_kept_logs(name: str) -> None:
    """Rules, chance, the format and the telling of a game stay as they are."""
    check_log(read_log(stored(name)[0]))
    for text, known in zip(played_again(name), stored(name), strict=True):
        assert text.splitlines() == known.splitlines()


# --- games in words -------------------------------------------------------------------------------------------------


def test_a_game_in_words(standard: Configuration) -> None:
    log = eager_log(standard, 4, 2)
    log[0]["strategies"] = ["ann", "bob", "cyd", "dot"]
    lines = list(narrate(log))
    assert {line.level for line in lines} <= set(LEVELS)
    text = to_text(lines)
    for word in ("Round 6 of 6", "Set-up", "Draft", "Royal seals", "Final score", "seat 3 dot", "publication", "→"):
        assert word in text
    acts = [event for event in log if event["event"] in ("turn", "seal")]
    told = [line.text for line in lines if line.level == "line" and (" → " in line.text or "passes" in line.text)]
    assert len(told) == len(acts)
    names = {row["id"]: row["name"] for row in log[0]["cards"]["animals"]}
    experts = {row["id"]: row["name"] for row in log[0]["cards"]["experts"]}
    for event, line in zip(acts, told, strict=True):
        assert line.startswith(f"seat {event['seat']} {log[0]['strategies'][event['seat']]} ")
        for key, by_id in (("animal", names), ("reference", names), ("expert", experts)):
            assert key not in event or by_id[event[key]] in line
    totals = [str(seat["total"]) for seat in log[-1]["seats"]]
    table = [line.text for line in lines if line.level == "table"][-4:]
    assert all(total in row.split() for total, row in zip(totals, table, strict=True))
    assert "None" not in text


@pytest.mark.parametrize("number", range(1, 9))
def test_odd_games_in_words(number: int) -> None:
    log = eager_log(odd(number), 3, number)
    text = to_text(narrate(json.loads(line) for line in to_json_lines(log).splitlines()))
    assert f"Round {odd(number).ruleset.rounds} of" in text
    assert "None" not in text


if __name__ == "__main__":
    # Writes the kept logs anew, after a change of rules, chance or format that is meant.
    for kept in KEPT:
        for kept_suffix, kept_text in zip((".jsonl", ".txt"), played_again(kept), strict=True):
            (DATA / f"{kept}{kept_suffix}").write_text(kept_text, encoding="utf-8")
