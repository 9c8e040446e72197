"""Files of weights: for any number of players, and what differs for some.

::

    strategy = "weighted"          # whose weights they are; only files that are a strategy by themselves need it
    describe = "what it goes for"  # optional
    made = "how they were made"    # optional

    [weights]                      # for any number of players
    publish = 1.4

    [players.2]                    # what differs for two
    publish = 1.2
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sim.errors import InputError
from sim.faults import one_of

_KEYS: Final = ("strategy", "describe", "made", "weights", "players")


@dataclass(frozen=True)
class WeightFile:
    """What a file of weights holds.

    Attributes
    ----------
    where
        Path, for messages.
    strategy, describe, made
        Texts; empty if not given.
    weights
        Name → value, for any number of players.
    by_players
        Number of players → what differs.
    """

    where: str
    strategy: str
    describe: str
    made: str
    weights: Mapping[str, float]
    by_players: Mapping[int, Mapping[str, float]]

    def at(self, players: int) -> dict[str, float]:
        """Weights for a number of players."""
        return {**self.weights, **self.by_players.get(players, {})}


def read_weights(path: str | Path) -> WeightFile:
    """Read a file of weights; names are checked by whoever knows the strategy.

    Raises
    ------
    InputError
        If it cannot be read, is no TOML, or holds something else.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return parse_weights(text, str(path))


def parse_weights(text: str, where: str) -> WeightFile:
    """Take the text of a file of weights apart."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where}: not a TOML file: {error}") from None
    for key in data:
        if key not in _KEYS:
            raise InputError(f"{where}: {one_of(key, _KEYS)}")
    texts = {key: _text(data.get(key, ""), key, where) for key in _KEYS[:3]}
    players = _table(data.get("players", {}), "players", where)
    by_players = {}
    for number, table in players.items():
        if not number.isdecimal():
            raise InputError(f"{where}: [players.{number}]: a number of players is wanted, as in [players.2]")
        by_players[int(number)] = _numbers(table, f"players.{number}", where)
    return WeightFile(
        where, **texts, weights=_numbers(data.get("weights", {}), "weights", where), by_players=by_players
    )


def _text(value: Any, key: str, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: {key}: found {value!r} where a text is wanted")
    return value


def _table(value: Any, key: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: {key}: found {value!r} where a table [{key}] is wanted")
    return value


def _numbers(value: Any, key: str, where: str) -> dict[str, float]:
    numbers = {}
    for name, number in _table(value, key, where).items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise InputError(f"{where}: {key}.{name}: found {number!r} where a number is wanted")
        numbers[name] = float(number)
    return numbers
