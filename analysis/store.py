"""Results folders: a run's manifest, its shards, and the files they become.

While a run goes on, its folder holds::

    manifest.json            what is run: options, content hashes, program version
    shards/000012/           one finished shard: a parquet file a table, and shard.json with their sizes and hashes
    shards/000013.part/      one that is being written

A shard is written under another name and renamed when it is whole, so that whatever cuts a run off (Ctrl-C, kill, a
full disk, power) costs the shards under way and no more. At the end the shards are joined to ``games.parquet``,
``seats.parquet`` and ``cards.parquet`` and removed.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from analysis.columns import TABLES
from analysis.identity import require_same
from analysis.parquet import METADATA_KEY, join
from analysis.runs import Advance, Executor, Plan, ignore
from analysis.shards import SHARDS, Shards, Tables, encode
from analysis.writing import held, part_of, settle, write_text, writing
from sim.errors import InputError, RunError

MANIFEST: Final = "manifest.json"
_QUICKLY_JOINED: Final = 20_000_000

RUNNING: Final = "running"
INTERRUPTED: Final = "interrupted"
COMPLETE: Final = "complete"


@dataclass
class RunFolder:
    """The folder of one run, held by this process; make one with `hold`.

    Attributes
    ----------
    path
        The folder.
    identity
        What the run is (`identity_of`).
    shard_games
        Games in a shard.
    finished
        Shards that are there and whole.
    damaged
        Shards that were there and not whole; they have been removed.
    state
        Of the run as it was found.
    """

    path: Path
    identity: dict[str, Any]
    shard_games: int
    command: str
    finished: set[int] = field(default_factory=set)
    damaged: list[int] = field(default_factory=list)
    state: str = RUNNING

    def keep(self, shard: int, tables: Tables) -> None:
        """Write a shard.

        Raises
        ------
        RunError
            If it cannot be written; nothing of it is left behind.
        """
        self.shards.write(shard, tables)
        self.finished.add(shard)

    def join(self, games: int) -> list[Path]:
        """Join the finished shards to one file a table, and return these.

        Parameters
        ----------
        games
            How many games they hold.

        Raises
        ------
        RunError
            If a file cannot be written; the shards stay.
        """
        metadata = {METADATA_KEY: json.dumps(self._metadata(games))}
        written = []
        for table in TABLES:
            sources = self.shards.files(table, self.finished)
            target = self.path / f"{table}.parquet"
            if not sources:
                target.unlink(missing_ok=True)
                continue
            part = part_of(target)
            with writing(part):
                join(sources, part, metadata)
                settle(part)
                part.replace(target)
            written.append(target)
        return written

    def complete(self, plan: Plan) -> None:
        """Join the shards, note that the run is complete and remove them."""
        files = self.join(plan.games)
        self.state = COMPLETE
        self._write_manifest({file.name: file.stat().st_size for file in files})
        self.shards.remove()

    def cut_off(self, plan: Plan) -> None:
        """Note that the run was cut off, and join what is there if that takes no time."""
        self.state = INTERRUPTED
        # This is done on the way out, perhaps because the disk is full; the reason is what counts.
        with contextlib.suppress(RunError):
            self._write_manifest()
        if self.finished and self.shards.size(self.finished) <= _QUICKLY_JOINED:
            try:
                self.join(self.games_there(plan))
            except RunError:
                self._remove_tables()

    def not_joined(self) -> None:
        """Note that the shards could not be joined."""
        if self.state != COMPLETE:
            self.state = INTERRUPTED
            self._remove_tables()
            with contextlib.suppress(RunError):
                self._write_manifest()

    def _remove_tables(self) -> None:
        """Remove what was joined: some tables without the others are of no use, and take up space."""
        for table in TABLES:
            with contextlib.suppress(OSError):
                (self.path / f"{table}.parquet").unlink(missing_ok=True)

    def plan_of(self, plan: Plan) -> Plan:
        """Return a plan cut into the shards that this folder has."""
        return replace(plan, shard_games=self.shard_games)

    def games_there(self, plan: Plan) -> int:
        """Count the games of the finished shards."""
        bounds = map(self.plan_of(plan).bounds, self.finished)
        return plan.games if self.state == COMPLETE else sum(stop - start for start, stop in bounds)

    def begin(self) -> None:
        """Note that the run goes on."""
        self.state = RUNNING
        self._write_manifest()

    @cached_property
    def shards(self) -> Shards:
        """What has been played and not been joined yet."""
        return Shards(self.path)

    def _metadata(self, games: int) -> dict[str, Any]:
        planned = {} if games == self.identity["games"] else {"games planned": self.identity["games"]}
        return {**self.identity, "games": games, **planned, "command": self.command}

    def _write_manifest(self, files: Mapping[str, int] | None = None) -> None:
        manifest = {
            "state": self.state,
            "command": self.command,
            "identity": self.identity,
            "shard_games": self.shard_games,
            "files": dict(files or {}),
        }
        write_text(self.path / MANIFEST, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def hold(
    path: str | Path,
    plan: Plan,
    identity: Mapping[str, Any],
    *,
    command: str,
    resume: bool = False,
    overwrite: bool = False,
) -> Iterator[RunFolder]:
    """Take hold of a run's folder: a new one, or one to go on with.

    Parameters
    ----------
    path
        The folder; made if need be.
    plan
        What is to be run.
    identity
        See `identity_of`.
    command
        What was typed; kept with the results.
    resume
        Go on with the run that is there, which must be the same one.
    overwrite
        Throw away the results that are there.

    Yields
    ------
    RunFolder
        Its lock is given back at the end.

    Raises
    ------
    InputError
        If a run is there and neither `resume` nor `overwrite` is given, or it is another run than the one to resume.
    RunError
        If the folder cannot be written, or another process holds it.
    """
    folder = Path(path).expanduser()
    with held(folder):
        yield _found(folder, plan, dict(identity), command, resume, overwrite)


def _found(
    folder: Path, plan: Plan, identity: dict[str, Any], command: str, resume: bool, overwrite: bool
) -> RunFolder:
    """Look at what is in a folder."""
    manifest = None if overwrite else _read_manifest(folder)
    if manifest is None:
        _refuse_strangers(folder, overwrite)
        _remove_results(folder)
        run = RunFolder(folder, identity, plan.shard_games, command)
        run.begin()
        return run
    require_same(folder, manifest["identity"], identity)
    if not resume:
        raise InputError(f"{folder}: holds results already; --resume goes on with them, --overwrite throws them away")
    run = RunFolder(folder, identity, int(manifest["shard_games"]), command, state=str(manifest["state"]))
    if run.state == COMPLETE and not _files_are_there(folder, manifest["files"]):
        run.state = INTERRUPTED
    if run.state == COMPLETE:
        # The run may have been cut off between the last word in the manifest and the end.
        run.shards.remove()
    else:
        run.finished, run.damaged = run.shards.find(run.plan_of(plan).shards)
    return run


def _read_manifest(folder: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if not {"identity", "shard_games", "state", "files"} <= manifest.keys():
            raise ValueError
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError):
        raise InputError(
            f"{folder / MANIFEST}: damaged, so that the run cannot be told; --overwrite throws the results away"
        ) from None
    return dict(manifest)


def _refuse_strangers(folder: Path, overwrite: bool) -> None:
    """Refuse to write among files that are not a run's, whose names results would take."""
    there = [name for name in (*(f"{table}.parquet" for table in TABLES), SHARDS) if (folder / name).exists()]
    if there and not overwrite:
        raise InputError(
            f"{folder}: holds {', '.join(there)} and no {MANIFEST}; choose another folder or give --overwrite"
        )


def _remove_results(folder: Path) -> None:
    """Remove a run's own files, and no others."""
    try:
        for name in (MANIFEST, *(f"{table}.parquet" for table in TABLES)):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / SHARDS, ignore_errors=True)
    except OSError as error:
        raise RunError(f"{error.filename}: cannot be removed: {error.strerror or error}") from error


def _files_are_there(folder: Path, files: Mapping[str, int]) -> bool:
    return bool(files) and all(
        (folder / name).is_file() and (folder / name).stat().st_size == size for name, size in files.items()
    )


def play(
    run: RunFolder,
    plan: Plan,
    executor: Executor,
    advance: Advance = ignore,
    joining: Callable[[], None] = lambda: None,
) -> None:
    """Play what is missing of a run and write it to its folder, up to the joined files.

    Parameters
    ----------
    run
        The folder (`hold`).
    plan
        The run's plan.
    executor
        Who plays.
    advance
        Told how many more games have been played.
    joining
        Called when all games have been played and shards are about to be joined.

    Raises
    ------
    RunError
        If a strategy fails or a file cannot be written. Finished shards are kept, and joined if that is quickly done.
    """
    plan = run.plan_of(plan)
    missing = [shard for shard in range(plan.shards) if shard not in run.finished]
    run.begin()
    try:
        with contextlib.closing(executor.map(plan, missing, encode, run.keep, advance)) as played:
            for _ in played:
                pass
    except BaseException:
        run.cut_off(plan)
        raise
    joining()
    try:
        run.complete(plan)
    except BaseException:
        run.not_joined()
        raise
