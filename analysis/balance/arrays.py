"""The few numbers of every game that questions of balance are answered from, and playing games for them in units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.columns import GAMES, SEATS
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import SHARD_GAMES, Advance, Executor, Plan, ignore

_LEAST_STEP: Final = 256
_UNIT_GAMES: Final = 2048
_PIECE_GAMES: Final = 8192

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class GameArrays:
    """Consecutive games, one row each.

    Attributes
    ----------
    games, blocks : int64[n]
        Number of the game and of its block (the luck it was played on).
    totals, shares : float64[n, players]
        VP and win share by seat.
    tokens : int32[n, rounds]
        Id of the round token of each round.
    """

    games: IntArray
    blocks: IntArray
    totals: FloatArray
    shares: FloatArray
    tokens: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.games)

    @staticmethod
    def joined(parts: Sequence[GameArrays]) -> GameArrays:
        """Put consecutive games one after the other."""
        if len(parts) == 1:
            return parts[0]
        return GameArrays(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in GameArrays.__dataclass_fields__)
        )


def compact(frames: Frames) -> GameArrays:
    """Keep of a shard's frames what questions of balance need; done where the games were played."""
    rounds = [name for name in frames.names(GAMES) if name.startswith("token_")]
    games, blocks, *tokens = frames.arrays(GAMES, ["game", "block", *rounds])
    totals, shares = frames.arrays(SEATS, ["total", "win_share"])
    shape = (len(games), len(totals) // max(len(games), 1))
    return GameArrays(
        games.astype(np.int64),
        blocks.astype(np.int64),
        totals.astype(np.float64).reshape(shape),
        shares.astype(np.float64).reshape(shape),
        np.array(tokens, dtype=np.int32).T.reshape(len(games), len(rounds)),
    )


def unit_of(lineups: Lineups, games: int | None = None, multiple: int = 1) -> int:
    """Choose how many games make a unit: whole blocks of every line-up, so that few more than asked for are played.

    Parameters
    ----------
    lineups
        The line-ups that play.
    games
        How many games are asked for; None if that is not known beforehand.
    multiple
        Parts of equal size into which a unit can be cut, each with whole blocks of every line-up.

    Examples
    --------
    >>> unit_of(Lineups.of(2, 4), games=20_000), unit_of(Lineups.of(2, 4))
    (6672, 2064)
    """
    least = lineups.round_games * multiple
    if games is None:
        return -(-_UNIT_GAMES // least) * least
    pieces = max(-(-games // max(_PIECE_GAMES, least)), 1)
    return max(-(-games // (pieces * least)), 1) * least


def in_units(plan: Plan, unit: int) -> Plan:
    """Cut a plan into shards of which a whole number makes a unit, so that any units can be played by themselves.

    Parameters
    ----------
    plan
        Any plan.
    unit
        Games in a unit: whole blocks of every line-up (a multiple of `Lineups.round_games`).
    """
    players = plan.lineups.players
    groups = unit // players
    most = max(SHARD_GAMES // players, 1)
    fitting = next(size for size in range(min(most, groups), 0, -1) if groups % size == 0)
    step = fitting if fitting * players >= min(_LEAST_STEP, unit) else groups
    return replace(plan, shard_games=step * players)


def play_units(
    plan: Plan,
    unit: int,
    numbers: Sequence[int],
    executor: Executor,
    advance: Advance = ignore,
    task: Callable[[Frames], Any] = compact,
) -> list[Any]:
    """Play some units of a plan, however many games it was made for.

    Parameters
    ----------
    plan
        Cut by `in_units`.
    unit
        Games in a unit.
    numbers
        Which units, ascending; unit `n` is games ``n * unit`` … ``(n + 1) * unit - 1``.
    executor
        Who plays.
    advance
        Told how many more games have been played.
    task
        What is made of each shard's frames where it was played.

    Returns
    -------
    list
        What the task returned for each shard, in the order of the games.
    """
    if not numbers:
        return []
    plan = replace(plan, games=(max(numbers) + 1) * unit)
    in_unit = unit // plan.bounds(0)[1]
    shards = [shard for number in numbers for shard in range(number * in_unit, (number + 1) * in_unit)]
    outcomes = dict(executor.map(plan, shards, task, _kept, advance))
    return [outcomes[shard] for shard in shards]


def play_arrays(
    plan: Plan, unit: int, numbers: Sequence[int], executor: Executor, advance: Advance = ignore
) -> GameArrays:
    """Play some units of a plan and return their arrays; see `play_units`."""
    return GameArrays.joined(play_units(plan, unit, numbers, executor, advance))


def _kept(shard: int, outcome: Any) -> Any:
    del shard
    return outcome


def seatings_of(lineups: Lineups, games: IntArray) -> NDArray[np.int32]:
    """Index of the strategy in each seat of each game; int32[n, players]."""
    places = (np.arange(lineups.players) + games[:, None]) % lineups.players
    return np.asarray(lineups.members[lineups.of_games(games)[:, None], places])


@dataclass(frozen=True)
class BlockMeans:
    """Means over the games of each block.

    Attributes
    ----------
    first : int64[blocks]
        Row of each block's first game.
    games : int64[blocks]
        How many games a block has.
    values : float64[blocks, columns]
        Means of the values that are known, not a number where none is.
    """

    first: IntArray
    games: IntArray
    values: FloatArray


def block_means(blocks: IntArray, values: FloatArray) -> BlockMeans:
    """Average the values of each block's games.

    Parameters
    ----------
    blocks : int64[n]
        Block of each game; games of one block stand together.
    values : float64[n, columns]
        Not a number where a game has no such value.

    Examples
    --------
    >>> block_means(np.array([0, 0, 2]), np.array([[1.0], [3.0], [7.0]])).values.ravel().tolist()
    [2.0, 7.0]
    """
    if not len(blocks):
        empty = np.zeros(0, dtype=np.int64)
        return BlockMeans(empty, empty, values)
    first = np.flatnonzero(np.concatenate([[True], blocks[1:] != blocks[:-1]]))
    games = np.diff(np.append(first, len(blocks)))
    known = ~np.isnan(values)
    counts = np.add.reduceat(known, first, axis=0, dtype=np.int64)
    sums = np.add.reduceat(np.where(known, values, 0.0), first, axis=0)
    with np.errstate(invalid="ignore"):
        return BlockMeans(first, games, sums / np.where(counts > 0, counts, np.nan))


class BlockStore:
    """Arrays with a row a block, gathered piece by piece; one of them is ``strata``."""

    def __init__(self) -> None:
        self._parts: list[dict[str, NDArray[Any]]] = []

    def add(self, **arrays: NDArray[Any]) -> None:
        """Take in blocks: arrays of one length."""
        self._parts.append(arrays)

    def of(self, strata: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
        """Return the blocks of some strata.

        Parameters
        ----------
        strata : bool[strata]
            Which to take.
        """
        whole = {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}
        self._parts = [whole]
        if strata.all():
            return whole
        chosen = strata[whole["strata"]]
        return {name: array[chosen] for name, array in whole.items()}
