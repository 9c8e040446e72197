"""Playing the games of a plan, shard by shard, in whatever way: threads here, processes elsewhere.

Every command that plays games makes a `Plan` and hands it to `run_games` (frames, in memory) or to
`analysis.store.RunFolder` (files). Who plays is an `Executor`; it plays the same shards and gives the same frames
whichever it is.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from analysis.frames import Framer, Frames
from analysis.lineups import Lineups
from sim.batch import CHUNK_GAMES, PATIENCE, Batch, Player, Results, Schedule, StrategyError, available_cores
from sim.config import Configuration
from sim.tables import NO_EXPERIMENT, Experiment, build_tables

SHARD_GAMES: Final = 8192
"""Most games in a shard."""
_CHUNK_SECONDS: Final = 0.05
_FIRST_CHUNK: Final = 8
_WAITING_SHARDS: Final = 2

Outcome = TypeVar("Outcome")
Task = Callable[[Frames], Any]
"""What is done with a shard's frames where they were played: something small is sent home."""
Keep = Callable[[int, Any], Any]
"""What is done with a task's outcome at home."""
Advance = Callable[[int], None]
"""Told how many more games have been played."""


@dataclass(frozen=True)
class Plan:
    """Games to be played: all that decides what comes out, and nothing else.

    Attributes
    ----------
    configuration
        Ruleset and card set.
    strategies
        Who plays, in the order in which line-ups count them.
    lineups
        Who sits beside whom; its players are the seats.
    games
        How many; whole blocks of every line-up (`Lineups.rounded_up`).
    seed
        Of all chance.
    record_cards
        Whether to keep what happened to every card.
    experiment
        Cards banned or given at the start.
    shard_games
        Games in a shard at most; it changes files, not frames.
    """

    configuration: Configuration
    strategies: tuple[Player, ...]
    lineups: Lineups
    games: int
    seed: int
    record_cards: bool = True
    experiment: Experiment = NO_EXPERIMENT
    shard_games: int = SHARD_GAMES

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.games // self._step)

    @property
    def _step(self) -> int:
        """Games in a shard: groups of a line-up's games stay together, and so do blocks."""
        return max(self.shard_games // self.lineups.players, 1) * self.lineups.players

    def bounds(self, shard: int) -> tuple[int, int]:
        """Return the first game of a shard and the first behind it."""
        return shard * self._step, min((shard + 1) * self._step, self.games)

    def schedule(self, start: int, stop: int) -> Schedule:
        """Games `start` … `stop` − 1 with their lucks and seatings."""
        return self.lineups.schedule(start, stop)

    @cached_property
    def tables(self) -> NDArray[np.int32]:
        """Rules and cards as compiled code reads them."""
        return build_tables(self.configuration, self.lineups.players, self.experiment)

    @cached_property
    def framer(self) -> Framer:
        """What turns results into frames."""
        return Framer(self.configuration, [player.name for player in self.strategies], self.lineups)

    def batch(self, threads: int, patience: float = PATIENCE) -> Batch:
        """Make what plays games of this plan in some threads."""
        return Batch(
            self.tables,
            self.strategies,
            self.seed,
            threads=threads,
            record_cards=self.record_cards,
            patience=patience,
        )


class Executor(Protocol):
    """Plays shards of a plan."""

    def map(
        self, plan: Plan, shards: Sequence[int], task: Task, keep: Keep, advance: Advance
    ) -> Generator[tuple[int, Any]]:
        """Play shards; do `task` with the frames of each where it was played and `keep` with the outcome here.

        Yields
        ------
        tuple
            Number of a shard and what `keep` returned, in any order.

        Closing the iterator stops the games under way; what was kept by then stays kept.
        """
        ...

    @property
    def workers(self) -> int:
        """How many games are played at the same time."""
        ...


@dataclass(frozen=True)
class LocalExecutor:
    """Plays in threads of this process; shards come in order.

    Parameters
    ----------
    threads
        Games played at the same time; None for one a core.
    patience
        Seconds without a finished game before a strategy is reported as never returning.
    """

    threads: int | None = None
    patience: float = PATIENCE

    @property
    def workers(self) -> int:
        """How many games are played at the same time."""
        return self.threads or available_cores()

    def map(
        self, plan: Plan, shards: Sequence[int], task: Task, keep: Keep, advance: Advance
    ) -> Generator[tuple[int, Any]]:
        """Play shards; frames are made, and `task` and `keep` are done, in one more thread meanwhile."""
        failure: StrategyError | None = None
        # Another thread, so that the games go on while frames are made, encoded and written.
        with ThreadPoolExecutor(1, thread_name_prefix="shards") as writer:
            waiting: deque[tuple[int, Future[Any]]] = deque()
            try:
                for shard, results in self._results(plan, shards, advance):
                    waiting.append((shard, writer.submit(_finished, plan, shard, results, task, keep)))
                    while len(waiting) > _WAITING_SHARDS or (waiting and waiting[0][1].done()):
                        number, future = waiting.popleft()
                        yield number, future.result()
            except StrategyError as error:
                failure = error  # the shards before it are handed out first
            for number, future in waiting:
                yield number, future.result()
        if failure is not None:
            raise failure

    def _results(self, plan: Plan, shards: Sequence[int], advance: Advance) -> Iterator[tuple[int, list[Results]]]:
        """Play and gather the results of each shard."""
        batch = plan.batch(self.workers, self.patience)
        sizes = _ChunkSize(batch.threads)
        coming: deque[tuple[int, bool]] = deque()

        def schedules() -> Iterator[Schedule]:
            for shard in shards:
                start, stop = plan.bounds(shard)
                while start < stop:
                    end = min(start + sizes.next, stop)
                    coming.append((shard, end == stop))
                    yield plan.schedule(start, end)
                    start = end

        gathered: list[Results] = []
        played = batch.run(schedules())
        try:
            for results in played:
                sizes.done(len(results.schedule))
                advance(len(results.schedule))
                gathered.append(results)
                shard, whole = coming.popleft()
                if whole:
                    yield shard, gathered
                    gathered = []
        finally:
            played.close()  # type: ignore[attr-defined]


class _ChunkSize:
    """Games in the next chunk: a fraction of a second's, so that progress and Ctrl-C stay quick."""

    def __init__(self, threads: int) -> None:
        self.next = _FIRST_CHUNK
        self._threads, self._games, self._start = threads, 0, time.monotonic()

    def done(self, games: int) -> None:
        self._games += games
        per_second = self._games / max(time.monotonic() - self._start, 1e-6)
        wanted = int(per_second / self._threads * _CHUNK_SECONDS)
        self.next = min(max(wanted, 1), 2 * self.next, CHUNK_GAMES)


def _finished(plan: Plan, shard: int, results: Sequence[Results], task: Task, keep: Keep) -> Any:
    return keep(shard, task(plan.framer.frames(results)))


def ignore(games: int) -> None:
    """Do nothing about progress."""
    del games


def run_games(plan: Plan, executor: Executor | None = None, advance: Advance = ignore) -> Iterator[Frames]:
    """Play a plan's games and hand out their frames, a shard at a time and in order.

    Parameters
    ----------
    plan
        What is to be played.
    executor
        Who plays; threads of this process by default.
    advance
        Told how many more games have been played.

    Yields
    ------
    Frames
        Of consecutive games; the same for every executor.

    Raises
    ------
    sim.batch.StrategyError
        If a strategy breaks its contract. Frames of the shards before it have been yielded by then.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> plan = make_plan(["random"], players=2, games=4, seed=1)
    >>> sum(len(frames.seats) for frames in run_games(plan))
    8
    """
    executor = executor or LocalExecutor()
    early: dict[int, Frames] = {}
    due = 0
    for shard, frames in executor.map(plan, range(plan.shards), _made, _kept, advance):
        early[shard] = frames
        while due in early:
            yield early.pop(due)
            due += 1


def _made(frames: Frames) -> Frames:
    return frames.made()


def _kept(shard: int, frames: Frames) -> Frames:
    del shard
    return frames
