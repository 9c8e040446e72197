"""Games in which every decision of a strategy is watched; run as a process of its own, which may be ended.

``python -m strategies.trial`` reads a pickled `Trial` from its input, plays, and writes what it found as JSON. Where
it is at any moment stands in a small shared file, so that whoever started it can say where a strategy got stuck.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import pickle
import random as plain_random
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim import layout as lay
from sim.batch import Player
from sim.config import Configuration
from sim.engine import ask, open_strategy_streams
from sim.errors import EncyclopediaError
from sim.game import Game
from strategies.api import load

LOADING, PLAYING, DONE = range(3)
STAGE, SETTING, GAME, SEAT, KIND, DECISIONS, _CELLS = range(7)
"""Cells of the shared file, int64 each."""

RULES: Final = {
    "loads": "it can be found and compiled, takes the right arguments and returns a whole number",
    "legal": "it returns the index of a legal action",
    "raises nothing": "no exception leaves it",
    "alters nothing": "state, tables, actions and weights are as they were after every decision",
    "deterministic": "asked again with the same state and random numbers, it chooses the same",
    "returns": "every decision comes back in time",
    "stays inside": "it reads no cell outside its arrays, and plays the same with the compiler off",
}
"""The contract: name → what it means."""


@dataclass(frozen=True)
class Setting:
    """Games of one kind.

    Attributes
    ----------
    label
        What messages call it.
    configuration
        Ruleset and card set.
    players
        Seats.
    games
        How many; in every other one, only seat 0 is the strategy's and the others choose blindly.
    """

    label: str
    configuration: Configuration
    players: int
    games: int


@dataclass(frozen=True)
class Trial:
    """What is to be played.

    Attributes
    ----------
    spec
        The strategy.
    settings
        The games.
    seed
        Of all chance.
    twice
        Ask at every decision twice, and compare everything that must not change.
    """

    spec: str
    settings: tuple[Setting, ...]
    seed: int = 1
    twice: bool = True


@dataclass
class Outcome:
    """What was found.

    Attributes
    ----------
    faults
        (rule, what happened and where) for every breach that was found; a game is left at its first.
    games, decisions
        How many were played to the end, and found right.
    slowest
        Seconds that the slowest decision took.
    choices
        Hash of all choices, by setting.
    """

    faults: list[tuple[str, str]] = field(default_factory=list)
    games: int = 0
    decisions: int = 0
    slowest: float = 0.0
    choices: list[str] = field(default_factory=list)


JUNK: Final = -7_777_777
"""Put behind the legal actions, where a strategy that looks there finds something else than before."""


class _BreachError(Exception):
    """A rule of the contract that was broken."""

    def __init__(self, rule: str, what: str) -> None:
        super().__init__(what)
        self.rule = rule


def run(trial: Trial, progress: NDArray[np.int64] | None = None) -> Outcome:
    """Play a trial in this process.

    Parameters
    ----------
    trial
        What to play.
    progress : int64[6], optional
        Says at every moment where the trial is.

    Returns
    -------
    Outcome
        What was found.
    """
    progress = np.zeros(_CELLS, dtype=np.int64) if progress is None else progress
    outcome = Outcome()
    for number, setting in enumerate(trial.settings):
        progress[STAGE], progress[SETTING] = LOADING, number
        try:
            player = load(trial.spec, setting.players)
        except EncyclopediaError as error:
            outcome.faults.append(("loads", str(error)))
            return outcome
        _warm_up(setting)
        choices = hashlib.sha256()
        progress[STAGE] = PLAYING
        for game_number in range(setting.games):
            progress[GAME] = game_number
            try:
                _play(trial, setting, player, game_number, outcome, choices, progress)
            except _BreachError as breach:
                outcome.faults.append((breach.rule, f"{breach}, {_where(setting, progress)}"))
                break
            outcome.games += 1
        outcome.choices.append(choices.hexdigest())
    progress[STAGE] = DONE
    return outcome


def _warm_up(setting: Setting) -> None:
    """Compile what playing needs, so that only the strategy's own time is watched."""
    game = Game(setting.configuration, setting.players, 0, 0)
    with np.errstate(over="ignore"):
        open_strategy_streams(game.arena.randoms, 0, 0)
    _ask(game, load("random", setting.players), game.arena.randoms[0], np.zeros(1))


def _play(
    trial: Trial, setting: Setting, player: Player, number: int, outcome: Outcome, choices: Any, progress: Any
) -> None:
    """Play one game, the strategy in every seat or in seat 0 among players who choose blindly."""
    game = Game(setting.configuration, setting.players, trial.seed, number)
    randoms = game.arena.randoms
    with np.errstate(over="ignore"):
        open_strategy_streams(randoms, trial.seed, number)
    blind = plain_random.Random(f"{trial.seed} {number}")
    weights = player.weights.copy()
    while not game.over:
        if number % 2 == 1 and game.seat > 0:
            game.choose(blind.randrange(game.count))
            continue
        progress[SEAT], progress[KIND] = game.seat, int(game.state[lay.KIND])
        index = _decide(trial, game, player, randoms[game.seat], weights, outcome)
        progress[DECISIONS] += 1
        choices.update(index.to_bytes(4, "little"))
        game.choose(index)


def _decide(
    trial: Trial, game: Game, player: Player, random: NDArray[np.uint64], weights: NDArray[np.float64], outcome: Outcome
) -> int:
    """Ask for one decision and hold it against the contract."""
    arrays = {"state": game.state, "tables": game.tables, "actions": game.arena.actions, "weights": weights}
    before = {name: array.copy() for name, array in arrays.items()} if trial.twice else {}
    again = random.copy()
    started = time.perf_counter()
    index = _ask(game, player, random, weights)
    outcome.slowest = max(outcome.slowest, time.perf_counter() - started)
    if not 0 <= index < game.count:
        raise _BreachError("legal", f"returned {index}, allowed are 0 to {game.count - 1}")
    for name, array in before.items():
        if not np.array_equal(array, arrays[name]):
            raise _BreachError("alters nothing", f"changed {name}[{int(np.flatnonzero(array != arrays[name])[0])}]")
    if trial.twice:
        # What lies behind the legal actions is left over from something else, and no business of a strategy's.
        game.arena.actions[game.count :] = JUNK
        if _ask(game, player, again, weights) != index:
            what = f"chose {index}, and something else when asked again with the same numbers"
            raise _BreachError("deterministic", what)
    outcome.decisions += 1
    return index


def _ask(game: Game, player: Player, random: NDArray[np.uint64], weights: NDArray[np.float64]) -> int:
    try:
        with np.errstate(over="ignore"):
            return int(ask(player.address, game.state, game.tables, game.arena.actions, game.count, random, weights))
    except Exception as error:
        raise _BreachError("raises nothing", f"raised {type(error).__name__}: {error}{_line_of(error)}") from error


def _line_of(error: BaseException) -> str:
    """Where an exception was raised, as far as is known: with the compiler off it is."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/sim/" not in frame.filename and not frame.filename.endswith("trial.py")]
    return f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""


def _where(setting: Setting, progress: Sequence[int] | NDArray[np.int64]) -> str:
    return where(setting.label, int(progress[GAME]), int(progress[SEAT]), int(progress[KIND]))


def where(label: str, game: int, seat: int, kind: int) -> str:
    """Say in words where in a trial something happened."""
    return f"asked for a {lay.KIND_NAMES[kind]!r} in seat {seat} of game {game} ({label})"


def shared_progress(path: str | Path) -> NDArray[np.int64]:
    """Open the file in which a trial says where it is, as int64[6]; it is made if it is not there."""
    with Path(path).open("a+b") as file:
        file.truncate(8 * _CELLS)
        return np.frombuffer(mmap.mmap(file.fileno(), 8 * _CELLS), dtype=np.int64)


def main() -> None:
    """Run the trial that comes pickled on the input; the only argument is the shared file."""
    trial = pickle.loads(sys.stdin.buffer.read())
    # Whatever a strategy prints belongs to nobody's JSON.
    answer, sys.stdout = sys.stdout, sys.stderr
    outcome = run(trial, shared_progress(sys.argv[1]))
    answer.write(json.dumps(asdict(outcome)))


if __name__ == "__main__":
    main()
