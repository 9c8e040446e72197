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

from sim.calls import SCORES_SIGNATURE, address_of, call_scores, call_strategy, compile_strategy
from sim.chance import STRATEGY, STREAM_SIZE, next_word, open_stream
from sim.jit import at, entry, rule
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
from strategies.search.trial import MARGIN, Base, Sandbox, lead_worth, try_option

PLAYOUTS_AN_OPTION: Final = 4
"""Playouts there must be in the budget for each option that is tried; fewer say nothing."""

WEIGHTS: Final = {
    "budget": Weight(256, 2 * PLAYOUTS_AN_OPTION, 1_000_000, "playouts a decision"),
    "options": Weight(8, 2, 1000, "options that are tried, those the base thinks best; the base must be able to say"),
    "doubt": Weight(1.0, 0.0, 10.0, "standard errors by which an option must do better than the base's choice"),
    "margin": Weight(MARGIN, 0.1, 1000.0, "VP of a lead at the end that is nearly as good as any greater one"),
}
W_BUDGET, W_OPTIONS, W_DOUBT, W_MARGIN, W_BASE, W_BASE_SCORES, W_BASE_COUNT, W_BASE_WEIGHTS = range(8)
"""The row of weights as it is prepared: own weights, what is known of the base, the base's weights."""


def _prepare(row: NDArray[np.float64], texts: Mapping[str, str], players: int) -> tuple[NDArray[np.float64], Any]:
    """Put addresses and weights of the base behind the own weights; an address has less than 53 bits."""
    from strategies.api import find, load  # noqa: PLC0415 - it loads this module in turn

    base, scores = load(texts["base"], players), find(texts["base"]).declaration.scores
    compiled = None if scores is None else compile_strategy(scores, SCORES_SIGNATURE)
    # Address 0 is a real one where the compiler is off, so they are counted from 1, and 0 stands for none.
    known = 0 if compiled is None else address_of(compiled, SCORES_SIGNATURE) + 1
    return np.concatenate([row, [base.address, known, len(base.weights)], base.weights]), (base, compiled)


# Functions that return arrays are entries: kernels do not count references.


@entry
def _base_of(weights):
    """Take the base out of a prepared row of weights."""
    stop = W_BASE_WEIGHTS + np.int64(weights[W_BASE_COUNT])
    return Base(np.int64(weights[W_BASE]), weights[W_BASE_WEIGHTS:stop])


@entry
def _make_sandbox(tables):
    """Make the arrays that a decision's playouts are played in."""
    sandbox = Sandbox(
        np.empty(tables[STATE_SIZE], np.int32),
        np.empty(tables[CHANCE_SIZE], np.uint64),
        np.zeros(tables[RECORD_SIZE], np.int32),
        np.empty(tables[ACTION_LIMIT], np.int32),
        np.empty((tables[PLAYERS], STREAM_SIZE), np.uint64),
    )
    sandbox.record[REC_LOG_COUNT] = NO_LOG
    return sandbox


@rule
def _is_searched(state):
    """Say whether a decision is worth its playouts; the others gain little and cost as much."""
    kind = state[KIND]
    return kind in (KIND_TARGET, KIND_DIE, KIND_PLACE, KIND_DRAFT)


@rule
def _rank(state, tables, actions, count, weights, base, choice, order, scores):
    """Order the options as the base likes them, its choice first; return how many are tried."""
    options = count
    if weights[W_BASE_SCORES] > 0.0:
        call_scores(np.int64(weights[W_BASE_SCORES]) - 1, state, tables, actions, count, base.weights, scores)
        options = min(options, np.int64(weights[W_OPTIONS]))
    for option in range(count):
        order[at(option)] = option
    scores[at(choice)] = np.inf
    sort_by(scores, order, 0, count)
    return min(options, np.int64(weights[W_BUDGET]) // PLAYOUTS_AN_OPTION)


@entry
def rollout_scores(state, tables, actions, count, weights, out):
    """Fill ``out[:count]`` with the lead in VP that the game is worth after each option, by playouts.

    The budget is shared out evenly over the options that are tried; all others get minus infinity. Of decisions that
    are the base's, it is the base's own scores, or nothing but its choice where it has none to tell.
    """
    base = _base_of(weights)
    random, order, scores = np.empty(STREAM_SIZE, np.uint64), np.empty(count, np.int64), np.zeros(count, np.float64)
    open_stream(random, 0, 0, 0, STRATEGY, 0)
    choice = call_strategy(base.address, state, tables, actions, count, random, base.weights)
    if not _is_searched(state):
        out[:count] = 0.0
        if weights[W_BASE_SCORES] > 0.0:
            call_scores(np.int64(weights[W_BASE_SCORES]) - 1, state, tables, actions, count, base.weights, out)
        elif 0 <= choice < count:
            out[choice] = 1.0
        return
    out[:count] = -np.inf
    if choice < 0 or choice >= count:
        return
    options = _rank(state, tables, actions, count, weights, base, choice, order, scores)
    playouts = np.int64(weights[W_BUDGET]) // options
    sandbox, seed, margin = _make_sandbox(tables), next_word(random, 0), weights[W_MARGIN]
    for place in range(options):
        option, total = order[place], 0.0
        for luck in range(playouts):
            value = try_option(state, tables, actions[option], state[SEAT], sandbox, base, seed, luck, margin)
            if value < 0.0:
                raise ValueError("the base strategy returned an index that is not one of the legal actions")
            total += value
        out[option] = lead_worth(total / playouts, margin)


@strategy(
    weights=WEIGHTS,
    texts={"base": "balanced"},
    scores=rollout_scores,
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
