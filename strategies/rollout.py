"""`rollout`: options tried in finished games by another strategy, and the one that did best taken.

For each decision that matters most (drafting, placing a die, choosing an action, choosing a die) the options that the
base strategy thinks best are tried: the state is copied, the option taken, and the game finished by the base in all
seats, on chance of the playouts' own (`sim.playout`). How playouts are shared out is in `strategies.search.halving`;
what was measured of it, in ``docs/search.md``. All other decisions are the base's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.chance import STREAM_SIZE, next_word
from sim.jit import SCORES_SIGNATURE, address_of, at, call_scores, call_strategy, compile_strategy, entry, rule
from sim.layout import (
    ACTION_LIMIT,
    CHANCE_SIZE,
    KIND,
    KIND_DIE,
    KIND_DRAFT,
    KIND_PLACE,
    KIND_TARGET,
    NO_LOG,
    PLAYERS,
    REC_LOG_COUNT,
    RECORD_SIZE,
    SEAT,
    STATE_SIZE,
)
from strategies.declare import Weight, strategy
from strategies.search.halving import best_by_halving, sort_by
from strategies.search.trial import Base, Sandbox

WEIGHTS: Final = {
    "budget": Weight(256, 2, 1_000_000, "playouts a decision"),
    "options": Weight(8, 2, 1000, "options that are tried, those the base thinks best; the base must be able to say"),
    "doubt": Weight(1.0, 0.0, 10.0, "standard errors by which an option must do better than the base's choice"),
    "margin": Weight(25.0, 0.1, 1000.0, "VP of a lead at the end that is nearly as good as any greater one"),
}
W_BUDGET, W_OPTIONS, W_DOUBT, W_MARGIN, W_BASE, W_BASE_SCORES, W_BASE_COUNT, W_BASE_WEIGHTS = range(8)


def _prepare(row: NDArray[np.float64], texts: Mapping[str, str], players: int) -> tuple[NDArray[np.float64], Any]:
    """Put addresses and weights of the base behind the own weights; an address has less than 53 bits."""
    from strategies.api import find, load  # noqa: PLC0415 - it loads this module in turn

    base, scores = load(texts["base"], players), find(texts["base"]).declaration.scores
    compiled = None if scores is None else compile_strategy(scores, SCORES_SIGNATURE)
    scores_address = 0 if compiled is None else address_of(compiled, SCORES_SIGNATURE)
    # Address 0 is a real one where the compiler is off, so they are counted from 1.
    known = 0 if compiled is None else scores_address + 1
    return np.concatenate([row, [base.address, known, len(base.weights)], base.weights]), (base, compiled)


@entry
def _base_of(weights):
    stop = W_BASE_WEIGHTS + np.int64(weights[W_BASE_COUNT])
    return Base(int(weights[W_BASE]), weights[W_BASE_WEIGHTS:stop])


@rule
def _is_searched(state):
    """Say whether a decision is worth its playouts; the others gain little and cost as much."""
    kind = state[KIND]
    return kind in (KIND_TARGET, KIND_DIE, KIND_PLACE, KIND_DRAFT)


@rule
def _rank(state, tables, actions, count, weights, base, choice, order, scores):
    """Order the options as the base likes them, its choice first; return how many are tried."""
    for option in range(count):
        order[at(option)] = option
    options = count
    if weights[W_BASE_SCORES] > 0.0:
        call_scores(np.int64(weights[W_BASE_SCORES]) - 1, state, tables, actions, count, base.weights, scores)
        options = min(count, np.int64(weights[W_OPTIONS]))
    scores[at(choice)] = np.inf
    sort_by(scores, order, 0, count)
    return options


@entry
def _make_sandbox(tables):
    sandbox = Sandbox(
        np.empty(tables[STATE_SIZE], np.int32),
        np.empty(tables[CHANCE_SIZE], np.uint64),
        np.zeros(tables[RECORD_SIZE], np.int32),
        np.empty(tables[ACTION_LIMIT], np.int32),
        np.empty((tables[PLAYERS], STREAM_SIZE), np.uint64),
    )
    sandbox.record[REC_LOG_COUNT] = NO_LOG
    return sandbox


@strategy(
    weights=WEIGHTS,
    texts={"base": "balanced"},
    prepare=_prepare,
    describe="options tried in finished games by another strategy (base), the best one taken",
)
def rollout(state, tables, actions, count, random, weights):
    """Choose the option whose playouts end best."""
    base = _base_of(weights)
    choice = call_strategy(base.address, state, tables, actions, count, random, base.weights)
    if choice < 0 or choice >= count or not _is_searched(state):
        return choice
    order, scores = np.empty(count, np.int64), np.zeros(count, np.float64)
    options = _rank(state, tables, actions, count, weights, base, choice, order, scores)
    return best_by_halving(
        state, tables, actions, state[SEAT], order, options, np.zeros(count), np.zeros(count),
        np.int64(weights[W_BUDGET]), _make_sandbox(tables), base, next_word(random, 0),
        weights[W_MARGIN], weights[W_DOUBT],
    )  # fmt: skip
