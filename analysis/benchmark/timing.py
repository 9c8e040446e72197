"""Timing pieces of work in turn, each with the yardstick before and after it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from analysis.benchmark.figures import Repeat
from analysis.benchmark.yardstick import yardstick

Key = TypeVar("Key", bound=Hashable)

_RULER_REPEATS: Final = 5


@dataclass(frozen=True)
class Work:
    """Something that can be done again and again, and is the same every time.

    Attributes
    ----------
    games
        Games played in it; 0 for decisions without games.
    run
        Does it and returns how many decisions were made.
    """

    games: int
    run: Callable[[], int]


def timed(works: Mapping[Key, Work], repeats: int) -> dict[Key, tuple[Repeat, ...]]:
    """Time pieces of work in turn, so that what disturbs the machine for a while disturbs all of them.

    Parameters
    ----------
    works
        What is timed.
    repeats
        How often each.
    """
    found: dict[Key, list[Repeat]] = {key: [] for key in works}
    before = yardstick(_RULER_REPEATS)
    for _ in range(repeats):
        for key, work in works.items():
            start, cpu = time.perf_counter(), time.process_time()
            decisions = work.run()
            seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
            after = yardstick(_RULER_REPEATS)
            found[key].append(
                Repeat(
                    games=work.games,
                    decisions=decisions,
                    seconds=seconds,
                    cpu_seconds=cpu_seconds,
                    yardstick_ns=(before + after) / 2,
                )
            )
            before = after
    return {key: tuple(timings) for key, timings in found.items()}
