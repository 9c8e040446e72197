"""Playing on a Dask cluster: the same shards as in threads, on worker processes here or elsewhere.

A shard is one task. What a task needs travels with it: the configuration, and the strategies with their source where
they come from files. A worker plays the shard, does with its frames what was asked for (encoding them, mostly) and
sends that home. A worker that dies costs the shards it was playing; Dask gives them to another.

This module needs the extra ``[distributed]``.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import pickle
import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import dask
from distributed import Client, KilledWorker, LocalCluster, as_completed, get_worker

from analysis.runs import Advance, Keep, Plan, Task
from analysis.version import engine_hash, program_version
from sim.batch import CHUNK_GAMES, PATIENCE, chunks
from sim.errors import EncyclopediaError, RunError
from strategies.api import describe_source, load_source

_TASKS_PER_THREAD: Final = 2
_CONNECT_SECONDS: Final = 20
_CLOSE_SECONDS: Final = 2
_KEPT_PLANS: Final = 8
_SETTINGS: Final = {
    # Results are small and shards are independent: there is nothing to be gained by moving them about.
    "distributed.scheduler.work-stealing": False,
    # Shards take seconds: nobody needs to know fifty times a second what a worker is at.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "2s",
    "distributed.worker.memory.monitor-interval": "2s",
    # In place of Dask's own, which give memory back to the system after every chunk of games, only to ask for it again.
    # A worker is one core, so polars needs no more threads.
    "distributed.nanny.pre-spawn-environ": {"POLARS_MAX_THREADS": "1"},
}


@dataclass(frozen=True)
class DaskExecutor:
    """Plays on the workers of a Dask cluster; shards come in the order in which they are finished.

    Parameters
    ----------
    client
        Connected to the cluster.
    patience
        Seconds without a finished game before a strategy is reported as never returning.
    """

    client: Client
    patience: float = PATIENCE

    @property
    def workers(self) -> int:
        """How many games are played at the same time."""
        return max(sum(map(int, self.client.nthreads().values())), 1)

    def map(
        self, plan: Plan, shards: Sequence[int], task: Task, keep: Keep, advance: Advance
    ) -> Generator[tuple[int, Any]]:
        """Play shards on the cluster; `task` is done there and `keep` here.

        Raises
        ------
        InputError
            If a strategy cannot travel.
        RunError
            If a strategy fails, a worker runs another program, or the cluster is lost.
        """
        self.check_versions()
        message = packed(plan, self.patience)
        left = iter(shards)
        numbers: dict[Any, int] = {}

        def submit() -> Any:
            shard = next(left, None)
            if shard is None:
                return None
            future = self.client.submit(play_shard, message, shard, task, pure=False)
            numbers[future] = shard
            return future

        try:
            first = [future for _ in range(_TASKS_PER_THREAD * self.workers) if (future := submit()) is not None]
            finished = as_completed(first, loop=self.client.loop)
            for future in finished:
                outcome = self._outcome(future)
                shard = numbers.pop(future)
                future.release()
                if (another := submit()) is not None:
                    finished.add(another)
                start, stop = plan.bounds(shard)
                advance(stop - start)
                yield shard, keep(shard, outcome)
        finally:
            with contextlib.suppress(Exception):
                self.client.cancel(list(numbers), force=True)

    def _outcome(self, future: Any) -> Any:
        """Return what a task sent home, or raise what went wrong there."""
        try:
            return future.result()
        except EncyclopediaError:
            raise
        except KilledWorker as error:
            raise RunError(
                f"the cluster gave up a shard after {error.allowed_failures + 1} workers died playing it, the last of "
                f"them {error.last_worker.address}"
            ) from error
        except Exception as error:
            raise RunError(f"the cluster failed: {type(error).__name__}: {error}") from error

    def check_versions(self) -> None:
        """Refuse workers that run another program than this one.

        Raises
        ------
        RunError
            If there are none, or one of them does; it is named.
        """
        if not self.client.nthreads():
            with contextlib.suppress(Exception):
                self.client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        try:
            found = self.client.run(what_runs_here)
        except Exception as error:
            raise RunError(
                f"a worker cannot run this program ({type(error).__name__}: {error}); install version "
                f"{program_version()} of it there"
            ) from error
        if not found:
            raise RunError(f"the cluster has no workers; none came within {_CONNECT_SECONDS} s")
        for address, program in found.items():
            _refuse_other_program(address, program)


@contextlib.contextmanager
def dask_executor(
    workers: int | None = None, scheduler: str | None = None, *, patience: float = PATIENCE
) -> Iterator[DaskExecutor]:
    """Connect to a Dask cluster, or start one of processes on this machine.

    Parameters
    ----------
    workers
        Processes to start.
    scheduler
        Address of a scheduler that is there already, ``tcp://host:port``.
    patience
        Seconds without a finished game before a strategy is reported as never returning.

    Yields
    ------
    DaskExecutor
        Closed at the end, and the processes that were started with it.

    Raises
    ------
    RunError
        If no scheduler answers.
    """
    logging.getLogger("distributed").setLevel(logging.ERROR)
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set(_SETTINGS))
        if scheduler is None:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
                worker_dashboard_address="127.0.0.1:0",
            )
            stack.callback(_quietly, cluster.close, _CLOSE_SECONDS)
            scheduler = cluster.scheduler_address
        try:
            client = Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise RunError(f"--scheduler {scheduler}: no Dask scheduler answers there ({error})") from error
        stack.callback(_quietly, client.close, _CLOSE_SECONDS)
        executor = DaskExecutor(client, patience)
        executor.check_versions()
        yield executor


def _quietly(close: Any, seconds: float) -> None:
    """Close a part of the cluster; what it says while going down is of no interest."""
    with contextlib.suppress(Exception):
        close(timeout=seconds)


def what_runs_here() -> tuple[str, str]:
    """Return version and engine hash of the program in this process."""
    return program_version(), engine_hash()


def _refuse_other_program(address: str, program: tuple[str, str]) -> None:
    here = what_runs_here()
    if tuple(program) != here:
        raise RunError(
            f"worker {address} runs program version {program[0]} (engine {program[1]}), here it is {here[0]} (engine "
            f"{here[1]}): results would not be those of one program"
        )


# --- what travels ---------------------------------------------------------------------------------------------------


def packed(plan: Plan, patience: float) -> bytes:
    """Pack a plan so that another process can make the same of it.

    Parameters
    ----------
    plan
        Its strategies must come from specs.
    patience
        See `DaskExecutor`.

    Raises
    ------
    InputError
        If a strategy cannot be described.
    """
    sources = [describe_source(player.name) for player in plan.strategies]
    # Addresses of compiled code mean nothing elsewhere.
    bare = replace(plan, strategies=())
    return zlib.compress(pickle.dumps((bare, sources, patience, what_runs_here())))


@functools.lru_cache(_KEPT_PLANS)
def _unpacked(digest: bytes, message: _Message) -> tuple[Plan, float]:
    """Make a plan of a message; a process does it once for all its shards."""
    del digest
    bare, sources, patience, program = pickle.loads(zlib.decompress(message.data))
    if tuple(program) != what_runs_here():
        # Said from the worker's side: it came after the others were asked.
        raise RunError(
            f"worker {_address()} runs program version {program_version()} (engine {engine_hash()}), the run was begun "
            f"with {program[0]} (engine {program[1]})"
        )
    players = tuple(load_source(source, bare.lineups.players) for source in sources)
    return replace(bare, strategies=players), patience


@dataclass(frozen=True)
class _Message:
    """A packed plan that counts as equal to any other: its digest tells plans apart, more quickly."""

    data: bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Message)

    def __hash__(self) -> int:
        return 0


def _address() -> str:
    try:
        return str(get_worker().address)
    except ValueError:
        return "here"


def play_shard(message: bytes, shard: int, task: Task) -> Any:
    """Play a shard of a packed plan and do a task with its frames; this runs on a worker.

    Parameters
    ----------
    message
        What `packed` made.
    shard
        Its number.
    task
        What to do with its frames.
    """
    plan, patience = _unpacked(hashlib.sha256(message).digest(), _Message(message))
    batch = plan.batch(1, patience)
    results = list(batch.run(chunks(plan.schedule(*plan.bounds(shard)), CHUNK_GAMES)))
    return task(plan.framer.frames(results))
