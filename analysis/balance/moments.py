"""Means of block values with standard errors, for many columns at once and in bounded memory.

`analysis.stats.BlockSums` does the same for long tables by any groups; here the columns are a matrix, so that hundreds
of effects (tokens by round, cards) cost one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from analysis.balance.arrays import BlockMeans, FloatArray, IntArray
from analysis.lineups import Lineups
from analysis.stats import LEVEL, Interval, mean_interval, share_interval

MOST_STRATA: Final = 64
"""Line-ups up to this number are strata of their own; more are gathered by kind."""


@dataclass(frozen=True)
class Estimate:
    """Means of some columns.

    Attributes
    ----------
    mean, error, freedom : float64[columns]
        Mean, its standard error and the degrees of freedom of that; not a number (freedom 0) where unknown.
    blocks, games : int64[columns]
        What they were computed from.
    """

    mean: FloatArray
    error: FloatArray
    freedom: FloatArray
    blocks: IntArray
    games: IntArray

    def __getitem__(self, columns: slice | IntArray | NDArray[np.bool_]) -> Estimate:
        return Estimate(*(getattr(self, name)[columns] for name in Estimate.__dataclass_fields__))

    def interval(self, level: float = LEVEL, *, share: bool = False) -> Interval:
        """Interval of each mean: Student's t, or Wilson's formula for proportions."""
        if share:
            return share_interval(self.mean, self.error, self.freedom, self.blocks, level)
        return mean_interval(self.mean, self.error, self.freedom, level)

    def half_width(self, level: float = LEVEL) -> FloatArray:
        """Half the width of each mean's interval; not a number where unknown."""
        interval = mean_interval(self.mean, self.error, self.freedom, level)
        return np.asarray((interval.high - interval.low) / 2)

    def p(self, null: float | FloatArray = 0.0) -> FloatArray:
        """Two-sided p of the means being `null`."""
        return p_of(self.mean - null, self.error, self.freedom)

    def _p(self, null: float | None, *, share: bool) -> FloatArray:
        if null is None:
            return np.full(len(self.mean), np.nan)
        if not share or not 0 < null < 1:
            return self.p(null)
        # A seat that won every block, or none, is no certain winner: the score test knows what chance may do.
        ratio = (self.mean - null) / np.sqrt(null * (1 - null) / np.maximum(self.blocks, 1))
        settled = (self.error == 0) & ((self.mean == 0) | (self.mean == 1))
        return np.where(settled, 2 * ndtr(-np.abs(ratio)), self.p(null))

    def table(self, level: float = LEVEL, *, share: bool = False, null: float | None = 0.0) -> pl.DataFrame:
        """Return the means as rows: estimate, low, high, error, p (of being `null`), games, blocks."""
        interval = self.interval(level, share=share)
        columns = {
            "estimate": self.mean,
            "low": interval.low,
            "high": interval.high,
            "error": self.error,
            "p": self._p(null, share=share),
        }
        return pl.DataFrame(
            [pl.Series(name, values, dtype=pl.Float64).fill_nan(None) for name, values in columns.items()]
        ).with_columns(games=pl.Series(self.games, dtype=pl.Int64), blocks=pl.Series(self.blocks, dtype=pl.Int64))


def p_of(difference: FloatArray, error: FloatArray, freedom: FloatArray) -> FloatArray:
    """Two-sided p of a difference being 0, by Student's t.

    A difference without any variation is certain: its p is 1 if it is 0, and 0 otherwise.

    Examples
    --------
    >>> p_of(np.array([1.96, 0.0, 2.0]), np.array([1.0, 0.0, 0.0]), np.array([1e9, 5.0, 5.0])).round(3).tolist()
    [0.05, 1.0, 0.0]
    """
    certain = (error == 0) & (freedom > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(certain, 0.0, np.abs(difference) / error)
    p = np.where(freedom > 0, 2 * stdtr(np.where(freedom > 0, freedom, 1.0), -ratio), np.nan)
    return np.where(certain, (difference == 0).astype(np.float64), p)


class Strata:
    """Which stratum a line-up belongs to: variation between strata is no uncertainty of a mean over all line-ups.

    Parameters
    ----------
    lineups
        The line-ups that play. Up to `MOST_STRATA` are strata of their own; beyond that those of one strategy in all
        seats stay apart, and all others of one number of distinct rotations are one stratum (whose interval is then
        rather too wide).

    Attributes
    ----------
    of : int64[lineups]
        Stratum of each line-up.
    mixed : bool[strata]
        Whether the line-ups of a stratum have at least two different strategies.
    """

    def __init__(self, lineups: Lineups) -> None:
        self._lineups = lineups
        mixed = lineups.is_mixed
        if len(lineups) <= MOST_STRATA:
            self.of = np.arange(len(lineups), dtype=np.int64)
        else:
            keys = np.where(mixed, -lineups.periods, lineups.members[:, 0].astype(np.int64))
            self.of = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        self.mixed = np.zeros(len(self), dtype=np.bool_)
        self.mixed[self.of[mixed]] = True

    def __len__(self) -> int:
        return int(self.of.max()) + 1

    @property
    def single(self) -> bool:
        """Whether every line-up is a stratum of its own."""
        return len(self) == len(self._lineups)

    def of_games(self, games: IntArray) -> IntArray:
        """Stratum of each game."""
        return self.of[self._lineups.of_games(games)]


class BlockMoments:
    """Number, mean and sum of squares of block values, by stratum and column, gathered piece by piece.

    Parameters
    ----------
    strata, columns
        How many there are.

    Examples
    --------
    >>> moments = BlockMoments(strata=1, columns=1)
    >>> moments.add(np.zeros(4, dtype=np.int64), BlockMeans(np.arange(4), np.ones(4, dtype=np.int64),
    ...     np.array([[1.0], [2.0], [3.0], [4.0]])))
    >>> found = moments.estimate()
    >>> float(found.mean[0]), round(float(found.error[0]), 4)
    (2.5, 0.6455)
    """

    def __init__(self, strata: int, columns: int) -> None:
        self._count = np.zeros((strata, columns), dtype=np.int64)
        self._mean = np.zeros((strata, columns))
        self._squares = np.zeros((strata, columns))
        self._games = np.zeros((strata, columns), dtype=np.int64)
        self._weight = np.zeros(strata)

    def add(self, strata: IntArray, means: BlockMeans, weights: IntArray | None = None) -> None:
        """Take in blocks.

        Parameters
        ----------
        strata : int64[blocks]
            Stratum of each block.
        means
            Their values; not a number for a column in which a block does not count.
        weights : int64[blocks]
            What a stratum's blocks add to its weight; their games by default.
        """
        if not len(strata):
            return
        order = np.argsort(strata, kind="stable")
        sorted_strata, values, games = strata[order], means.values[order], means.games[order]
        first = np.flatnonzero(np.concatenate([[True], sorted_strata[1:] != sorted_strata[:-1]]))
        there, sizes = sorted_strata[first], np.diff(np.append(first, len(order)))
        known = ~np.isnan(values)
        count = np.add.reduceat(known, first, axis=0, dtype=np.int64)
        mean = np.add.reduceat(np.where(known, values, 0.0), first, axis=0) / np.maximum(count, 1)
        deviations = np.where(known, values - np.repeat(mean, sizes, axis=0), 0.0)
        squares = np.add.reduceat(deviations * deviations, first, axis=0)
        # Two samples put together (Chan, Golub and LeVeque 1983).
        before = self._count[there]
        after = np.maximum(before + count, 1)
        shift = mean - self._mean[there]
        self._mean[there] += shift * count / after
        self._squares[there] += squares + shift * shift * before * count / after
        self._count[there] += count
        self._games[there] += np.add.reduceat(np.where(known, games[:, None], 0), first, axis=0)
        self._weight[there] += np.add.reduceat(games if weights is None else weights[order], first)

    @property
    def blocks(self) -> int:
        """Most blocks that any column has, over all strata."""
        return int(self._count.sum(axis=0).max(initial=0))

    def estimate(self, strata: NDArray[np.bool_] | None = None) -> Estimate:
        """Estimate the mean of every column.

        Every stratum counts by the games it played in all, not by those in which a column happens to be known, so
        that chance cannot shift the weights of line-ups between columns.

        Parameters
        ----------
        strata : bool[strata]
            Which to take; all by default.

        Returns
        -------
        Estimate
            The standard error is the stratified one (Cochran, Sampling Techniques, 5.4) with Satterthwaite's degrees
            of freedom. Where a stratum has one block only, all blocks of the column are taken as one sample.
        """
        rows = slice(None) if strata is None else strata
        count = self._count[rows].astype(np.float64)
        squares, means = self._squares[rows], self._mean[rows]
        weights = np.where(count > 0, self._weight[rows][:, None], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = weights / weights.sum(axis=0)
            mean = (weights * means).sum(axis=0)
            parts = np.where(count > 1, weights**2 * squares / (count - 1) / count, 0.0)
            variance = parts.sum(axis=0)
            spare = np.maximum(count - 1, 0).sum(axis=0)
            freedom = variance**2 / np.where(count > 1, parts**2 / (count - 1), 0.0).sum(axis=0)
            freedom = np.where(variance > 0, freedom, spare)
            total = count.sum(axis=0)
            scatter = (squares + count * (means - mean) ** 2).sum(axis=0) / (total - 1)
            pooled = scatter * np.where(count > 0, weights**2 / count, 0.0).sum(axis=0)
        lone = (count == 1).any(axis=0)
        unknown = total < 2
        variance = np.where(lone, pooled, variance)
        freedom = np.where(unknown, 0.0, np.where(lone, total - 1, freedom))
        return Estimate(
            mean=mean,
            error=np.where(unknown, np.nan, np.sqrt(np.where(unknown, 0.0, variance))),
            freedom=freedom,
            blocks=total.astype(np.int64),
            games=self._games[rows].sum(axis=0),
        )
