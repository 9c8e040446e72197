"""One game, step by step, from Python: for logs, tests and anybody who wants to look."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim import layout as lay
from sim.actions import in_words
from sim.chance import STREAM_SIZE
from sim.config import Configuration
from sim.engine import BEGIN, step
from sim.tables import LOG_ROOM, NO_EXPERIMENT, Experiment, build_tables

Int32Array = NDArray[np.int32]


class Arena:
    """The arrays one game is played in; what is in them is left over from the last game.

    Attributes
    ----------
    state, record, actions : int32[::1]
    chance : uint64[::1]
    randoms : uint64[players, 4]
        Room for each seat's random stream.

    Parameters
    ----------
    tables : int32[::1]
        What `sim.tables.build_tables` returned.
    log
        Make room for a log of everything that happens.
    """

    def __init__(self, tables: Int32Array, *, log: bool = False) -> None:
        self.state = np.zeros(tables[lay.STATE_SIZE], dtype=np.int32)
        self.record = np.zeros(tables[lay.RECORD_SIZE] + (LOG_ROOM if log else 0), dtype=np.int32)
        self.record[lay.REC_LOG_COUNT] = 0 if log else lay.NO_LOG
        self.actions = np.zeros(tables[lay.ACTION_LIMIT], dtype=np.int32)
        self.chance = np.zeros(tables[lay.CHANCE_SIZE], dtype=np.uint64)
        self.randoms = np.zeros((tables[lay.PLAYERS], STREAM_SIZE), dtype=np.uint64)


def make_log_room(arena: Arena, tables: Int32Array) -> None:
    """Lengthen a log so that all that can happen between two decisions has room in it.

    Compiled code writes rows without looking at the end of the record.
    """
    most = (
        4 * tables[lay.PENDING_LIMIT]
        + 3 * (tables[lay.ANIMALS] + tables[lay.EXPERTS] + tables[lay.DICE])
        + 4 * tables[lay.PLAYERS]
        + 64
    )
    needed = int(tables[lay.RECORD_SIZE]) + int(arena.record[lay.REC_LOG_COUNT] + most) * lay.LOG_ROW
    if len(arena.record) < needed:
        arena.record = np.concatenate([arena.record, np.zeros(needed + LOG_ROOM - len(arena.record), dtype=np.int32)])


class Game:
    """A game that waits at every decision with more than one legal action.

    Parameters
    ----------
    configuration
        Ruleset and card set.
    players
        Seats.
    seed, luck
        What chance is a function of (rule 11.2).
    experiment
        Cards banned or given at the start.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> game = Game(load_configuration(), players=2, seed=1, luck=0)
    >>> game.kind, game.seat, len(game.legal)
    ('draft', 1, 6)
    >>> while not game.over:
    ...     game.choose(0)
    >>> sorted(game.totals()) == sorted(int(t) for t in game.totals())
    True
    """

    def __init__(
        self,
        configuration: Configuration,
        players: int,
        seed: int,
        luck: int,
        experiment: Experiment = NO_EXPERIMENT,
    ) -> None:
        self.configuration: Final = configuration
        self.tables: Final = build_tables(configuration, players, experiment)
        self.arena: Final = Arena(self.tables, log=True)
        self._step(BEGIN, seed, luck)

    def _step(self, action: int, seed: int = 0, luck: int = 0) -> None:
        arena = self.arena
        make_log_room(arena, self.tables)
        with np.errstate(over="ignore"):
            self.count = int(
                step(arena.state, self.tables, arena.chance, arena.record, arena.actions, action, seed, luck)
            )

    @property
    def state(self) -> Int32Array:
        """The state, as a strategy sees it."""
        return self.arena.state

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.count == 0

    @property
    def seat(self) -> int:
        """Who decides."""
        return int(self.state[lay.SEAT])

    @property
    def kind(self) -> str:
        """What is decided, one of `sim.layout.KIND_NAMES`."""
        return lay.KIND_NAMES[self.state[lay.KIND]]

    @property
    def legal(self) -> Int32Array:
        """The legal actions, packed (`sim.actions`)."""
        return self.arena.actions[: self.count]

    def options(self) -> list[tuple[object, ...]]:
        """Say the legal actions in words, in the same order."""
        return [self.in_words(int(action)) for action in self.legal]

    def in_words(self, action: int) -> tuple[object, ...]:
        """Say one of the legal actions in words."""
        return in_words(action, int(self.state[lay.SUBJECT]), int(self.state[lay.PUBLISH_TYPE]), self.configuration)

    def choose(self, index: int) -> None:
        """Take the legal action at `index` and go on to the next decision.

        Raises
        ------
        IndexError
            If there is no such action.
        """
        if not 0 <= index < self.count:
            raise IndexError(f"action {index} of {self.count}")
        self._step(int(self.arena.actions[index]))

    def totals(self) -> list[int]:
        """Return final VP by seat, once the game is over."""
        record, tables = self.arena.record, self.tables
        return [
            int(record[lay.REC_SEATS + seat * lay.REC_SEAT_SIZE + lay.REC_TOTAL]) for seat in range(tables[lay.PLAYERS])
        ]

    def log_rows(self, start: int = 0) -> NDArray[Any]:
        """Rows of the log from `start` on: code, seat and three numbers each (``LOG_`` in `sim.layout`)."""
        size, count = int(self.tables[lay.RECORD_SIZE]), int(self.arena.record[lay.REC_LOG_COUNT])
        return self.arena.record[size : size + count * lay.LOG_ROW].reshape(count, lay.LOG_ROW)[start:]
