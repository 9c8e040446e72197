"""Chance (rule 11): bit for bit numpy's generator, fair, and by purpose."""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sim import chance, layout
from sim.batch import Batch, Results, Schedule
from sim.config import Configuration, load_configuration
from sim.engine import BEGIN, step
from sim.game import Arena, Game
from sim.tables import NO_EXPERIMENT, Experiment, build_tables
from tests.generators import LUCKS, SEEDS
from tests.lockstep import Stream, eager_picker
from tests.strategies_for_tests import players, probes

PURPOSES = range(chance.ANIMAL_DECK, chance.STRATEGY + 1)
RARE = 1e-6
"""Tests of fairness fail below this probability; their streams are fixed, so they never fail by chance."""


def stream() -> np.ndarray:
    return np.zeros(chance.STREAM_SIZE, dtype=np.uint64)


@pytest.fixture(autouse=True)
def _wrapping_words():
    """Whole numbers of 64 bits wrap, also where the compiler is off."""
    with np.errstate(over="ignore"):
        yield


# --- one stream -----------------------------------------------------------------------------------------------------


@given(SEEDS, LUCKS, st.sampled_from(PURPOSES), st.integers(0, 2**31 - 1))
def test_words_are_those_of_numpy(seed: int, luck: int, purpose: int, index: int) -> None:
    out = np.zeros(40, dtype=np.uint64)
    probes.fill_words(out, stream(), seed, luck, purpose, index)
    oracle = Stream(seed, luck, purpose, index)
    assert out.tolist() == [oracle.word() for _ in out]


@given(SEEDS, st.one_of(st.integers(1, 80), st.integers(1, 2**32 - 1), st.integers(2**31, 2**31 + 9)))
def test_below_is_the_high_half_of_a_product(seed: int, bound: int) -> None:
    out = np.zeros(20, dtype=np.int64)
    probes.fill_below(out, stream(), seed, 0, chance.ROLL, 0, bound)
    oracle = Stream(seed, 0, chance.ROLL, 0)
    assert out.tolist() == [oracle.below(bound) for _ in out]
    assert all(0 <= number < bound for number in out.tolist())


@pytest.mark.compiled
@pytest.mark.parametrize("bound", [2, 3, 6, 7, 20, 75, 1000])
def test_below_is_fair(bound: int) -> None:
    out = np.zeros(200_000, dtype=np.int64)
    probes.fill_below(out, stream(), 1, 2, chance.STRATEGY, 3, bound)
    assert stats.chisquare(np.bincount(out, minlength=bound)).pvalue > RARE


@pytest.mark.compiled
def test_below_is_fair_where_the_product_alone_would_not_be() -> None:
    # Without rejection every third number below this bound would come twice as often as the others.
    bound = 3 * 2**30
    out = np.zeros(300_000, dtype=np.int64)
    probes.fill_below(out, stream(), 5, 0, chance.STRATEGY, 0, bound)
    assert stats.chisquare(np.bincount(out % 3, minlength=3)).pvalue > RARE
    assert stats.chisquare(np.bincount(out // 2**30, minlength=3)).pvalue > RARE


@pytest.mark.compiled
@pytest.mark.parametrize("purpose", PURPOSES)
def test_neighbouring_lucks_and_indices_are_independent(purpose: int) -> None:
    """The first draws of one luck after the other are as good as one stream, and so are pairs of them."""
    each = []
    for index in (0, 1, 64, 65):
        out = np.zeros(60_000, dtype=np.int64)
        probes.fill_first_draws(out, stream(), 9, purpose, index, 6)
        assert stats.chisquare(np.bincount(out)).pvalue > RARE
        pairs = out[:-1] * 6 + out[1:]
        assert stats.chisquare(np.bincount(pairs[::2], minlength=36)).pvalue > RARE
        each.append(out)
    for one, other in ((0, 1), (1, 2), (2, 3), (0, 3)):
        assert stats.chisquare(np.bincount(each[one] * 6 + each[other], minlength=36)).pvalue > RARE


@pytest.mark.compiled
def test_no_two_streams_begin_alike() -> None:
    seen = Counter()
    out = np.zeros(1, dtype=np.uint64)
    for seed in (0, 1, 2):
        for luck in range(40):
            for purpose in PURPOSES:
                for index in (*range(6), 64, 65, 128, 64 * 64, 64 * 64 + 1):
                    probes.fill_words(out, stream(), seed, luck, purpose, index)
                    seen[int(out[0])] += 1
    assert max(seen.values()) == 1


@pytest.mark.compiled
def test_shuffles_are_fair() -> None:
    """All 120 orders of five cards, and every card of a whole deck at the front and at the back."""
    rows = np.zeros((60_000, 5), dtype=np.uint64)
    probes.fill_shuffles(rows, np.zeros(chance.ORDERS + 5, dtype=np.uint64), 3, chance.TOKEN_DECK, 0)
    assert (np.sort(rows, axis=1) == np.arange(5)).all()
    orders = Counter(map(tuple, rows.tolist()))
    assert len(orders) == math.factorial(5)
    assert stats.chisquare(list(orders.values())).pvalue > RARE

    rows = np.zeros((30_000, 75), dtype=np.uint64)
    probes.fill_shuffles(rows, np.zeros(chance.ORDERS + 75, dtype=np.uint64), 3, chance.ANIMAL_DECK, 0)
    assert (np.sort(rows, axis=1) == np.arange(75)).all()
    for position in (0, 1, 37, 74):
        assert stats.chisquare(np.bincount(rows[:, position].astype(np.int64), minlength=75)).pvalue > RARE


@pytest.mark.compiled
def test_what_a_strategy_draws_is_fair() -> None:
    out, units = np.zeros(100_000, dtype=np.int64), np.zeros(100_000)
    probes.fill_draws(out, units, stream(), 4, 5, 1, 10)
    assert stats.chisquare(np.bincount(out, minlength=10)).pvalue > RARE
    assert units.min() >= 0
    assert units.max() < 1
    assert stats.kstest(units, "uniform").pvalue > RARE
    assert abs(np.corrcoef(out, units)[0, 1]) < 0.02


# --- a game's chance ------------------------------------------------------------------------------------------------


def orders(game: Game) -> dict[str, list[int]]:
    """The decks and tokens of a game that has just begun, by id, from the first card to be dealt."""
    tables, cards = game.tables, game.configuration.cards
    found = {}
    for name, key, rows, count in (
        ("animals", layout.C_ANIMALS, cards.animals, game.state[layout.ANIMAL_SIZE]),
        ("experts", layout.C_EXPERTS, cards.experts, game.state[layout.EXPERT_SIZE]),
        ("tokens", layout.C_TOKENS, cards.tokens, tables[layout.TOKENS]),
    ):
        order = game.arena.chance[tables[key] : tables[key] + count].tolist()
        found[name] = [rows[row].id for row in order]
    return found


def rolls(game: Game, pick: Callable[[Game], int]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Play a game to its end; dice and values of each round and seat."""
    while not game.over:
        game.choose(pick(game))
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    number = 0
    for code, seat, first, second, _ in game.log_rows().tolist():
        if code == layout.LOG_ROUND:
            number += 1
        elif code == layout.LOG_ROLL:
            found.setdefault((number, seat), []).append((first, second))
    return found


def begin(overrides: list[str] | None = None, count: int = 4, luck: int = 3, **experiment: object) -> Game:
    configuration = load_configuration(overrides=overrides or [])
    return Game(configuration, count, 11, luck, Experiment(**experiment) if experiment else NO_EXPERIMENT)


def test_decisions_never_change_decks_tokens_and_dice() -> None:
    usual = begin()
    decks, dice = orders(usual), rolls(usual, eager_picker(1))
    assert set(dice) == {(number, seat) for number in range(1, 7) for seat in range(4)}
    for seed in (2, 3):
        other = begin()
        assert orders(other) == decks
        assert rolls(other, eager_picker(seed)) == dice
    assert orders(begin(luck=4)) != decks
    assert rolls(begin(luck=4), eager_picker(1)) != dice


@pytest.mark.parametrize(
    "change",
    [
        "bank.coins=12",
        "draft.animals=1",
        "display.animals=9,9,9",
        "start_player=rotate",
        "seals.per_round=3",
        "expedition.reputation=5,5",
        "scoring.seal_vp=0",
        "tokens.1.amount=9",
        "experts.7.amount=3",
    ],
)
def test_variants_share_their_luck(change: str) -> None:
    usual, variant = begin(), begin([change])
    assert orders(variant) == orders(usual)
    assert rolls(variant, eager_picker(5)) == rolls(usual, eager_picker(6))


def test_a_longer_game_begins_as_the_shorter_one() -> None:
    usual, longer = begin(), begin(["rounds=8"])
    assert orders(longer) == orders(usual)
    dice = rolls(longer, eager_picker(5))
    assert {key: dice[key] for key in dice if key[0] <= 6} == rolls(usual, eager_picker(6))


def test_a_seat_keeps_its_dice_with_fewer_players() -> None:
    usual = rolls(begin(), eager_picker(5))
    for count in (2, 3):
        fewer = rolls(begin(count=count), eager_picker(6))
        assert fewer == {(number, seat): dice for (number, seat), dice in usual.items() if seat < count}


def test_dice_are_drawn_without_replacement() -> None:
    for dice in [rolls(begin(luck=luck), eager_picker(luck)) for luck in range(3)]:
        for number in range(1, 7):
            drawn = [die for seat in range(4) for die, _ in dice[number, seat]]
            assert len(set(drawn)) == 16
            assert all(1 <= value <= 6 for seat in range(4) for _, value in dice[number, seat])


def test_banned_and_given_cards_leave_the_others_in_order() -> None:
    usual = orders(begin())
    changed = orders(
        begin(
            banned_animals=[usual["animals"][0], usual["animals"][30]],
            given_animals={usual["animals"][4]: 2, usual["animals"][74]: 0},
            banned_experts=[usual["experts"][9]],
            given_experts={usual["experts"][1]: 3},
        )
    )
    gone = {usual["animals"][position] for position in (0, 4, 30, 74)}
    assert changed["animals"] == [card for card in usual["animals"] if card not in gone]
    gone = {usual["experts"][1], usual["experts"][9]}
    assert changed["experts"] == [card for card in usual["experts"] if card not in gone]
    assert changed["tokens"] == usual["tokens"]


def test_banning_a_card_changes_no_dice() -> None:
    assert rolls(begin(banned_animals=[5], given_experts={9: 1}), eager_picker(1)) == rolls(begin(), eager_picker(2))


def test_a_remade_deck_depends_on_its_cards_and_number_alone() -> None:
    """What was drawn, dealt or decided on the way to the same discards leaves no trace."""

    def dealt(pick: Callable[[Game], int]) -> list[list[tuple[int, list[int]]]]:
        game = Game(small(), 2, 3, 8)
        remakes: list[list[tuple[int, list[int]]]] = [[], []]
        before = [0, 0]
        while True:
            for deck, (key, size, start) in enumerate(
                (
                    (layout.ANIMAL_REMAKES, layout.ANIMAL_SIZE, layout.C_ANIMALS),
                    (layout.EXPERT_REMAKES, layout.EXPERT_SIZE, layout.C_EXPERTS),
                )
            ):
                if game.state[key] > before[deck]:
                    before[deck] = int(game.state[key])
                    first = game.tables[start]
                    order = game.arena.chance[first : first + game.state[size]].tolist()
                    remakes[deck].append((before[deck] - 1, order))
            if game.over:
                return remakes
            game.choose(pick(game))

    seen = 0
    for seed in range(6):
        for deck, purpose in enumerate((chance.ANIMAL_REMAKE, chance.EXPERT_REMAKE)):
            for index, order in dealt(eager_picker(seed))[deck]:
                assert order == Stream(3, 8, purpose, index).shuffled(sorted(order))
                seen += 1
    assert seen > 12


def small() -> Configuration:
    """The standard game with decks so small that they are remade again and again."""
    standard = load_configuration()
    cards = standard.cards.model_copy(
        update={"animals": standard.cards.animals[:14], "experts": standard.cards.experts[:9]}
    )
    return Configuration(ruleset=standard.ruleset, cards=cards)


# --- strategies -----------------------------------------------------------------------------------------------------


def played(line_up: list[object], weights: list[float], games: int = 24) -> Results:
    """Results of a batch with the same seats in every game."""
    tables = build_tables(load_configuration(), len(line_up))
    seated = [
        players.make_player(function, weights=[weight]) for function, weight in zip(line_up, weights, strict=True)
    ]
    schedule = Schedule(
        np.arange(games),
        np.arange(games),
        np.tile(np.arange(len(line_up), dtype=np.int32), (games, 1)),
    )
    return Batch(tables, seated, 17, threads=1).play(schedule)


def assert_same(one: Results, other: Results) -> None:
    for name in ("games", "tokens", "seats", "vp_by_round", "cards"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.compiled
def test_a_strategy_that_draws_more_changes_nothing_else() -> None:
    """Neither the dice nor what the other seats draw."""
    line_up = [players.by_the_book, players.random_choice, players.by_the_book]
    usual = played(line_up, [0, 0, 0])
    assert_same(played(line_up, [500, 0, 1]), usual)
    assert_same(played(line_up, [1, 0, 77]), usual)
    assert (usual.games[0] > 50).all()


@pytest.mark.compiled
def test_seats_draw_from_streams_of_their_own() -> None:
    """The random numbers of a seat are those of its own stream, whoever sits beside it."""
    tables = build_tables(load_configuration(), 3)
    drawn = [Stream(17, 5, chance.STRATEGY, seat) for seat in range(3)]
    result = Batch(tables, [players.make_player(players.random_choice)], 17, threads=1).play(
        Schedule(np.array([0]), np.array([5]), np.zeros((1, 3), dtype=np.int32))
    )
    arena = Arena(tables)
    count = step(arena.state, tables, arena.chance, arena.record, arena.actions, BEGIN, 17, 5)
    while count:
        index = drawn[arena.state[layout.SEAT]].below(int(count))
        action = int(arena.actions[index])
        count = step(arena.state, tables, arena.chance, arena.record, arena.actions, action, 0, 0)
    totals = [int(arena.record[layout.REC_SEATS + seat * layout.REC_SEAT_SIZE]) for seat in range(3)]
    assert totals == result.seats[layout.REC_TOTAL].tolist()
