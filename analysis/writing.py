"""Writing to a folder so that whatever goes wrong is one clear error, and one process at a time."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from sim.errors import RunError

PART: Final = ".part"
"""Ending of what is being written; it is renamed when it is whole."""
LOCK: Final = ".lock"


def part_of(target: Path) -> Path:
    """Name under which a file or folder is written first."""
    return target.with_name(target.name + PART)


@contextlib.contextmanager
def writing(part: Path) -> Iterator[None]:
    """Turn what can go wrong when writing into one clear error, and leave nothing half written.

    Parameters
    ----------
    part
        File or folder that is written; removed if anything goes wrong.

    Raises
    ------
    RunError
        If it cannot be written.
    """
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


def write_text(target: Path, text: str) -> None:
    """Write a file as a whole or not at all.

    Raises
    ------
    RunError
        If it cannot be written.
    """
    part = part_of(target)
    with writing(part):
        part.write_text(text, encoding="utf-8")
        part.replace(target)


def settle(file: Path) -> None:
    """Wait until a file is on the disk, so that what it was made of may go."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())


@contextlib.contextmanager
def held(folder: Path, lock_file: str = LOCK) -> Iterator[None]:
    """Make a folder if need be, and keep other processes of this program from writing there.

    Parameters
    ----------
    folder
        The folder.
    lock_file
        File in it that says so; processes that name different ones do not disturb each other.

    Raises
    ------
    RunError
        If it cannot be written, or another process holds it.
    """
    lock = FileLock(folder / lock_file)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # A lock that cannot be written looks like one that another process holds.
        (folder / lock_file).touch()
        lock.acquire(timeout=0)
    except Timeout:
        raise RunError(f"{folder}: another process is writing results there") from None
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()
