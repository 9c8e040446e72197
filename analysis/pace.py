"""How quickly a plan's games are played, from a short sample, and the size of shards that follows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Final

from analysis.runs import SHARD_GAMES, Plan
from sim.batch import CHUNK_GAMES, PATIENCE, Results, Schedule

LEAST_SHARD_GAMES: Final = 64
_SHARD_SECONDS: Final = 10.0
_SAMPLE_SECONDS: Final = 0.02


def sample(plan: Plan, seconds: float, most: int, patience: float = PATIENCE) -> tuple[list[Results], float]:
    """Play some of a plan's games in one thread, spread evenly over its line-ups, and take the time.

    The first call in a process also loads or compiles the engine, which is not counted.

    Parameters
    ----------
    plan
        Whose games are played.
    seconds
        How long to play.
    most
        Stop after about so many games.
    patience
        Seconds without a finished game before a strategy is reported as never returning.

    Returns
    -------
    list of Results, float
        Whole blocks, and the seconds of one core they took, whatever else the machine did.
    """
    lineups, players = plan.lineups, plan.lineups.players
    groups = plan.games // players
    stride = max(min(len(lineups) * players // most, groups - 1), 1)
    deadline = math.inf

    def schedules() -> Iterator[Schedule]:
        place, played, size = 0, 0, 1
        while played < most and time.perf_counter() < deadline:
            end = min(place + size, groups)
            yield lineups.schedule(place * players, end * players)
            played += (end - place) * players
            place = (place + stride * size) % groups
            size = min(2 * size, max(CHUNK_GAMES // players, 1))

    # One schedule first, not counted. By way of `run`, which notices a strategy that never returns.
    batch = plan.batch(1, patience)
    for _ in batch.run([lineups.schedule(0, 1)]):
        pass
    begun = time.process_time()
    deadline = time.perf_counter() + seconds
    results = list(batch.run(schedules()))
    return results, time.process_time() - begun


def games_per_second(plan: Plan, patience: float = PATIENCE) -> float:
    """Measure how many games one thread plays in a second, roughly.

    Parameters
    ----------
    plan
        What is to be played.
    patience
        Seconds without a finished game before a strategy is reported as never returning.
    """
    results, seconds = sample(plan, _SAMPLE_SECONDS, CHUNK_GAMES, patience)
    return sum(len(part.schedule) for part in results) / seconds


def shard_games(per_second: float) -> int:
    """Choose the games in a shard: about ten seconds' on one core, so that little is lost when a run is cut off."""
    wanted = int(per_second * _SHARD_SECONDS)
    return min(max(wanted, LEAST_SHARD_GAMES), SHARD_GAMES)
