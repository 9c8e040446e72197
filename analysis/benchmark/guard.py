"""A guard against lost speed that does not depend on the machine: yardsticks a decision, with a wide margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from analysis.benchmark import accepted
from analysis.benchmark.cases import STRATEGIES, Case, cases, player_counts
from analysis.benchmark.fingerprints import check, fingerprint
from analysis.benchmark.timing import timed
from analysis.benchmark.work import games_in, play_games
from sim.errors import RunError

GUARDED: Final = ("random", "balanced")
"""Strategies whose speed is guarded, with as many players as the game allows."""
LIMIT: Final = 2.0
_SECONDS: Final = 0.1
_REPEATS: Final = 9
_ROUNDS: Final = 4


@dataclass(frozen=True)
class Guarded:
    """What the guard found of a case.

    Attributes
    ----------
    case
        What was played.
    accepted, now
        Yardsticks a decision (`best_yardsticks`).
    """

    case: Case
    accepted: float
    now: float

    @property
    def ratio(self) -> float:
        """Yardsticks now, for one accepted."""
        return self.now / self.accepted


def guarded_cases() -> list[Case]:
    """Return the cases whose speed is guarded."""
    return cases(GUARDED, player_counts()[-1:])


def best_yardsticks(case: Case) -> float:
    """Return the quickest decision of several repeats, in the quickest yardstick of them.

    Each is the least disturbed of its kind. The least of their ratios would be the one whose yardstick was disturbed
    most.
    """
    repeats = timed({case: play_games(case.plan, 1, games_in(case, _SECONDS))}, _REPEATS)[case]
    return min(repeat.ns_a_decision for repeat in repeats) / min(repeat.yardstick_ns for repeat in repeats)


def guard(limit: float = LIMIT, checked: Sequence[Case] | None = None) -> list[Guarded]:
    """Check that the right games are played, and not much slower than they were when they were accepted.

    What seems too slow is timed again, up to four times in all: a machine that is busy for a while fails nobody.

    Parameters
    ----------
    limit
        Times the accepted yardsticks that are too many.
    checked
        Cases whose games are checked; all that are timed by default by ``encyclopedia bench``.

    Raises
    ------
    RunError
        If other games are played, or nothing has been accepted.
    """
    for case in cases() if checked is None else checked:
        check(case)
    return [_guarded(case, limit) for case in guarded_cases()]


def _guarded(case: Case, limit: float) -> Guarded:
    wanted = accepted.read().get(accepted.YARDSTICKS, {}).get(case.name)
    if wanted is None:
        raise RunError(f"no yardsticks have been accepted for {case.name}; run encyclopedia bench --accept")
    best = best_yardsticks(case)
    for _ in range(_ROUNDS - 1):
        if best <= limit * wanted:
            break
        best = min(best, best_yardsticks(case))
    return Guarded(case, float(wanted), best)


def accept() -> None:
    """Take games and speed as they are now for the right ones, after a change that was meant."""
    fingerprints: dict[str, dict[str, str]] = {accepted.GAMES: {}, accepted.CHOICES: {}}
    for case in cases(STRATEGIES):
        fingerprints[accepted.GAMES if case.is_quick else accepted.CHOICES][case.name] = fingerprint(case)
    speeds = {case.name: round(best_yardsticks(case), 2) for case in guarded_cases()}
    accepted.write({**fingerprints, accepted.YARDSTICKS: speeds})
