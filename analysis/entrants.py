"""Strategies that enter a tournament: from specs to players, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sim.batch import Player
from sim.errors import InputError
from strategies.api import load


def entrants(strategies: Sequence[str | Player], players: int) -> tuple[Player, ...]:
    """Load strategies.

    Parameters
    ----------
    strategies
        Specs (`strategies.spec`), or players that are loaded already.
    players
        Seats of the games they are to play.

    Returns
    -------
    tuple
        A player each, in the given order.

    Raises
    ------
    InputError
        If there is none, one cannot be loaded, or two have one name: results could not tell them apart.

    Examples
    --------
    >>> [player.name for player in entrants(["random"], players=4)]
    ['random']
    """
    if not strategies:
        raise InputError("strategies: none given; at least one is needed, such as random")
    names = Counter(entry.name if isinstance(entry, Player) else entry.strip() for entry in strategies)
    for name, count in names.items():
        if count > 1:
            raise InputError(
                f"strategies: {name!r} is given {count} times; once is enough, every line-up with it in several seats "
                "is played anyway"
            )
    return tuple(entry if isinstance(entry, Player) else load(entry, players) for entry in strategies)
