"""Runs that end in an answer instead of files: what came of each shard is kept, so that they can be resumed.

Which games a question plays follows from what is asked and from what came of the games before, so that a run that is
begun again asks for the same shards in the same order. What an earlier sitting played is read instead of played.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import pickle
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from analysis.identity import identity_of, require_same
from analysis.journal import Journal
from analysis.runs import Advance, Executor, Keep, Plan, Task, ignore
from analysis.writing import held
from sim.errors import InputError

_ENDING: Final = ".run"
_IDENTITY: Final = b"identity"


class KeepingExecutor:
    """Plays as another executor does, and keeps what comes of it.

    Parameters
    ----------
    executor
        Who plays.
    journal
        Where outcomes are kept.
    found
        Told how many games were played by earlier sittings.
    """

    def __init__(self, executor: Executor, journal: Journal, found: Advance = ignore) -> None:
        self._executor, self._journal, self._found = executor, journal, found
        self._calls = 0
        self.kept = 0

    @property
    def workers(self) -> int:
        """How many games are played at the same time."""
        return self._executor.workers

    def map(
        self, plan: Plan, shards: Sequence[int], task: Task, keep: Keep, advance: Advance
    ) -> Generator[tuple[int, Any]]:
        """Hand out the shards that are kept, then play the others."""
        self._calls += 1
        return self._mapped(self._calls, plan, shards, task, keep, advance)

    def _mapped(
        self, call: int, plan: Plan, shards: Sequence[int], task: Task, keep: Keep, advance: Advance
    ) -> Generator[tuple[int, Any]]:
        mark = _mark(plan)

        def key(shard: int) -> bytes:
            return f"{call} {shard} {mark}".encode()

        def kept(shard: int, outcome: Any) -> Any:
            self._journal.add(key(shard), pickle.dumps(outcome))
            self._count(plan, shard)
            return keep(shard, outcome)

        missing = []
        for shard in shards:
            value = self._journal.get(key(shard))
            if value is None:
                missing.append(shard)
                continue
            self._found(self._count(plan, shard))
            yield shard, keep(shard, pickle.loads(value))
        if missing:
            yield from self._executor.map(plan, missing, task, kept, advance)

    def _count(self, plan: Plan, shard: int) -> int:
        start, stop = plan.bounds(shard)
        self.kept += stop - start
        return stop - start


def _mark(plan: Plan) -> str:
    """Hash of all that decides what a plan's shards are."""
    what = json.dumps([identity_of(plan, {}), plan.bounds(0)], sort_keys=True)
    return hashlib.sha256(what.encode()).hexdigest()[:24]


@contextlib.contextmanager
def keeping(
    folder: str | Path,
    name: str,
    identity: Mapping[str, Any],
    executor: Executor,
    *,
    resume: bool = False,
    overwrite: bool = False,
    found: Advance = ignore,
) -> Iterator[KeepingExecutor]:
    """Keep what a run plays in a file of a folder; the file is removed when the run ends well.

    Parameters
    ----------
    folder
        Made if need be.
    name
        Of the run; the file is called after it.
    identity
        What the run is; it can be written as JSON (`analysis.identity.identity_of`).
    executor
        Who plays.
    resume
        Go on with the run that is there, which must be the same one.
    overwrite
        Throw it away.
    found
        Told how many games were played by earlier sittings.

    Yields
    ------
    KeepingExecutor
        To play with.

    Raises
    ------
    InputError
        If a run is there and neither `resume` nor `overwrite` is given, or it is another one.
    RunError
        If the folder cannot be written, or another process holds it.
    """
    place = Path(folder).expanduser()
    path = place / (name + _ENDING)
    with held(place, f".{name}.lock"):
        if path.exists() and overwrite:
            path.unlink()
        journal = Journal(path)
        done = False
        try:
            _check(journal, place, identity, resume)
            yield KeepingExecutor(executor, journal, found)
            done = True
        finally:
            journal.close()
            if done or len(journal) <= 1:
                path.unlink(missing_ok=True)


def _check(journal: Journal, place: Path, identity: Mapping[str, Any], resume: bool) -> None:
    """Refuse to go on with another run, naming what differs, and with the same one unasked."""
    there = journal.get(_IDENTITY)
    if there is None or len(journal) == 1:
        journal.add(_IDENTITY, json.dumps(identity).encode())
    else:
        require_same(place, json.loads(there), identity)
        if not resume:
            raise InputError(
                f"{place}: holds a run that was cut off ({journal.path.name}); --resume goes on with it, --overwrite "
                "throws it away"
            )
