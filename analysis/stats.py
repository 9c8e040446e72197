"""Means and win shares with intervals, computed from blocks: the one estimator that all analysis uses.

Games of one block share their luck, so the block is the unit: every estimate is made of block means. Line-ups are
fixed by the tournament, not drawn, so they are strata: variation between line-ups is no uncertainty of the mean over
all of them. Where a line-up has played one block only, its variation is unknown, and all blocks are taken as one
sample, which gives an interval that is rather too wide.

What is estimated of a strategy is the mean over all the seats that it holds: a line-up counts by its games and by the
seats that the strategy has there. So win shares of all strategies, weighted by seats, average 1/N whatever the
line-ups are; if every line-up counted alike, a strategy that sits three times at a table and takes its win every time
would have a third of a win there, and the shares would average more than 1/N.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from sim.errors import InputError

LEVEL: Final = 0.95
MEASURES: Final = ("win_share", "total", "rank")
"""Columns of the seats table that are summarised unless others are asked for."""
SHARES: Final = frozenset({"win_share"})
"""Columns between 0 and 1, whose intervals stay there too."""
_BATCH_ROWS: Final = 400_000
_MOST_PARTS: Final = 64
_TINY: Final = 1e-9

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Interval:
    """Lower and upper end, element by element.

    Attributes
    ----------
    low, high : float64[n]
    """

    low: FloatArray
    high: FloatArray


def mean_interval(mean: ArrayLike, error: ArrayLike, freedom: ArrayLike, level: float = LEVEL) -> Interval:
    """Interval of a mean by Student's t.

    Parameters
    ----------
    mean, error : float[n]
        Means and their standard errors.
    freedom : float[n]
        Degrees of freedom of the standard errors.
    level
        Probability that the interval holds the true value.

    Returns
    -------
    Interval
        Not a number where there are no degrees of freedom.

    Examples
    --------
    >>> interval = mean_interval([10.0], [1.0], [1e6])
    >>> float(interval.low[0].round(2)), float(interval.high[0].round(2))
    (8.04, 11.96)
    """
    half = _quantile(freedom, level) * np.asarray(error, dtype=np.float64)
    mean = np.asarray(mean, dtype=np.float64)
    return Interval(mean - half, mean + half)


def share_interval(
    share: ArrayLike, error: ArrayLike, freedom: ArrayLike, blocks: ArrayLike, level: float = LEVEL
) -> Interval:
    """Interval of a proportion by Wilson's formula, with the number of games its standard error is worth.

    A proportion whose standard error from blocks is s is known as well as from n = p(1 − p)/s² independent games;
    Wilson's interval is computed with that n (N. Dean and M. Pagano, *Evaluating confidence interval methods for
    binomial proportions in clustered surveys*, J. Survey Statistics and Methodology 3, 2015). It stays within 0 … 1.

    Parameters
    ----------
    share, error, freedom : float[n]
        Proportions, their standard errors and the degrees of freedom of these.
    blocks : float[n]
        Blocks they were computed from: what n is where every block won all or nothing and s is 0.
    level
        Probability that the interval holds the true value.

    Examples
    --------
    >>> interval = share_interval([0.5], [0.05], [1e6], [100])
    >>> float(interval.low[0].round(3)), float(interval.high[0].round(3))
    (0.404, 0.596)
    """
    share, size = np.asarray(share, dtype=np.float64), _worth(share, error, blocks)
    quantile, spread = _quantile(freedom, level), share * (1 - share)
    with np.errstate(invalid="ignore"):
        square = quantile**2 / size
        centre = (share + square / 2) / (1 + square)
        half = np.sqrt(square * spread + square**2 / 4) / (1 + square)
    return Interval(np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1))


def share_p(share: ArrayLike, error: ArrayLike, freedom: ArrayLike, blocks: ArrayLike, null: float) -> FloatArray:
    """Two-sided p of proportions being `null`, by the score test that Wilson's interval is made of.

    It is at most 1 − level just where `share_interval` of that level does not hold `null`.

    Parameters
    ----------
    share, error, freedom, blocks : float[n]
        See `share_interval`.
    null
        Between 0 and 1.

    Returns
    -------
    float64[n]
        Not a number where there are no degrees of freedom. Where the same share came out of every block, no less than
        what chance may do: 2 to the power of 1 − blocks.

    Examples
    --------
    >>> share_p([0.6, 1.0], [0.049, 0.0], [1e6, 1], [100, 2], 0.5).round(2).tolist()
    [0.05, 0.39]
    """
    share, freedom = np.asarray(share, dtype=np.float64), np.asarray(freedom, dtype=np.float64)
    size = _worth(share, error, blocks)
    with np.errstate(invalid="ignore"):
        ratio = np.where(share == null, 0.0, np.abs(share - null) * np.sqrt(size / (null * (1 - null))))
    p = np.where(freedom > 0, 2 * stdtr(np.where(freedom > 0, freedom, 1.0), -ratio), np.nan)
    settled = np.isinf(size) & (share != null) & (freedom > 0)
    return np.where(settled, 2.0 ** (1 - np.asarray(blocks, dtype=np.float64)), p)


def _worth(share: ArrayLike, error: ArrayLike, blocks: ArrayLike) -> FloatArray:
    """Independent games that a proportion is known as well as from."""
    share, error, blocks = (np.asarray(each, dtype=np.float64) for each in (share, error, blocks))
    spread = share * (1 - share)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where((error > 0) & (spread > 0), spread / error**2, blocks)
    # A win shared by everybody in every block: nothing varies, and nothing is uncertain.
    return np.asarray(np.where((error == 0) & (spread > 0), np.inf, size))


def _quantile(freedom: ArrayLike, level: float) -> FloatArray:
    """Two-sided quantile of Student's t; not a number without degrees of freedom."""
    if not 0 < level < 1:
        raise InputError(f"level: found {level}; allowed: between 0 and 1, such as 0.95")
    freedom = np.asarray(freedom, dtype=np.float64)
    quantile = np.full(freedom.shape, np.nan)
    known = freedom > 0
    quantile[known] = stdtrit(freedom[known], 0.5 + level / 2)
    return quantile


class Stratified(NamedTuple):
    """Means over strata, element by element.

    Attributes
    ----------
    mean, error, freedom : float64[columns]
        Mean, its standard error (not a number where unknown) and the degrees of freedom of that (0 where unknown).
    """

    mean: FloatArray
    error: FloatArray
    freedom: FloatArray


def stratified(
    blocks: FloatArray, means: FloatArray, squares: FloatArray, weights: FloatArray, most: FloatArray | None = None
) -> Stratified:
    """Mean over strata of some columns, with standard errors from blocks.

    Parameters
    ----------
    blocks : float64[strata, columns]
        Blocks of each stratum in which a column is known; strata without any do not count.
    means, squares : float64[strata, columns]
        Mean of the blocks' values, and sum of their squared deviations from it.
    weights : float64[strata, columns]
        How much a stratum counts, in any unit: seats held, games.
    most : float64[strata, columns], optional
        Of win shares, the value of a block in which everything was won: 1 for one seat, 1/k for the average of k seats;
        not a number for what is no share and where it is certain (all seats of a table). That nothing varied among n
        blocks that were all won, or all lost, does not mean that nothing can: half a block more either way is assumed
        (Jeffreys' prior).

    Returns
    -------
    Stratified
        The standard error is the stratified one with Satterthwaite's degrees of freedom (W. G. Cochran, *Sampling
        Techniques*, 5.4). Where a stratum has one block only, all blocks of the column are taken as one sample.

    Examples
    --------
    >>> blocks, means, squares, seats = [[9.0], [9.0]], [[1.0], [4.0]], [[8.0], [8.0]], [[1.0], [2.0]]
    >>> found = stratified(*map(np.array, (blocks, means, squares, seats)))
    >>> found.mean.tolist(), found.error.round(3).tolist(), found.freedom.round(1).tolist()
    ([3.0], [0.248], [11.8])
    """
    there = blocks > 0
    total = blocks.sum(axis=0)
    lone, known = (blocks == 1).any(axis=0), total >= 2
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(there, weights, 0.0)
        weights = weights / weights.sum(axis=0)
        mean = np.where(there, weights * means, 0.0).sum(axis=0)
        mean[total == 0] = np.nan
        shares = np.where(there, weights**2 / blocks, 0.0)
        variances = np.where(blocks > 1, squares / (blocks - 1), 0.0)
        scatter = np.where(there, squares + blocks * (means - mean) ** 2, 0.0).sum(axis=0) / (total - 1)
        if most is not None:
            settled = there & ((means < _TINY) | (means > most - _TINY))
            variances = np.maximum(variances, np.where(settled, _least_variance(blocks, most), 0.0))
            # As one sample, only if there is nothing that would vary from line-up to line-up.
            least = np.where(settled, _least_variance(total, most), 0.0).max(axis=0)
            scatter = np.where((settled | ~there).all(axis=0), np.maximum(scatter, least), scatter)
        parts = shares * variances
        apart = parts.sum(axis=0)
        spare = np.where(there, blocks - 1, 0.0).sum(axis=0)
        # With nothing that varies, any number of degrees will do.
        freedom = np.where(apart > 0, apart**2 / np.where(blocks > 1, parts**2 / (blocks - 1), 0.0).sum(axis=0), spare)
        error = np.sqrt(np.where(lone, scatter * shares.sum(axis=0), apart))
    return Stratified(mean, np.where(known, error, np.nan), np.where(known, np.where(lone, total - 1, freedom), 0.0))


def _least_variance(blocks: FloatArray, most: FloatArray) -> FloatArray:
    """Least variance of a block's win share among a number of blocks that were all won, or all lost."""
    chance = 0.5 / (blocks + 1)
    return np.where(np.isnan(most), 0.0, chance * (1 - chance) * most**2)


def mean_among_others(values: FloatArray, sits: BoolArray) -> FloatArray:
    """Mean over a strategy's seats in every game in which it meets others.

    Parameters
    ----------
    values : float64[..., games, players]
        What each seat has.
    sits : bool[games, players]
        Where the strategy sits.

    Returns
    -------
    float64[..., games]
        Not a number in games in which it does not sit, or sits in all seats. A mean over games counts each by
        `seats_among_others`, so that every seat counts alike.

    Examples
    --------
    >>> sits = np.array([[True, True, False], [True, True, True], [False, False, False]])
    >>> mean_among_others(np.array([[1.0, 0.0, 0.0]] * 3), sits).tolist()
    [0.5, nan, nan]
    """
    count = seats_among_others(sits)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(sits, values, 0.0).sum(axis=-1) / np.where(count > 0, count, np.nan))


def seats_among_others(sits: BoolArray) -> IntArray:
    """Seats that a strategy holds in every game in which it meets others, 0 in the rest.

    Parameters
    ----------
    sits : bool[games, players]
        Where the strategy sits.

    Returns
    -------
    int64[games]

    Examples
    --------
    >>> seats_among_others(np.array([[True, True, False], [True, True, True], [False, False, False]])).tolist()
    [2, 0, 0]
    """
    count = sits.sum(axis=1)
    return np.where(count < sits.shape[1], count, 0)


def estimates(
    seats: pl.DataFrame | pl.LazyFrame,
    by: Sequence[str],
    measures: Sequence[str] = MEASURES,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Mean of some columns of the seats table by strategy, seat or whatever else, with intervals from blocks.

    Parameters
    ----------
    seats
        Rows of the seats table: whole blocks, one behind the other (any order within a block). A lazy frame is read
        piece by piece, so that memory stays bounded.
    by
        Columns to group by.
    measures
        Columns to average.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    polars.DataFrame
        See `BlockSums.table`.

    Examples
    --------
    >>> seats = pl.DataFrame({
    ...     "game": [0, 0, 1, 1, 2, 2, 3, 3], "block": [0, 0, 0, 0, 2, 2, 2, 2], "lineup": [0] * 8,
    ...     "strategy": ["a", "b", "b", "a"] * 2, "win_share": [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    ... })
    >>> estimates(seats, ["strategy"], ["win_share"])["win_share"].to_list()
    [0.75, 0.25]
    """
    sums = BlockSums(by, measures)
    for batch in in_whole_blocks(seats.lazy().select(sums.columns)):
        sums.add(batch)
    return sums.table(by, level=level)


class BlockSums:
    """Block means gathered piece by piece: their number, mean and sum of squares for each group and line-up.

    Parameters
    ----------
    by
        Columns to group by.
    measures
        Columns to average.
    """

    def __init__(self, by: Sequence[str], measures: Sequence[str] = MEASURES) -> None:
        self.by = list(dict.fromkeys([*by, "lineup"]))
        self.measures = list(measures)
        self._parts: list[pl.DataFrame] = []

    @property
    def columns(self) -> list[str]:
        """Columns of the seats table that are needed."""
        return list(dict.fromkeys([*self.by, "game", "block", *self.measures]))

    def add(self, seats: pl.DataFrame) -> None:
        """Take in rows of the seats table: whole blocks."""
        # In the order of the rows, so that sums come out the same to the last digit.
        blocks = seats.group_by([*self.by, "block"], maintain_order=True).agg(
            rows=pl.len(),
            # A strategy in a certain seat is not in all games of a block.
            games=pl.col("game").n_unique(),
            **{name: pl.col(name).mean() for name in self.measures},
        )
        self._parts.append(
            blocks.group_by(self.by, maintain_order=True).agg(
                blocks=pl.len().cast(pl.Int64),
                rows=pl.col("rows").cast(pl.Int64).sum(),
                games=pl.col("games").cast(pl.Int64).sum(),
                **{name: pl.col(name).mean() for name in self.measures},
                **{_squares(name): ((pl.col(name) - pl.col(name).mean()) ** 2).sum() for name in self.measures},
            )
        )
        if len(self._parts) > _MOST_PARTS:
            self._parts = [self._merged()]

    def table(self, by: Sequence[str], where: pl.Expr | None = None, level: float = LEVEL) -> pl.DataFrame:
        """Estimate the means.

        Parameters
        ----------
        by
            Columns to group by: all or some of those gathered, or ``lineup``.
        where
            Which groups and line-ups to take.
        level
            Probability that an interval holds the true value.

        Returns
        -------
        polars.DataFrame
            One row a group, in the order of its values: the columns of `by`, ``games``, ``blocks``, and for every
            measure its mean, ``…_low``, ``…_high`` and ``…_error`` (standard error). Interval and error are null
            where there are too few blocks to know.
        """
        strata = self._merged() if where is None else self._merged().filter(where)
        # The average seat's share if all is won, where a group does not hold all seats of a table.
        alone = pl.col("rows") == pl.col("rows").sum().over("lineup")
        strata = strata.sort(_strata(by)).with_columns(most=pl.when(~alone).then(pl.col("games") / pl.col("rows")))
        groups = strata.group_by(by, maintain_order=True)
        table = groups.agg(pl.col("games").sum(), pl.col("blocks").sum())
        found = [self._estimate(part) for _, part in groups]
        blocks = table["blocks"].to_numpy()
        for column, name in enumerate(self.measures):
            mean, error, freedom = np.array([[values[column] for values in each] for each in found]).reshape(-1, 3).T
            if name in SHARES:
                interval = share_interval(mean, error, freedom, blocks, level)
            else:
                interval = mean_interval(mean, error, freedom, level)
            columns = {"": mean, "_low": interval.low, "_high": interval.high, "_error": error}
            table = table.with_columns(
                pl.Series(name + ending, values).fill_nan(None) for ending, values in columns.items()
            )
        return table

    def _estimate(self, strata: pl.DataFrame) -> Stratified:
        """Estimate the measures of one group; a line-up counts by the seats that the group holds."""
        shape = (len(strata), len(self.measures))
        blocks, rows, most = (
            np.broadcast_to(strata[name].cast(pl.Float64).fill_null(np.nan).to_numpy()[:, None], shape)
            for name in ("blocks", "rows", "most")
        )
        means, squares = (
            strata.select(pl.col(names).cast(pl.Float64)).to_numpy()
            for names in (self.measures, [_squares(name) for name in self.measures])
        )
        are_shares = np.array([name in SHARES for name in self.measures])
        return stratified(blocks, means, squares, rows, np.where(are_shares, most, np.nan))

    def _merged(self) -> pl.DataFrame:
        """Put together what was gathered piece by piece; one row a group and line-up (Chan's formula)."""
        weight = pl.col("blocks")

        def mean(name: str) -> pl.Expr:
            return (pl.col(name) * weight).sum() / weight.sum()

        return (
            pl.concat(self._parts)
            .group_by(self.by, maintain_order=True)
            .agg(
                blocks=weight.sum(),
                rows=pl.col("rows").sum(),
                games=pl.col("games").sum(),
                **{name: mean(name) for name in self.measures},
                **{
                    _squares(name): pl.col(_squares(name)).sum() + (weight * (pl.col(name) - mean(name)) ** 2).sum()
                    for name in self.measures
                },
            )
        )


def in_whole_blocks(seats: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """Read rows of the seats table in pieces of whole blocks; where they are cut depends on nothing but the rows.

    Parameters
    ----------
    seats
        At least the column ``block``.
    """
    kept: pl.DataFrame | None = None
    for batch in seats.collect_batches(chunk_size=_BATCH_ROWS):
        kept = batch if kept is None else pl.concat([kept, batch])
        while len(kept) > _BATCH_ROWS:
            # The block at the cut goes on in the next piece.
            blocks = kept["block"].to_numpy()
            cut = int(np.argmax(blocks == blocks[_BATCH_ROWS]))
            yield kept[:cut]
            kept = kept[cut:]
    if kept is not None:
        yield kept


def _strata(by: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*by, "lineup"]))


def _squares(name: str) -> str:
    return f"{name}_squares"
