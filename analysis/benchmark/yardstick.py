"""The yardstick: a fixed synthetic turn, so that speeds can be compared between machines.

One turn copies 1 KiB of state, makes three bounded draws, scans 64 entries and picks one of those that fit: about what
the simplest decision of the simplest engine cannot avoid. It is compiled by the same numba with the same options as
the engine; figures quoted as multiples of it mean the same on a slow machine and on a fast one.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.chance import STREAM_SIZE, below
from sim.jit import at, cells, entry

_STATE_CELLS: Final = 256  # of four bytes: 1 KiB
_ENTRIES: Final = 64
_PAGE: Final = 4096
_LINE: Final = 64
_TURNS: Final = 200_000
_REPEATS: Final = 9


@entry
def _turns(count, state, copy, entries, found, stream):  # type: ignore[no-untyped-def]
    """Play synthetic turns; the sum keeps the compiler from leaving anything out."""
    source, target, listed, fitting = cells(state), cells(copy), cells(entries), cells(found)
    total = 0
    for _ in range(count):
        for cell in range(_STATE_CELLS):
            target[at(cell)] = source[at(cell)]
        least = below(stream, 0, _ENTRIES // 2)
        fits = 0
        for number in range(_ENTRIES):
            fitting[at(fits)] = number
            fits += int(listed[at(number)] >= least)
        picked = fitting[at(below(stream, 0, fits))]
        total += target[at(picked)]
        source[at(picked)] = below(stream, 0, _ENTRIES)
    return total


def _arrays() -> tuple[NDArray[Any], ...]:
    """Lay out the arrays in one page-aligned piece of memory.

    Where they lie to each other within a page is worth up to a fifth of the time, and would be left to chance.
    """
    kinds = [(np.int32, _STATE_CELLS), (np.int32, _STATE_CELLS), (np.int32, _ENTRIES), (np.int32, _ENTRIES + 1),
             (np.uint64, STREAM_SIZE)]  # fmt: skip
    block = np.zeros(2 * _PAGE, dtype=np.uint8)
    place = -block.ctypes.data % _PAGE
    found = []
    for kind, count in kinds:
        size = count * np.dtype(kind).itemsize
        found.append(block[place : place + size].view(kind))
        place += -(-size // _LINE) * _LINE
    return tuple(found)


def yardstick(repeats: int = _REPEATS) -> float:
    """Measure the yardstick on this machine, now.

    Parameters
    ----------
    repeats
        Times it is measured; the median counts.

    Returns
    -------
    float
        Nanoseconds of one synthetic turn.

    Examples
    --------
    >>> 1.0 < yardstick(repeats=1) < 10_000.0
    True
    """
    state, copy, entries, found, stream = _arrays()
    entries[:] = (np.arange(_ENTRIES) * 37) % _ENTRIES
    stream[:] = np.arange(1, STREAM_SIZE + 1)

    def once(turns: int) -> float:
        with np.errstate(over="ignore"):
            start = time.perf_counter()
            _turns(turns, state, copy, entries, found, stream)
            return (time.perf_counter() - start) / turns * 1e9

    once(1)
    return median(once(_TURNS) for _ in range(repeats))
