"""Strategies that enter a tournament: from specs to players, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sim.batch import Player
from sim.config import Configuration
from sim.errors import InputError
from strategies.api import load
from strategies.probe import probe

_PART_OF_PATIENCE: Final = 6
_LEAST_PATIENCE: Final = 10.0


def try_out(strategies: Sequence[str | Player], configuration: Configuration, players: int, patience: float) -> None:
    """Let strategies from outside play a game in a process of their own, before they can hang or crash this one.

    It takes two seconds or so for each, and is done once for what has not changed since.

    Parameters
    ----------
    strategies
        Specs; built-in ones and players are passed over.
    configuration
        Ruleset and card set they will play.
    players
        Seats of the games they are to play.
    patience
        Seconds that may pass without a finished game; one decision may take a sixth of that, and ten if it is more.

    Raises
    ------
    InputError
        If one cannot be loaded.
    sim.batch.StrategyError
        If one never returns, crashes, chooses what is not legal, or changes what it is shown.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> try_out(["random"], load_configuration(), players=4, patience=60)
    """
    specs = [entry for entry in strategies if isinstance(entry, str)]
    decision = max(patience / _PART_OF_PATIENCE, min(patience, _LEAST_PATIENCE))
    probe(specs, configuration, [players], patience=decision, games=1)


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
