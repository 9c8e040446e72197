"""Is the game healthy: exciting, decided by skill, with bonuses that are reached and space that is used.

One run of some line-ups answers it: trajectories of VP by round (excitement), parts of the score, how often every
bonus and effect occurs, how full the category spaces get, and luck against skill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import in_units, play_units, unit_of
from analysis.balance.filling import filling
from analysis.balance.gauges import HealthSums, Measuring
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out
from analysis.balance.trace import skill_trace
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.wording import estimate, share

LOOKED_AT: Final = 1000
"""Games that are played again to look at the category spaces."""


def health_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    looked_at: int = LOOKED_AT,
    trace: Sequence[str] = (),
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer how healthy the game is.

    Parameters
    ----------
    plan
        What is played, cards recorded (`analysis.tournament.make_plan`). Its number of games counts if no precision
        is asked for.
    precision
        Half the width wanted of the interval of mean VP (``vp``), or of every seat's and strategy's win share (``pp``).
    looked_at
        Games that are played again to count cubes on the category spaces; 0 for none.
    trace
        Strategies whose win share against the first of the plan's traces how far skill reaches
        (`analysis.balance.trace`).
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``metrics``, ``rounds``, ``parts``, ``effects``, ``categories``, ``components`` and ``trace``; see
        `docs/analysis.md`.

    Raises
    ------
    InputError, RunError
        If the precision cannot be reached, or a strategy breaks its contract.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> answer = health_balance(make_plan(["random"], players=2, games=64, seed=1), looked_at=0)
    >>> 0 <= answer["metrics"].filter(metric="behind", lineup="all")["estimate"].item() <= 1
    True
    """
    plan, executor = replace(plan, record_cards=True), executor or LocalExecutor()
    study = _Study(plan, executor, progress, None if precision else plan.games)
    extent = carry_out(study, plan.games, precision, progress)
    frames = study.sums.frames(extent.level)
    if looked_at:
        again = min(plan.lineups.rounded_up(looked_at), extent.games)
        frames["categories"] = filling(plan, again, extent.level)
    frames["trace"] = skill_trace(plan, trace, extent.games, executor, progress, extent.level)
    findings = tuple(findings_of(frames, plan.lineups.players))
    return Answer("health", findings, frames, about_of(plan, extent, precision, options))


class _Study:
    """A run that is measured (`analysis.balance.precision.Study`)."""

    pilot = 4000

    def __init__(self, plan: Plan, executor: Executor, progress: Progress, games: int | None) -> None:
        self.unit = unit_of(plan.lineups, games)
        self.sums = HealthSums(plan.configuration, [player.name for player in plan.strategies], plan.lineups)
        self._plan = in_units(plan, self.unit)
        self._executor, self._progress = executor, progress

    def cost(self, games: int) -> int:
        return games

    def play(self, first: int, last: int) -> None:
        task = Measuring(self._plan.configuration)
        for unit in range(first, last):
            for part in play_units(self._plan, self.unit, [unit], self._executor, self._progress.advance, task):
                self.sums.add(part)

    def half_width(self, kind: Kind, level: float) -> float:
        return self.sums.half_width("total" if kind == "vp" else "win_share_", level)


_SELDOM: Final = 0.05


def findings_of(frames: Mapping[str, pl.DataFrame], players: int) -> Iterator[str]:
    """Say in words what was found.

    Parameters
    ----------
    frames
        See `health_balance`.
    players
        Seats.
    """
    yield from _of_excitement(frames["metrics"].filter(lineup="all"), frames["rounds"], players)
    yield from _of_luck(frames["components"])
    yield from _of_parts(frames["parts"])
    yield from _of_effects(frames["effects"], frames["categories"])


def _of_excitement(metrics: pl.DataFrame, rounds: pl.DataFrame, players: int) -> Iterator[str]:
    found = {row["metric"]: row for row in metrics.iter_rows(named=True)}
    half = rounds.row(max(len(rounds) // 2 - 1, 0), named=True)
    yield (
        f"A game has {estimate(found['lead_changes'])} lead changes and is won by "
        f"{estimate(found['margin'], unit=' VP')}."
    )
    behind = estimate(found["drama"], unit=" VP")
    yield f"At ends of rounds the eventual winner is behind by {behind} on average (drama)."
    yield (
        f"Who leads after round {half['round']} wins {share(half, 'leader_wins')} of games; by chance it would be "
        f"{100 / players:.1f}%."
    )
    yield f"{share(found['decided_at_end'])} of games are decided by the final scoring alone."


def _of_luck(components: pl.DataFrame) -> Iterator[str]:
    rows = {row["component"]: row for row in components.filter(measure="win_share").iter_rows(named=True)}
    if rows:
        parts = ", ".join(f"{name} {share(row, 'share')}" for name, row in rows.items() if row["share"] > 0)
        yield f"What decides who wins, as parts of the variance of win shares: {parts}."


def _of_parts(parts: pl.DataFrame) -> Iterator[str]:
    ordered = parts.sort("share", descending=True)
    *most, least = (f"{_part_in_words(row['part'])} {share(row, 'share')}" for row in ordered.iter_rows(named=True))
    yield f"Largest parts of the score: {', '.join(most[:3])}; the least: {least}."


def _part_in_words(part: str) -> str:
    return part.removeprefix("vp_").replace("_", " ").replace("experts end", "experts at the end")


def _of_effects(effects: pl.DataFrame, categories: pl.DataFrame) -> Iterator[str]:
    seldom = effects.filter(pl.col("kind").is_in(["recorded", "track"]) & (pl.col("seats_high") < _SELDOM))
    names = [
        f"reputation space {row['name']}" if row["kind"] == "track" else row["name"].replace("_", " ")
        for row in seldom.iter_rows(named=True)
    ]
    if names:
        yield f"Happen to fewer than {100 * _SELDOM:.0f}% of seats: {', '.join(names)}."
    if len(categories):
        full = categories.sort("bonus", descending=True)
        first, last = full.row(0, named=True), full.row(-1, named=True)
        yield (
            f"The category space that pays a bonus most often is {first['category']} ({share(first, 'bonus')} of "
            f"seats), the one that does least often {last['category']} ({share(last, 'bonus')})."
        )
