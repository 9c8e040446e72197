"""Tables at which candidates, opponents and old weights play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.runs import Advance
from analysis.tuning.task import Tuning
from sim import layout as lay
from sim.batch import Batch, Player, Schedule, available_cores, chunks
from sim.tables import build_tables
from strategies.api import load
from strategies.search.trial import MARGIN, worth_of_lead

FloatArray = NDArray[np.float64]

_CHUNK: Final = 256


class Hall:
    """Plays tables: opponents, candidates, and the games between them."""

    def __init__(self, tuning: Tuning, threads: int | None, advance: Advance) -> None:
        self.tuning = tuning
        self.threads = threads or available_cores()
        self.advance = advance
        self.opponents = [load(spec, tuning.players) for spec in tuning.against]
        self._base = load(tuning.strategy.name, tuning.players)
        self._tables = build_tables(tuning.configuration, tuning.players)

    def candidate(self, row: FloatArray, name: str) -> Player:
        """Player with a row of weights."""
        prepare = self.tuning.strategy.declaration.prepare
        if prepare is None:
            return Player(name, self._base.address, row, self._base.owner)
        prepared, kept = prepare(row, self.tuning.strategy.texts, self.tuning.players)
        return Player(name, self._base.address, np.ascontiguousarray(prepared), (self._base.owner, kept))

    def play(
        self, players: Sequence[Player], seatings: NDArray[np.int32], lucks: NDArray[np.int64], seed: int
    ) -> tuple[NDArray[np.int32], FloatArray]:
        """Play games.

        Returns
        -------
        totals : int32[games, players]
            Final VP of every seat.
        shares : float64[games, players]
            Win share of every seat: a tie is shared (rule 9.5).
        """
        schedule = Schedule(np.arange(len(lucks), dtype=np.int64), lucks, seatings)
        batch = Batch(self._tables, players, seed, threads=self.threads, record_cards=False)
        totals, winners = [], []
        for results in batch.run(chunks(schedule, _CHUNK)):
            totals.append(results.seats[lay.REC_TOTAL].reshape(-1, self.tuning.players))
            winners.append(results.seats[lay.REC_WIN_TIES].reshape(-1, self.tuning.players))
            self.advance(len(results.schedule))
        shared_by = np.concatenate(winners)
        return np.concatenate(totals), np.where(shared_by > 0, 1 / np.maximum(shared_by, 1), 0.0)

    def against_others(
        self, candidates: Sequence[Player], first_luck: int, tables: int, seed: int
    ) -> tuple[FloatArray, FloatArray]:
        """Let candidates play the same tables, each from every seat.

        Returns
        -------
        tuple of float64[candidates, tables]
            Mean lead and win share of each candidate at each table, over the seats.
        """
        seats, opponents = self.tuning.players, len(self.opponents)
        drawn = np.random.default_rng([seed, first_luck]).integers(opponents, size=(tables, seats - 1), dtype=np.int32)
        count = len(candidates)
        # Seat s of rotation r holds place (s − r) of the table; place 0 is the candidate's.
        places = (np.arange(seats)[None, :] - np.arange(seats)[:, None]) % seats
        at_table = np.zeros((count, tables, seats), dtype=np.int32)
        at_table[:, :, 1:] = drawn
        at_table[:, :, 0] = opponents + np.arange(count)[:, None]
        seatings = at_table[:, :, places].reshape(-1, seats)
        lucks = np.broadcast_to(first_luck + np.arange(tables)[None, :, None], (count, tables, seats)).ravel()
        totals, shares = self.play(
            [*self.opponents, *candidates], np.ascontiguousarray(seatings), lucks.astype(np.int64), seed
        )
        own = np.tile(np.arange(seats), count * tables)
        leads, wins = leads_of(totals, own), shares[np.arange(len(own)), own]
        return leads.reshape(count, tables, seats).mean(axis=2), wins.reshape(count, tables, seats).mean(axis=2)

    def head_to_head(self, tuned: Player, old: Player, tables: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Seat tuned and old weights at the same tables, one to all but one of the seats tuned, in every rotation.

        Returns
        -------
        tuple of float64[tables]
            Mean win share of a tuned and of an old seat at each table.
        """
        seats = self.tuning.players
        tuned_seats = 1 + np.arange(tables) % (seats - 1)
        at_table = (np.arange(seats)[None, :] >= tuned_seats[:, None]).astype(np.int32)
        places = (np.arange(seats)[None, :] - np.arange(seats)[:, None]) % seats
        seatings = np.ascontiguousarray(at_table[:, places].reshape(-1, seats))
        lucks = np.repeat(np.arange(tables, dtype=np.int64), seats)
        _, shares = self.play([tuned, old], seatings, lucks, seed)
        by_tuned = np.where(seatings == 0, shares, 0.0).reshape(tables, -1).sum(axis=1) / (tuned_seats * seats)
        by_old = np.where(seatings == 1, shares, 0.0).reshape(tables, -1).sum(axis=1) / ((seats - tuned_seats) * seats)
        return by_tuned, by_old


def leads_of(totals: NDArray[np.integer], seats: NDArray[np.int64]) -> FloatArray:
    """Lead of one seat of each game over the best other, valued as playouts are (`worth_of_lead`).

    Parameters
    ----------
    totals : int[games, players]
        Final VP.
    seats : int64[games]
        Whose lead.

    Examples
    --------
    >>> leads_of(np.array([[50, 50], [75, 50]]), np.array([0, 0])).round(2).tolist()
    [0.5, 0.88]
    """
    games = np.arange(len(seats))
    others = totals.astype(np.float64)
    own = others[games, seats]
    others[games, seats] = -np.inf
    return np.asarray(worth_of_lead(own - others.max(axis=1), MARGIN))
