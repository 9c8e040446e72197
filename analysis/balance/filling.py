"""How full the category spaces get: games played again with a look at the final board.

Results say how many category spaces a seat uses, not how many cubes lie on each; that is counted here.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.arrays import block_means
from analysis.balance.moments import BlockMoments, Strata
from analysis.runs import Plan
from analysis.stats import LEVEL
from sim import layout as lay
from sim.config import Configuration
from sim.engine import BEGIN, ask, open_strategy_streams, step
from sim.errors import RunError
from sim.game import Arena


def category_cubes(plan: Plan, games: int) -> NDArray[np.int32]:
    """Play a plan's first games again and count each seat's cubes on the category spaces at the end.

    Parameters
    ----------
    plan
        What was played.
    games
        How many of its games; about five milliseconds each.

    Returns
    -------
    int32[games, players, categories]
        The same games as any other way of playing the plan has them.
    """
    tables, players = plan.tables, plan.lineups.players
    schedule = plan.lineups.schedule(0, games)
    arena = Arena(tables)
    counted = np.empty((games, players, tables[lay.CATEGORIES]), dtype=np.int32)
    start = int(tables[lay.S_CATEGORY_CUBES])
    with np.errstate(over="ignore"):
        for row in range(games):
            _play(plan, arena, schedule.seatings[row], int(schedule.lucks[row]))
            counted[row] = arena.state[start : start + counted[row].size].reshape(counted[row].shape)
    return counted


def _play(plan: Plan, arena: Arena, seating: NDArray[np.int32], luck: int) -> None:
    """Play one game to its end."""
    tables = plan.tables
    open_strategy_streams(arena.randoms, plan.seed, luck)
    count = step(arena.state, tables, arena.chance, arena.record, arena.actions, BEGIN, plan.seed, luck)
    while count > 0:
        seat = arena.state[lay.SEAT]
        player = plan.strategies[seating[seat]]
        index = ask(player.address, arena.state, tables, arena.actions, count, arena.randoms[seat], player.weights)
        if not 0 <= index < count:
            raise RunError(f"strategy {player.name!r} returned an index that is not a legal action")
        action = arena.actions[index]
        count = step(arena.state, tables, arena.chance, arena.record, arena.actions, action, plan.seed, luck)


def filling(plan: Plan, games: int, level: float = LEVEL) -> pl.DataFrame:
    """Estimate how full each category space gets.

    Parameters
    ----------
    plan
        What was played.
    games
        How many of its games to look at; whole blocks of every line-up.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    polars.DataFrame
        One row a category: ``type``, ``category``, ``cubes`` (mean of a seat at the end), ``used`` (share of seats
        with at least one), ``bonus`` (share of seats that it pays a bonus, rule 9.2), each with ``…_low`` and
        ``…_high``, ``most`` (most cubes seen) and ``games``.
    """
    counted = category_cubes(plan, games)
    least = _least_for_bonus(plan.configuration)
    numbers = np.arange(games, dtype=np.int64)
    blocks = plan.lineups.schedule(0, games).lucks
    strata = Strata(plan.lineups)

    def estimate(values: NDArray[np.float64], name: str, *, share: bool) -> list[pl.Series]:
        means = block_means(blocks, values.mean(axis=1))
        moments = BlockMoments(len(strata), values.shape[2])
        moments.add(strata.of_games(numbers[means.first]), means)
        found = moments.estimate()
        interval = found.interval(level, share=share)
        columns = {name: found.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
        return [pl.Series(key, values).fill_nan(None) for key, values in columns.items()]

    names = category_names(plan.configuration)
    return pl.DataFrame(
        [
            pl.Series("type", [kind for kind, _ in names]),
            pl.Series("category", [category for _, category in names]),
            *estimate(counted.astype(np.float64), "cubes", share=False),
            *estimate((counted > 0).astype(np.float64), "used", share=True),
            *estimate((counted >= least).astype(np.float64), "bonus", share=True),
            pl.Series("most", counted.max(axis=(0, 1)).astype(np.int64)),
        ]
    ).with_columns(games=pl.lit(games, dtype=pl.Int64))


def category_names(configuration: Configuration) -> list[tuple[str, str]]:
    """Type and category of every category space, in the order in which the engine counts them."""
    return [(name, category) for name, kind in configuration.ruleset.types.items() for category in kind.categories]


def _least_for_bonus(configuration: Configuration) -> int:
    """Fewest cubes on a category space that pay a bonus; more than there can be if none do."""
    bonus = configuration.ruleset.scoring.category_bonus
    return next((count for count, vp in enumerate(bonus, start=1) if vp > 0), 10**6)
