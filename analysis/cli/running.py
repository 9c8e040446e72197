"""What commands that run games share: who plays, and what is said when a run is cut off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from analysis.cli.typed import resume_command
from analysis.runs import Executor, LocalExecutor
from sim.errors import EncyclopediaError, InputError, RunError

if TYPE_CHECKING:
    from pathlib import Path

    from analysis.keeping import KeepingExecutor
    from analysis.runs import Plan
    from analysis.store import RunFolder


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
            "pip install 'encyclopedia-simulator[distributed]'"
        ) from None
    with dask_executor(workers, scheduler, patience=patience) as executor:
        yield executor


@contextlib.contextmanager
def cut_off(run: RunFolder, plan: Plan, resume: str) -> Iterator[None]:
    """Say, when a run is cut off, what is kept and how it can be gone on with."""
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(f"interrupted; {_kept(run, plan, resume)}") from None
    except RunError as error:
        raise RunError(f"{error}\n{_kept(run, plan, resume).capitalize()}") from error


@contextlib.contextmanager
def kept_games(keeper: KeepingExecutor, out: Path) -> Iterator[None]:
    """Say, when a run that ends in an answer is cut off, what is kept and how it can be gone on with."""

    def kept() -> str:
        if keeper.kept == 0:
            return "nothing had been played to the end of a shard"
        return f"{keeper.kept:,} games are kept in {out}; go on with:\n  {resume_command()}"

    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError(f"interrupted; {kept()}") from None
    except RunError as error:
        raise RunError(f"{error}\n{kept().capitalize()}") from error


def _kept(run: RunFolder, plan: Plan, resume: str) -> str:
    return f"{run.games_there(plan):,} of {plan.games:,} games are kept in {run.path}; go on with:\n  {resume}"


def note(message: str, quiet: bool = False) -> None:
    """Say something that is no result."""
    from analysis.cli.progress import console  # noqa: PLC0415 - only when needed

    if not quiet:
        console().print(message, soft_wrap=True, highlight=False, markup=False)
