"""The ladder: the whole pool of strategies against each other, how strong each is, how quick, and how it plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import in_units, play_units, unit_of
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out
from analysis.balance.standings import Meetings, StandingSums, met
from analysis.balance.strategies import check_meeting, findings_of
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.pace import games_per_second
from analysis.profiles import ProfileSums, profiled
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.tournament import make_plan
from sim.batch import Player
from sim.config import STANDARD, Configuration
from sim.errors import InputError
from strategies.api import available

FloatArray = NDArray[np.float64]

GAMES: Final = 20_000
_MOST_LINEUPS: Final = 400
_MEETINGS: Final = 8


def pool() -> list[str]:
    """Names of all strategies there are: built in, and of installed packages.

    Examples
    --------
    >>> "random" in pool()
    True
    """
    return [listed.name for listed in available() if not listed.describe.startswith("cannot be used")]


def ladder_lineups(strategies: int, players: int, seed: int = 0) -> Lineups:
    """Choose line-ups in which every strategy meets every other about equally often.

    Parameters
    ----------
    strategies
        How many there are.
    players
        Seats at a table.
    seed
        Of the choice, where there are too many line-ups for all to play.

    Returns
    -------
    Lineups
        All line-ups without a strategy twice, or some hundred of them; with fewer strategies than seats, all line-ups
        of at least two different strategies.

    Examples
    --------
    >>> len(ladder_lineups(11, 2)), len(ladder_lineups(11, 4)) < 400
    (55, True)
    """
    if strategies < players:
        return Lineups.of(strategies, players, "mixed")
    count = np.prod([strategies - place for place in range(players)], dtype=np.float64) / players
    if count <= _MOST_LINEUPS:
        return Lineups.of(strategies, players, "distinct")
    random = np.random.default_rng(seed)
    wanted = -(-_MEETINGS * strategies * (strategies - 1) // (players * (players - 1)))
    chosen: list[list[int]] = []
    waiting: list[int] = []
    meetings = np.zeros((strategies, strategies), dtype=np.int64)
    while len(chosen) < wanted or meetings[~np.eye(strategies, dtype=np.bool_)].min() == 0:
        # Everybody sits down once before anybody does twice.
        if len(waiting) < players:
            waiting += [int(who) for who in random.permutation(strategies)]
        table: list[int] = []
        for who in list(waiting):
            if len(table) < players and who not in table:
                table.append(who)
                waiting.remove(who)
        meetings[np.ix_(table, table)] += 1
        chosen.append(table)
    return Lineups(np.array(chosen, dtype=np.int32))


def ladder_plan(
    strategies: Sequence[str | Player] = (),
    players: int = 2,
    games: int = GAMES,
    seed: int = 0,
    *,
    ruleset: str | Path = STANDARD,
    cards: str | Path = STANDARD,
    overrides: Sequence[str] = (),
    configuration: Configuration | None = None,
) -> Plan:
    """Plan a ladder's games.

    Parameters
    ----------
    strategies
        Specs or players; the whole pool by default.
    players, games, seed, ruleset, cards, overrides, configuration
        What is played (`analysis.tournament.make_plan`), in the line-ups of `ladder_lineups`.

    Raises
    ------
    InputError
        If anything given cannot be used, or there is only one strategy.

    Examples
    --------
    >>> ladder_plan(["greedy", "random"], games=100).games
    100
    """
    entering = list(strategies) or pool()
    plan = make_plan(
        entering, players, games, seed, lineups="mirror",
        ruleset=ruleset, cards=cards, overrides=overrides, configuration=configuration, record_cards=False,
    )  # fmt: skip
    return with_ladder_lineups(replace(plan, games=games))


def with_ladder_lineups(plan: Plan) -> Plan:
    """Return a plan of the same strategies, seats and about as many games in the line-ups of a ladder.

    Raises
    ------
    InputError
        If there is only one strategy.
    """
    if len(plan.strategies) < 2:
        raise InputError(f"strategies: {len(plan.strategies)} given; a ladder needs at least two")
    lineups = ladder_lineups(len(plan.strategies), plan.lineups.players)
    return replace(plan, lineups=lineups, games=lineups.rounded_up(plan.games))


def ladder(
    plan: Plan,
    precision: Precision | None = None,
    *,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Play a pool of strategies against each other.

    Parameters
    ----------
    plan
        See `ladder_plan`. Its number of games counts if no precision is asked for.
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
        With frames ``strengths``, ``matchups``, ``speeds``, ``profiles`` and ``distances``; see `docs/analysis.md`.
        All but the speeds are the same on every machine.

    Examples
    --------
    >>> answer = ladder(ladder_plan(["greedy", "random"], players=2, games=100, seed=1))
    >>> answer["strengths"]["strategy"].to_list()
    ['greedy', 'random']
    """
    check_meeting(plan)
    speeds = _speeds(plan)
    study = _Study(plan, executor or LocalExecutor(), progress, None if precision else plan.games)
    extent = carry_out(study, plan.games, precision, progress)
    profiles, distances = study.profiles.tables(extent.level)
    frames = {
        **study.standings.frames(extent.level), "speeds": speeds, "profiles": profiles, "distances": distances,
    }  # fmt: skip
    findings = [*findings_of(frames, plan.lineups.players), *_of_profiles(distances), *_of_speeds(speeds)]
    return Answer("ladder", tuple(findings), frames, about_of(plan, extent, precision, options))


def _speeds(plan: Plan) -> pl.DataFrame:
    """Time every strategy by itself."""
    lineups = Lineups.of(1, plan.lineups.players)
    speeds = [
        games_per_second(replace(plan, strategies=(player,), lineups=lineups, games=lineups.rounded_up(10**6)))
        for player in plan.strategies
    ]
    return pl.DataFrame(
        {
            "strategy": [player.name for player in plan.strategies],
            "games_per_second": speeds,
            "seconds_per_game": [1 / speed for speed in speeds],
        }
    )


class _Study:
    """The pool's games (`analysis.balance.precision.Study`)."""

    pilot = 4000

    def __init__(self, plan: Plan, executor: Executor, progress: Progress, games: int | None) -> None:
        names = [player.name for player in plan.strategies]
        self.unit = unit_of(plan.lineups, games)
        self.standings = StandingSums(names, plan.lineups)
        self.profiles = ProfileSums(names, plan.lineups)
        self._plan = in_units(plan, self.unit)
        self._executor, self._progress = executor, progress

    def cost(self, games: int) -> int:
        return games

    def play(self, first: int, last: int) -> None:
        for unit in range(first, last):
            parts = play_units(self._plan, self.unit, [unit], self._executor, self._progress.advance, _met_and_profiled)
            for meetings, values in parts:
                self.standings.add(meetings)
                self.profiles.add(meetings.games, meetings.blocks, values)

    def half_width(self, kind: Kind, level: float) -> float:
        return self.standings.half_width("total" if kind == "vp" else "win_share", level)


def _met_and_profiled(frames: Frames) -> tuple[Meetings, FloatArray]:
    """Keep what standings and profiles need, as a task for an executor."""
    return met(frames), profiled(frames)


# --- findings -------------------------------------------------------------------------------------------------------


def _of_profiles(distances: pl.DataFrame) -> list[str]:
    closest = distances.sort("actions").row(0, named=True)
    pair = f"{closest['strategy']} and {closest['other']}"
    return [
        f"The two that play most alike are {pair}: {100 * closest['actions']:.1f}% "
        f"({100 * closest['actions_low']:.1f}–{100 * closest['actions_high']:.1f}%) of their actions and "
        f"{100 * closest['score']:.1f}% ({100 * closest['score_low']:.1f}–{100 * closest['score_high']:.1f}%) of their "
        "VP are of different kinds."
    ]


def _of_speeds(speeds: pl.DataFrame) -> list[str]:
    ordered = speeds.sort("games_per_second", descending=True)
    first, last = ordered.row(0, named=True), ordered.row(-1, named=True)
    return [
        f"Games a second on one core, as the machine is loaded: from {first['games_per_second']:,.0f} "
        f"({first['strategy']}) to {last['games_per_second']:,.0f} ({last['strategy']})."
    ]
