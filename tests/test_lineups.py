"""Line-ups, seatings, blocks, and the numbers of games and lucks."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.cli.options import LineupKind
from analysis.lineups import KINDS, Lineups, luck_of, period
from sim.errors import InputError

small = st.tuples(st.integers(1, 4), st.integers(2, 5), st.sampled_from(KINDS))


def lineups_of(strategies: int, players: int, kind: str) -> Lineups | None:
    try:
        return Lineups.of(strategies, players, kind)  # type: ignore[arg-type]
    except InputError:
        return None


@pytest.mark.parametrize("players", range(1, 6))
@pytest.mark.parametrize("strategies", range(1, 5))
def test_every_cyclic_order_is_listed_once_in_its_smallest_rotation(strategies: int, players: int) -> None:
    every = sorted({min(word[turn:] + word[:turn] for turn in range(players)) for word in _words(strategies, players)})
    wanted = {
        "all": every,
        "mixed": [order for order in every if len(set(order)) > 1],
        "distinct": [order for order in every if len(set(order)) == players],
        "mirror": [order for order in every if len(set(order)) == 1],
    }
    for kind, orders in wanted.items():
        found = lineups_of(strategies, players, kind)
        assert (found.members.tolist() if found else []) == [list(order) for order in orders]


def _words(strategies: int, players: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(strategies), repeat=players))


@given(small)
def test_a_tournament_is_balanced(case: tuple[int, int, str]) -> None:
    lineups = lineups_of(*case)
    if lineups is None:
        return
    schedule = lineups.schedule(0, lineups.round_games)
    seats = [Counter(column) for column in schedule.seatings.T.tolist()]
    assert all(seat == seats[0] for seat in seats), "every strategy sits in every seat equally often"


@given(small, st.integers(0, 500))
def test_a_block_is_one_luck_played_by_all_distinct_rotations(case: tuple[int, int, str], start: int) -> None:
    lineups = lineups_of(*case)
    if lineups is None:
        return
    first = start * lineups.players
    schedule = lineups.schedule(first, first + lineups.players)
    order = lineups.members[start % len(lineups)].tolist()
    rotations = {tuple(order[turn:] + order[:turn]) for turn in range(len(order))}
    blocks: dict[int, list[tuple[int, ...]]] = {}
    for luck, seating in zip(schedule.lucks.tolist(), schedule.seatings.tolist(), strict=True):
        blocks.setdefault(luck, []).append(tuple(seating))
    for luck, seatings in blocks.items():
        assert first <= luck < first + lineups.players
        assert len(seatings) == len(rotations)
        assert set(seatings) == rotations


@given(small, st.integers(0, 10**9))
def test_luck_follows_from_number_and_seating_alone(case: tuple[int, int, str], game: int) -> None:
    lineups = lineups_of(*case)
    if lineups is None:
        return
    schedule = lineups.schedule(game, game + 1)
    seating = schedule.seatings[0]
    assert schedule.lucks[0] == luck_of(game, seating)
    # It does so for names as for numbers.
    assert schedule.lucks[0] == luck_of(game, [f"strategy {index}" for index in seating])


@given(small, st.integers(0, 300), st.integers(0, 300))
def test_a_part_of_the_schedule_is_part_of_the_whole(case: tuple[int, int, str], start: int, count: int) -> None:
    lineups = lineups_of(*case)
    if lineups is None:
        return
    whole, part = lineups.schedule(0, 700), lineups.schedule(start, start + count)
    assert np.array_equal(part.games, np.arange(start, start + count))
    assert np.array_equal(part.lucks, whole.lucks[start : start + count])
    assert np.array_equal(part.seatings, whole.seatings[start : start + count])


def test_periods() -> None:
    assert [period(seating) for seating in ([0], [0, 0], [0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [2, 1, 2])] == [
        1, 1, 2, 2, 4, 3,
    ]  # fmt: skip
    assert Lineups.of(2, 4).periods.tolist() == [1, 4, 4, 2, 4, 1]
    assert Lineups.of(2, 4).is_mixed.tolist() == [False, True, True, True, True, False]


def test_games_are_rounded_up_to_whole_rounds_of_lineups() -> None:
    lineups = Lineups.of(2, 4)
    assert lineups.round_games == 24
    assert [lineups.rounded_up(games) for games in (1, 24, 25, 100)] == [24, 24, 48, 120]


@pytest.mark.parametrize(
    ("strategies", "players", "kind", "said"),
    [
        (3, 4, "distinct", "at least 4 strategies; found 3"),
        (1, 4, "mixed", "at least 2 strategies; found 1"),
        (2, 4, "some", "allowed: all, mixed, distinct, mirror"),
        (80, 4, "all", "at most 1,000,000"),
    ],
)
def test_impossible_lineups_are_refused(strategies: int, players: int, kind: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Lineups.of(strategies, players, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("games", [0, -5, 2**32])
def test_impossible_numbers_of_games_are_refused(games: int) -> None:
    with pytest.raises(InputError, match="games"):
        Lineups.of(2, 2).rounded_up(games)


def test_the_command_line_knows_the_kinds() -> None:
    assert LineupKind.__args__ == KINDS  # type: ignore[attr-defined]
