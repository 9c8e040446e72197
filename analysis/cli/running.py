"""What commands that run games share: who plays, and what is said when a run is cut off."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from analysis.cli.typed import resume_command
from analysis.runs import Executor, LocalExecutor
from sim.errors import EncyclopediaError, InputError, RunError

if TYPE_CHECKING:
    from pathlib import Path


class StoppedError(EncyclopediaError):
    """Somebody pressed Ctrl-C; the message says what was kept."""

    exit_code = 130


@contextlib.contextmanager
def executor_for(
    threads: int | None, workers: int | None, scheduler: str | None, patience: float
) -> Iterator[Executor]:
    """Make what plays: threads of this process, or a Dask cluster.

    Raises
    ------
    InputError
        If options are given that do not go together, or Dask is wanted and not installed.
    """
    if workers is None and scheduler is None:
        yield LocalExecutor(threads, patience)
        return
    if threads is not None:
        raise InputError("--threads is for games in this process: give it, or --workers, or --scheduler")
    if workers is not None and scheduler is not None:
        raise InputError("--workers starts a cluster on this machine and --scheduler uses another: give one of them")
    try:
        from analysis.distributed import dask_executor  # noqa: PLC0415 - an optional dependency
    except ModuleNotFoundError as error:
        raise InputError(
            f"--workers and --scheduler need Dask, which is not installed ({error.name}): "
            "pip install '.[distributed]' in the project's folder"
        ) from None
    with dask_executor(workers, scheduler, patience=patience) as executor:
        yield executor


@contextlib.contextmanager
def cut_off(kept: Callable[[], str]) -> Iterator[None]:
    """Say, when a run is cut off, what is kept and how it can be resumed.

    Parameters
    ----------
    kept
        Says it (`kept_in` makes such a text).
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(f"interrupted; {kept()}") from None
    except RunError as error:
        said = kept()
        raise RunError(f"{error}\n{said[:1].upper()}{said[1:]}") from error


def kept_in(what: str, where: Path | None) -> str:
    """Say what is kept where, and the command that goes on with it.

    Parameters
    ----------
    what
        Such as ``12 games``; empty if there is nothing yet.
    where
        Folder or file given to ``--out``; None if none was.
    """
    if where is None:
        return "nothing was kept, since no --out was given"
    if not what:
        return "nothing was finished by then"
    return f"{what} are kept in {where}; go on with:\n  {resume_command()}"


def note(message: str, quiet: bool = False) -> None:
    """Say something that is no result."""
    from analysis.cli.progress import console  # noqa: PLC0415 - only when needed

    if not quiet:
        console().print(message, soft_wrap=True, highlight=False, markup=False)
