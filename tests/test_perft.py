"""The engine counts as many ways on from fixed positions as the naive twin did when they were made."""

import pytest

from tests.perft import PERFT, Position, difference, engine_counts, positions, twin_counts

ALL = list(positions())


def test_there_are_positions() -> None:
    assert len(ALL) >= 12, f"no counts in {PERFT}; make them with: python -m tests.regenerate perft"


@pytest.mark.parametrize(("name", "position"), ALL, ids=[name for name, _ in ALL])
def test_counts(name: str, position: Position) -> None:
    game = position.game()
    for depth, expected in enumerate(position.counts, 1):
        if depth < len(position.counts):
            found = engine_counts(game, depth)
            assert sum(found.values()) == expected, f"{name}, {depth} deep:\n{difference({}, found)}"
    found = engine_counts(game, len(position.counts))
    assert found == position.moves, f"{name}, {len(position.counts)} deep:\n{difference(position.moves, found)}"
    assert sum(found.values()) == position.counts[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "position"), ALL, ids=[name for name, _ in ALL])
def test_counts_are_the_twins(name: str, position: Position) -> None:
    found = twin_counts(position, len(position.counts))
    assert found == position.moves, difference(position.moves, found)


def test_a_difference_is_shown_move_by_move() -> None:
    text = difference({"bank": 3, "embassy": 4}, {"bank": 2, "embassy": 4, "stop": 1})
    assert text == "bank: expected 3, found 2\nstop: expected no such move, found 1"
