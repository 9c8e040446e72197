"""How quick the engine is: games and decisions a second, after a check that the right games are played."""

from __future__ import annotations

import hashlib
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from analysis.entrants import entrants
from analysis.lineups import Lineups
from analysis.runs import Plan
from sim.batch import CHUNK_GAMES, available_cores, chunks
from sim.config import load_configuration
from sim.errors import RunError

EXPECTED_FILE: Final = Path(__file__).with_name("benchmark.toml")
STRATEGIES: Final = ("random", "greedy")
PLAYERS: Final = (2, 3, 4)
SEED: Final = 20_240_229
_CHECKED_GAMES: Final = 200
_LEAST_CHUNKS: Final = 2


@dataclass(frozen=True)
class Speed:
    """One line of the benchmark.

    Attributes
    ----------
    players, strategy, threads
        What was played: the strategy in all seats.
    games_per_second, decisions_per_second
        A decision has more than one legal action.
    games
        How many were timed.
    """

    players: int
    strategy: str
    threads: int
    games_per_second: float
    decisions_per_second: float
    games: int


def plan_of(strategy: str, players: int) -> Plan:
    """Return the benchmark's games of a strategy: the standard game, no cards recorded."""
    lineups = Lineups.of(1, players)
    return Plan(load_configuration(), entrants([strategy], players), lineups, players * 10**6, SEED, record_cards=False)


def results_hash(plan: Plan, games: int = _CHECKED_GAMES) -> str:
    """Return a fingerprint of everything recorded of a plan's first games.

    Parameters
    ----------
    plan
        What is played.
    games
        How many games count.

    Returns
    -------
    str
        Sixteen hexadecimal digits; the same on every machine.
    """
    digest = hashlib.sha256()
    results = plan.batch(1).play(plan.lineups.schedule(0, games))
    for array in (results.games, results.tokens, results.seats, results.vp_by_round):
        digest.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
    return digest.hexdigest()[:16]


def expected_hashes() -> dict[str, str]:
    """Return the fingerprints of the right games, by ``strategy-players``."""
    return dict(tomllib.loads(EXPECTED_FILE.read_text(encoding="utf-8"))["hashes"])


def accept_hashes(strategies: Sequence[str] = STRATEGIES, players: Sequence[int] = PLAYERS) -> None:
    """Take the games as they are played now for the right ones, after rules or strategies were changed on purpose."""
    lines = [
        f'{strategy}-{count} = "{results_hash(plan_of(strategy, count))}"'
        for strategy in strategies
        for count in players
    ]
    head = "# Fingerprints of the benchmark's games; `encyclopedia bench --accept` writes them anew.\n[hashes]\n"
    EXPECTED_FILE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def check(strategy: str, players: int) -> None:
    """Check that the right games are played.

    Raises
    ------
    RunError
        If they are not.
    """
    wanted, found = expected_hashes().get(f"{strategy}-{players}"), results_hash(plan_of(strategy, players))
    if wanted != found:
        raise RunError(
            f"benchmark of {strategy!r} with {players} players: the games are not the ones expected (fingerprint "
            f"{found}, expected {wanted}); if rules or strategy were changed on purpose, run bench --accept"
        )


def measure(strategy: str, players: int, threads: int, seconds: float) -> Speed:
    """Time a strategy against itself.

    Parameters
    ----------
    strategy, players, threads
        What is played, and how.
    seconds
        How long.
    """
    plan = plan_of(strategy, players)
    batch = plan.batch(threads)
    size = _chunk(plan)
    # The first chunks fill the caches and are not counted.
    for _ in batch.run(chunks(plan.lineups.schedule(0, threads * size), size)):
        pass
    schedule = plan.lineups.schedule(0, CHUNK_GAMES * 1000)
    games = plies = 0
    start = time.perf_counter()
    played = batch.run(chunks(schedule, size))
    for done, results in enumerate(played, start=1):
        games += len(results.schedule)
        plies += int(results.games[0].sum())
        spent = time.perf_counter() - start
        if spent >= seconds and done >= _LEAST_CHUNKS * threads:
            break
    played.close()  # type: ignore[attr-defined]
    return Speed(players, strategy, threads, games / spent, plies / spent, games)


def _chunk(plan: Plan) -> int:
    """Games in a chunk: a twentieth of a second's."""
    batch = plan.batch(1)
    batch.play(plan.lineups.schedule(0, 1))
    start = time.perf_counter()
    batch.play(plan.lineups.schedule(0, 8))
    return max(min(int(8 / (time.perf_counter() - start) / 20), CHUNK_GAMES), 1)


def suite(
    strategies: Sequence[str] = STRATEGIES,
    players: Sequence[int] = PLAYERS,
    threads: Sequence[int] | None = None,
    seconds: float = 1.0,
) -> Iterator[Speed]:
    """Check and time the standard cases, one after the other.

    Parameters
    ----------
    strategies, players, threads
        What is played, and how; one thread and all cores by default.
    seconds
        For each case.

    Yields
    ------
    Speed

    Raises
    ------
    RunError
        If the games are not the right ones.
    """
    for count in players:
        for strategy in strategies:
            check(strategy, count)
            for number in threads or sorted({1, available_cores()}):
                yield measure(strategy, count, number, seconds)
