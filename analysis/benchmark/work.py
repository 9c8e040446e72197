"""What a benchmark has done again and again: games, or decisions one by one."""

from __future__ import annotations

import contextlib
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from analysis.benchmark.cases import Case
from analysis.benchmark.positions import Position, choose
from analysis.benchmark.timing import Work
from analysis.pace import games_per_second
from analysis.runs import Plan
from sim.batch import CHUNK_GAMES, chunks

_CHUNKS: Final = 40
"""Pieces that each thread's games are cut into: at the end a thread waits for half a piece."""


def games_in(case: Case, seconds: float) -> int:
    """Count the games that one thread plays in some seconds, roughly."""
    return max(int(games_per_second(case.plan) * seconds), 1)


def chunk_games(games: int, threads: int) -> int:
    """Return the games of a chunk: as many as in any run, unless threads would end too unevenly."""
    return CHUNK_GAMES if threads == 1 else min(max(games // (_CHUNKS * threads), 1), CHUNK_GAMES)


def play_games(plan: Plan, threads: int, games: int) -> Work:
    """Play the first games of a plan, as every command does, and throw away what was recorded."""
    batch, schedule = plan.batch(threads), plan.lineups.schedule(0, games)
    size = chunk_games(games, threads)

    def run() -> int:
        played = batch.run(chunks(schedule, size))
        with contextlib.closing(played):  # type: ignore[type-var]
            return sum(int(results.games[0].sum()) for results in played)

    return Work(games, run)


def make_choices(case: Case, threads: int, passes: int) -> Work:
    """Ask a strategy at every position of a case, some times over."""
    player, tables = case.plan.strategies[0], case.plan.tables
    asked = list(itertools.chain.from_iterable([case.positions] * passes))

    def ask(position: Position) -> None:
        choose(player, tables, position)

    def run() -> int:
        if threads == 1:
            for position in asked:
                ask(position)
        else:
            # Compiled strategies hold no interpreter lock.
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(ask, asked))
        return len(asked)

    return Work(0, run)
