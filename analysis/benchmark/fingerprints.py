"""Whether the right games are played: a fast engine that plays other games is no faster engine."""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np

from analysis.benchmark import accepted
from analysis.benchmark.cases import Case
from analysis.benchmark.positions import choose
from sim.errors import RunError

_CHECKED_GAMES: Final = 200
_DIGITS: Final = 16


def results_hash(case: Case, games: int = _CHECKED_GAMES) -> str:
    """Return a fingerprint of everything recorded of a case's first games.

    Parameters
    ----------
    case
        What is played.
    games
        How many games count.

    Returns
    -------
    str
        Sixteen hexadecimal digits; the same on every machine.
    """
    digest = hashlib.sha256()
    results = case.plan.batch(1).play(case.plan.lineups.schedule(0, games))
    for array in (results.games, results.tokens, results.seats, results.vp_by_round):
        digest.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
    return digest.hexdigest()[:_DIGITS]


def choices_hash(case: Case) -> str:
    """Return a fingerprint of what the strategy decides at the case's positions."""
    player, tables = case.plan.strategies[0], case.plan.tables
    chosen = [choose(player, tables, position) for position in case.positions]
    return hashlib.sha256(np.array(chosen, dtype="<i4").tobytes()).hexdigest()[:_DIGITS]


def fingerprint(case: Case) -> str:
    """Return the fingerprint of a case: of its games, or of decisions where games take too long."""
    return results_hash(case) if case.is_quick else choices_hash(case)


def check(case: Case) -> tuple[str, bool]:
    """Check that the right games are played.

    Returns
    -------
    str, bool
        The fingerprint, and whether there was one to compare it with.

    Raises
    ------
    RunError
        If the games are not the right ones.
    """
    found = fingerprint(case)
    wanted = accepted.read().get(accepted.GAMES if case.is_quick else accepted.CHOICES, {}).get(case.name)
    if wanted is not None and wanted != found:
        raise RunError(
            f"benchmark of {case.strategy!r} with {case.players} players: the games are not the ones expected "
            f"(fingerprint {found}, expected {wanted}); if rules or strategy were changed on purpose, run "
            "bench --accept"
        )
    return found, wanted is not None
