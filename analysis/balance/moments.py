"""Means of block values with standard errors, for many columns at once and in bounded memory.

`analysis.stats.BlockSums` gathers the same of long tables by any groups; here the columns are a matrix, so that
hundreds of effects (tokens by round, cards) cost one pass. Both estimate by `analysis.stats.stratified`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr

from analysis.balance.arrays import BlockMeans, FloatArray, IntArray
from analysis.lineups import Lineups
from analysis.stats import LEVEL, Interval, mean_interval, share_interval, share_p, stratified

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

    def half_width(self, level: float = LEVEL, *, share: bool = False) -> FloatArray:
        """Half the width of `interval`; not a number where unknown."""
        interval = self.interval(level, share=share)
        return np.asarray((interval.high - interval.low) / 2)

    def p(self, null: float = 0.0, *, share: bool = False) -> FloatArray:
        """Two-sided p of the means being `null`: at most 1 − level only where `interval` does not hold `null`."""
        if share and 0 < null < 1:
            return share_p(self.mean, self.error, self.freedom, self.blocks, null)
        return p_of(self.mean - null, self.error, self.freedom, self.blocks)

    def table(self, level: float = LEVEL, *, share: bool = False, null: float | None = 0.0) -> pl.DataFrame:
        """Return the means as rows: estimate, low, high, error, p (of being `null`), games, blocks."""
        interval = self.interval(level, share=share)
        columns = {
            "estimate": self.mean,
            "low": interval.low,
            "high": interval.high,
            "error": self.error,
            "p": np.full(len(self.mean), np.nan) if null is None else self.p(null, share=share),
        }
        return pl.DataFrame(
            [pl.Series(name, values, dtype=pl.Float64).fill_nan(None) for name, values in columns.items()]
        ).with_columns(games=pl.Series(self.games, dtype=pl.Int64), blocks=pl.Series(self.blocks, dtype=pl.Int64))


def p_of(difference: FloatArray, error: FloatArray, freedom: FloatArray, blocks: IntArray) -> FloatArray:
    """Two-sided p of a difference being 0, by Student's t.

    Of a difference that is the same in all blocks, t knows nothing. Its p is 1 if it is 0; otherwise that of the sign
    test, the chance of as many blocks having the same sign: few blocks show nothing.

    Examples
    --------
    >>> errors, blocks = np.array([1.0, 0.0, 0.0]), np.array([99, 6, 6])
    >>> p_of(np.array([1.96, 0.0, 2.0]), errors, np.array([1e9, 5.0, 5.0]), blocks).round(3).tolist()
    [0.05, 1.0, 0.031]
    """
    size = np.abs(difference)
    same = (error <= _ROUNDING * (1 + size)) & (freedom > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(same, 0.0, size / error)
    p = np.where(freedom > 0, 2 * stdtr(np.where(freedom > 0, freedom, 1.0), -ratio), np.nan)
    return np.where(same, np.where(size <= _ROUNDING, 1.0, 2.0 ** (1.0 - blocks)), p)


_ROUNDING: Final = 1e-12
"""What sums of floating-point numbers may be off by."""


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

    def largest(self, values: FloatArray) -> FloatArray:
        """Largest value of the line-ups of each stratum; float64[strata, columns], not a number where none is known."""
        found = np.full((len(self), values.shape[1]), -np.inf)
        np.maximum.at(found, self.of, np.where(np.isnan(values), -np.inf, values))
        return np.where(np.isfinite(found), found, np.nan)

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
        shape = (strata, columns)
        self._count, self._games = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        self._weight, self._mean = np.zeros(shape), np.zeros(shape)
        # Of the squares of the weights, which a weighted mean's error is made of.
        self._square_weight, self._square_mean, self._squares = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        # What a stratum counts, whether a column is known in all of its blocks or not.
        self._whole = np.zeros(shape)

    def add(self, strata: IntArray, means: BlockMeans, weights: IntArray | None = None) -> None:
        """Take in blocks.

        Parameters
        ----------
        strata : int64[blocks]
            Stratum of each block.
        means
            Their values; not a number for a column in which a block does not count.
        weights : int64[blocks] or int64[blocks, columns]
            How much a block counts; its games by default. Of a strategy's columns these are the seats that it holds in
            the block's games, so that every seat counts alike (`analysis.stats`).
        """
        if not len(strata):
            return
        order = np.argsort(strata, kind="stable")
        sorted_strata, values, games = strata[order], means.values[order], means.games[order]
        first = np.flatnonzero(np.concatenate([[True], sorted_strata[1:] != sorted_strata[:-1]]))
        there = sorted_strata[first]
        sizes = np.diff(np.append(first, len(order)))
        given = (means.games if weights is None else weights)[order].astype(np.float64)
        given = np.broadcast_to(given if given.ndim == 2 else given[:, None], values.shape)
        known = ~np.isnan(values)
        self._whole[there] += np.add.reduceat(given, first, axis=0)
        self._count[there] += np.add.reduceat(known, first, axis=0, dtype=np.int64)
        self._games[there] += np.add.reduceat(np.where(known, games[:, None], 0), first, axis=0)
        weight, values = np.where(known, given, 0.0), np.where(known, values, 0.0)
        _merge(self._weight, self._mean, there, *_moments(weight, values, first, sizes)[:2])
        total, mean, squares = _moments(weight**2, values, first, sizes)
        self._squares[there] += squares + _merge(self._square_weight, self._square_mean, there, total, mean)

    @property
    def blocks(self) -> int:
        """Most blocks that any column has, over all strata."""
        return int(self._count.sum(axis=0).max(initial=0))

    def estimate(self, strata: NDArray[np.bool_] | None = None, most: FloatArray | None = None) -> Estimate:
        """Estimate the mean of every column.

        Every stratum counts by the games it played in all (or what else blocks were said to count by), not by those in
        which a column happens to be known, so that chance cannot shift the weights of line-ups between columns.

        Parameters
        ----------
        strata : bool[strata]
            Which to take; all by default.
        most : float64[strata, columns]
            Of win shares, what a block has in which all was won (`analysis.stats.stratified`); of all strata.

        Returns
        -------
        Estimate
            See `analysis.stats.stratified`; within a stratum of several line-ups the mean is a ratio (Cochran, Sampling
            Techniques, 6.4).
        """
        rows = slice(None) if strata is None else strata
        count, mean = self._count[rows].astype(np.float64), self._mean[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self._weight[rows] > 0, count / self._weight[rows], 0.0)
            squares = self._squares[rows] + self._square_weight[rows] * (mean - self._square_mean[rows]) ** 2
            squares = squares * share**2
        found = stratified(count, mean, squares, self._whole[rows], None if most is None else most[rows])
        return Estimate(*found, blocks=count.sum(axis=0).astype(np.int64), games=self._games[rows].sum(axis=0))


def _moments(
    weight: FloatArray, values: FloatArray, first: IntArray, sizes: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sum of weights, mean and weighted sum of squares of the rows from each `first` on."""
    total = np.add.reduceat(weight, first, axis=0)
    mean = np.add.reduceat(weight * values, first, axis=0) / np.where(total > 0, total, 1.0)
    apart = values - np.repeat(mean, sizes, axis=0)
    return total, mean, np.add.reduceat(weight * apart * apart, first, axis=0)


def _merge(weight: FloatArray, mean: FloatArray, there: IntArray, added: FloatArray, other: FloatArray) -> FloatArray:
    """Put two samples together; return the sum of squares between them (Chan, Golub and LeVeque 1983)."""
    before = weight[there]
    after = np.where(before + added > 0, before + added, 1.0)
    shift = other - mean[there]
    mean[there] += shift * added / after
    weight[there] += added
    return np.asarray(shift * shift * before * added / after)
