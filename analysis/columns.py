"""The columns of the results tables, made from what the engine recorded.

A column is an array of whole numbers and what they stand for. From columns come polars frames (`analysis.frames`) and
parquet files (`analysis.parquet`), so that both say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.lineups import Lineups
from sim.batch import CARD_COLUMNS, GAME_COLUMNS, Results, Schedule
from sim.config import Configuration
from sim.layout import REC_RANK, REC_TOTAL, REC_WIN_TIES, SOURCE_NAMES
from sim.record import SEAT_FIELDS

GAMES, SEATS, CARDS = TABLES = ("games", "seats", "cards")
SCHEMA_VERSION: Final = 1
"""Raised whenever a column changes its name, type or meaning."""

CARD_KINDS: Final = pl.Enum(["animal", "expert"])
MISSING: Final = -1
"""Code of what is not known, in a column that says that it may be."""
_SMALL: Final = 255

Int32Array = NDArray[np.int32]


@dataclass(frozen=True)
class Column:
    """One column of a results table.

    Attributes
    ----------
    values : int32[n]
        Numbers, or codes; `MISSING` for what is not known. Numbers of an unsigned column are kept by their bits.
    dtype
        Type of the column in a frame: a polars integer, Float64, or an Enum, whose categories are counted.
    table : int32[m] or float64[m], optional
        What is counted by the values, if they are codes: numbers, or numbers of categories.
    optional
        Whether some may not be known.
    """

    values: Int32Array
    dtype: Any
    table: NDArray[Any] | None = None
    optional: bool = False


Columns = dict[str, Column]


class Recorder:
    """Makes the columns of the results tables.

    Parameters
    ----------
    configuration
        Ruleset and card set of the games.
    strategies
        Names of the strategies, in the order in which line-ups count them.
    lineups
        The line-ups that play.
    """

    def __init__(self, configuration: Configuration, strategies: Sequence[str], lineups: Lineups) -> None:
        rules, cards = configuration.ruleset, configuration.cards
        self.lineups = lineups
        self._strategies = pl.Enum(strategies)
        self._sources = pl.Enum(SOURCE_NAMES[1:])
        self._rounds = rules.rounds
        self._round = pl.UInt8 if rules.rounds <= _SMALL else pl.UInt16
        self._token_ids = np.array([token.id for token in cards.tokens], dtype=np.int32)
        every = [*cards.animals, *cards.experts]
        self._card_ids = np.array([card.id for card in every], dtype=np.int32)
        # Two cards may have the same name; an Enum's categories may not.
        names = list(dict.fromkeys(card.name for card in every))
        self._card_names = pl.Enum(names)
        self._name_codes = np.array([names.index(card.name) for card in every], dtype=np.int32)
        # A win is shared by as many seats as its code says, 0 is none.
        self._shares = np.array([0.0, *(1 / ties for ties in range(1, lineups.players + 1))])
        self._kind_codes = (np.arange(len(every)) >= len(cards.animals)).astype(np.int32)

    def nothing(self) -> Results:
        """Return the results of no game."""
        columns = (len(GAME_COLUMNS), self._rounds, len(SEAT_FIELDS), self._rounds, len(CARD_COLUMNS))
        return Results(self.lineups.schedule(0, 0), *(np.empty((count, 0), dtype=np.int32) for count in columns))

    def columns(self, table: str, results: Results) -> Columns:
        """Make the columns of a table.

        Parameters
        ----------
        table
            One of `TABLES`.
        results
            Of games whose schedule came from the same line-ups.
        """
        make = {GAMES: self._games, SEATS: self._seats, CARDS: self._cards}[table]
        return make(results)

    def _games(self, results: Results) -> Columns:
        schedule, players = results.schedule, self.lineups.players
        plies, lead_changes, animal_remakes, expert_remakes = results.games
        return {
            **self._numbers(results, 1),
            "seating": Column(_int32(schedule.games % players), pl.UInt8),
            **{
                f"strategy_{seat}": Column(_int32(schedule.seatings[:, seat]), self._strategies)
                for seat in range(players)
            },
            **{
                f"token_{row + 1}": Column(tokens, pl.Int32, self._token_ids)
                for row, tokens in enumerate(results.tokens)
            },
            **self._outcome(results),
            "lead_changes": Column(lead_changes, pl.Int32),
            "plies": Column(plies, pl.Int32),
            "animal_remakes": Column(animal_remakes, pl.Int32),
            "expert_remakes": Column(expert_remakes, pl.Int32),
        }

    def _numbers(self, results: Results, rows: int) -> Columns:
        """Return the number of each game, its block and its line-up, for so many rows a game."""
        schedule = results.schedule
        numbers = {"game": schedule.games, "block": schedule.lucks, "lineup": self.lineups.of_games(schedule.games)}
        return {name: Column(_bits(values).repeat(rows), pl.UInt32) for name, values in numbers.items()}

    def _outcome(self, results: Results) -> Columns:
        """Say who won, with how many VP and by how many."""
        shape = (len(results.schedule), self.lineups.players)
        won = results.seats[REC_WIN_TIES].reshape(shape) > 0
        winners = np.count_nonzero(won, axis=1)
        ordered = np.sort(results.seats[REC_TOTAL].reshape(shape), axis=1)
        return {
            "winners": Column(_int32(winners), pl.UInt8),
            "winner": Column(_int32(np.where(winners == 1, np.argmax(won, axis=1), MISSING)), pl.UInt8, optional=True),
            "best_total": Column(_int32(ordered[:, -1]), pl.Int32),
            "margin": Column(_int32(ordered[:, -1] - ordered[:, -2]), pl.Int32),
        }

    def _seats(self, results: Results) -> Columns:
        players = self.lineups.players
        seats = np.tile(np.arange(players, dtype=np.int32), len(results.schedule))
        recorded = SEAT_FIELDS[REC_WIN_TIES + 1 :]
        return {
            **self._numbers(results, players),
            "seat": Column(seats, pl.UInt8),
            "strategy": Column(_int32(results.schedule.seatings).ravel(), self._strategies),
            "total": Column(results.seats[REC_TOTAL], pl.Int32),
            "rank": Column(results.seats[REC_RANK], pl.UInt8),
            "win_share": Column(results.seats[REC_WIN_TIES], pl.Float64, self._shares),
            **{field.name: Column(results.seats[field.position], pl.Int32) for field in recorded},
            **{f"vp_round_{row + 1}": Column(vp, pl.Int32) for row, vp in enumerate(results.vp_by_round)},
        }

    def _cards(self, results: Results) -> Columns:
        position, card, shown, seat, taken, source, published = results.cards
        # A row of codes with one for no seat behind the seats.
        players = self.lineups.players
        seated = np.full((len(results.schedule), players + 1), MISSING, dtype=np.int32)
        seated[:, :players] = results.schedule.seatings
        place = position * (players + 1) + np.where(seat < 0, players, seat)
        return {
            "game": Column(position, pl.UInt32, _bits(results.schedule.games)),
            "kind": Column(card, CARD_KINDS, self._kind_codes),
            "id": Column(card, pl.Int32, self._card_ids),
            "name": Column(card, self._card_names, self._name_codes),
            "shown": Column(shown, self._round, optional=True),
            "seat": Column(seat, pl.UInt8, optional=True),
            "strategy": Column(seated.ravel().take(place), self._strategies, optional=True),
            "taken": Column(taken, self._round, optional=True),
            "how": Column(source - 1, self._sources, optional=True),
            "published": Column(published, self._round, optional=True),
        }


def joined(results: Sequence[Results]) -> Results:
    """Put results of consecutive games together."""
    if len(results) == 1:
        return results[0]
    schedules = [part.schedule for part in results]
    schedule = Schedule(
        np.concatenate([part.games for part in schedules]),
        np.concatenate([part.lucks for part in schedules]),
        np.concatenate([part.seatings for part in schedules]),
    )
    games, tokens, seats, vp_by_round, cards = (
        np.concatenate([getattr(part, name) for part in results], axis=1)
        for name in ("games", "tokens", "seats", "vp_by_round", "cards")
    )
    rows = [part.cards.shape[1] for part in results]
    before = np.cumsum([0, *(len(part) for part in schedules[:-1])])
    cards[0] += np.repeat(before, rows).astype(np.int32)
    return Results(schedule, games, tokens, seats, vp_by_round, cards)


def _int32(values: NDArray[Any]) -> Int32Array:
    return np.ascontiguousarray(values, dtype=np.int32)


def _bits(values: NDArray[np.int64]) -> Int32Array:
    """Keep numbers below 2³² by their bits."""
    return values.astype(np.uint32).view(np.int32)
