"""Many games: chunks played by threads, results in order, however many there are.

A chunk is a few hundred games played by one call of compiled code that needs no interpreter lock. At most twice as
many chunks as threads are under way, so memory stays bounded; they are handed out in the order of their games, so
neither threads nor chunk size change what comes out.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim import layout as lay
from sim.engine import play
from sim.errors import RunError
from sim.game import Arena
from sim.jit import at, entry

Int32Array = NDArray[np.int32]

CHUNK_GAMES: Final = 512
PATIENCE: Final = 60.0
"""Seconds without a decision after which a strategy is taken to be in an endless loop."""
_POLL: Final = 0.2

CARD_COLUMNS: Final = ("game", "card", "shown", "seat", "round", "source", "published")
GAME_COLUMNS: Final = ("plies", "lead_changes", "animal_remakes", "expert_remakes")
_PROGRESS_DONE, _PROGRESS_STOP, _PROGRESS_SIZE = range(3)


@dataclass(frozen=True)
class Player:
    """A strategy ready to play: compiled code and its weights.

    Attributes
    ----------
    name
        What results call it.
    address
        Native address of the compiled strategy (`sim.calls.address_of`).
    weights : float64[:]
        Handed to it at every decision.
    owner
        Keeps the compiled code alive as long as the address is in use.
    """

    name: str
    address: int
    weights: NDArray[np.float64]
    owner: Any = field(repr=False, compare=False)


@dataclass(frozen=True)
class Schedule:
    """Which games are to be played, by whom.

    Attributes
    ----------
    games : int64[n]
        Their numbers.
    lucks : int64[n]
        The luck each is played on: games of one luck share all that chance decides (rule 11.2).
    seatings : int32[n, players]
        Index of the player in each seat.
    """

    games: NDArray[np.int64]
    lucks: NDArray[np.int64]
    seatings: Int32Array

    def __len__(self) -> int:
        return len(self.games)

    def part(self, start: int, stop: int) -> Schedule:
        """Games `start` … `stop` − 1 of the schedule."""
        return Schedule(self.games[start:stop], self.lucks[start:stop], self.seatings[start:stop])


@dataclass(frozen=True)
class Results:
    """What was recorded of a schedule's games; column-major, so that every column is one piece of memory.

    Attributes
    ----------
    schedule
        The games.
    games : int32[len(GAME_COLUMNS), n]
    tokens : int32[rounds, n]
        Row of the round token of each round.
    seats : int32[len(layout.SEAT_COLUMNS), n * players]
        Seat by seat within a game.
    vp_by_round : int32[rounds, n * players]
        VP at the end of each round.
    cards : int32[len(CARD_COLUMNS), m]
        One column of numbers for each card that left its deck: position of the game in the schedule, row of the card
        (experts after animals), round first shown, seat and round of who got it and how, round published; -1 for never.
    """

    schedule: Schedule
    games: Int32Array
    tokens: Int32Array
    seats: Int32Array
    vp_by_round: Int32Array
    cards: Int32Array


class StrategyError(RunError):
    """A strategy broke its contract; the message says which one, where, and how."""


@entry
def _play_chunk(  # type: ignore[no-untyped-def]
    tables, state, chance, record, actions, randoms, addresses, weights, starts, seed, lucks, seatings,
    out_games, out_tokens, out_seats, out_vp, out_cards, progress,
):  # fmt: skip
    """Play games one after the other and copy what is kept of each; return the number of card rows."""
    players, rounds = tables[lay.PLAYERS], tables[lay.ROUNDS]
    card_count = tables[lay.ANIMALS] + tables[lay.EXPERTS]
    rows = 0
    for game in range(lucks.shape[0]):
        if progress[_PROGRESS_STOP]:
            break
        fault = play(
            state, tables, chance, record, actions, randoms, addresses, weights, starts, seatings[game],
            seed, lucks[game],
        )  # fmt: skip
        if fault:
            break
        for column in range(out_games.shape[0]):
            out_games[column, game] = record[lay.REC_PLIES + column]
        for number in range(rounds):
            out_tokens[number, game] = state[at(tables[lay.S_TOKENS] + number)]
        for seat in range(players):
            row = game * players + seat
            for column in range(lay.REC_SEAT_SIZE):
                out_seats[column, row] = record[at(lay.REC_SEATS + seat * lay.REC_SEAT_SIZE + column)]
            for number in range(rounds):
                out_vp[number, row] = record[at(tables[lay.R_VP_BY_ROUND] + seat * rounds + number)]
        if out_cards.shape[1] > 0:
            rows = _copy_cards(tables, record, out_cards, game, card_count, rows)
        progress[_PROGRESS_DONE] = game + 1
    return rows


@entry
def _copy_cards(tables, record, out_cards, game, card_count, rows):  # type: ignore[no-untyped-def]
    """Append a row for every card that was shown or came to a seat."""
    for card in range(card_count):
        start = tables[lay.R_ANIMALS] + card * lay.CARD_ROW
        if record[at(start + lay.CARD_SHOWN)] < 0 and record[at(start + lay.CARD_SEAT)] < 0:
            continue
        out_cards[0, rows] = game
        out_cards[1, rows] = card
        for column in range(lay.CARD_ROW):
            out_cards[2 + column, rows] = record[at(start + column)]
        rows += 1
    return rows


class Batch:
    """Plays schedules with a set of players under one set of tables.

    Parameters
    ----------
    tables : int32[::1]
        Rules, cards and number of players (`sim.tables.build_tables`).
    players
        Everybody who may sit down.
    seed
        Seed of all chance, 0 … 2⁶³ − 1.
    threads
        Games are played in this many threads; None for one a core.
    record_cards
        Keep what happened to every card (about eighty rows a game).
    patience
        Seconds without a decision before a strategy is reported as never returning.

    Examples
    --------
    See `analysis.tournament.tournament`.
    """

    def __init__(
        self,
        tables: Int32Array,
        players: Sequence[Player],
        seed: int,
        *,
        threads: int | None = None,
        record_cards: bool = True,
        patience: float = PATIENCE,
    ) -> None:
        self.tables = tables
        self.players = tuple(players)
        self.seed = seed
        self.threads = threads or available_cores()
        self.record_cards = record_cards
        self.patience = patience
        self._addresses = np.array([player.address for player in players], dtype=np.int64)
        # One after the other, not in rows of one length: a strategy sees its own and nothing of who else is here.
        self._weights = np.concatenate([np.zeros(0), *(player.weights for player in players)])
        self._starts = np.cumsum([0, *(len(player.weights) for player in players)], dtype=np.int64)
        self._untouched = tables.copy(), self._weights.copy()
        self._local = threading.local()
        # By the progress array of what is played there: who was asked last can be seen from another thread.
        self._arenas: dict[int, Arena] = {}

    def run(self, schedules: Iterable[Schedule]) -> Iterator[Results]:
        """Play schedules, several at a time, and yield their results in the given order.

        Closing the iterator (or an exception in the caller) stops the games under way within a game's time.

        Parameters
        ----------
        schedules
            Pieces of work, a few hundred games each (`chunks`).

        Yields
        ------
        Results
            One for each schedule.

        Raises
        ------
        StrategyError
            If a strategy fails. Results of earlier schedules have been yielded by then.
        """
        waiting: deque[tuple[Schedule, NDArray[np.int64], Future[Results]]] = deque()
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="games")
        leave = False
        try:
            for schedule in schedules:
                progress = np.zeros(_PROGRESS_SIZE, dtype=np.int64)
                waiting.append((schedule, progress, pool.submit(self.play, schedule, progress)))
                if len(waiting) >= 2 * self.threads:
                    yield self._wait(waiting)
            while waiting:
                yield self._wait(waiting)
        except _StuckError as error:
            leave = True
            raise StrategyError(str(error)) from None
        except BaseException:
            # Ctrl-C, or a caller that wants no more: nobody waits for a long game, which ends by itself.
            leave = True
            raise
        finally:
            for _, progress, future in waiting:
                progress[_PROGRESS_STOP] = 1
                future.cancel()
            # A thread in an endless loop of compiled code cannot be joined.
            pool.shutdown(wait=not leave, cancel_futures=True)

    def _wait(self, waiting: deque[tuple[Schedule, NDArray[np.int64], Future[Results]]]) -> Results:
        """Wait for the oldest schedule, watching that its games go on."""
        schedule, progress, future = waiting[0]
        seen, since = (-1, -1), time.monotonic()
        while True:
            try:
                result = future.result(timeout=_POLL)
            except FutureTimeoutError:
                now = self._came_to(progress)
                if now != seen or not future.running():
                    seen, since = now, time.monotonic()
                elif time.monotonic() - since > self.patience:
                    raise _StuckError(self._never_returns(schedule, progress)) from None
            else:
                waiting.popleft()
                self._arenas.pop(id(progress), None)
                return result

    def _came_to(self, progress: NDArray[np.int64]) -> tuple[int, int]:
        """How far a schedule has come: games done, and decisions asked in the one under way."""
        arena = self._arenas.get(id(progress))
        return int(progress[_PROGRESS_DONE]), -1 if arena is None else int(arena.record[lay.REC_PLIES])

    def _never_returns(self, schedule: Schedule, progress: NDArray[np.int64]) -> str:
        position = int(progress[_PROGRESS_DONE])
        seat = int(self._arenas[id(progress)].record[lay.REC_FAULT_SEAT])
        name = self.players[schedule.seatings[position, seat]].name
        return (
            f"strategy {name!r} in seat {seat} of game {schedule.games[position]} never returns: "
            f"no decision came back for {self.patience:.0f} s"
        )

    def play(self, schedule: Schedule, progress: NDArray[np.int64] | None = None) -> Results:
        """Play one schedule in this thread.

        Parameters
        ----------
        schedule
            The games.
        progress : int64[2], optional
            Filled with the number of games done; a 1 in its second cell stops after the game under way.

        Raises
        ------
        StrategyError
            If a strategy fails; named with its seat and game.
        """
        arena = self._arena()
        count, players, rounds = len(schedule), int(self.tables[lay.PLAYERS]), int(self.tables[lay.ROUNDS])
        cards = int(self.tables[lay.ANIMALS] + self.tables[lay.EXPERTS]) if self.record_cards else 0
        out_games = np.empty((len(GAME_COLUMNS), count), dtype=np.int32)
        out_tokens = np.empty((rounds, count), dtype=np.int32)
        out_seats = np.empty((lay.REC_SEAT_SIZE, count * players), dtype=np.int32)
        out_vp = np.empty((rounds, count * players), dtype=np.int32)
        out_cards = np.empty((len(CARD_COLUMNS), count * cards), dtype=np.int32)
        progress = np.zeros(_PROGRESS_SIZE, dtype=np.int64) if progress is None else progress
        self._arenas[id(progress)] = arena
        try:
            with np.errstate(over="ignore"):
                rows = _play_chunk(
                    self.tables, arena.state, arena.chance, arena.record, arena.actions, arena.randoms,
                    self._addresses, self._weights, self._starts, self.seed, schedule.lucks, schedule.seatings,
                    out_games, out_tokens, out_seats, out_vp, out_cards, progress,
                )  # fmt: skip
        except Exception as error:
            raise self._fault(schedule, progress, arena, f"raised {type(error).__name__}: {error}") from error
        if progress[_PROGRESS_DONE] < count and not progress[_PROGRESS_STOP]:
            raise self._fault(schedule, progress, arena, "returned an index that is not one of the legal actions")
        self._check_untouched(schedule)
        return Results(schedule, out_games, out_tokens, out_seats, out_vp, out_cards[:, :rows])

    def _check_untouched(self, schedule: Schedule) -> None:
        """Refuse results of a strategy that wrote where all games of all threads read."""
        for name, now, before in zip(("tables", "weights"), (self.tables, self._weights), self._untouched, strict=True):
            if not np.array_equal(now, before):
                names = ", ".join(repr(self.players[index].name) for index in np.unique(schedule.seatings))
                raise StrategyError(
                    f"games {schedule.games[0]} to {schedule.games[-1]}: one of the strategies {names} changed {name}, "
                    "which it may only read (strategies check says which)"
                )

    def _fault(self, schedule: Schedule, progress: NDArray[np.int64], arena: Arena, what: str) -> StrategyError:
        position, seat = int(progress[_PROGRESS_DONE]), int(arena.record[lay.REC_FAULT_SEAT])
        name = self.players[schedule.seatings[position, seat]].name
        kind = lay.KIND_NAMES[arena.state[lay.KIND]]
        return StrategyError(
            f"strategy {name!r} in seat {seat} of game {schedule.games[position]}, asked for a {kind!r}: {what}"
        )

    def _arena(self) -> Arena:
        if not hasattr(self._local, "arena"):
            self._local.arena = Arena(self.tables)
        arena: Arena = self._local.arena
        return arena


class _StuckError(Exception):
    """A game that does not go on."""


def chunks(schedule: Schedule, size: int = CHUNK_GAMES) -> Iterator[Schedule]:
    """Cut a schedule into pieces of at most `size` games."""
    for start in range(0, len(schedule), size):
        yield schedule.part(start, start + size)


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
