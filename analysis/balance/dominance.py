"""Who beats whom, seen as a whole: α-Rank, circles, dominated strategies."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, shortest_path

FloatArray = NDArray[np.float64]

_ALPHA: Final = 100.0
_POPULATION: Final = 50


def alpha_rank(payoffs: FloatArray, alpha: float = _ALPHA, population: int = _POPULATION) -> FloatArray:
    """Rank strategies by how long evolution dwells on them, which is defined where strengths go in circles.

    Parameters
    ----------
    payoffs : float64[n, n]
        What a strategy (row) gets against another (column), between 0 and 1.
    alpha
        How strongly a better payoff is preferred.
    population
        Players among which a mutant must prevail.

    Returns
    -------
    float64[n]
        Stationary distribution of the chain of dominating strategies; it adds up to 1 (S. Omidshafiei et al.,
        *α-Rank: multi-agent evaluation by evolution*, Scientific Reports 9, 2019, for one population).

    Examples
    --------
    >>> stone_paper_scissors = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])
    >>> alpha_rank(stone_paper_scissors).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    size = len(payoffs)
    if size == 1:
        return np.ones(1)
    # A mutant (column) invades a resident (row) by what it wins against it above what it loses to it.
    advantage = alpha * (payoffs.T - payoffs)
    even = np.abs(advantage) < 1e-9
    safe = np.where(even, 1.0, np.clip(advantage, -_LARGEST / population, _LARGEST))
    fixed = np.where(even, 1 / population, np.expm1(-safe) / np.expm1(-population * safe))
    # However hopeless a mutant, some chance is left to it: the chain stays connected.
    chain = np.maximum(fixed, _LEAST_CHANCE) / (size - 1)
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    equations = np.vstack([chain.T - np.eye(size), np.ones(size)])
    solution = np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0]
    return np.asarray(np.maximum(solution, 0) / np.maximum(solution, 0).sum())


_LARGEST: Final = 500.0
_LEAST_CHANCE: Final = 1e-9


def cycles(beats: NDArray[np.bool_]) -> list[list[int]]:
    """List circles of strategies each of which beats the next.

    Parameters
    ----------
    beats : bool[n, n]
        Whether the row's strategy is shown to beat the column's.

    Returns
    -------
    list
        Circles, each from its lowest number: wherever some strategies go in circles, all the shortest that there are
        (those of three, if any).

    Examples
    --------
    >>> cycles(np.array([[False, True, False], [False, False, True], [True, False, False]]))
    [[0, 1, 2]]
    """
    _, part = connected_components(csr_matrix(beats), directed=True, connection="strong")
    found: list[list[int]] = []
    for number in np.unique(part):
        members = np.flatnonzero(part == number)
        if len(members) > 1:
            inside = beats[np.ix_(members, members)]
            found += [[int(members[place]) for place in circle] for circle in _shortest_circles(inside)]
    return sorted(found)


def _shortest_circles(beats: NDArray[np.bool_]) -> Iterator[list[int]]:
    """List the circles of the shortest length, each from its lowest number; there is at least one."""
    steps = shortest_path(csr_matrix(beats), unweighted=True)
    length = int((steps.T[beats] + 1).min())

    def further(way: list[int]) -> Iterator[list[int]]:
        if len(way) == length:
            yield way
            return
        for nxt in np.flatnonzero(beats[way[-1]]):
            if nxt > way[0] and steps[nxt, way[0]] <= length - len(way):
                yield from further([*way, int(nxt)])

    for first in range(len(beats)):
        yield from further([first])


def dominated(table: pl.DataFrame) -> list[tuple[str, str]]:
    """List pairs (better, worse): the better one beats the worse, and does at least as well against every third.

    Parameters
    ----------
    table
        Match-ups (`strategy_balance`). "At least as well" is meant of the estimates, "beats" of what is shown.
    """
    ahead = {(row["strategy"], row["against"]): row for row in table.iter_rows(named=True)}
    names = table["strategy"].unique(maintain_order=True).to_list()
    found = []
    for better, worse in itertools.permutations(names, 2):
        direct = ahead.get((better, worse))
        thirds = [name for name in names if name not in (better, worse)]
        pairs = [(ahead.get((better, name)), ahead.get((worse, name))) for name in thirds]
        if (
            direct is not None
            and direct["shown"] == "ahead"
            and all(one is not None and two is not None and one["ahead"] >= two["ahead"] for one, two in pairs)
        ):
            found.append((better, worse))
    return found
