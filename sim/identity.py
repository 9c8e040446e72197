"""Which program this is: a hash of everything that can decide how a game goes or what is kept of it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numba

ROOT: Final = Path(__file__).resolve().parent.parent
_KINDS: Final = (".py", ".toml")


@functools.cache
def code_hash(*patterns: str) -> str:
    """Hash the project's code and weight files, and numba's version.

    Data of the game (rulesets, card sets) is left out: its contents are hashed where it is used
    (`sim.config.content_hash`).

    Parameters
    ----------
    patterns
        Which files, as paths below the project's folder that may hold ``*`` and ``**``.

    Returns
    -------
    str
        16 hexadecimal digits; the same on every machine.

    Examples
    --------
    >>> code_hash("sim/**/*") == code_hash("sim/**/*", "strategies/**/*")
    False
    """
    files = {path for pattern in patterns for path in ROOT.glob(pattern) if path.suffix in _KINDS}
    data = ROOT / "sim" / "data"
    return hash_of(file for file in files if data not in file.parents)


def hash_of(files: Iterable[Path]) -> str:
    """Hash some of the project's files, by their places and contents, and numba's version; 16 hexadecimal digits.

    Examples
    --------
    >>> hash_of([ROOT / "sim" / "jit.py"]) == hash_of([ROOT / "sim" / "layout.py"])
    False
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(files):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def playing_hash() -> str:
    """Hash all that decides how games go: engine and strategies.

    Examples
    --------
    >>> len(playing_hash())
    16
    """
    return code_hash("sim/**/*", "strategies/**/*")
