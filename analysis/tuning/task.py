"""What is tuned, against whom, within which bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.config import Configuration, content_hash, load_configuration
from sim.errors import InputError
from sim.faults import one_of
from strategies.api import Strategy, find, fingerprint

FloatArray = NDArray[np.float64]

TABLES: Final = 100
SPREAD: Final = 0.1
_LARGEST_SEED: Final = 2**63 - 2


@dataclass(frozen=True)
class Tuning:
    """What is tuned, and how: everything that decides what comes out but the number of generations.

    Attributes
    ----------
    strategy
        Where the search starts.
    against
        Specs of the opponents; who sits down to a table is drawn from them.
    players
        Seats at a table.
    names
        The weights that are varied.
    configuration
        Ruleset and card set.
    seed
        Of all chance; the last check plays on the seed after it.
    population
        Candidates a generation.
    tables
        Tables a generation.
    spread
        Standard deviation of the first generation, as a share of each weight's bounds.
    """

    strategy: Strategy
    against: tuple[str, ...]
    players: int
    names: tuple[str, ...]
    configuration: Configuration
    seed: int
    population: int
    tables: int
    spread: float

    @property
    def games_a_generation(self) -> int:
        """Games played in a generation: every candidate, the old weights and the mean, from every seat."""
        return (self.population + 2) * self.tables * self.players

    @cached_property
    def start(self) -> FloatArray:
        """Row of weights the search starts from, as the strategy declares them; float64[weights]."""
        return self.strategy.row(self.players)

    def row(self, place: FloatArray) -> FloatArray:
        """Row of weights at a place of the search space, which is 0 … 1 between each weight's bounds."""
        row = self.start.copy()
        row[self.columns] = self._low + (self._high - self._low) * np.clip(place, 0.0, 1.0)
        return row

    def place(self, row: FloatArray) -> FloatArray:
        """Place in the search space of a row of weights."""
        return (row[self.columns] - self._low) / (self._high - self._low)

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Columns of the row of weights that are varied."""
        declared = list(self.strategy.declaration.weights)
        return np.array([declared.index(name) for name in self.names], dtype=np.int64)

    @cached_property
    def _low(self) -> FloatArray:
        return np.array([self.strategy.declaration.weights[name].low for name in self.names])

    @cached_property
    def _high(self) -> FloatArray:
        return np.array([self.strategy.declaration.weights[name].high for name in self.names])

    def identity(self) -> dict[str, Any]:
        """Say what must be the same for a run to be resumed."""
        return {
            "strategy": self.strategy.name,
            "strategy code and weights": fingerprint(self.strategy.name),
            "against": list(self.against),
            "opponents' code and weights": [fingerprint(spec) for spec in self.against],
            "players": self.players,
            "weights varied": list(self.names),
            "configuration": content_hash(self.configuration),
            "seed": self.seed,
            "population": self.population,
            "tables": self.tables,
            "spread": self.spread,
            "cmaes": version("cmaes"),
        }


def make_tuning(
    strategy: str,
    against: Sequence[str] = (),
    players: int = 4,
    seed: int = 0,
    *,
    only: Sequence[str] = (),
    fixed: Sequence[str] = (),
    population: int | None = None,
    tables: int = TABLES,
    spread: float = SPREAD,
    configuration: Configuration | None = None,
) -> Tuning:
    """Check what a tuning is asked to be.

    Parameters
    ----------
    strategy
        Spec of where the search starts.
    against
        Specs of the opponents; the strategy itself as it is by default.
    players
        Seats at a table.
    seed
        Of all chance, 0 … 2⁶³ − 2.
    only, fixed
        Names of weights: vary only these; leave these as they are. All with finite bounds are varied by default.
    population
        Candidates a generation; by default what CMA-ES is used to, 4 + 3 ln(weights).
    tables
        Tables a generation.
    spread
        Standard deviation of the first generation, as a share of each weight's bounds.
    configuration
        Ruleset and card set; the standard ones by default.

    Returns
    -------
    Tuning
        Ready for `analysis.tuning.search.tune`.

    Raises
    ------
    InputError
        If anything cannot be used.

    Examples
    --------
    >>> make_tuning("balanced", ["greedy"], players=2, only=["coin", "token"]).names
    ('coin', 'token')
    """
    configuration = configuration or load_configuration()
    rules = configuration.ruleset
    if not rules.players.fewest <= players <= rules.players.most or players < 2:
        raise InputError(
            f"players: found {players}; ruleset {rules.name!r} allows {rules.players.fewest} to {rules.players.most}, "
            "and tuning needs opponents"
        )
    found = find(strategy)
    names = _names(found, only, fixed)
    population = population or 4 + math.floor(3 * math.log(len(names)))
    for what, value, least in (("population", population, 3), ("tables", tables, 1)):
        if value < least:
            raise InputError(f"{what}: found {value}; allowed: {least} or more")
    if not 0 < spread <= 1:
        raise InputError(f"spread: found {spread:g}; allowed: above 0, up to 1")
    if not 0 <= seed <= _LARGEST_SEED:
        raise InputError(f"seed: found {seed}; allowed: 0 to {_LARGEST_SEED}")
    opponents = tuple(find(spec).name for spec in against) or (found.name,)
    return Tuning(found, opponents, players, names, configuration, seed, population, tables, spread)


def _names(found: Strategy, only: Sequence[str], fixed: Sequence[str]) -> tuple[str, ...]:
    declared = found.declaration.weights
    for name in (*only, *fixed):
        if name not in declared:
            raise InputError(f"weights of {found.name}: {one_of(name, list(declared))}")
    wanted = [name for name in (only or declared) if name not in fixed]
    bounded = [name for name in wanted if math.isfinite(declared[name].high - declared[name].low)]
    unbounded = [name for name in only if name not in bounded and name not in fixed]
    if unbounded:
        raise InputError(f"weights of {found.name}: {', '.join(unbounded)} have no bounds to search within")
    bounded = [name for name in bounded if declared[name].high > declared[name].low]
    if not bounded:
        raise InputError(f"strategy {found.name!r} has no weights that could be tuned")
    return tuple(bounded)
