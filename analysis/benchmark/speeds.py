"""Games and decisions a second: by strategy, players and threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from analysis.benchmark.cases import Case
from analysis.benchmark.figures import Line
from analysis.benchmark.fingerprints import check
from analysis.benchmark.timing import Work, timed
from analysis.benchmark.work import games_in, make_choices, play_games
from sim.batch import available_cores

SEATS: Final = "seats"
CHOICES: Final = "choices"

Tell = Callable[[str], None]


def say_nothing(text: str) -> None:
    """Do nothing about progress."""
    del text


def thread_counts() -> list[int]:
    """Return the numbers of threads that are timed unless others are asked for: one, and one a core."""
    return sorted({1, available_cores()})


def measure(case: Case, threads: Sequence[int], seconds: float, repeats: int) -> Iterator[Line]:
    """Check a case and time it.

    Parameters
    ----------
    case
        What is played.
    threads
        By how many; each makes a line.
    seconds
        For each repeat, roughly.
    repeats
        How many.

    Raises
    ------
    RunError
        If the games are not the right ones.
    """
    right = check(case)
    layer = SEATS if case.is_quick else CHOICES
    yield from lines(case, right, {(count, layer): _work(case, count, seconds) for count in threads}, repeats)


def lines(case: Case, right: tuple[str, bool], works: Mapping[tuple[int, str], Work], repeats: int) -> Iterator[Line]:
    """Time pieces of work of a case in turn.

    Parameters
    ----------
    case
        What is played.
    right
        What `analysis.benchmark.fingerprints.check` found.
    works
        By threads and layer; each makes a line.
    repeats
        How many.
    """
    fingerprint, checked = right
    for (threads, layer), timings in timed(works, repeats).items():
        yield Line(
            players=case.players,
            strategy=case.strategy,
            threads=threads,
            layer=layer,
            fingerprint=fingerprint,
            checked=checked,
            repeats=timings,
        )


def _work(case: Case, threads: int, seconds: float) -> Work:
    """Make a case's work for some seconds, or one pass of its positions if that takes longer."""
    if case.is_quick:
        return play_games(case.plan, threads, games_in(case, seconds) * threads)
    start = time.perf_counter()
    make_choices(case, 1, 1).run()
    return make_choices(case, threads, max(round(threads * seconds / (time.perf_counter() - start)), 1))


def suite(
    cases: Iterable[Case], threads: Sequence[int], seconds: float, repeats: int, tell: Tell = say_nothing
) -> Iterator[Line]:
    """Check and time cases, one after the other.

    Parameters
    ----------
    cases, threads, seconds, repeats
        See `measure`.
    tell
        Told what is timed next.
    """
    for case in cases:
        tell(f"Timing {case.strategy}, {case.players} players")
        yield from measure(case, threads, seconds, repeats)
