"""The search for better weights.

What is maximised is the mean *lead*: VP ahead of the best other seat, pressed into 0 … 1 (a tie is ½), which says more
about a game than who won it does. The tuned weights are the mean of the search distribution, averaged over the last
quarter of the generations; single candidates owe too much to the luck of their tables.

The optimiser is `cmaes` (N. Hansen, *The CMA evolution strategy: a tutorial*, arXiv 1604.00772), within the bounds
that the weights are declared with. What is kept of a run is only what its candidates achieved: all else follows from
the seed, so that a run that was cut off is replayed to where it was and goes on as if nothing had happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from cmaes import CMA
from numpy.typing import NDArray

from analysis.runs import Advance, Executor, LocalExecutor, ignore
from analysis.tuning.checks import CHECK_TABLES, Comparison, compare_rows
from analysis.tuning.hall import Hall
from analysis.tuning.state import Generation, State, holding
from analysis.tuning.task import Tuning
from sim.errors import InputError

FloatArray = NDArray[np.float64]

GENERATIONS: Final = 80
_AVERAGED: Final = 0.25


@dataclass(frozen=True)
class Tuned:
    """What came of a tuning.

    Attributes
    ----------
    tuning
        What was asked for.
    row : float64[weights]
        The tuned weights, as the strategy declares them.
    generations
        What each achieved.
    checks
        Comparisons with the old weights on fresh luck: head to head, then against the opponents.
    """

    tuning: Tuning
    row: FloatArray
    generations: tuple[Generation, ...]
    checks: tuple[Comparison, ...] = field(default=())

    @property
    def weights(self) -> dict[str, float]:
        """Name → tuned value of the weights that were varied."""
        named = dict(zip(self.tuning.strategy.declaration.weights, self.row.tolist(), strict=True))
        return {name: named[name] for name in self.tuning.names}


OnGeneration = Callable[[int, Generation], None]


def _nothing(number: int, generation: Generation) -> None:
    del number, generation


def tune(
    tuning: Tuning,
    generations: int = GENERATIONS,
    *,
    check_tables: int = CHECK_TABLES,
    state: str | Path | None = None,
    resume: bool = False,
    executor: Executor | None = None,
    advance: Advance = ignore,
    on_generation: OnGeneration = _nothing,
) -> Tuned:
    """Tune weights, then check them against the old ones on fresh luck.

    Parameters
    ----------
    tuning
        What to tune (`analysis.tuning.task.make_tuning`).
    generations
        How many; more may be asked for when a run is resumed.
    check_tables
        Tables of each of the two comparisons at the end; 0 for none.
    state
        File in which every generation is kept when it is done (JSON).
    resume
        Go on with what that file holds.
    executor
        Who plays; threads of this process by default.
    advance
        Told how many more games have been played.
    on_generation
        Called with the number of every generation, from 0, and what it achieved; those found in the file too.

    Returns
    -------
    Tuned
        The same whoever plays, and whether the run was cut off in between or not.

    Raises
    ------
    InputError
        If the file is there already, or is of another tuning.
    RunError
        If it cannot be written, or another process writes it.

    Examples
    --------
    >>> from analysis.tuning.task import make_tuning
    >>> tuning = make_tuning("balanced", ["greedy"], players=2, only=["coin", "token"], tables=2, population=4)
    >>> sorted(tune(tuning, generations=2, check_tables=0).weights)
    ['coin', 'token']
    """
    if generations < 1:
        raise InputError(f"generations: found {generations}; allowed: 1 or more")
    with holding(state):
        kept = State(tuning, state, resume)
        return _tuned(tuning, generations, check_tables, kept, executor, advance, on_generation)


def _tuned(
    tuning: Tuning,
    generations: int,
    check_tables: int,
    kept: State,
    executor: Executor | None,
    advance: Advance,
    on_generation: OnGeneration,
) -> Tuned:
    """Search, then check."""
    hall = Hall(tuning, executor or LocalExecutor(), advance)
    optimiser = _optimiser(tuning)
    means, done = [], []
    for number in range(generations):
        places = [optimiser.ask() for _ in range(tuning.population)]
        generation = kept.found(number) or _play_generation(hall, places, optimiser.mean, number)
        kept.keep(number, generation)
        # CMA-ES looks for the least.
        optimiser.tell([(place, -value) for place, value in zip(places, generation.candidates, strict=True)])
        means.append(np.clip(optimiser.mean, 0.0, 1.0))
        done.append(generation)
        on_generation(number, generation)
    averaged = max(math.ceil(len(means) * _AVERAGED), 1)
    row = _rounded(tuning, tuning.row(np.mean(means[-averaged:], axis=0)))
    checks = tuple(compare_rows(tuning, row, check_tables, executor=executor, advance=advance)) if check_tables else ()
    return Tuned(tuning, row, tuple(done), checks)


def _optimiser(tuning: Tuning) -> CMA:
    """Optimiser at the start of the search."""
    return CMA(
        mean=np.clip(tuning.place(tuning.start), 0.0, 1.0),
        sigma=tuning.spread,
        bounds=np.tile([0.0, 1.0], (len(tuning.names), 1)),
        seed=tuning.seed % 2**32,
        population_size=tuning.population,
    )


def _rounded(tuning: Tuning, row: FloatArray) -> FloatArray:
    """Round the weights that were varied as a file will hold them, so that what is checked is what is kept."""
    rounded = row.copy()
    for column in tuning.columns:
        rounded[column] = float(f"{row[column]:.4g}")
    return rounded


def _play_generation(hall: Hall, places: Sequence[FloatArray], mean: FloatArray, number: int) -> Generation:
    tuning = hall.tuning
    rows = [*map(tuning.row, places), tuning.start, tuning.row(mean)]
    candidates = [hall.candidate(row) for row in rows]
    leads, _ = hall.against_others(candidates, number * tuning.tables, tuning.tables, tuning.seed)
    *values, old, of_mean = leads.mean(axis=1).tolist()
    return Generation(tuple(values), old, of_mean)
