"""Two configurations on common random numbers: differences game by game, with errors from blocks.

Two plans with the same line-ups and the same seed play the same games: game `g` has the same luck, the same line-up and
the same seating in both. So every row of one's tables has a partner in the other's, and what differs between the two is
the configuration alone. A difference of block means varies less than two independent means do, by the variance that
the pairing saves: variance of two independent runs ÷ variance of the paired difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import polars as pl

from analysis.balance.arrays import IntArray, block_means, in_units, play_units, unit_of
from analysis.balance.correction import with_corrected
from analysis.balance.moments import BlockMoments, Strata
from analysis.balance.precision import SILENT, Kind, Progress, carry_out, widest
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import LEVEL
from sim.errors import InputError

Rows = Callable[[Frames], pl.DataFrame]
"""What is measured: a shard's frames → rows with ``game``, ``block`` and the measures as columns; as many rows in the
same order for every configuration (a row a game, or a row a game and seat). It is called where the games were played,
so that it is best a function of a module."""

_KEYS: Final = ("game", "block")


class PairedSums:
    """Paired differences of some columns of a table, by groups, gathered piece by piece.

    Parameters
    ----------
    lineups
        The line-ups of both plans; they are the strata (`analysis.balance.moments.Strata`).
    measures
        Columns to compare. Rows where a column is null do not count for it.
    by
        Columns to group by, such as ``seat`` or ``strategy``; they must be the same in both.
    counted : int64[lineups, measures], optional
        What a row of each line-up counts for each measure (`analysis.balance.metrics.seats_counted`); 1 by default.

    Examples
    --------
    >>> before = pl.DataFrame({"game": [0, 1, 2, 3], "block": [0, 1, 2, 3], "total": [10, 20, 30, 40]})
    >>> after = before.with_columns(total=pl.Series([12, 23, 31, 42]))
    >>> sums = PairedSums(Lineups.of(1, 2), ["total"])
    >>> sums.add(before, after)
    >>> sums.table().select("before", "after", "difference").row(0)
    (25.0, 27.0, 2.0)
    """

    def __init__(
        self, lineups: Lineups, measures: Sequence[str], by: Sequence[str] = (), counted: IntArray | None = None
    ) -> None:
        self.measures, self.by = list(measures), list(by)
        self._lineups = lineups
        counted = np.ones((len(lineups), len(self.measures)), dtype=np.int64) if counted is None else counted
        self._counted = np.hstack([counted] * 3)
        self._strata = Strata(lineups)
        self._groups: dict[tuple[Any, ...], BlockMoments] = {}
        self._types = pl.DataFrame().schema

    def add(self, before: pl.DataFrame, after: pl.DataFrame) -> None:
        """Take in the same games of both: whole blocks, row by row the same game (and seat).

        Raises
        ------
        InputError
            If the rows are not those of the same games.
        """
        keys = [*_KEYS, *self.by]
        if not before.select(keys).equals(after.select(keys)):
            raise InputError(
                f"the two tables are not of the same games: their columns {', '.join(keys)} differ; "
                "paired runs need the same seed, line-ups and games"
            )
        self._types = before.select(self.by).schema
        numbered = before.with_row_index("row")
        for group, rows in numbered.group_by(self.by, maintain_order=True) if self.by else [((), numbered)]:
            self._add_group(group, rows, after[rows["row"]])

    def _add_group(self, group: tuple[Any, ...], before: pl.DataFrame, after: pl.DataFrame) -> None:
        old, new = (
            frame.select(pl.col(self.measures).cast(pl.Float64)).to_numpy().astype(np.float64)
            for frame in (before, after)
        )
        moments = self._groups.setdefault(group, BlockMoments(len(self._strata), 3 * len(self.measures)))
        difference = new - old
        old, new = (np.where(np.isnan(difference), np.nan, values) for values in (old, new))
        means = block_means(before["block"].to_numpy().astype(np.int64), np.hstack([old, new, difference]))
        games = before["game"].to_numpy().astype(np.int64)
        # A strategy in a certain seat is not in all games of a block, and may be in one several times.
        seen = np.zeros(len(games), dtype=np.int64)
        seen[np.unique(games, return_index=True)[1]] = 1
        first = games[means.first]
        weights = means.games[:, None] * self._counted[self._lineups.of_games(first)]
        of_games = replace(means, games=np.add.reduceat(seen, means.first))
        moments.add(self._strata.of_games(first), of_games, weights)

    def table(self, level: float = LEVEL) -> pl.DataFrame:
        """Estimate the differences, after − before.

        Parameters
        ----------
        level
            Probability that an interval holds the true value.

        Returns
        -------
        polars.DataFrame
            One row a group and measure: the columns of `by`, ``measure``, ``before``, ``after``, ``difference``,
            ``low``, ``high`` (interval of the difference, Student's t on block differences), ``error``, ``p``,
            ``p_corrected`` (over all rows), ``variance_saved`` (variance of two independent runs ÷ that of the paired
            difference; null where the difference never varies), ``games``, ``blocks``.
        """
        parts = []
        for group, moments in self._groups.items():
            found, count = moments.estimate(), len(self.measures)
            old, new, difference = (found[slice(start * count, (start + 1) * count)] for start in range(3))
            with np.errstate(divide="ignore", invalid="ignore"):
                saved = np.where(difference.error > 0, (old.error**2 + new.error**2) / difference.error**2, np.nan)
            keys = pl.DataFrame(
                {name: [value] * count for name, value in zip(self.by, group, strict=True)},
                schema=self._types,
            )
            table = difference.table(level).rename({"estimate": "difference"})
            columns = [pl.Series("measure", self.measures), pl.Series("before", old.mean), pl.Series("after", new.mean)]
            table = pl.DataFrame(columns).hstack(table)
            table = table.insert_column(table.columns.index("games"), pl.Series("variance_saved", saved).fill_nan(None))
            parts.append(keys.hstack(table) if self.by else table)
        return with_corrected(pl.concat(parts).sort(self.by, maintain_order=True))


def seat_rows(frames: Frames) -> pl.DataFrame:
    """Rows of the seats table, to compare seat by seat or strategy by strategy."""
    return frames.seats


def game_rows(frames: Frames) -> pl.DataFrame:
    """Rows of the games table, to compare game by game."""
    return frames.games


@dataclass(frozen=True)
class Comparison:
    """One table of differences.

    Attributes
    ----------
    name
        What it is called among others.
    measures
        Columns to compare.
    by
        Columns to group by.
    rows
        What a row is: `seat_rows`, `game_rows`, or a function of one's own.
    """

    name: str
    measures: tuple[str, ...]
    by: tuple[str, ...] = ()
    rows: Rows = seat_rows

    def __call__(self, frames: Frames) -> pl.DataFrame:
        """Make the rows of a shard, with no more columns than needed."""
        return self.rows(frames).select(list(dict.fromkeys([*_KEYS, *self.by, *self.measures])))


class PairedStudy:
    """Two plans played on the same luck and compared in several ways, as a study (`analysis.balance.precision`).

    Parameters
    ----------
    before, after
        Plans with the same seed and line-ups; what else differs is what is compared.
    comparisons
        What is compared.
    watched
        Kind of precision → comparison and measure whose intervals are to be narrow.
    games
        How many games will be asked for; None if a precision decides.
    executor
        Who plays; threads of this process by default.
    progress
        Told about games played.

    Raises
    ------
    InputError
        If the two plans do not play the same games.
    """

    pilot = 4000

    def __init__(
        self,
        before: Plan,
        after: Plan,
        comparisons: Sequence[Comparison],
        *,
        watched: Mapping[Kind, tuple[str, str]] | None = None,
        games: int | None = None,
        executor: Executor | None = None,
        progress: Progress = SILENT,
    ) -> None:
        check_pair(before, after)
        self.unit = unit_of(before.lineups, games)
        self._plans = [in_units(plan, self.unit) for plan in (before, after)]
        self._comparisons = list(comparisons)
        self._sums = [PairedSums(before.lineups, each.measures, each.by) for each in comparisons]
        self._watched = dict(watched or {})
        self._executor, self._progress = executor or LocalExecutor(), progress

    def cost(self, games: int) -> int:
        """Count the games of both."""
        return 2 * games

    def play(self, first: int, last: int) -> None:
        """Play units of both and take in the differences."""
        task = _All(tuple(self._comparisons))
        for number in range(first, last):
            pair = [
                play_units(plan, self.unit, [number], self._executor, self._progress.advance, task)
                for plan in self._plans
            ]
            for place, sums in enumerate(self._sums):
                sums.add(*(pl.concat([shard[place] for shard in shards]) for shards in pair))

    def half_width(self, kind: Kind, level: float) -> float:
        """Half the width of the widest interval of what is watched for a kind of precision."""
        if kind not in self._watched:
            raise InputError(f"precision in {kind}: this comparison has no such measure")
        name, measure = self._watched[kind]
        table = self.tables(level)[name].filter(pl.col("measure") == measure)
        return widest((table["high"] - table["low"]) / 2)

    def tables(self, level: float = LEVEL) -> dict[str, pl.DataFrame]:
        """Return name → table of every comparison (`PairedSums.table`)."""
        return {each.name: sums.table(level) for each, sums in zip(self._comparisons, self._sums, strict=True)}


@dataclass(frozen=True)
class _All:
    """Rows of several comparisons, as a task for an executor."""

    comparisons: tuple[Comparison, ...]

    def __call__(self, frames: Frames) -> list[pl.DataFrame]:
        return [each(frames) for each in self.comparisons]


def paired(
    before: Plan,
    after: Plan,
    measures: Sequence[str] = ("total", "win_share"),
    by: Sequence[str] = (),
    *,
    rows: Rows = seat_rows,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Play two plans on the same luck and compare them.

    Parameters
    ----------
    before, after
        Plans with the same seed and line-ups; what else differs is what is compared. As many games as the first has
        are played, rounded up to whole units (`analysis.balance.arrays.unit_of`).
    measures
        Columns of the rows to compare.
    by
        Columns to group by.
    rows
        What a row is: `seat_rows`, `game_rows`, or a function of one's own.
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    polars.DataFrame
        See `PairedSums.table`.

    Raises
    ------
    InputError
        If the plans do not play the same games.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> poor = make_plan(["random"], players=2, games=200, overrides=["coins.offsets=0,0,0,0"])
    >>> rich = make_plan(["random"], players=2, games=200, overrides=["coins.offsets=0,9,0,0"])
    >>> paired(poor, rich, ["coins_gained"], by=["seat"])["difference"].round(0).to_list()[1] > 5
    True
    """
    comparison = Comparison("rows", tuple(measures), tuple(by), rows)
    study = PairedStudy(before, after, [comparison], games=before.games, executor=executor, progress=progress)
    carry_out(study, before.games, progress=progress, level=level)
    return study.tables(level)["rows"]


def check_pair(before: Plan, after: Plan) -> None:
    """Make sure that two plans play the same games.

    Raises
    ------
    InputError
        If their seeds or line-ups differ.
    """
    if before.seed != after.seed:
        raise InputError(f"a paired comparison needs one seed; found {before.seed} and {after.seed}")
    if not np.array_equal(before.lineups.members, after.lineups.members):
        raise InputError("a paired comparison needs the same line-ups in both: as many strategies, players and seats")
