"""Strengths by the Plackett–Luce model: fitted to how games are ranked, and where they have no finite value, bounded.

A strategy that never finishes ahead of some others has no finite strength beside theirs: the likelihood grows the
further apart they are put, and what a fit returns is where it stopped. Such strategies are found by who finishes ahead
of whom, directly or by way of others (L. R. Ford, *Solution of a ranking problem from binary comparisons*, 1957), and
have a bound on one side instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, shortest_path

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_PRIOR_GAMES: Final = 1.0
_MOST_TIED: Final = 4
_FAINT_PRIOR: Final = 1e-4
_FAR: Final = 40.0
"""Log strengths apart at which nothing more can be told from infinity."""


def log_strengths(orders: IntArray, counts: FloatArray, strategies: int, start: FloatArray | None = None) -> FloatArray:
    """Fit the Plackett–Luce model by maximum likelihood.

    The first of a ranking is drawn with probabilities in proportion to the strengths of all, the second likewise among
    the rest, and so on (R. Plackett, *The analysis of permutations*, 1975; R. D. Luce, *Individual choice behavior*,
    1959). A strategy may be in a ranking several times. Each strategy is given one more game, won and lost by halves,
    against a strategy of average strength, so that the search ends; who owes a strength to that alone is for
    `Comparisons` to say.

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
    # choix fits the model too, but knows no counts: it walks through every game of every resample.
    model = _Model(orders, counts, _PRIOR_GAMES)
    found = minimize(
        model.value,
        np.zeros(strategies) if start is None else start,
        method="trust-exact",
        jac=model.gradient,
        hess=model.curvature,
        options={"gtol": _PRECISION * (1 + counts.sum()), "initial_trust_radius": 2.0, "max_trust_radius": 20.0},
    ).x
    return np.asarray(found - found.mean())


_PRECISION: Final = 1e-9


class _Model:
    """Negative log likelihood of some rankings with its derivatives, computed together for one place at a time."""

    def __init__(self, orders: IntArray, counts: FloatArray, prior: float = 0.0) -> None:
        seen = counts > 0
        self._orders, self._counts, self._prior = orders[seen], counts[seen], prior
        self.games = float(counts.sum())
        self._place: FloatArray | None = None

    def value(self, strength: FloatArray) -> float:
        return self._at(strength)[0]

    def gradient(self, strength: FloatArray) -> FloatArray:
        return self._at(strength)[1]

    def curvature(self, strength: FloatArray) -> FloatArray:
        return self._at(strength)[2]

    def _at(self, strength: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        if self._place is None or not np.array_equal(self._place, strength):
            self._place, self._found = strength.copy(), self._computed(strength)
        return self._found

    def _computed(self, strength: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        orders, counts, size = self._orders, self._counts, len(strength)
        ranked = strength[orders]
        value, gradient, curvature = 0.0, np.zeros(size), np.zeros((size, size))
        for place in range(orders.shape[1] - 1):
            rest, who = ranked[:, place:], orders[:, place:]
            top = rest.max(axis=1, keepdims=True)
            weights = np.exp(rest - top)
            chances = weights / weights.sum(axis=1, keepdims=True)
            value -= float(counts @ (rest[:, 0] - top[:, 0] - np.log(weights.sum(axis=1))))
            spread = np.zeros((len(orders), size))
            np.add.at(spread, (np.arange(len(orders))[:, None], who), chances)
            expected = counts @ spread
            gradient += expected - np.bincount(who[:, 0], counts, size)
            curvature += np.diag(expected) - (spread * counts[:, None]).T @ spread
        chance = 1 / (1 + np.exp(-strength))
        value += self._prior / 2 * float((np.logaddexp(0, strength) + np.logaddexp(0, -strength)).sum())
        gradient += self._prior * (chance - 0.5)
        curvature += np.diag(self._prior * chance * (1 - chance))
        return value, gradient, curvature


@dataclass(frozen=True)
class Sides:
    """Where strategies stand beside the core: the largest set of which each is ahead of each, if by way of others.

    Attributes
    ----------
    core : bool[strategies]
        Who has a finite strength.
    below, above : bool[strategies]
        Who never finishes ahead of the core, or is never behind it; some may be neither.
    reach : bool[strategies, strategies]
        Whether the row's strategy finishes ahead of the column's, directly or by way of others.
    """

    core: BoolArray
    below: BoolArray
    above: BoolArray
    reach: BoolArray


class Comparisons:
    """Who finishes ahead of whom in some rankings.

    Parameters
    ----------
    orders : int64[n, players]
        Rankings, best first: index of the strategy.
    strategies
        How many there are.

    Examples
    --------
    >>> rankings = np.array([[0, 1], [1, 0], [1, 2]])
    >>> sides = Comparisons(rankings, 3).sides(np.array([5.0, 3.0, 9.0]), np.array([0.1, 0.0, -3.0]))
    >>> sides.core.tolist(), sides.below.tolist()
    ([True, True, False], [False, False, True])
    """

    def __init__(self, orders: IntArray, strategies: int) -> None:
        self._orders, self._size = orders, strategies
        pairs = itertools.combinations(range(orders.shape[1]), 2)
        cells = np.stack([orders[:, one] * strategies + orders[:, other] for one, other in pairs], axis=1)
        rows = np.repeat(np.arange(len(orders)), cells.shape[1])
        self._ahead = csr_matrix((np.ones(cells.size), (rows, cells.ravel())), shape=(len(orders), strategies**2))

    def sides(self, counts: FloatArray, strengths: FloatArray) -> Sides:
        """Find who has a finite strength.

        Parameters
        ----------
        counts : float64[n]
            How often each ranking occurred.
        strengths : float64[strategies]
            As fitted; of equally large sets the strongest is the core.
        """
        ahead = ((counts > 0).astype(np.float64) @ self._ahead).reshape(self._size, self._size) > 0
        count, part = connected_components(csr_matrix(ahead), directed=True, connection="strong")
        sizes = np.bincount(part, minlength=count)
        largest = np.flatnonzero(sizes == sizes.max())
        core = part == max(largest, key=lambda number: strengths[part == number].mean())
        reach = np.isfinite(shortest_path(csr_matrix(ahead), unweighted=True))
        member = int(np.argmax(core))
        return Sides(core, reach[member] & ~core, reach[:, member] & ~core, reach)

    def bounds(
        self, counts: FloatArray, strengths: FloatArray, sides: Sides, games: float, tail: float
    ) -> tuple[FloatArray, FloatArray]:
        """Bound the strengths that are not finite: where what was seen would have had a chance of `tail` only.

        Parameters
        ----------
        counts, strengths, sides
            See `sides`.
        games
            Games that count as one, since they share their luck.
        tail
            Probability that a bound is wrong.

        Returns
        -------
        low, high : float64[strategies]
            Above the core's average; not a number where there is no bound.
        """
        low, high = np.full(self._size, np.nan), np.full(self._size, np.nan)
        model = _Model(self._orders, counts, _FAINT_PRIOR)
        for ends, which, far in ((high, sides.below, -_FAR), (low, sides.above, _FAR)):
            for who in np.flatnonzero(which):
                ends[who] = _bound(_Profile(model, who, sides.core, strengths), far, games, tail)
        return low, high


class _Profile:
    """Least negative log likelihood for a strength that one strategy has above the core's average."""

    def __init__(self, model: _Model, who: np.intp, core: BoolArray, start: FloatArray) -> None:
        self._model, self._start, self._who = model, np.delete(start, who), who
        # All strengths are those of the others, with this one as the core's average and something above it.
        self._whole = np.delete(np.eye(len(core)), who, axis=1)
        self._whole[who] = np.delete(core, who) / core.sum()

    def __call__(self, strength: float) -> float:
        whole, model = self._whole, self._model
        above = np.zeros(len(whole))
        above[self._who] = strength
        found = minimize(
            lambda others: model.value(whole @ others + above),
            self._start,
            method="trust-exact",
            jac=lambda others: whole.T @ model.gradient(whole @ others + above),
            hess=lambda others: whole.T @ model.curvature(whole @ others + above) @ whole,
            options={"gtol": _PRECISION * (1 + model.games), "initial_trust_radius": 2.0, "max_trust_radius": 20.0},
        )
        return float(found.fun)


def _bound(profile: _Profile, far: float, games: float, tail: float) -> float:
    """Strength at which what was seen has a chance of `tail`, compared with one that is infinitely far away."""
    likeliest = profile(far)
    return float(brentq(lambda strength: (profile(strength) - likeliest) / games + np.log(tail), far, -far, xtol=1e-4))


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
