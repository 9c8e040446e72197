"""Which program made a result."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version

from sim.jit import source_hash


@functools.cache
def program_version() -> str:
    """Return the installed program's version."""
    try:
        return version("encyclopedia-simulator")
    except PackageNotFoundError:
        return "unknown"


@functools.cache
def engine_hash() -> str:
    """Return a hash of the sources of the rules and strategies: two programs of one version may differ in them."""
    return source_hash("sim", "strategies")
