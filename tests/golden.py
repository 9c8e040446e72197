"""Summaries of fixed games, so that a change of play or of what is recorded never goes unseen."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass

import numpy as np

from sim import layout as lay
from sim.batch import Batch, Results, Schedule, chunks
from sim.game import Game
from sim.tables import build_tables
from tests.lockstep import engine_scores, engine_snapshot
from tests.perft import DATA, STANDARD, configuration_named
from tests.strategies_for_tests.players import make_player, random_choice

GOLDEN = DATA / "golden"
BATCH_GAMES = 1500
BATCH_SEED = 12


@dataclass(frozen=True)
class FixedGame:
    """A game in which `random.Random(choices)` chooses."""

    cards: str
    players: int
    seed: int
    luck: int
    choices: int

    @property
    def name(self) -> str:
        return f"{self.cards}-{self.players}-players-{self.seed}-{self.luck}-{self.choices}"


GAMES = [
    *(FixedGame(STANDARD, players, seed, seed + players, 7) for players in (2, 3, 4) for seed in (1, 2**62 + 5)),
    FixedGame("few", 2, 3, 4, 5),
    FixedGame("few", 4, 3, 4, 5),
    FixedGame("many", 3, 6, 7, 8),
    FixedGame("many", 4, 6, 2**40, 9),
]


def fingerprint(*parts: bytes) -> str:
    """Twenty hexadecimal digits of what is in some bytes."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:20]


def summary(fixed: FixedGame) -> str:
    """How a fixed game goes and ends, in lines of text."""
    game = Game(configuration_named(fixed.cards), fixed.players, fixed.seed, fixed.luck)
    rng = random.Random(fixed.choices)
    asked = hashlib.sha256()
    decisions = 0
    while not game.over:
        asked.update(json.dumps([game.seat, game.kind, game.options()]).encode())
        game.choose(rng.randrange(game.count))
        decisions += 1
    record = game.arena.record[: game.tables[lay.RECORD_SIZE]].copy()
    # How much was logged is not a matter of the game.
    record[lay.REC_LOG_COUNT] = 0
    lines = [
        f"game {fixed.name}",
        f"decisions {decisions}",
        f"options {asked.hexdigest()[:20]}",
        *(f"seat {seat}: {_words(parts)}" for seat, parts in enumerate(engine_scores(game))),
        f"state {fingerprint(json.dumps(engine_snapshot(game)).encode())}",
        f"record {fingerprint(record.astype('<i4').tobytes())}",
    ]
    return "\n".join(lines) + "\n"


def _words(parts: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in parts.items())


def batch_results(cards: str, players: int, threads: int, size: int) -> list[Results]:
    """Some thousand games of players who choose blindly."""
    tables = build_tables(configuration_named(cards), players)
    numbers = np.arange(BATCH_GAMES)
    schedule = Schedule(numbers, numbers * 3, np.zeros((BATCH_GAMES, players), dtype=np.int32))
    return list(Batch(tables, [make_player(random_choice)], BATCH_SEED, threads=threads).run(chunks(schedule, size)))


def batch_summary(cards: str, players: int, threads: int = 2, size: int = 400) -> str:
    """What came out of a batch, in a line of text."""
    results = batch_results(cards, players, threads, size)
    firsts = np.cumsum([0, *(len(result.schedule) for result in results)])
    for result, first in zip(results, firsts, strict=False):
        # A card's row counts its game from the beginning of its piece of work.
        result.cards[0] += first
    columns = [
        np.concatenate([getattr(result, name) for result in results], axis=1)
        for name in ("games", "tokens", "seats", "vp_by_round", "cards")
    ]
    mean = columns[2][lay.REC_TOTAL].mean()
    found = fingerprint(*(column.astype("<i4").tobytes() for column in columns))
    return f"{cards}, {players} players: mean total {mean:.4f}, results {found}\n"


BATCHES = [(STANDARD, 2), (STANDARD, 3), (STANDARD, 4), ("few", 3), ("many", 2)]
