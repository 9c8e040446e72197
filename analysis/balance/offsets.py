"""Which vectors of coin offsets are played on the way to a fair one: search, refinement, candidates, screening."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import polars as pl

from analysis.balance.arrays import FloatArray, block_means, in_units, play_arrays, unit_of
from analysis.balance.moments import Strata
from analysis.balance.precision import Progress
from analysis.balance.response import Played, Response, Vector, fit, within
from analysis.balance.seats import SeatSums
from analysis.runs import Executor, Plan
from sim.config import Configuration
from sim.ruleset import LARGEST, Coins

SEARCH, REFINE, SCREEN, CONFIRM = "search", "refine", "screen", "confirm"
STAGES: Final = pl.Enum([SEARCH, REFINE, SCREEN, CONFIRM])
ROUNDS: Final = 6
"""Most rounds of the search."""
CANDIDATES: Final = 4
STEPS: Final = (4, 4, 3, 2)
"""Coins more and fewer in the rounds of the search; the last holds for all later ones."""
_REACH: Final = 3
"""Farthest the centre moves in a round, in steps; vectors as near as that are fitted."""
_REFINED: Final = 2
"""Coins more and fewer in the refinement."""
DRAWS: Final = 400
_SCREEN_DRAWS: Final = 4000


def with_offsets(configuration: Configuration, vector: Sequence[int]) -> Configuration:
    """Return a configuration with other coin offsets for the first seats.

    Parameters
    ----------
    configuration
        Ruleset and card set.
    vector
        Coins of seats 0, 1, …; seats beyond keep theirs.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> with_offsets(load_configuration(), (1, 5)).ruleset.coins.offsets
    (1, 5, 3, 4)
    """
    kept = configuration.ruleset.coins.offsets[len(vector) :]
    coins = Coins(offsets=(*(int(coin) for coin in vector), *kept))
    return configuration.model_copy(update={"ruleset": configuration.ruleset.model_copy(update={"coins": coins})})


def fresh_seed(seed: int, stage: int) -> int:
    """Return a seed whose luck has nothing to do with that of `seed`, the same every time."""
    return int(np.random.SeedSequence([seed, stage]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def spelled(vector: Sequence[int]) -> str:
    """Write offsets as the ruleset does.

    Examples
    --------
    >>> spelled((2, 3, 3, 4))
    '2,3,3,4'
    """
    return ",".join(map(str, vector))


@dataclass
class CoinSearch:
    """Vectors of offsets played so far, stage by stage.

    Attributes
    ----------
    plan
        The game as it is.
    executor
        Who plays.
    progress
        Told about games played.
    played
        Stage → vector → what came of it.
    sums
        Likewise the seats' results.
    games
        Games played in all.
    """

    plan: Plan
    executor: Executor
    progress: Progress
    played: dict[str, dict[Vector, Played]] = field(default_factory=dict)
    sums: dict[str, dict[Vector, SeatSums]] = field(default_factory=dict)
    games: int = 0

    @property
    def current(self) -> Vector:
        """Offsets as they are now."""
        return tuple(self.plan.configuration.ruleset.coins.offsets[: self.plan.lineups.players])

    def plan_of(self, vector: Vector, stage: str) -> Plan:
        """Return the plan of a vector on a stage's luck; the search has the seed as given."""
        number = STAGES.categories.to_list().index(stage)
        seed = fresh_seed(self.plan.seed, number) if number else self.plan.seed
        return replace(self.plan, configuration=with_offsets(self.plan.configuration, vector), seed=seed)

    def play(self, stage: str, vectors: Sequence[Vector], games: int) -> None:
        """Play vectors on a stage's luck, unless they have been played."""
        unit = unit_of(self.plan.lineups, games)
        units = -(-games // unit)
        played, sums = self.played.setdefault(stage, {}), self.sums.setdefault(stage, {})
        strata = Strata(self.plan.lineups)
        for vector in vectors:
            if vector in played:
                continue
            plan = in_units(self.plan_of(vector, stage), unit)
            arrays = play_arrays(plan, unit, range(units), self.executor, self.progress.advance)
            self.games += len(arrays)
            sums[vector] = SeatSums(plan)
            sums[vector].add(arrays)
            means = block_means(arrays.blocks, np.hstack([arrays.shares, arrays.totals]))
            players = arrays.shares.shape[1]
            played[vector] = Played(
                means.values[:, :players],
                means.values[:, players:],
                means.games / means.games.sum(),
                strata.of_games(arrays.games[means.first]),
            )


def search(found: CoinSearch, games: int) -> Vector:
    """Look for vectors where the model makes the seats equal.

    Parameters
    ----------
    found
        Where what is played is kept.
    games
        Of each vector.

    Returns
    -------
    tuple
        The whole-number vector nearest to the last model's optimum.
    """
    centre, seen = found.current, set()
    for number in range(ROUNDS):
        step = STEPS[min(number, len(STEPS) - 1)]
        reach = _REACH * step
        found.play(SEARCH, [centre, *_around(centre, step)], games)
        near = [vector for vector in found.played[SEARCH] if _distance(vector, centre) <= reach]
        model = fit(near, [found.played[SEARCH][vector] for vector in near])
        nearest = _whole(_bounded(model.fair(min(found.current)), centre, reach, found.current))
        settled = number + 1 >= len(STEPS) and (_distance(nearest, centre) <= 1 or nearest in seen)
        seen.add(centre)
        centre = nearest
        if settled:
            break
    return centre


def refine(found: CoinSearch, centre: Vector, games: int) -> tuple[Response, FloatArray]:
    """Fit the model around a centre on fresh luck.

    Returns
    -------
    Response, float64[seats]
        The model and its optimum, no farther from the centre than the model can be trusted.
    """
    vectors = [centre, *_around(centre, _REFINED)]
    found.play(REFINE, vectors, games)
    model = fit(vectors, [found.played[REFINE][vector] for vector in vectors])
    return model, _bounded(model.fair(min(found.current)), centre, _REACH * _REFINED, found.current)


def _bounded(optimum: FloatArray, centre: Vector, reach: int, current: Vector) -> FloatArray:
    """Keep an optimum near the centre of what was played, and from becoming less than the least offset now."""
    middle = np.array(centre, dtype=np.float64)
    return np.clip(np.clip(optimum, middle - reach, middle + reach), min(current), LARGEST)


def _whole(offsets: FloatArray) -> Vector:
    return tuple(int(coins) for coins in np.rint(offsets))


def _around(centre: Vector, step: int) -> Iterator[Vector]:
    """Every seat with some coins more and some fewer, one at a time."""
    for seat, sign in itertools.product(range(len(centre)), (1, -1)):
        moved = list(centre)
        moved[seat] = min(max(moved[seat] + sign * step, 0), LARGEST)
        if tuple(moved) != centre:
            yield tuple(moved)


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def candidates(model: Response, optimum: FloatArray, current: Vector) -> list[Vector]:
    """Whole-number vectors next to the optimum that are expected to be the fairest, and the current one.

    Parameters
    ----------
    model
        The response; how unsure it is counts.
    optimum : float64[seats]
        Where it makes the seats equal.
    current
        Offsets as they are now, always among the candidates.
    """
    vectors = list(itertools.product(*(_next_to(coins) for coins in optimum)))
    shares = np.stack([each.shares(vectors) for each in model.draws(DRAWS)])
    unfair = (shares.max(axis=2) - shares.min(axis=2)).mean(axis=0)
    best = [vectors[place] for place in np.argsort(unfair, kind="stable")[:CANDIDATES]]
    return best if current in best else [*best, current]


def _next_to(coins: float) -> list[int]:
    """Whole numbers next to a number of coins; itself if it is one."""
    return sorted({int(np.floor(coins + 1e-9)), int(np.ceil(coins - 1e-9))})


def chances_of_best(played: Mapping[Vector, Played], seed: int = 0) -> dict[Vector, float]:
    """Say how probable it is that each vector is the fairest, by the smallest largest difference of two win shares.

    Parameters
    ----------
    played
        Vectors played on the same luck.
    seed
        Of the draws from the normal distribution of all their shares together.
    """
    vectors = list(played)
    first = played[vectors[0]]
    values = np.hstack([played[vector].shares for vector in vectors])
    deviations = within(values, first.strata) * first.weights[:, None]
    spread, axes = np.linalg.eigh(deviations.T @ deviations)
    random = np.random.default_rng(seed)
    noise = random.standard_normal((_SCREEN_DRAWS, len(spread))) @ (axes * np.sqrt(np.maximum(spread, 0))).T
    shares = (first.weights @ values + noise).reshape(_SCREEN_DRAWS, len(vectors), -1)
    unfair = shares.max(axis=2) - shares.min(axis=2)
    best = np.bincount(unfair.argmin(axis=1), minlength=len(vectors)) / _SCREEN_DRAWS
    return dict(zip(vectors, best.tolist(), strict=True))
