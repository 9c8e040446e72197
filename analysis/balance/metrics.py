"""Health metrics: what is measured of every game, as one number a game.

All of them come from the results tables, so that a run and a results folder are measured alike, and two
configurations can be compared game by game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.stats import mean_among_others
from sim.record import SCORE_FIELDS, SEAT_FIELDS

FloatArray = NDArray[np.float64]

EXCITEMENT: Final = "excitement"
STRATEGIES: Final = "strategies"
SEATS: Final = "seats"
SCORE: Final = "score"
COURSE: Final = "course"
GROUPS: Final = (EXCITEMENT, STRATEGIES, SEATS, SCORE, COURSE)

_NOT_COUNTS: Final = frozenset({"total", "rank", "win_ties", *SCORE_FIELDS})
COUNT_FIELDS: Final = tuple(field.name for field in SEAT_FIELDS if field.name not in _NOT_COUNTS)
"""Recorded columns that say how often something happened, or how much of it there was."""
MEANINGS: Final = {field.name: field.meaning for field in SEAT_FIELDS}


class Metric(NamedTuple):
    """A number that every game has.

    Attributes
    ----------
    name
        What frames call it.
    group
        One of `GROUPS`.
    unit
        ``VP``, ``share`` (between 0 and 1), ``round`` or ``count``.
    meaning
        One line.
    """

    name: str
    group: str
    unit: str
    meaning: str


_OF_A_GAME: Final = (
    Metric("lead_changes", EXCITEMENT, "count", "times the lead in VP passed from one seat to another"),
    Metric("drama", EXCITEMENT, "VP", "VP by which the eventual winner was behind, on average over ends of rounds"),
    Metric("drama_most", EXCITEMENT, "VP", "VP by which the eventual winner was behind at the worst end of a round"),
    Metric("behind", EXCITEMENT, "share", "ends of rounds at which the eventual winner did not lead"),
    Metric("decided", EXCITEMENT, "round", "round from whose end on the winner led; one more than there are if only "
           "the final scoring decided"),
    Metric("decided_at_end", EXCITEMENT, "share", "games that only the final scoring decided"),
    Metric("margin", EXCITEMENT, "VP", "VP of the winner above the second"),
    Metric("tie", EXCITEMENT, "share", "games with a shared win"),
    Metric("spread", EXCITEMENT, "VP", "VP of the first above the last"),
)  # fmt: skip
_OF_SCORES: Final = (
    Metric("total", SCORE, "VP", "final VP of a seat"),
    Metric("winner_total", SCORE, "VP", "final VP of the winner"),
    Metric("final_scoring", SCORE, "VP", "VP of a seat that came after the last round"),
    *(Metric(name, SCORE, "VP", MEANINGS[name]) for name in SCORE_FIELDS),
)
_OF_THE_COURSE: Final = (
    Metric("plies", COURSE, "count", "decisions with more than one legal action, of all seats together"),
    *(Metric(name, COURSE, "count", MEANINGS[name]) for name in COUNT_FIELDS),
)


def metrics_of(players: int, rounds: int, strategies: Sequence[str] = ()) -> list[Metric]:
    """List the metrics of a game.

    Parameters
    ----------
    players, rounds
        Of the game.
    strategies
        Who plays.

    Returns
    -------
    list
        In the order of the columns of `measure`. What is recorded seat by seat is averaged over seats.

    Examples
    --------
    >>> [metric.name for metric in metrics_of(2, 6) if metric.group == SEATS]
    ['win_share_seat_0', 'win_share_seat_1', 'total_seat_0', 'total_seat_1']
    """
    seats = range(players)
    return [
        *_OF_A_GAME,
        *(
            Metric(f"leader_wins_{row}", EXCITEMENT, "share", f"wins of the seat that led after round {row}")
            for row in range(1, rounds + 1)
        ),
        *(Metric(f"win_share_{name}", STRATEGIES, "share", f"win share of {name} among others") for name in strategies),
        *(Metric(f"total_{name}", STRATEGIES, "VP", f"final VP of {name} among others") for name in strategies),
        *(Metric(f"win_share_seat_{seat}", SEATS, "share", f"win share of seat {seat}") for seat in seats),
        *(Metric(f"total_seat_{seat}", SEATS, "VP", f"final VP of seat {seat}") for seat in seats),
        *_OF_SCORES,
        *_OF_THE_COURSE,
    ]


def shape_of(frames: Frames) -> tuple[int, int]:
    """Players and rounds of the games in some frames."""
    players = sum(name.startswith("strategy_") for name in frames.games.columns)
    rounds = sum(name.startswith("token_") for name in frames.games.columns)
    return players, rounds


def measure(frames: Frames) -> pl.DataFrame:
    """Measure every game.

    Parameters
    ----------
    frames
        Results of whole games; cards are not looked at.

    Returns
    -------
    polars.DataFrame
        One row a game: ``game``, ``block``, ``lineup`` and a float64 column for each of `metrics_of`, the strategies
        being those of the frames' type. Not a number where a game has no such value: a strategy that does not play,
        or plays only itself.

    Examples
    --------
    >>> from analysis.tournament import tournament
    >>> result = tournament(["random"], players=2, games=2, seed=1)
    >>> measured = measure(Frames(result.games, result.seats, result.cards))
    >>> bool((measured["margin"] == result.games["margin"]).all())
    True
    """
    players, rounds = shape_of(frames)
    games, seats = frames.games, SeatGrid(frames, players)
    totals, wins = seats["total"], seats["win_share"]
    vp = np.stack([seats[f"vp_round_{row + 1}"] for row in range(rounds)])
    columns = [
        games["lead_changes"].to_numpy(),
        *_drama(vp, wins),
        games["margin"].to_numpy(),
        games["winners"].to_numpy() > 1,
        totals.max(axis=1) - totals.min(axis=1),
        *(share_of_leaders(at_end, wins) for at_end in vp),
        *(mean_among_others(wins, sits) for sits in seats.players()),
        *(mean_among_others(totals, sits) for sits in seats.players()),
        *wins.T,
        *totals.T,
        totals.mean(axis=1),
        games["best_total"].to_numpy(),
        (totals - vp[-1]).mean(axis=1),
        *(seats[name].mean(axis=1) for name in SCORE_FIELDS),
        games["plies"].to_numpy(),
        *(seats[name].mean(axis=1) for name in COUNT_FIELDS),
    ]
    names = [metric.name for metric in metrics_of(players, rounds, seats.strategies)]
    return games.select("game", "block", "lineup").with_columns(
        pl.Series(name, np.asarray(column, dtype=np.float64)) for name, column in zip(names, columns, strict=True)
    )


class SeatGrid:
    """Columns of the seats table as float64[games, players]."""

    def __init__(self, frames: Frames, players: int) -> None:
        self._seats, self._players = frames.seats, players

    def __getitem__(self, name: str) -> FloatArray:
        return self._seats[name].to_numpy().astype(np.float64).reshape(-1, self._players)

    def players(self) -> list[NDArray[np.bool_]]:
        """Return for each strategy where it sits; bool[games, players]."""
        codes = self._seats["strategy"].to_physical().to_numpy().reshape(-1, self._players)
        return [codes == number for number in range(len(self.strategies))]

    @property
    def strategies(self) -> list[str]:
        """Names of the strategies."""
        kind = self._seats.schema["strategy"]
        assert isinstance(kind, pl.Enum)
        return kind.categories.to_list()


def _drama(vp: FloatArray, wins: FloatArray) -> list[FloatArray]:
    """How far and how long the eventual winner was behind; of tied winners the average.

    Drama as the Ludii system has it: the leader's score less the eventual winner's (after C. Browne, *Automatic
    Generation and Evaluation of Recombination Games*, 2008), with VP as the score and ends of rounds as the moments.

    Parameters
    ----------
    vp : float64[rounds, games, players]
        VP at the ends of rounds.
    wins : float64[games, players]

    Returns
    -------
    list
        Columns for drama, drama_most, behind, decided and decided_at_end.
    """
    behind = vp.max(axis=2, keepdims=True) - vp
    rounds = len(vp)
    # Ends of rounds, counted from the last one back, up to the first at which the seat did not lead.
    led_since = np.logical_and.accumulate(behind[::-1] == 0, axis=0).sum(axis=0)
    decided = 1.0 + rounds - led_since

    def of_winner(values: FloatArray) -> FloatArray:
        return np.asarray((values * wins).sum(axis=1))

    return [
        of_winner(behind.mean(axis=0)),
        of_winner(behind.max(axis=0)),
        of_winner((behind > 0).mean(axis=0)),
        of_winner(decided),
        of_winner((decided > rounds).astype(np.float64)),
    ]


def share_of_leaders(vp: FloatArray, wins: FloatArray) -> FloatArray:
    """Win share of the seat that leads, of tied ones the average; float64[games]."""
    leads = vp == vp.max(axis=1, keepdims=True)
    return np.asarray((wins * leads).sum(axis=1) / leads.sum(axis=1))


def seats_counted(lineups: Lineups, strategies: Sequence[str], names: Sequence[str]) -> NDArray[np.int64]:
    """Say what a game of each line-up counts for each metric: the seats a strategy holds for its own, else 1.

    Parameters
    ----------
    lineups, strategies
        Who plays.
    names
        Of metrics.

    Returns
    -------
    int64[lineups, metrics]

    Examples
    --------
    >>> seats_counted(Lineups.of(2, 3, "mixed"), ["a", "b"], ["margin", "win_share_a", "total_b"]).tolist()
    [[1, 2, 1], [1, 1, 2]]
    """
    held = lineups.held(len(strategies))
    place = {f"{what}_{name}": column for what in _OF_STRATEGIES for column, name in enumerate(strategies)}
    everybody = np.ones(len(lineups), dtype=np.int64)
    return np.stack([held[:, place[name]] if name in place else everybody for name in names], axis=1)


def won_at_most(lineups: Lineups, names: Sequence[str], counted: NDArray[np.int64]) -> FloatArray:
    """Say what each win share is in a game in which everything was won (`analysis.stats.stratified`).

    Parameters
    ----------
    lineups
        Who plays.
    names
        Of metrics.
    counted : int64[lineups, metrics]
        Seats that they are measured of (`seats_counted`).

    Returns
    -------
    float64[lineups, metrics]
        Not a number for what is no win share of a seat or strategy, or certain.

    Examples
    --------
    >>> lineups, names = Lineups.of(2, 3, "mixed"), ["margin", "win_share_a", "win_share_seat_0"]
    >>> won_at_most(lineups, names, seats_counted(lineups, ["a", "b"], names)).tolist()
    [[nan, 0.5, 1.0], [nan, 1.0, 1.0]]
    """
    shares = np.array([name.startswith("win_share_") for name in names]) & (lineups.players > 1)
    return np.where(shares & (counted > 0), 1 / np.maximum(counted, 1), np.nan)


_OF_STRATEGIES: Final = ("win_share", "total")
