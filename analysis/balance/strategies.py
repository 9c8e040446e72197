"""Which strategy is strongest, which beats which, and do they go round in circles.

All of it comes from how the seats of a game are ranked: strengths by the Plackett–Luce model, fitted to all games at
once (so that their order cannot matter), the match-up table of who finishes ahead of whom, and α-Rank for cycles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import in_units, play_units, unit_of
from analysis.balance.dominance import cycles, dominated
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out
from analysis.balance.standings import StandingSums, met
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.wording import estimate, share
from sim.errors import InputError


def strategy_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer which strategy is strongest, and which beats which.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`, best with ``lineups="mixed"``: where a strategy meets itself
        alone nothing is learnt). Its number of games counts if no precision is asked for.
    precision
        Half the width wanted of the interval of every strategy's win share (``pp``) or mean VP (``vp``).
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``strengths`` and ``matchups``; see `docs/analysis.md`.

    Raises
    ------
    InputError
        If no two strategies meet.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> plan = make_plan(["greedy", "random"], players=2, games=100, seed=1, lineups="mixed")
    >>> strategy_balance(plan)["strengths"]["strategy"].to_list()
    ['greedy', 'random']
    """
    check_meeting(plan)
    study = _Study(plan, executor or LocalExecutor(), progress, None if precision else plan.games)
    extent = carry_out(study, plan.games, precision, progress)
    frames = study.sums.frames(extent.level)
    findings = tuple(findings_of(frames, plan.lineups.players))
    return Answer("strategies", findings, frames, about_of(plan, extent, precision, options))


def check_meeting(plan: Plan) -> None:
    """Make sure that some strategies meet.

    Raises
    ------
    InputError
        If none do.
    """
    if not plan.lineups.is_mixed.any():
        count = len(plan.strategies)
        raise InputError(f"strategies: {count} given, and no two of them meet; which is stronger takes at least two")


def circles_of(strengths: pl.DataFrame, matchups: pl.DataFrame) -> list[list[str]]:
    """List circles of strategies, each of which is shown to finish ahead of the next (`cycles`).

    Parameters
    ----------
    strengths, matchups
        See `strategy_balance`.
    """
    names = strengths["strategy"].to_list()
    place = {name: number for number, name in enumerate(names)}
    beats = np.zeros((len(names), len(names)), dtype=np.bool_)
    for row in matchups.filter(pl.col("shown") == "ahead").iter_rows(named=True):
        beats[place[row["strategy"]], place[row["against"]]] = True
    return [[names[number] for number in circle] for circle in cycles(beats)]


class _Study:
    """A tournament (`analysis.balance.precision.Study`)."""

    pilot = 4000

    def __init__(self, plan: Plan, executor: Executor, progress: Progress, games: int | None) -> None:
        self.unit = unit_of(plan.lineups, games)
        self.sums = StandingSums([player.name for player in plan.strategies], plan.lineups)
        self._plan = in_units(plan, self.unit)
        self._executor, self._progress = executor, progress

    def cost(self, games: int) -> int:
        return games

    def play(self, first: int, last: int) -> None:
        for unit in range(first, last):
            for part in play_units(self._plan, self.unit, [unit], self._executor, self._progress.advance, met):
                self.sums.add(part)

    def half_width(self, kind: Kind, level: float) -> float:
        return self.sums.half_width("total" if kind == "vp" else "win_share", level)


def findings_of(frames: Mapping[str, pl.DataFrame], players: int) -> Iterator[str]:
    """Say in words what was found; `frames` as of `strategy_balance`."""
    strengths, matchups = frames["strengths"], frames["matchups"]
    rows = strengths.rows(named=True)
    order = ", ".join(f"{row['strategy']} {estimate(row, 'rating', 0, sign='+')}" for row in rows)
    apart = any(row["rating"] is None for row in rows)
    whose = "the average of those that win and lose among each other" if apart else "the average"
    yield f"Strengths in points of 400 for odds of 10, {whose} being 0: {order}."
    yield _best(rows[0], players)
    circles = circles_of(strengths, matchups)
    for circle in circles:
        yield f"In a circle, each shown to finish ahead of the next: {' > '.join([*circle, circle[0]])}."
    if not circles:
        yield "No circles are shown: nobody is ahead, by way of others, of one that is ahead of them."
    yield from _of_dominance(dominated(matchups))


def _of_dominance(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    if pairs:
        worse = {name: [better for better, other in pairs if other == name] for _, name in pairs}
        said = "; ".join(f"{name} by {', '.join(betters)}" for name, betters in worse.items())
        yield f"Dominated (beaten, and no better against any other): {said}."


def _best(row: dict[str, Any], players: int) -> str:
    return (
        f"The strongest, {row['strategy']}, wins {share(row, 'win_share')} of its games with others; "
        f"{100 / players:.1f}% would be its fair share."
    )
