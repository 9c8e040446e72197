"""Tournaments: every line-up of some strategies, blocks of seatings on the same luck, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from analysis.entrants import entrants, try_out
from analysis.frames import Frames
from analysis.lineups import Kind, Lineups
from analysis.runs import Advance, Executor, LocalExecutor, Plan, ignore, run_games
from analysis.stats import LEVEL, MEASURES, BlockSums, in_whole_blocks
from sim.config import Configuration, load_configuration
from sim.errors import InputError
from sim.tables import NO_EXPERIMENT, Experiment

if TYPE_CHECKING:
    from sim.batch import Player

LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Summary:
    """What a tournament's tables show, with intervals from blocks (`analysis.stats`).

    Attributes
    ----------
    by_strategy
        One row a strategy, over the line-ups in which it meets others (all if it meets none).
    by_seat
        One row a seat, over all games.
    by_lineup
        One row a line-up and strategy.
    games, blocks
        How many there were.
    """

    by_strategy: pl.DataFrame
    by_seat: pl.DataFrame
    by_lineup: pl.DataFrame
    games: int
    blocks: int


@dataclass(frozen=True)
class Tournament:
    """Results of a tournament in memory; columns are described in `docs/results.md`.

    Attributes
    ----------
    games, seats, cards
        One row a game; a game and seat; a game and card.
    summary
        Tables by strategy, seat and line-up.
    """

    games: pl.DataFrame
    seats: pl.DataFrame
    cards: pl.DataFrame
    summary: Summary


def make_plan(
    strategies: Sequence[str | Player],
    players: int = 4,
    games: int = 1000,
    seed: int = 0,
    *,
    lineups: Kind = "all",
    ruleset: str | Path = "standard",
    cards: str | Path | None = None,
    overrides: Sequence[str] = (),
    configuration: Configuration | None = None,
    experiment: Experiment = NO_EXPERIMENT,
    record_cards: bool = True,
    patience: float | None = None,
) -> Plan:
    """Check what a tournament is asked to be and plan its games.

    Parameters
    ----------
    strategies
        Specs (`strategies.spec`) or players.
    players
        Seats at a table.
    games
        How many games; rounded up to whole blocks of every line-up.
    seed
        Of all chance, 0 … 2⁶³ − 1.
    lineups
        Which line-ups play: ``all``, ``mixed``, ``distinct`` or ``mirror`` (`Lineups.of`).
    ruleset, cards, overrides
        See `sim.config.load_configuration`.
    configuration
        Instead of these three.
    experiment
        Cards banned or given at the start.
    record_cards
        Whether to keep what happened to every card.
    patience
        Try strategies from outside first (`analysis.entrants.try_out`), with so many seconds; None for no trial.

    Returns
    -------
    Plan
        Ready to be run.

    Raises
    ------
    InputError
        If anything cannot be used.
    sim.batch.StrategyError
        If a strategy fails its trial.

    Examples
    --------
    >>> make_plan(["random"], players=4, games=10).games
    12
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"seed: found {seed}; allowed: 0 to {LARGEST_SEED}")
    configuration = configuration or load_configuration(ruleset, cards, overrides)
    most, fewest = configuration.ruleset.players.most, configuration.ruleset.players.fewest
    if not fewest <= players <= most:
        raise InputError(f"players: found {players}; ruleset {configuration.ruleset.name!r} allows {fewest} to {most}")
    tables = Lineups.of(len(strategies), players, lineups) if strategies else None
    if patience is not None:
        try_out(strategies, configuration, players, patience)
    loaded = entrants(strategies, players)
    assert tables is not None
    return Plan(
        configuration, loaded, tables, tables.rounded_up(games), seed, record_cards=record_cards, experiment=experiment
    )


def tournament(
    strategies: Sequence[str | Player],
    players: int = 4,
    games: int = 1000,
    seed: int = 0,
    *,
    lineups: Kind = "all",
    ruleset: str | Path = "standard",
    cards: str | Path | None = None,
    overrides: Sequence[str] = (),
    configuration: Configuration | None = None,
    experiment: Experiment = NO_EXPERIMENT,
    record_cards: bool = True,
    threads: int | None = None,
    executor: Executor | None = None,
    advance: Advance = ignore,
) -> Tournament:
    """Play a tournament and return its results in memory (about 10 kB a game with cards).

    Parameters
    ----------
    strategies, players, games, seed, lineups, ruleset, cards, overrides, configuration, experiment, record_cards
        See `make_plan`.
    threads
        Games played at the same time; None for one a core.
    executor
        Who plays, instead of threads of this process.
    advance
        Told how many more games have been played.

    Returns
    -------
    Tournament
        Frames and their summary; the same for any number of threads.

    Raises
    ------
    InputError
        If anything given cannot be used.
    sim.batch.StrategyError
        If a strategy breaks its contract.

    Examples
    --------
    >>> result = tournament(["greedy", "random"], players=2, games=60, seed=1)
    >>> len(result.games), len(result.seats)
    (60, 120)
    >>> result.summary.by_strategy["strategy"].to_list()
    ['greedy', 'random']
    """
    plan = make_plan(
        strategies,
        players,
        games,
        seed,
        lineups=lineups,
        ruleset=ruleset,
        cards=cards,
        overrides=overrides,
        configuration=configuration,
        experiment=experiment,
        record_cards=record_cards,
    )
    frames = Frames.concatenated(list(run_games(plan, executor or LocalExecutor(threads), advance)))
    return Tournament(frames.games, frames.seats, frames.cards, summarise(frames.seats, plan.lineups))


class Summing:
    """A tournament's tables in the making, fed piece by piece.

    Parameters
    ----------
    lineups
        The line-ups that play.
    """

    def __init__(self, lineups: Lineups) -> None:
        self._mixed = pl.Series(lineups.is_mixed.nonzero()[0], dtype=pl.UInt32)
        self._strategies = BlockSums(["lineup", "strategy"])
        self._seats = BlockSums(["seat"])

    def add(self, seats: pl.DataFrame) -> None:
        """Take in rows of the seats table: whole blocks."""
        self._strategies.add(seats)
        self._seats.add(seats)

    def summary(self, level: float = LEVEL) -> Summary:
        """Make the tables of what has been taken in."""
        met = pl.col("lineup").is_in(self._mixed.implode()) if len(self._mixed) else None
        by_seat = self._seats.table(["seat"], level=level)
        first = by_seat.row(0, named=True)
        return Summary(
            by_strategy=self._strategies.table(["strategy"], met, level),
            by_seat=by_seat,
            by_lineup=self._strategies.table(["lineup", "strategy"], level=level),
            games=first["games"],
            blocks=first["blocks"],
        )


def summarise(seats: pl.DataFrame | pl.LazyFrame, lineups: Lineups, level: float = LEVEL) -> Summary:
    """Make a tournament's tables from its seats.

    Parameters
    ----------
    seats
        The seats table; a lazy one is read piece by piece.
    lineups
        The line-ups that played.
    level
        Probability that an interval holds the true value.
    """
    summing = Summing(lineups)
    columns = ["game", "block", "lineup", "seat", "strategy", *MEASURES]
    for batch in in_whole_blocks(seats.lazy().select(columns)):
        summing.add(batch)
    return summing.summary(level)
