"""Which program made a result."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version

from sim.identity import code_hash


@functools.cache
def program_version() -> str:
    """Return the installed program's version."""
    try:
        return version("encyclopedia-simulator")
    except PackageNotFoundError:
        return "unknown"


@functools.cache
def engine_hash() -> str:
    """Return a hash of the sources that decide results: two programs of one version may differ in them.

    Engine, strategies, and what makes line-ups, lucks and frames of a run; commands and balance questions change
    nothing that a folder of results holds.
    """
    return code_hash("sim/**/*", "strategies/**/*", "analysis/*")
