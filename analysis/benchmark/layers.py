"""What keeping results costs: the same games with nothing, with tables, and with parquet files to show for it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

import numpy as np

from analysis import store
from analysis.benchmark.cases import Case
from analysis.benchmark.figures import Line
from analysis.benchmark.fingerprints import check
from analysis.benchmark.speeds import Tell, lines, say_nothing
from analysis.benchmark.timing import Work
from analysis.benchmark.work import chunk_games, games_in, play_games
from analysis.identity import identity_of
from analysis.pace import shard_games
from analysis.runs import LocalExecutor, Plan
from sim import layout as lay
from sim.batch import Player, Schedule, chunks
from sim.engine import play
from sim.game import Arena
from sim.jit import entry

ENGINE: Final = "engine"
LAYERS: Final = {
    ENGINE: "games, nothing kept",
    "seats": "games and seats recorded",
    "cards": "cards recorded too",
    "parquet": "tournament in parquet files, --no-cards",
    "parquet-cards": "tournament in parquet files",
}
"""From the engine alone to a whole tournament, each with what it is."""
STRATEGIES: Final = ("random", "balanced")
"""Whose layers are timed unless other strategies are asked for."""
_TOURNAMENT: Final = 4
"""Times the games of other layers: enough for several shards and for what is done once a run to matter little."""


@entry
def _play_only(  # type: ignore[no-untyped-def]
    tables, state, chance, record, actions, randoms, addresses, weights, starts, seed, lucks, seatings
):
    """Play games one after the other and keep nothing; return how many decisions were made."""
    decisions = 0
    for game in range(lucks.shape[0]):
        fault = play(
            state, tables, chance, record, actions, randoms, addresses, weights, starts, seatings[game],
            seed, lucks[game],
        )  # fmt: skip
        if fault:
            return -1
        decisions += record[lay.REC_PLIES]
    return decisions


def _bare(plan: Plan, threads: int, games: int) -> Work:
    """Play with no results at all."""
    schedules = list(chunks(plan.lineups.schedule(0, games), chunk_games(games, threads)))

    def some(schedule: Schedule) -> int:
        arena = Arena(plan.tables)
        with np.errstate(over="ignore"):
            return _decisions(arena, plan, plan.strategies[0], schedule)

    def run() -> int:
        if threads == 1:
            return sum(map(some, schedules))
        with ThreadPoolExecutor(threads) as pool:
            return sum(pool.map(some, schedules))

    return Work(games, run)


def _decisions(arena: Arena, plan: Plan, player: Player, schedule: Schedule) -> int:
    addresses, starts = np.array([player.address], dtype=np.int64), np.array([0, len(player.weights)], dtype=np.int64)
    decisions = _play_only(
        plan.tables, arena.state, arena.chance, arena.record, arena.actions, arena.randoms, addresses, player.weights,
        starts, plan.seed, schedule.lucks, schedule.seatings,
    )  # fmt: skip
    assert decisions > 0, "games of checked strategies have no faults"
    return int(decisions)


def _tournament(plan: Plan, threads: int, games: int) -> Work:
    """Play a whole tournament to parquet files in a folder that is gone afterwards."""
    plan = replace(plan, games=plan.lineups.rounded_up(games))
    decisions = play_games(plan, threads, plan.games).run()

    def run() -> int:
        with (
            tempfile.TemporaryDirectory(prefix="encyclopedia-bench-") as folder,
            store.hold(folder, plan, identity_of(plan, {}), command="encyclopedia bench") as folder_of_run,
        ):
            store.play(folder_of_run, plan, LocalExecutor(threads))
        return decisions

    return Work(plan.games, run)


def _work(layer: str, case: Case, threads: int, games: int) -> Work:
    """Make the work of a layer."""
    plan = replace(case.plan, record_cards=layer in ("cards", "parquet-cards"))
    if layer.startswith("parquet"):
        per_second = games  # a repeat is a good part of a second, and the largest shard is soon reached
        return _tournament(replace(plan, shard_games=shard_games(per_second)), threads, _TOURNAMENT * games)
    make: Callable[[Plan, int, int], Work] = _bare if layer == ENGINE else play_games
    return make(plan, threads, games)


def measure(case: Case, layers: Sequence[str], threads: Sequence[int], seconds: float, repeats: int) -> Iterator[Line]:
    """Time the layers of a case in turn, the engine among them.

    Parameters
    ----------
    case
        What is played; its games must be quick (`Case.is_quick`).
    layers
        Some of `LAYERS`.
    threads
        By how many; each layer has a line for each.
    seconds
        For a repeat of a layer, roughly; a tournament has four times as many games.
    repeats
        How many.

    Raises
    ------
    RunError
        If the games are not the right ones.
    """
    right = check(case)
    wanted = [layer for layer in LAYERS if layer in layers or layer == ENGINE]
    games = games_in(case, seconds)
    works = {(count, layer): _work(layer, case, count, games * count) for count in threads for layer in wanted}
    yield from lines(case, right, works, repeats)


def suite(
    cases: Iterable[Case],
    layers: Sequence[str],
    threads: Sequence[int],
    seconds: float,
    repeats: int,
    tell: Tell = say_nothing,
) -> Iterator[Line]:
    """Time the layers of all cases whose games are quick.

    Parameters
    ----------
    cases, layers, threads, seconds, repeats
        See `measure`.
    tell
        Told what is timed next.
    """
    for case in cases:
        if case.is_quick:
            tell(f"Timing layers of {case.strategy}, {case.players} players")
            yield from measure(case, layers, threads, seconds, repeats)
