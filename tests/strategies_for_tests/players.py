"""Simple compiled strategies; each has the signature `sim.calls.STRATEGY_SIGNATURE`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.batch import Player
from sim.calls import address_of, compile_strategy
from sim.chance import draw, next_word
from sim.layout import SEAL_VP


def random_choice(state, tables, actions, count, random, weights):
    """Choose blindly."""
    return draw(random, count)


def by_the_book(state, tables, actions, count, random, weights):
    """Choose by what is on the table alone, after throwing away as many random numbers as the first weight says."""
    for _ in range(int(weights[0])):
        next_word(random, 0)
    mixed = 0
    for cell in range(state.shape[0]):
        mixed = (mixed * 31 + state[cell]) % 1_000_003
    return mixed % count


def first(state, tables, actions, count, random, weights):
    """Take the first legal action."""
    return 0


def last(state, tables, actions, count, random, weights):
    """Take the last legal action."""
    return count - 1


def out_of_range(state, tables, actions, count, random, weights):
    """Break the contract."""
    return count


def by_the_row(state, tables, actions, count, random, weights):
    """Choose by how many weights there are."""
    return weights.shape[0] % count


def scribbler(state, tables, actions, count, random, weights):
    """Write into tables that all games read."""
    tables[SEAL_VP] += 1
    return 0


def make_player(function: Callable[..., Any], name: str = "", weights: Sequence[float] = (0.0,)) -> Player:
    """Compile a strategy and seat it."""
    compiled = compile_strategy(function)
    return Player(
        name=name or function.__name__,
        address=address_of(compiled),
        weights=np.array(weights, dtype=np.float64),
        owner=compiled,
    )
