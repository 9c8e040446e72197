"""What is timed: one strategy in all seats of the standard game."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from analysis.benchmark.positions import Position, choose, positions
from analysis.entrants import entrants
from analysis.lineups import Lineups
from analysis.runs import Plan
from sim.config import load_configuration
from sim.errors import InputError
from strategies.probe import probe

STRATEGIES: Final = ("random", "greedy", "balanced", "rollout:budget=32", "rollout:budget=256")
"""What is timed unless other strategies are asked for."""
SEED: Final = 20_240_229
_GAMES: Final = 10**6  # no benchmark gets to their end
_QUICK_SECONDS: Final = 1e-4
_TRIED: Final = 12


@dataclass(frozen=True)
class Case:
    """A strategy and a number of players.

    Attributes
    ----------
    strategy
        A spec (`strategies.spec`).
    players
        Seats; the strategy holds all of them.
    """

    strategy: str
    players: int

    @property
    def name(self) -> str:
        """What accepted figures are filed under."""
        return f"{self.strategy}-{self.players}"

    @cached_property
    def plan(self) -> Plan:
        """The case's games, cards not recorded."""
        configuration, lineups = load_configuration(), Lineups.of(1, self.players)
        strategies = entrants([self.strategy], self.players)
        return Plan(configuration, strategies, lineups, self.players * _GAMES, SEED, record_cards=False)

    @cached_property
    def positions(self) -> list[Position]:
        """Decisions by which a strategy that takes its time is timed."""
        return positions(self.plan.configuration, self.players, SEED)

    @cached_property
    def is_quick(self) -> bool:
        """Whether whole games can be timed: a decision takes less than a tenth of a millisecond."""
        player, tables = self.plan.strategies[0], self.plan.tables
        tried = self.positions[:: max(len(self.positions) // _TRIED, 1)]
        choose(player, tables, tried[0])
        start = time.perf_counter()
        for position in tried:
            choose(player, tables, position)
        return time.perf_counter() - start < len(tried) * _QUICK_SECONDS


def player_counts() -> tuple[int, ...]:
    """Return the numbers of players that the standard game allows."""
    players = load_configuration().ruleset.players
    return tuple(range(players.fewest, players.most + 1))


def cases(strategies: Sequence[str] | None = None, players: Sequence[int] | None = None) -> list[Case]:
    """List what is to be timed.

    Parameters
    ----------
    strategies, players
        `STRATEGIES` and all numbers of players by default.

    Raises
    ------
    InputError
        If the standard game does not allow so many players, or there is no such strategy.

    Examples
    --------
    >>> [case.name for case in cases(["random"], [2, 3])]
    ['random-2', 'random-3']
    """
    allowed = player_counts()
    for count in players or ():
        if count not in allowed:
            raise InputError(f"players: found {count}; the standard ruleset allows {allowed[0]} to {allowed[-1]}")
    numbers, specs = dict.fromkeys(players or allowed), dict.fromkeys(strategies or STRATEGIES)
    found = [Case(strategy, count) for count in numbers for strategy in specs]
    # What cannot be used, or never returns, is known before anything is timed.
    probe(specs, players=tuple(numbers))
    for case in found:
        assert case.plan.strategies
    return found
