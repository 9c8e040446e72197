"""Results as polars frames: games, seats and cards (described in `docs/results.md`)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.columns import (
    CARD_KINDS,
    CARDS,
    GAMES,
    MISSING,
    SCHEMA_VERSION,
    SEATS,
    TABLES,
    Column,
    Columns,
    Recorder,
    joined,
)
from analysis.lineups import Lineups
from sim.batch import Results
from sim.config import Configuration

__all__ = ["CARD_KINDS", "SCHEMA_VERSION", "TABLES", "Framer", "Frames", "Recorded", "frame_of"]

GROUP_GAMES: Final = 4096
"""Games that are converted at a time: enough to make calls cheap, few enough to stay in the cache."""
_SMALL: Final = 255
_MEDIUM: Final = 65_535


class Frames:
    """What was recorded of some games, in the order of their numbers.

    A table becomes a frame when it is asked for, so that one that nobody wants costs nothing.

    Parameters
    ----------
    games, seats, cards
        The frames, if they are there already.
    recorded
        What they are made of otherwise.

    """

    def __init__(
        self,
        games: pl.DataFrame | None = None,
        seats: pl.DataFrame | None = None,
        cards: pl.DataFrame | None = None,
        *,
        recorded: Sequence[Recorded] = (),
    ) -> None:
        self._frames = {
            name: frame for name, frame in zip(TABLES, (games, seats, cards), strict=True) if frame is not None
        }
        self.recorded = tuple(recorded)

    @property
    def games(self) -> pl.DataFrame:
        """One row a game."""
        return self.table(GAMES)

    @property
    def seats(self) -> pl.DataFrame:
        """One row a game and seat."""
        return self.table(SEATS)

    @property
    def cards(self) -> pl.DataFrame:
        """One row a game and card that left its deck; empty if cards were not recorded."""
        return self.table(CARDS)

    def table(self, name: str) -> pl.DataFrame:
        """Return a frame by its name, one of `TABLES`."""
        if name not in self._frames:
            self._frames[name] = _whole([frame_of(part.columns(name)) for part in self.recorded])
        return self._frames[name]

    def names(self, table: str) -> list[str]:
        """Return the names of a table's columns."""
        return list(self.recorded[0].columns(table)) if self._unmade(table) else self.table(table).columns

    def arrays(self, table: str, names: Sequence[str]) -> list[NDArray[Any]]:
        """Return columns of numbers as arrays, without making a frame where there is none yet.

        Parameters
        ----------
        table
            One of `TABLES`.
        names
            Columns of numbers that are always known.

        Returns
        -------
        list
            An array a column, of the column's type or a wider one.
        """
        if not self._unmade(table):
            return [self.table(table)[name].to_numpy() for name in names]
        parts = [part.columns(table) for part in self.recorded]
        return [np.concatenate([_numbers_of(part[name]) for part in parts]) for name in names]

    def _unmade(self, table: str) -> bool:
        return table not in self._frames and bool(self.recorded)

    def made(self) -> Frames:
        """Return the same with all frames made, so that what they were made of can be forgotten."""
        return Frames(self.games, self.seats, self.cards)

    def __reduce__(self) -> tuple[Any, ...]:
        return Frames, (self.games, self.seats, self.cards)

    @staticmethod
    def concatenated(parts: Sequence[Frames]) -> Frames:
        """Put frames of consecutive games one after the other."""
        if len(parts) == 1:
            return parts[0]
        return Frames(*(_whole([part.table(table) for part in parts]) for table in TABLES))


class Recorded:
    """Some consecutive games as the engine recorded them.

    Parameters
    ----------
    recorder
        Makes columns of them.
    results
        The games.
    """

    def __init__(self, recorder: Recorder, results: Sequence[Results]) -> None:
        self._recorder = recorder
        self.results = results

    @functools.cached_property
    def _whole(self) -> Results:
        return joined(self.results)

    @property
    def has_cards(self) -> bool:
        """Whether what happened to cards was recorded."""
        return any(part.cards.shape[1] for part in self.results)

    def columns(self, table: str) -> Columns:
        """Make the columns of a table."""
        return self._recorder.columns(table, self._whole)


class Framer:
    """Turns what the engine recorded into frames.

    Parameters
    ----------
    configuration
        Ruleset and card set of the games.
    strategies
        Names of the strategies, in the order in which line-ups count them.
    lineups
        The line-ups that play.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> framer = Framer(load_configuration(), ["greedy", "random"], Lineups.of(2, 4))
    >>> framer.empty().games.columns[:8]
    ['game', 'block', 'lineup', 'seating', 'strategy_0', 'strategy_1', 'strategy_2', 'strategy_3']
    """

    def __init__(self, configuration: Configuration, strategies: Sequence[str], lineups: Lineups) -> None:
        self.recorder = Recorder(configuration, strategies, lineups)

    def empty(self) -> Frames:
        """Return frames without rows: what the columns are called and of which type they are."""
        return self.frames([self.recorder.nothing()])

    def frames(self, results: Sequence[Results]) -> Frames:
        """Make frames of results.

        Parameters
        ----------
        results
            One or more, of consecutive games of a schedule made by the same line-ups.
        """
        groups: list[list[Results]] = []
        games = GROUP_GAMES
        for part in results:
            if games >= GROUP_GAMES:
                groups.append([])
                games = 0
            groups[-1].append(part)
            games += len(part.schedule)
        return Frames(recorded=[Recorded(self.recorder, group) for group in groups])


def _numbers_of(column: Column) -> NDArray[Any]:
    """Return the numbers that a column holds."""
    if column.table is not None:
        return column.table[column.values]
    return column.values.view(np.uint32) if column.dtype == pl.UInt32 else column.values


def frame_of(columns: Columns) -> pl.DataFrame:
    """Make a frame of columns."""
    return pl.DataFrame({name: _series(column) for name, column in columns.items()})


def _whole(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    return frames[0] if len(frames) == 1 else pl.concat(frames, rechunk=True)


def _series(column: Column) -> pl.Series:
    """Make a series of a column."""
    values: NDArray[Any] = column.values
    known = values != MISSING if column.optional else None
    if column.table is not None:
        values = column.table.take(values)
    if column.dtype == pl.Float64:
        return _known(values, known)
    if not isinstance(column.dtype, pl.Enum):
        kind = _NUMPY[column.dtype]
        return _known(values.view(kind) if kind.itemsize == values.itemsize else values.astype(kind), known)
    # A code must be one of a word even where it is masked.
    codes = values if known is None else np.maximum(values, 0)
    return _known(_narrow(codes, len(column.dtype.categories)), known).cat.to(column.dtype)


_NUMPY: Final = {
    dtype: np.dtype(name) for dtype, name in ((pl.UInt8, "u1"), (pl.UInt16, "u2"), (pl.UInt32, "u4"), (pl.Int32, "i4"))
}


def _narrow(codes: NDArray[Any], count: int) -> NDArray[Any]:
    """Keep the codes of `count` words in as few bytes as polars does."""
    return codes.astype(np.uint8 if count <= _SMALL else np.uint16 if count <= _MEDIUM else np.uint32)


def _known(values: NDArray[Any], known: NDArray[np.bool_] | None) -> pl.Series:
    """Return values as a series with nothing where they are not known."""
    if known is None:
        return pl.Series(values)
    return pl.DataFrame({"value": values, "known": known}).select(pl.when("known").then("value"))["value"]
