"""What a question of balance was answered with: sentences, frames, and all that they were computed on; and its files.

In a folder, an answer is ``<question>.json`` (sentences, what it was computed on, names of the frames) and a file
``<question>_<frame>.parquet`` for each frame, which says in its metadata what it was computed on. Answers to several
questions may stand in one folder.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from analysis.balance.precision import Extent, Precision
from analysis.identity import identity_of
from analysis.lineups import Lineups
from analysis.parquet import METADATA_KEY
from analysis.runs import Plan
from analysis.stats import LEVEL
from analysis.writing import part_of
from sim.errors import InputError, RunError
from strategies.api import find

MOST_LINEUPS: Final = 30
"""Line-ups up to this number are spelled out and have rows of their own."""


@dataclass(frozen=True)
class Answer:
    """The answer to a question.

    Attributes
    ----------
    question
        Its name, such as ``seats``.
    findings
        What came out, in plain sentences, the most important first.
    frames
        Name → frame; the columns are described in `docs/balance.md`.
    about
        What it was computed on: versions, hashes, options, games, blocks, line-ups; it can be written as JSON.
    """

    question: str
    findings: tuple[str, ...]
    frames: Mapping[str, pl.DataFrame]
    about: Mapping[str, Any]

    def __getitem__(self, frame: str) -> pl.DataFrame:
        return self.frames[frame]


def about_of(
    plan: Plan, extent: Extent, precision: Precision | None = None, options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Say all that an answer was computed on.

    Parameters
    ----------
    plan
        Of the games as they are without any change that the question makes.
    extent
        What was played.
    precision
        What was asked for, if anything.
    options
        What else decides the answer, such as the names of ruleset and card set and the overrides as typed.

    Returns
    -------
    dict
        Of numbers, texts, lists and dicts.
    """
    lineups = plan.lineups
    games = extent.games // lineups.round_games
    return {
        **_identity(plan),
        "weights": {player.name: _weights(player, lineups.players) for player in plan.strategies},
        "games": extent.games,
        "games played": extent.played,
        "blocks": int((lineups.players // lineups.periods).sum()) * games,
        "line-ups": len(lineups),
        "line-up": lineup_names(plan) if len(lineups) <= MOST_LINEUPS else None,
        "level": LEVEL,
        "level of intervals": extent.level,
        "looks": extent.looks,
        "precision": str(precision) if precision else None,
        **(options or {}),
    }


def _identity(plan: Plan) -> dict[str, Any]:
    try:
        return identity_of(plan, {})
    except InputError:
        # Players made in Python have no spec whose code could be hashed.
        names = [player.name for player in plan.strategies]
        return identity_of(replace(plan, strategies=()), {}) | {"strategies": names}


def _weights(player: Any, players: int) -> dict[str, float] | list[float]:
    try:
        return find(player.name).weights(players)
    except InputError:
        return [float(weight) for weight in np.atleast_1d(player.weights)]


def lineup_names(plan: Plan) -> list[str]:
    """Spell every line-up as its strategies in cyclic order.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> lineup_names(make_plan(["greedy", "random"], players=2))
    ['greedy / greedy', 'greedy / random', 'random / random']
    """
    return [
        lineup_name(plan.lineups, row, [player.name for player in plan.strategies]) for row in range(len(plan.lineups))
    ]


def lineup_name(lineups: Lineups, row: int, names: Sequence[str]) -> str:
    """Spell one line-up."""
    return " / ".join(names[index] for index in lineups.members[row])


def check_free(question: str, folder: str | Path, *, overwrite: bool = False) -> None:
    """Make sure, before anything is played, that an answer can be written.

    Raises
    ------
    InputError
        If the folder holds an answer to the question already and it may not be replaced.
    RunError
        If the folder cannot be made.
    """
    target = Path(folder).expanduser()
    if (target / f"{question}.json").exists() and not overwrite:
        raise InputError(f"{target}: holds {question}.json already; choose another folder or give --overwrite")
    with _writing(target):
        target.mkdir(parents=True, exist_ok=True)


def write(answer: Answer, folder: str | Path, *, command: str = "", overwrite: bool = False) -> list[Path]:
    """Write an answer to a folder.

    Parameters
    ----------
    answer
        What to write.
    folder
        Where to; made if need be.
    command
        What was typed; kept with the answer.
    overwrite
        Whether an answer to the same question may be replaced.

    Returns
    -------
    list
        The files.

    Raises
    ------
    InputError
        If there is such an answer already and it may not be replaced.
    RunError
        If it cannot be written.
    """
    check_free(answer.question, folder, overwrite=overwrite)
    target = Path(folder).expanduser()
    about = {"question": answer.question, "command": command, **answer.about}
    metadata = {METADATA_KEY: json.dumps(about, ensure_ascii=False)}
    written = []
    for name, frame in answer.frames.items():
        path = target / f"{answer.question}_{name}.parquet"
        with _writing(path):
            part = part_of(path)
            frame.write_parquet(part, metadata=metadata)
            part.replace(path)
        written.append(path)
    # Last, so that it is there only if everything is.
    path = target / f"{answer.question}.json"
    text = json.dumps(
        {"findings": list(answer.findings), "frames": list(answer.frames), "about": about}, indent=2, ensure_ascii=False
    )
    with _writing(path):
        part = part_of(path)
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(path)
    return [*written, path]


def read(question: str, folder: str | Path) -> Answer:
    """Read an answer from a folder.

    Raises
    ------
    InputError
        If there is none, or it is damaged.

    Examples
    --------
    >>> import tempfile
    >>> answer = Answer("test", ("Nothing.",), {"rows": pl.DataFrame({"a": [1]})}, {})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write(answer, folder)
    ...     read("test", folder)["rows"]["a"].to_list()
    [1]
    """
    source = Path(folder).expanduser()
    try:
        kept = json.loads((source / f"{question}.json").read_text(encoding="utf-8"))
        frames = {name: pl.read_parquet(source / f"{question}_{name}.parquet") for name in kept["frames"]}
        return Answer(question, tuple(kept["findings"]), frames, kept["about"])
    except FileNotFoundError as error:
        raise InputError(f"{error.filename or source}: there is no such file of an answer to {question!r}") from None
    except (OSError, ValueError, KeyError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{source}: the answer to {question!r} cannot be read: {error}") from None


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn what can go wrong when writing into one clear error."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        with contextlib.suppress(OSError):
            part_of(path).unlink(missing_ok=True)
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise RunError(f"{path}: cannot be written: {reason}") from error
