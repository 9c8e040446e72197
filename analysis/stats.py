"""Means and win shares with intervals, computed from blocks.

Games of one block share their luck, so the block is the unit: every estimate is made of block means. Line-ups are
fixed by the tournament, not drawn, so they are strata: variation between line-ups is no uncertainty of the mean over
all of them. Where a line-up has played one block only, its variation is unknown, and all blocks are taken as one
sample, which gives an interval that is rather too wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

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
    share, error = np.asarray(share, dtype=np.float64), np.asarray(error, dtype=np.float64)
    quantile = _quantile(freedom, level)
    spread = share * (1 - share)
    settled = (error == 0) & (spread > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(error > 0, spread / error**2, np.asarray(blocks, dtype=np.float64))
    # A win shared by everybody in every block: nothing varies, and nothing is uncertain.
    size[settled] = np.inf
    size = np.where((error > 0) & (spread == 0), np.asarray(blocks, dtype=np.float64), size)
    with np.errstate(invalid="ignore"):
        square = quantile**2 / size
        centre = (share + square / 2) / (1 + square)
        half = np.sqrt(square * spread + square**2 / 4) / (1 + square)
    return Interval(np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1))


def _quantile(freedom: ArrayLike, level: float) -> FloatArray:
    """Two-sided quantile of Student's t; not a number without degrees of freedom."""
    if not 0 < level < 1:
        raise InputError(f"level: found {level}; allowed: between 0 and 1, such as 0.95")
    freedom = np.asarray(freedom, dtype=np.float64)
    quantile = np.full(freedom.shape, np.nan)
    known = freedom > 0
    quantile[known] = stdtrit(freedom[known], 0.5 + level / 2)
    return quantile


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
            # A group that is in a block at all is in all its games, which have consecutive numbers.
            games=pl.col("game").max() - pl.col("game").min() + 1,
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
        strata = strata.sort(_strata(by)).with_columns(
            # Seats that a group holds at a table, and whether it holds all.
            held=pl.col("rows") / pl.col("games"),
            alone=pl.col("rows") == pl.col("rows").sum().over("lineup"),
        )
        groups = strata.group_by(by, maintain_order=True)
        table = groups.agg(pl.col("games").sum(), pl.col("blocks").sum())
        parts = [part for _, part in groups]
        blocks = table["blocks"].to_numpy()
        for name in self.measures:
            mean, error, freedom = np.array([_stratified(part, name) for part in parts]).reshape(-1, 3).T
            if name in SHARES:
                interval = share_interval(mean, error, freedom, blocks, level)
            else:
                interval = mean_interval(mean, error, freedom, level)
            columns = {"": mean, "_low": interval.low, "_high": interval.high, "_error": error}
            table = table.with_columns(
                pl.Series(name + ending, values).fill_nan(None) for ending, values in columns.items()
            )
        return table

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


def _stratified(strata: pl.DataFrame, name: str) -> tuple[float, float, float]:
    """Mean, standard error and degrees of freedom of one group (Cochran, Sampling Techniques, 5.4)."""
    blocks, rows, means, squares = (
        strata[column].to_numpy().astype(np.float64) for column in ("blocks", "rows", name, _squares(name))
    )
    weights = rows / rows.sum()
    mean = float(weights @ means)
    if blocks.sum() < 2:
        return mean, np.nan, 0.0
    if blocks.min() < 2:
        pooled = (squares + blocks * (means - mean) ** 2).sum() / (blocks.sum() - 1)
        return mean, float(np.sqrt(pooled * (weights**2 / blocks).sum())), float(blocks.sum() - 1)
    variances = squares / (blocks - 1)
    if name in SHARES:
        variances = np.maximum(variances, _least_variance(strata, means, blocks))
    parts = weights**2 * variances / blocks
    variance = parts.sum()
    # Satterthwaite; with nothing that varies, any number of degrees will do.
    freedom = variance**2 / (parts**2 / (blocks - 1)).sum() if variance > 0 else (blocks - 1).sum()
    return mean, float(np.sqrt(variance)), float(freedom)


def _least_variance(strata: pl.DataFrame, means: FloatArray, blocks: FloatArray) -> FloatArray:
    """Return how much shares vary at least in a line-up in which a group won every block, or none.

    That nothing varied among n blocks does not mean that nothing can: half a block more either way is assumed
    (Jeffreys' prior). A group that holds all seats always wins, and does not vary.
    """
    held = strata["held"].to_numpy().astype(np.float64)
    won = means * held
    settled = ~strata["alone"].to_numpy() & ((won < _TINY) | (won > 1 - _TINY))
    chance = 0.5 / (blocks + 1)
    return np.where(settled, chance * (1 - chance) / held**2, 0.0)


def _strata(by: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*by, "lineup"]))


def _squares(name: str) -> str:
    return f"{name}_squares"
