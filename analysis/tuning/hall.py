"""Tables at which candidates, opponents and old weights play.

Games at tables are a plan like any other, whose seatings are given one by one instead of by line-ups, so that they are
played by threads here or by worker processes elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import Advance, Executor, Plan
from analysis.tuning.task import Tuning
from sim import layout as lay
from sim.batch import Player, Schedule
from strategies.api import load
from strategies.search.trial import MARGIN, worth_of_lead
from strategies.spec import with_weights

FloatArray = NDArray[np.float64]

_SHARDS_A_WORKER: Final = 6
_SHARD: Final = 2048


@dataclass(frozen=True)
class SeatedPlan(Plan):
    """Games whose seatings and lucks are given one by one.

    Attributes
    ----------
    lucks : int64[games]
        The luck each game is played on.
    seatings : int32[games, players]
        Index of the player in each seat.
    """

    lucks: NDArray[np.int64] | None = None
    seatings: NDArray[np.int32] | None = None

    def schedule(self, start: int, stop: int) -> Schedule:
        """Games `start` … `stop` − 1."""
        assert self.lucks is not None
        assert self.seatings is not None
        return Schedule(np.arange(start, stop, dtype=np.int64), self.lucks[start:stop], self.seatings[start:stop])


class Hall:
    """Plays tables of a tuning.

    Parameters
    ----------
    tuning
        What is tuned.
    executor
        Who plays.
    advance
        Told how many more games have been played.
    """

    def __init__(self, tuning: Tuning, executor: Executor, advance: Advance) -> None:
        self.tuning = tuning
        self.executor = executor
        self.advance = advance
        self.opponents = [load(spec, tuning.players) for spec in tuning.against]
        self._base = load(tuning.strategy.name, tuning.players)

    def candidate(self, row: FloatArray) -> Player:
        """Player with a row of weights; its name is a spec of it, by which it can be made elsewhere too."""
        name = with_weights(self.tuning.strategy.spec, dict(zip(self.tuning.names, self._varied(row), strict=True)))
        prepare = self.tuning.strategy.declaration.prepare
        if prepare is None:
            return Player(name, self._base.address, row, self._base.owner)
        prepared, kept = prepare(row, self.tuning.strategy.texts, self.tuning.players)
        return Player(name, self._base.address, np.ascontiguousarray(prepared), (self._base.owner, kept))

    def _varied(self, row: FloatArray) -> list[float]:
        return [float(weight) for weight in row[self.tuning.columns]]

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
        # Results tell players apart by their names, and two candidates may be the same.
        once = {player.name: player for player in reversed(players)}
        places = {name: place for place, name in enumerate(once)}
        seat_of = np.array([places[player.name] for player in players], dtype=np.int32)
        seats, games = self.tuning.players, len(lucks)
        shard = max(min(-(-games // (_SHARDS_A_WORKER * self.executor.workers)), _SHARD), seats)
        plan = SeatedPlan(
            self.tuning.configuration,
            tuple(once.values()),
            Lineups.of(1, seats),
            games,
            seed,
            record_cards=False,
            shard_games=shard,
            lucks=lucks,
            seatings=np.ascontiguousarray(seat_of[seatings]),
        )
        parts = dict(self.executor.map(plan, range(plan.shards), _ends, _kept, self.advance))
        totals, shared_by = np.concatenate([parts[shard] for shard in range(plan.shards)], axis=1)
        shares = np.where(shared_by > 0, 1 / np.maximum(shared_by, 1), 0.0)
        return totals.reshape(games, seats), shares.reshape(games, seats)

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


def _ends(frames: Frames) -> NDArray[np.int32]:
    """Keep totals and winners of some games, as a task for an executor: int32[2, games * players]."""
    parts = [results.seats[[lay.REC_TOTAL, lay.REC_WIN_TIES]] for part in frames.recorded for results in part.results]
    return np.concatenate(parts, axis=1)


def _kept(shard: int, outcome: Any) -> Any:
    del shard
    return outcome


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
