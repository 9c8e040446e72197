"""Strengths of Plackett and Luce, by maximum likelihood from the orders in which seats finished."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_PRIOR_GAMES: Final = 1.0
_MOST_TIED: Final = 4


def log_strengths(orders: IntArray, counts: FloatArray, strategies: int, start: FloatArray | None = None) -> FloatArray:
    """Fit the Plackett–Luce model by maximum likelihood.

    The first of a ranking is drawn with probabilities in proportion to the strengths of all, the second likewise among
    the rest, and so on (R. Plackett, *The analysis of permutations*, 1975; R. D. Luce, *Individual choice behavior*,
    1959). A strategy may be in a ranking several times. Each strategy is given one more game, won and lost by halves,
    against a strategy of average strength, so that one that never wins has a finite strength too.

    Parameters
    ----------
    orders : int64[n, players]
        Rankings, best first: index of the strategy.
    counts : float64[n]
        How often each occurred.
    strategies
        How many there are.
    start : float64[strategies], optional
        Where to begin the search.

    Returns
    -------
    float64[strategies]
        Logarithms of the strengths; their mean is 0.

    Examples
    --------
    >>> fitted = log_strengths(np.array([[0, 1], [1, 0]]), np.array([3000.0, 1000.0]), 2)
    >>> round(float(np.exp(fitted[0] - fitted[1])), 2)
    3.0
    """
    strength = np.zeros(strategies) if start is None else start.copy()
    value = -np.inf
    for _ in range(_MOST_STEPS):
        found, gradient, curvature = _likelihood(strength, orders, counts)
        if abs(found - value) <= 1e-10 * (1 + abs(found)) and np.abs(gradient).max() <= 1e-6 * (1 + counts.sum()):
            break
        step = np.linalg.solve(curvature, gradient)
        # Newton's step; halved where the likelihood would fall.
        scale = min(1.0, _LONGEST_STEP / max(np.abs(step).max(), 1e-300))
        while scale > 1e-6 and _likelihood(strength + scale * step, orders, counts)[0] < found:
            scale /= 2
        strength, value = strength + scale * step, found
    return np.asarray(strength - strength.mean())


_MOST_STEPS: Final = 60
_LONGEST_STEP: Final = 2.0


def _likelihood(strength: FloatArray, orders: IntArray, counts: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Log likelihood with the prior games, its gradient, and the negative of its second derivatives."""
    size = len(strength)
    ranked = strength[orders]
    value, gradient, curvature = 0.0, np.zeros(size), np.zeros((size, size))
    for place in range(orders.shape[1] - 1):
        rest, who = ranked[:, place:], orders[:, place:]
        top = rest.max(axis=1, keepdims=True)
        weights = np.exp(rest - top)
        chances = weights / weights.sum(axis=1, keepdims=True)
        value += float(counts @ (rest[:, 0] - top[:, 0] - np.log(weights.sum(axis=1))))
        np.add.at(gradient, who[:, 0], counts)
        np.add.at(gradient, who, -counts[:, None] * chances)
        spread = np.zeros((len(orders), size))
        np.add.at(spread, (np.arange(len(orders))[:, None], who), chances)
        curvature += np.diag(counts @ spread) - (spread * counts[:, None]).T @ spread
    chance = 1 / (1 + np.exp(-strength))
    value += _PRIOR_GAMES / 2 * float(np.log(chance * (1 - chance)).sum())
    gradient += _PRIOR_GAMES * (0.5 - chance)
    curvature += np.diag(_PRIOR_GAMES * chance * (1 - chance))
    return value, gradient, curvature


def untied(strategies: IntArray, ranks: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Turn ranks with ties into rankings: each order of the tied counts equally.

    Parameters
    ----------
    strategies, ranks : int64[games, players]
        Who sits in each seat, and which rank the seat has; tied seats share the better rank.

    Returns
    -------
    rows : int64[n]
        Game of each ranking.
    orders : int64[n, players]
        Rankings, best first.
    weights : float64[n]
        They add up to 1 in every game.

    Examples
    --------
    >>> untied(np.array([[7, 8, 9]]), np.array([[2, 1, 2]]))[1].tolist()
    [[8, 7, 9], [8, 9, 7]]
    """
    by_rank = np.argsort(ranks, axis=1, kind="stable")
    sorted_ranks = np.take_along_axis(ranks, by_rank, axis=1)
    orders = np.take_along_axis(strategies, by_rank, axis=1)
    tied = (sorted_ranks[:, 1:] == sorted_ranks[:, :-1]).any(axis=1)
    plain = np.flatnonzero(~tied)
    rows, ranked, weights = [plain], [orders[plain]], [np.ones(len(plain))]
    for row in np.flatnonzero(tied):
        ways = list(_orders_of_tied(orders[row], sorted_ranks[row]))
        rows.append(np.full(len(ways), row))
        ranked.append(np.array(ways, dtype=np.int64))
        weights.append(np.full(len(ways), 1 / len(ways)))
    return np.concatenate(rows), np.concatenate(ranked), np.concatenate(weights)


def _orders_of_tied(order: IntArray, ranks: IntArray) -> Iterator[list[int]]:
    """Orders in which a ranking with ties could be read."""
    groups = [[int(who) for who in order[ranks == rank]] for rank in np.unique(ranks)]
    for parts in itertools.product(*map(_ways, groups)):
        yield [who for part in parts for who in part]


def _ways(group: list[int]) -> list[tuple[int, ...]]:
    """Orders of some tied strategies: all of them, or for many the rotations of one order and of its reverse."""
    if len(group) <= _MOST_TIED:
        return list(itertools.permutations(group))
    turns = range(len(group))
    return [(*way[turn:], *way[:turn]) for way in (tuple(group), tuple(reversed(group))) for turn in turns]
