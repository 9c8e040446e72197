"""Search: playouts on chance of their own, and a strategy that plays better for them."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.tournament import tournament
from sim import layout as lay
from sim.chance import ORDERS
from sim.config import Configuration, load_configuration
from sim.engine import ask
from sim.errors import InputError
from sim.game import Game
from sim.jit import entry
from sim.playout import renew_chance
from strategies.api import describe_source, find, fingerprint, is_outside, load, load_source
from strategies.check import check, settings
from strategies.explain import Explainer
from strategies.search.halving import _is_clear, _rounds_for, sort_by
from strategies.search.trial import lead_worth, value_of_end
from tests import invariants

pytestmark = pytest.mark.compiled

PLAYERS_FILE = Path(__file__).parent / "strategies_for_tests" / "players.py"


@entry
def renew(state, tables, chance, seed, luck):
    renew_chance(state, tables, chance, seed, luck)


def give_another_future(game: Game, seed: int, luck: int = 0) -> None:
    with np.errstate(over="ignore"):
        renew(game.state, game.tables, game.arena.chance, seed, luck)


def decide(game: Game, spec: str, stream: tuple[int, int, int, int] = (5, 6, 7, 1)) -> int:
    player = load(spec, int(game.tables[lay.PLAYERS]))
    arena, state = game.arena, game.state.copy()
    with np.errstate(over="ignore"):
        index = ask(
            player.address, arena.state, game.tables, arena.actions, game.count,
            np.array(stream, dtype=np.uint64), player.weights,
        )  # fmt: skip
    assert (state == arena.state).all()
    return int(index)


# --- playouts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", settings(), ids=lambda setting: setting.label)
def test_a_game_goes_on_by_the_rules_on_another_future(setting) -> None:
    """All that holds in every state holds with decks, tokens and dice to come dealt anew, and to the end."""
    choice = np.random.default_rng(3)
    game = Game(setting.configuration, setting.players, 5, 6)
    decision = 0
    while not game.over:
        if decision % 9 == 0:
            give_another_future(game, decision)
            invariants.check(game)
        game.choose(int(choice.integers(game.count)))
        decision += 1
    invariants.check(game)


def middle_of_a_game(standard: Configuration, players: int = 3, decisions: int = 150, seed: int = 1) -> Game:
    choice, game = np.random.default_rng(seed), Game(standard, players, seed, 0)
    for _ in range(decisions):
        game.choose(int(choice.integers(game.count)))
    return game


def test_the_new_future_owes_nothing_to_the_old_one(standard: Configuration) -> None:
    game = middle_of_a_game(standard)
    state, tables = game.state, game.tables
    drawn = []
    for content in (0, 1):
        game.arena.chance[:] = content
        give_another_future(game, 12, 13)
        unseen = np.arange(state[lay.ANIMAL_FRONT], state[lay.ANIMAL_SIZE] - state[lay.ANIMAL_BACK])
        animals = tables[lay.C_ANIMALS] + unseen
        tokens = tables[lay.C_TOKENS] + np.arange(state[lay.ROUND], tables[lay.TOKENS])
        drawn.append((game.arena.chance[animals].tolist(), game.arena.chance[tokens].tolist()))
    assert drawn[0] == drawn[1]
    revealed = state[tables[lay.S_TOKENS] :][: state[lay.ROUND]].tolist()
    assert sorted(drawn[0][1] + revealed) == list(range(tables[lay.TOKENS]))


def test_every_unseen_card_may_come_next(standard: Configuration) -> None:
    game = middle_of_a_game(standard)
    first = int(game.tables[lay.C_ANIMALS] + game.state[lay.ANIMAL_FRONT])
    next_token = int(game.tables[lay.C_TOKENS] + game.state[lay.ROUND])
    animals, tokens, draws = Counter(), Counter(), 4000
    for luck in range(draws):
        give_another_future(game, 3, luck)
        animals[int(game.arena.chance[first])] += 1
        tokens[int(game.arena.chance[next_token])] += 1
    where = game.state[game.tables[lay.S_ANIMAL_WHERE] :][: game.tables[lay.ANIMALS]]
    assert set(animals) == set(np.flatnonzero(where == lay.IN_DECK).tolist())
    assert len(tokens) == game.tables[lay.TOKENS] - game.state[lay.ROUND]
    for counts in (animals, tokens):
        expected = draws / len(counts)
        assert all(abs(count - expected) < 5 * math.sqrt(expected) for count in counts.values())


@entry
def _values(state, tables, margin):
    first, second = value_of_end(state, tables, 0, margin), value_of_end(state, tables, 1, margin)
    return first, second, lead_worth(first, margin)


def test_an_end_is_worth_the_lead_over_the_best_other(standard: Configuration) -> None:
    game = middle_of_a_game(standard, players=2, decisions=0)
    for lead, value in ((0, 0.5), (25, 0.8808), (-50, 0.0180), (500, 1.0)):
        game.state[lay.SEATS + lay.VP] = lead
        first, second, back = _values(game.state, game.tables, 25.0)
        assert first == pytest.approx(value, abs=1e-4)
        assert first + second == pytest.approx(1)
        if value < 1:
            assert back == pytest.approx(lead)


# --- sharing out ----------------------------------------------------------------------------------------------------


@entry
def _rounds(options):
    return _rounds_for(options)


@entry
def _clear(total, square, count, doubt):
    return _is_clear(total, square, count, doubt)


@entry
def _sort(values, order, start, stop):
    sort_by(values, order, start, stop)


def test_rounds_end_with_the_favourite_and_one_challenger() -> None:
    assert [int(_rounds(options)) for options in (2, 3, 4, 5, 8, 9, 16)] == [1, 2, 2, 3, 3, 4, 4]


def test_a_difference_is_clear_above_its_own_noise() -> None:
    differences = np.array([0.3, -0.1, 0.2, 0.4])
    total, square, count = differences.sum(), (differences**2).sum(), len(differences)
    errors = differences.mean() / (differences.std(ddof=1) / math.sqrt(count))
    assert _clear(total, square, count, errors - 0.01)
    assert not _clear(total, square, count, errors + 0.01)
    assert not _clear(1.0, 1.0, 1, 0.0)
    assert not _clear(0.0, 0.0, 8, 0.0)


def test_sorting_leaves_the_favourite_and_the_order_of_equals() -> None:
    order = np.array([4, 0, 1, 2, 3])
    _sort(np.array([1.0, 3.0, 1.0, 2.0, -9.0]), order, 1, 5)
    assert order.tolist() == [4, 1, 3, 0, 2]


# --- rollout --------------------------------------------------------------------------------------------------------


def test_contract() -> None:
    report = check("rollout:budget=8", games=1, compiler_off=False)
    assert report.passed, str(report)


def test_it_decides_the_same_whatever_the_game_has_in_store() -> None:
    """Seed, decks, tokens and dice to come are in the chance array, which no strategy gets."""
    game = Game(load_configuration(), players=3, seed=4, luck=2)
    for _ in range(12):
        chosen = [decide(game, "rollout:budget=16")]
        game.arena.chance[:ORDERS] = (77, 78, *range(ORDERS - 2))
        game.arena.chance[ORDERS:] = game.arena.chance[ORDERS:][::-1].copy()
        chosen.append(decide(game, "rollout:budget=16"))
        give_another_future(game, 9)
        chosen.append(decide(game, "rollout:budget=16"))
        assert len(set(chosen)) == 1
        game.choose(chosen[0])


def test_its_own_random_numbers_decide_what_it_sees(standard: Configuration) -> None:
    """With few playouts, other luck in them leads to other choices somewhere."""
    choice, game, differ = np.random.default_rng(5), Game(standard, 2, 8, 0), 0
    while not game.over and differ == 0:
        differ += decide(game, "rollout:budget=16,doubt=0", (1, 2, 3, 1)) != decide(
            game, "rollout:budget=16,doubt=0", (4, 5, 6, 1)
        )
        game.choose(int(choice.integers(game.count)))
    assert differ


@pytest.mark.parametrize("base", ["random", "greedy", "(balanced:publish=1.5,bank=2)", f"{PLAYERS_FILE}:first"])
def test_any_strategy_can_finish_the_games(standard: Configuration, base: str) -> None:
    game = middle_of_a_game(standard)
    for _ in range(8):
        index = decide(game, f"rollout:budget=16,base={base}")
        assert 0 <= index < game.count
        game.choose(index)


def test_doubt_beyond_reach_leaves_the_choice_to_the_base(standard: Configuration) -> None:
    game = middle_of_a_game(standard)
    for _ in range(20):
        index = decide(game, "rollout:budget=8,doubt=10")
        assert index == decide(game, "balanced")
        game.choose(index)


def test_a_base_that_breaks_the_contract_is_a_fault_of_the_search() -> None:
    found = decide(Game(load_configuration(), 2, 1, 0), f"rollout:budget=8,base={PLAYERS_FILE}:out_of_range")
    assert found < 0 or found >= 6


def test_what_the_search_stands_on_is_part_of_what_it_is(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def mine(state, tables, actions, count, random, weights):\n    return 0\n")
    spec = f"rollout:budget=8,base={bot}:mine"
    before = fingerprint(spec)
    assert fingerprint("rollout") != fingerprint("rollout:budget=64") != fingerprint("rollout:base=greedy")
    assert is_outside(spec)
    assert not is_outside("rollout:base=greedy")
    source = describe_source(spec)
    assert list(source["files"]) == [f"{bot}"]
    assert load_source(source, 2, tmp_path / "elsewhere").name == spec
    bot.write_text("def mine(state, tables, actions, count, random, weights):\n    return 1\n")
    assert fingerprint(spec) != before


@pytest.mark.parametrize("spec", ["rollout:budget=1", "rollout:base=nobody", "rollout:options=1", "rollout:base=(a"])
def test_what_cannot_be_used_is_said(spec: str) -> None:
    with pytest.raises(InputError):
        load(spec, 2)


def test_it_says_what_it_thinks(standard: Configuration) -> None:
    game = middle_of_a_game(standard)
    while game.kind != "target":
        game.choose(0)
    opinions = Explainer("rollout:budget=32,options=4", 3).best(game, 20)
    leads = [opinion.score for opinion in opinions]
    assert len(leads) == game.count
    assert sum(math.isfinite(lead) for lead in leads) == min(4, game.count)
    assert all(abs(lead) < 200 for lead in leads if math.isfinite(lead))
    assert find("rollout").describe


def lower_end(strategy: str, opponent: str, games: int, players: int = 2) -> float:
    """Lower end of the interval of a strategy's win share against another."""
    played = tournament(
        [strategy, opponent], players=players, games=games, seed=3, lineups="mixed", record_cards=False
    ).summary.by_strategy
    return played.row(by_predicate=pl.col("strategy") == strategy, named=True)["win_share_low"]


def test_few_playouts_play_better_than_none() -> None:
    assert lower_end("rollout:budget=32", "balanced", 40) > 0.5


@pytest.mark.slow
def test_it_plays_much_better_than_its_base() -> None:
    assert lower_end("rollout:budget=256", "balanced", 120) > 0.65
