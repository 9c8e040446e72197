"""Tuned weights against the old ones, on luck that nothing was tuned by."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.runs import Advance, Executor, LocalExecutor, ignore
from analysis.stats import mean_interval
from analysis.tuning.hall import Hall
from analysis.tuning.task import Tuning
from sim.errors import InputError

FloatArray = NDArray[np.float64]

CHECK_TABLES: Final = 2000


@dataclass(frozen=True)
class Comparison:
    """Tuned weights against the old ones on fresh luck.

    Attributes
    ----------
    what
        ``head to head`` (both sit at the same tables) or ``against others`` (each plays the same opponents on the same
        luck).
    tuned, old
        Mean win shares of a seat.
    difference, low, high
        Of the win shares, with its 95% interval from tables.
    tables, games
        How many were played.
    """

    what: str
    tuned: float
    old: float
    difference: float
    low: float
    high: float
    tables: int
    games: int

    @property
    def verdict(self) -> str:
        """Say in a word whether the tuned weights are better."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "no difference shown"


def compare_rows(
    tuning: Tuning, row: FloatArray, tables: int, *, executor: Executor | None = None, advance: Advance = ignore
) -> Iterator[Comparison]:
    """Compare tuned weights with the old ones on the seed after the tuning's.

    Parameters
    ----------
    tuning
        What was tuned.
    row : float64[weights]
        The tuned weights.
    tables
        Tables of each comparison; 2 or more.
    executor, advance
        As for `analysis.tuning.search.tune`.

    Yields
    ------
    Comparison
        Head to head, then against the opponents.
    """
    if tables < 2:
        raise InputError(f"tables of a check: found {tables}; allowed: 2 or more")
    hall = Hall(tuning, executor or LocalExecutor(), advance)
    tuned, old = hall.candidate(row), hall.candidate(tuning.start)
    seed = tuning.seed + 1
    by_tuned, by_old = hall.head_to_head(tuned, old, tables, seed)
    yield _comparison("head to head", by_tuned, by_old, tables * tuning.players)
    _, (by_tuned, by_old) = hall.against_others([tuned, old], tables, tables, seed)
    yield _comparison("against others", by_tuned, by_old, 2 * tables * tuning.players)


def _comparison(what: str, tuned: FloatArray, old: FloatArray, games: int) -> Comparison:
    differences = tuned - old
    error = differences.std(ddof=1) / math.sqrt(len(differences))
    interval = mean_interval([differences.mean()], [error], [len(differences) - 1])
    return Comparison(
        what,
        float(tuned.mean()),
        float(old.mean()),
        float(differences.mean()),
        float(interval.low[0]),
        float(interval.high[0]),
        len(differences),
        games,
    )
