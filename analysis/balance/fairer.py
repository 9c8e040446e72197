"""Whether one seating is fairer than another that was played on the same luck.

The balance of a seating is 1 − the largest difference of two seats' win shares. How much larger one balance is than
another is the largest over pairs of seats of the one, and then the smallest over pairs of seats of the other, of plain
differences of four win shares. These have simultaneous intervals, whose ends, taken in the same way, hold the
difference of the balances.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.balance.arrays import FloatArray, GameArrays, block_means
from analysis.balance.moments import BlockMoments, Strata
from analysis.lineups import Lineups
from analysis.stats import LEVEL

_DRAWS: Final = 20_000
_SEED: Final = 1


@dataclass(frozen=True)
class Fairer:
    """How much larger the balance of the first seating is, and its interval; not a number where unknown."""

    difference: float
    low: float
    high: float


class FairerSums:
    """Two seatings on the same luck, gathered piece by piece.

    Parameters
    ----------
    lineups
        Who plays, in both.
    """

    def __init__(self, lineups: Lineups) -> None:
        self._players, self._strata = lineups.players, Strata(lineups)
        self._first, self._second = np.triu_indices(2 * lineups.players, 1)
        self._moments = BlockMoments(len(self._strata), 2 * lineups.players + len(self._first))

    def add(self, one: GameArrays, other: GameArrays) -> None:
        """Take in the same games of both: whole blocks."""
        shares = np.hstack([one.shares, other.shares])
        means = block_means(one.blocks, np.hstack([shares, shares[:, self._first] - shares[:, self._second]]))
        self._moments.add(self._strata.of_games(one.games[means.first]), means)

    def found(self, level: float = LEVEL) -> Fairer:
        """Estimate how much larger the balance of the first is than that of the second.

        Parameters
        ----------
        level
            Probability that the interval holds the true value.
        """
        found, count = self._moments.estimate(), 2 * self._players
        single, pairs = found[slice(0, count)], found[slice(count, None)]
        freedom = float(single.freedom.min())
        contrasts = _contrasts(self._players)
        differences = contrasts @ single.mean
        estimate = _of_balances(differences, self._players)
        if freedom < 1:
            return Fairer(estimate, float("nan"), float("nan"))
        covariance = np.diag(single.error**2)
        covariance[self._first, self._second] = (
            single.error[self._first] ** 2 + single.error[self._second] ** 2 - pairs.error**2
        ) / 2
        covariance = np.triu(covariance) + np.triu(covariance, 1).T
        half = _half_widths(contrasts, covariance, freedom, level)
        ends = (_of_balances(differences + sign * half, self._players) for sign in (-1, 1))
        return Fairer(estimate, *ends)


def _contrasts(players: int) -> FloatArray:
    """By ordered pair of seats of the second and of the first: how much more apart those of the second are."""
    pairs = list(itertools.permutations(range(players), 2))
    rows = np.zeros((len(pairs), len(pairs), 2 * players))
    for (row, (a, b)), (column, (c, d)) in itertools.product(enumerate(pairs), enumerate(pairs)):
        rows[row, column, [players + a, c]] = (1.0, -1.0)
        rows[row, column, [players + b, d]] = (-1.0, 1.0)
    return rows.reshape(-1, 2 * players)


def _of_balances(differences: FloatArray, players: int) -> float:
    """Difference of the balances: largest of the second's pairs, smallest against the first's."""
    pairs = players * (players - 1)
    return float(differences.reshape(pairs, pairs).min(axis=1).max())


def _half_widths(contrasts: FloatArray, covariance: FloatArray, freedom: float, level: float) -> FloatArray:
    """Half the widths of simultaneous intervals: errors times a quantile of the largest studentised deviation."""
    random = np.random.default_rng(_SEED)
    values, axes = np.linalg.eigh(covariance)
    root = contrasts @ (axes * np.sqrt(np.maximum(values, 0.0)))
    errors: FloatArray = np.sqrt((root**2).sum(axis=1))
    sure = errors <= _ROUNDING
    scaled = root[~sure] / errors[~sure, None]
    if not len(scaled):
        return errors
    draws = np.abs(scaled @ random.standard_normal((len(values), _DRAWS))).max(axis=0)
    draws = draws / np.sqrt(random.chisquare(freedom, size=_DRAWS) / freedom)
    half: FloatArray = errors * float(np.quantile(draws, level))
    return half


_ROUNDING: Final = 1e-12
