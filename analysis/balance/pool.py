"""Pools: strategies that are called together by one name."""

from __future__ import annotations

from typing import Final

from sim.errors import InputError
from strategies.api import available, find

POOLS: Final = {
    "archetypes": "every built-in strategy that is a set of weights: ways to play that differ in what they go for",
    "all": "these and random",
}


def pool_of(name: str) -> list[str]:
    """List the strategies of a pool.

    Parameters
    ----------
    name
        One of `POOLS`.

    Raises
    ------
    InputError
        If there is no such pool.

    Examples
    --------
    >>> "balanced" in pool_of("archetypes"), pool_of("all")[0]
    (True, 'random')
    """
    if name not in POOLS:
        raise InputError(f"pool {name!r}: allowed: {', '.join(POOLS)}")
    built_in = [listed.name for listed in available() if listed.source == "built in"]
    archetypes = [each for each in built_in if find(each).files]
    return archetypes if name == "archetypes" else ["random", *archetypes]
