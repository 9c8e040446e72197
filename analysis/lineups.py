"""Who sits beside whom: line-ups, their seatings and blocks, and the numbering of games.

A *line-up* is a cyclic order of strategies, a *seating* one rotation of it, a *block* one luck played by all distinct
rotations. Games are numbered 0, 1, 2 … without gaps: line-ups take turns in groups of as many games as there are
players, and game `g` of a group of N is rotation `g % N` of its line-up. With r distinct rotations (N, or fewer for a
line-up that repeats itself) the luck of game `g` is ``g - g % r``. So luck follows from a game's number and its
seating alone, and any row of a results file can be played again without knowing the tournament it came from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sim.batch import Schedule
from sim.errors import InputError

Kind = Literal["all", "mixed", "distinct", "mirror"]
KINDS: Final[tuple[str, ...]] = get_args(Kind)

MOST_LINEUPS: Final = 1_000_000
MOST_GAMES: Final = 2**32 - 1
"""Game numbers are kept in 32 bits."""


def period(seating: Sequence[int] | NDArray[np.integer]) -> int:
    """Count the distinct rotations of a seating.

    Parameters
    ----------
    seating
        Who sits in each seat.

    Returns
    -------
    int
        A divisor of the number of seats: 1 for a mirror line-up, all seats for one that does not repeat itself.

    Examples
    --------
    >>> period([0, 1, 0, 1]), period([0, 0, 0, 0]), period([0, 0, 1, 1])
    (2, 1, 4)
    """
    order = list(seating)
    return next(step for step in range(1, len(order) + 1) if order == order[step:] + order[:step])


def luck_of(game: int, seating: Sequence[int] | NDArray[np.integer]) -> int:
    """Return the number of the luck that a game is played on.

    Parameters
    ----------
    game
        Its number.
    seating
        Who sits in each seat; any values that are equal for equal strategies.

    Examples
    --------
    >>> luck_of(17, [0, 1, 1, 1]), luck_of(17, [0, 1, 0, 1]), luck_of(17, [1, 1, 1, 1])
    (16, 16, 17)
    """
    return int(game - game % period(seating))


@dataclass(frozen=True)
class Lineups:
    """An ordered list of line-ups and the games they play.

    Attributes
    ----------
    members : int32[lineups, players]
        Index of the strategy in each place of a line-up, in its first rotation.

    Examples
    --------
    >>> lineups = Lineups.of(strategies=2, players=2)
    >>> lineups.members.tolist()
    [[0, 0], [0, 1], [1, 1]]
    >>> lineups.rounded_up(7)
    12
    >>> lineups.schedule(2, 4).seatings.tolist()
    [[0, 1], [1, 0]]
    """

    members: NDArray[np.int32]

    @classmethod
    def of(cls, strategies: int, players: int, kind: Kind = "all") -> Lineups:
        """List the line-ups of a number of strategies.

        Parameters
        ----------
        strategies
            How many there are.
        players
            Seats at a table.
        kind
            ``all``; ``mixed``: at least two different strategies; ``distinct``: no strategy twice; ``mirror``: one
            strategy in all seats.

        Raises
        ------
        InputError
            If the kind is unknown, or there are no such line-ups, or more than a million.
        """
        if kind not in KINDS:
            raise InputError(f"line-ups {kind!r}: allowed: {', '.join(KINDS)}")
        count = _count(strategies, players, kind)
        if count == 0:
            least = players if kind == "distinct" else 2
            raise InputError(
                f"line-ups {kind!r} of {players} players need at least {least} strategies; found {strategies}"
            )
        if count > MOST_LINEUPS:
            raise InputError(
                f"{strategies} strategies make {count:,} line-ups of {players} players; at most {MOST_LINEUPS:,} are "
                "possible in one run: give fewer strategies"
            )
        members = itertools.chain.from_iterable(_orders(strategies, players, kind))
        return cls(np.fromiter(members, dtype=np.int32, count=count * players).reshape(count, players))

    def __len__(self) -> int:
        return len(self.members)

    @property
    def players(self) -> int:
        """Seats at a table."""
        return int(self.members.shape[1])

    @property
    def round_games(self) -> int:
        """Games after which every line-up has played whole blocks."""
        return len(self) * self.players

    @cached_property
    def periods(self) -> NDArray[np.int64]:
        """Distinct rotations of each line-up; int64[lineups]."""
        return np.array([period(order) for order in self.members], dtype=np.int64)

    @cached_property
    def is_mixed(self) -> NDArray[np.bool_]:
        """Whether a line-up has at least two different strategies; bool[lineups]."""
        mixed: NDArray[np.bool_] = (self.members != self.members[:, :1]).any(axis=1)
        return mixed

    def held(self, strategies: int) -> NDArray[np.int64]:
        """Count the seats that strategies hold among others: what a line-up counts for them.

        Parameters
        ----------
        strategies
            How many there are.

        Returns
        -------
        int64[lineups, strategies]
            0 in a line-up of one strategy in all seats.

        Examples
        --------
        >>> Lineups.of(strategies=2, players=3).held(2).tolist()
        [[0, 0], [2, 1], [1, 2], [0, 0]]
        """
        counts = (self.members[:, :, None] == np.arange(strategies)).sum(axis=1)
        return np.where(self.is_mixed[:, None], counts, 0)

    def rounded_up(self, games: int) -> int:
        """Round a number of games up to whole blocks of every line-up.

        Raises
        ------
        InputError
            If it is not positive or too large.
        """
        if games < 1:
            raise InputError(f"games: found {games}; allowed: 1 or more")
        rounded = -(-games // self.round_games) * self.round_games
        if rounded > MOST_GAMES:
            raise InputError(f"games: found {games:,}; at most {MOST_GAMES:,} are possible in one run")
        return rounded

    def of_games(self, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the line-up that plays each game; int64[n]."""
        lineups: NDArray[np.int64] = games // self.players % len(self)
        return lineups

    def schedule(self, start: int, stop: int) -> Schedule:
        """Games `start` … `stop` − 1 with their lucks and seatings.

        Returns
        -------
        sim.batch.Schedule
            Ready to be played.
        """
        games = np.arange(start, stop, dtype=np.int64)
        lineups = self.of_games(games)
        places = (np.arange(self.players) + games[:, None]) % self.players
        return Schedule(games, games - games % self.periods[lineups], self.members[lineups[:, None], places])


def _count(strategies: int, players: int, kind: Kind) -> int:
    """Count line-ups without listing them (cyclic orders: Burnside's lemma)."""
    if kind == "mirror":
        return strategies
    if kind == "distinct":
        return math.perm(strategies, players) // players
    turns = sum(int(strategies ** math.gcd(players, turn)) for turn in range(players))
    return turns // players - (strategies if kind == "mixed" else 0)


def _orders(strategies: int, players: int, kind: Kind) -> Iterator[tuple[int, ...]]:
    """List line-ups in lexicographic order, each in its smallest rotation."""
    if kind == "mirror":
        yield from ((strategy,) * players for strategy in range(strategies))
    elif kind == "distinct":
        for first in range(strategies):
            others = range(first + 1, strategies)
            yield from ((first, *rest) for rest in itertools.permutations(others, players - 1))
    else:
        for order in _necklaces(strategies, players):
            if kind == "all" or len(set(order)) > 1:
                yield order


def _necklaces(symbols: int, length: int) -> Iterator[tuple[int, ...]]:
    """List the smallest rotation of every cyclic word (Fredricksen, Kessler and Maiorana's algorithm)."""
    word = [0] * length
    yield tuple(word)
    while True:
        last = length - 1
        while last >= 0 and word[last] == symbols - 1:
            last -= 1
        if last < 0:
            return
        word[last] += 1
        # The word before repeats its beginning; it is a necklace where the beginning fits in evenly.
        for place in range(last + 1, length):
            word[place] = word[place - last - 1]
        if length % (last + 1) == 0:
            yield tuple(word)
