"""Decisions of played games, by which strategies are timed that think too long for whole games."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.batch import Player
from sim.chance import STREAM_SIZE
from sim.config import Configuration
from sim.game import Game
from strategies.api import load

GUIDE: Final = "balanced"
"""The strategy whose games the decisions are taken from."""
_GAMES: Final = 4
_POSITIONS: Final = 48


class Position(NamedTuple):
    """A decision that is due.

    Attributes
    ----------
    state, actions : int32[::1]
    legal
        How many of `actions` are legal actions.
    random : uint64[::1]
        The strategy's random stream before it decides.
    """

    state: NDArray[np.int32]
    actions: NDArray[np.int32]
    legal: int
    random: NDArray[np.uint64]


def choose(player: Player, tables: NDArray[np.int32], position: Position) -> int:
    """Ask a strategy for its choice; the same one every time, since the position stays as it is."""
    with np.errstate(over="ignore"):
        return int(
            player.owner[0](
                position.state, tables, position.actions, position.legal, position.random.copy(), player.weights
            )
        )


def positions(configuration: Configuration, players: int, seed: int, number: int = _POSITIONS) -> list[Position]:
    """Take decisions from a few games.

    Every kind of decision has its share and comes from all parts of the games, since what a search costs depends on
    both: the time of all of them is close to a game's, scaled down.

    Parameters
    ----------
    configuration, players, seed
        The games.
    number
        How many decisions.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> found = positions(load_configuration(), players=2, seed=1, number=10)
    >>> len(found), min(position.legal for position in found) > 1
    (10, True)
    """
    guide = load(GUIDE, players)
    kept: list[tuple[str, Position]] = []
    for luck in range(_GAMES):
        game = Game(configuration, players, seed, luck)
        while not game.over:
            words = np.random.SeedSequence([luck, len(kept)]).generate_state(STREAM_SIZE, np.uint64).astype(np.uint64)
            position = Position(game.state.copy(), game.arena.actions.copy(), game.count, words)
            kept.append((game.kind, position))
            game.choose(choose(guide, game.tables, position))
    by_kind = sorted(kept, key=lambda pair: pair[0])  # stable: a kind's decisions stay in their order
    picked = (np.arange(number) + 0.5) * len(by_kind) / number
    return [by_kind[place][1] for place in picked.astype(int)]
