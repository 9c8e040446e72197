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
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import polars as pl
from filelock import FileLock, Timeout

from analysis import parquet
from analysis.columns import CARDS, SCHEMA_VERSION, TABLES
from analysis.frames import Frames
from analysis.parquet import METADATA_KEY, join, metadata_of
from analysis.runs import Advance, Executor, Plan, ignore
from analysis.version import engine_hash, program_version
from sim.config import content_hash
from sim.errors import InputError, RunError
from strategies.api import fingerprint

MANIFEST: Final = "manifest.json"
SHARDS: Final = "shards"
LOCK: Final = ".lock"
_SHARD_FILE: Final = "shard.json"
_PART: Final = ".part"
_SHORT: Final = 80
_QUICKLY_JOINED: Final = 20_000_000

RUNNING: Final = "running"
INTERRUPTED: Final = "interrupted"
COMPLETE: Final = "complete"

Tables = Mapping[str, bytes]
"""A shard's tables as parquet files in memory."""


def identity_of(plan: Plan, options: Mapping[str, Any]) -> dict[str, Any]:
    """Say all that decides what a run's results are, as far as the plan's strategies come from specs.

    Parameters
    ----------
    plan
        What is run.
    options
        What else belongs to it, such as names of ruleset and card set and the overrides as typed.

    Returns
    -------
    dict
        What a run that is resumed must agree with, key by key; it can be written as JSON.
    """
    experiment = plan.experiment
    return {
        "program version": program_version(),
        "engine": engine_hash(),
        "schema version": SCHEMA_VERSION,
        "strategies": [player.name for player in plan.strategies],
        "code of strategy": {player.name: fingerprint(player.name)[:16] for player in plan.strategies},
        "players": plan.lineups.players,
        "games": plan.games,
        "seed": plan.seed,
        "ruleset": plan.configuration.ruleset.name,
        "ruleset hash": content_hash(plan.configuration.ruleset),
        "cards hash": content_hash(plan.configuration.cards),
        "record cards": plan.record_cards,
        "lineup members": hashlib.sha256(plan.lineups.members.tobytes()).hexdigest()[:12],
        "experiment": {
            "banned_animals": list(experiment.banned_animals),
            "banned_experts": list(experiment.banned_experts),
            "given_animals": {str(card): seat for card, seat in experiment.given_animals.items()},
            "given_experts": {str(card): seat for card, seat in experiment.given_experts.items()},
        },
        **options,
    }


def encode(frames: Frames) -> dict[str, bytes]:
    """Encode a shard's tables, as a task for an executor; cards that are not recorded are left out."""
    recorded = len(frames.cards) if not frames.recorded else any(part.has_cards for part in frames.recorded)
    return {table: parquet.encode(frames, table) for table in TABLES if table != CARDS or recorded}


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
        target = self._shard(shard)
        part = target.with_name(target.name + _PART)
        with self._writing(part):
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            for table, data in tables.items():
                (part / f"{table}.parquet").write_bytes(data)
            files = {table: {"size": len(data), "hash": _hash(data)} for table, data in tables.items()}
            (part / _SHARD_FILE).write_text(json.dumps({"shard": shard, "tables": files}))
            part.rename(target)
        self.finished.add(shard)

    def join(self) -> list[Path]:
        """Join the finished shards to one file a table, and return these.

        Raises
        ------
        RunError
            If a file cannot be written; the shards stay.
        """
        shards = [self._shard(shard) for shard in sorted(self.finished)]
        written = []
        for table in TABLES:
            sources = [shard / f"{table}.parquet" for shard in shards if (shard / f"{table}.parquet").exists()]
            target = self.path / f"{table}.parquet"
            if not sources:
                target.unlink(missing_ok=True)
                continue
            part = target.with_name(target.name + _PART)
            with self._writing(part):
                join(sources, part, {METADATA_KEY: json.dumps(self._metadata())})
                part.replace(target)
            written.append(target)
        return written

    def complete(self) -> None:
        """Join the shards, note that the run is complete and remove them."""
        files = self.join()
        self.state = COMPLETE
        self._write_manifest({file.name: file.stat().st_size for file in files})
        shutil.rmtree(self.path / SHARDS, ignore_errors=True)

    def cut_off(self) -> None:
        """Note that the run was cut off, and join what is there if that takes no time."""
        self.state = INTERRUPTED
        # This is said on the way out, perhaps because the disk is full; the reason is what counts.
        with contextlib.suppress(RunError):
            if self.finished and self._size() <= _QUICKLY_JOINED:
                self.join()
            self._write_manifest()

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

    def _size(self) -> int:
        """Count the bytes in the finished shards."""
        return sum(file.stat().st_size for shard in self.finished for file in self._shard(shard).iterdir())

    def _metadata(self) -> dict[str, Any]:
        return {**self.identity, "command": self.command}

    def _shard(self, shard: int) -> Path:
        return self.path / SHARDS / f"{shard:06d}"

    def _write_manifest(self, files: Mapping[str, int] | None = None) -> None:
        manifest = {
            "state": self.state,
            "command": self.command,
            "identity": self.identity,
            "shard_games": self.shard_games,
            "files": dict(files or {}),
        }
        target = self.path / MANIFEST
        part = target.with_name(target.name + _PART)
        with self._writing(part):
            part.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            part.replace(target)

    @contextlib.contextmanager
    def _writing(self, part: Path) -> Iterator[None]:
        """Turn what can go wrong when writing into one clear error, and leave nothing half written."""
        try:
            yield
        except BaseException as error:
            with contextlib.suppress(OSError):
                shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            raise RunError(
                f"{error.filename or part}: cannot be written: {error.strerror or error}; what was finished is kept"
            ) from error

    def look_for_shards(self, shards: int) -> None:
        """Find the shards that are there and whole; remove what is damaged or half written."""
        folder = self.path / SHARDS
        for place in sorted(folder.iterdir()) if folder.is_dir() else ():
            number = int(place.name) if place.name.isdecimal() else -1
            if 0 <= number < shards and _is_whole(place, number):
                self.finished.add(number)
                continue
            if number >= 0:
                self.damaged.append(number)
            shutil.rmtree(place, ignore_errors=True)


def _is_whole(place: Path, shard: int) -> bool:
    """Say whether a shard's files are what was written."""
    try:
        noted = json.loads((place / _SHARD_FILE).read_text())
        files = {table: place / f"{table}.parquet" for table in noted["tables"]}
        return noted["shard"] == shard and all(
            files[table].stat().st_size == about["size"] and _hash(files[table].read_bytes()) == about["hash"]
            for table, about in noted["tables"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


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
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{folder}: another process is writing results there") from None
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror or error}") from error
    try:
        yield _found(folder, plan, dict(identity), command, resume, overwrite)
    finally:
        lock.release()


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
    if not resume:
        raise InputError(f"{folder}: holds results already; --resume goes on with them, --overwrite throws them away")
    _compare(folder, manifest["identity"], identity)
    run = RunFolder(folder, identity, int(manifest["shard_games"]), command, state=str(manifest["state"]))
    if run.state == COMPLETE and not _files_are_there(folder, manifest["files"]):
        run.state = INTERRUPTED
    if run.state != COMPLETE:
        run.look_for_shards(run.plan_of(plan).shards)
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


def _compare(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Refuse to go on with another run, naming what differs."""
    old, new = _flat(there), _flat(json.loads(json.dumps(here)))
    differing = [
        f"{key}: {_short(old.get(key))} there, {_short(new.get(key))} now"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    ]
    if differing:
        raise InputError(f"{folder}: holds another run, which cannot be resumed with this: {'; '.join(differing)}")


def _flat(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Give every entry of an inner table a key of its own."""
    flat: dict[str, Any] = {}
    for key, value in identity.items():
        if isinstance(value, dict):
            flat |= {f"{key} {inner}": content for inner, content in value.items()}
        else:
            flat[key] = value
    return flat


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else text[:_SHORT] + "…"


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
        run.cut_off()
        raise
    joining()
    run.complete()


@dataclass(frozen=True)
class StoredResults:
    """Results in files, read lazily.

    Attributes
    ----------
    games, seats, cards
        The tables; cards is None where they were not recorded.
    about
        What the files say about themselves.
    """

    games: pl.LazyFrame
    seats: pl.LazyFrame
    cards: pl.LazyFrame | None
    about: dict[str, Any]


def open_results(folder: str | Path) -> StoredResults:
    """Open a folder of results.

    Parameters
    ----------
    folder
        As given to ``--out``.

    Raises
    ------
    InputError
        If there are no results in it.
    """
    paths = {table: Path(folder).expanduser() / f"{table}.parquet" for table in TABLES}
    if not paths["games"].is_file() or not paths["seats"].is_file():
        raise InputError(f"{folder}: no results there (games.parquet, seats.parquet)")
    about = metadata_of(paths["games"])
    if about is None:
        raise InputError(f"{paths['games']}: not a results file of this program")
    cards = pl.scan_parquet(paths["cards"]) if paths["cards"].is_file() else None
    return StoredResults(pl.scan_parquet(paths["games"]), pl.scan_parquet(paths["seats"]), cards, json.loads(about))
