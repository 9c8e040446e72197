"""Counts of the legal choice sequences from fixed positions, as chess programs count moves to test themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from sim import layout as lay
from sim.config import Configuration, load_configuration
from sim.engine import step
from sim.game import Arena, Game
from tests import naive
from tests.lockstep import EngineLuck, as_plain_data

DATA = Path(__file__).parent / "data"
PERFT = DATA / "perft"
STANDARD = "standard"

Option = tuple[object, ...]


def configuration_named(name: str) -> Configuration:
    """The standard game, or one of the folders of `tests/data/odd`."""
    if name == STANDARD:
        return load_configuration()
    folder = DATA / "odd" / name
    return load_configuration(folder, folder)


@dataclass(frozen=True)
class Position:
    """Where a game stands after some choices, and how many ways lead on.

    Attributes
    ----------
    cards
        Name of the ruleset and card set (`configuration_named`).
    path
        The choices so far, in words.
    counts
        Sequences of 1, 2, … choices from here.
    moves
        Of the longest ones, how many begin with each option.
    """

    cards: str
    players: int
    seed: int
    luck: int
    path: list[Option]
    counts: list[int] = field(default_factory=list)
    moves: dict[str, int] = field(default_factory=dict)

    def game(self) -> Game:
        """The engine's game at this position."""
        game = Game(configuration_named(self.cards), self.players, self.seed, self.luck)
        for option in self.path:
            game.choose(game.options().index(option))
        return game

    def save(self, file: Path) -> None:
        """Write the position, its path on a few long lines."""
        data = asdict(self)
        path = data.pop("path")
        text = json.dumps(data, indent=1)
        rows = ",\n  ".join(", ".join(map(json.dumps, path[start : start + 8])) for start in range(0, len(path), 8))
        file.write_text(f'{text[:-2]},\n "path": [\n  {rows}\n ]\n}}\n', encoding="utf-8")


def positions() -> Iterator[tuple[str, Position]]:
    """Every position on file."""
    for file in sorted(PERFT.glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        data["path"] = [tuple(option) for option in data["path"]]
        yield file.stem, Position(**data)


def words(option: Option) -> str:
    """An option as the key of a count."""
    return " ".join(map(str, option))


def engine_counts(game: Game, depth: int) -> dict[str, int]:
    """Sequences of `depth` choices by their first one."""
    tables = game.tables
    arenas = [Arena(tables) for _ in range(depth)]
    for name in ("state", "chance", "actions"):
        getattr(arenas[0], name)[:] = getattr(game.arena, name)
    arenas[0].record[:] = game.arena.record[: len(arenas[0].record)]
    arenas[0].record[lay.REC_LOG_COUNT] = lay.NO_LOG

    def below(level: int, count: int, left: int) -> int:
        if left <= 1:
            return count if left else 1
        return sum(below(level + 1, taken, left - 1) for taken in branches(level, count))

    def branches(level: int, count: int) -> Iterator[int]:
        here, there = arenas[level], arenas[level + 1]
        for action in here.actions[:count].tolist():
            for name in ("state", "chance", "record"):
                np.copyto(getattr(there, name), getattr(here, name))
            with np.errstate(over="ignore"):
                yield int(step(there.state, tables, there.chance, there.record, there.actions, action, 0, 0))

    if depth == 1:
        return dict.fromkeys(map(words, game.options()), 1)
    first = branches(0, game.count)
    return {words(option): below(1, count, depth - 1) for option, count in zip(game.options(), first, strict=True)}


def twin_counts(position: Position, depth: int) -> dict[str, int]:
    """As `engine_counts`, by the naive twin, which plays every sequence from the first card."""
    configuration = configuration_named(position.cards)
    rules, cards = as_plain_data(configuration)

    def options(path: list[Option]) -> list[Option]:
        luck = EngineLuck(configuration, position.seed, position.luck)
        twin = naive.Game(rules, cards, position.players, luck)
        for option in position.path + path:
            twin.choose(option)
        return twin.decision.options if twin.decision else []

    def below(path: list[Option], left: int) -> int:
        found = options(path) if left else []
        return 1 if left == 0 else len(found) if left == 1 else sum(below([*path, o], left - 1) for o in found)

    return {words(option): below([option], depth - 1) for option in options([])}


def difference(expected: dict[str, int], found: dict[str, int]) -> str:
    """Which first moves are counted differently, line by line."""
    lines = [
        f"{move}: expected {expected.get(move, 'no such move')}, found {found.get(move, 'no such move')}"
        for move in sorted(expected | found)
        if expected.get(move) != found.get(move)
    ]
    return "\n".join(lines) or "no difference"
