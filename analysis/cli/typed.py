"""What was typed: kept with results, and repeated with ``--resume`` where a run was cut off."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())
"""Words of the command line after the program's name."""


def command() -> str:
    """Return the command line as it can be typed again."""
    return spelled(WORDS.get())


def resume_command() -> str:
    """Return the command line that goes on with this run."""
    return spelled([word for word in WORDS.get() if word not in ("--overwrite", "--resume")] + ["--resume"])


def spelled(words: Sequence[str]) -> str:
    """Spell a command of this program for a shell."""
    return shlex.join(["encyclopedia", *words])
