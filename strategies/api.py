"""Strategies by name: what there is, and how a spec becomes a player.

>>> player = load("random", players=4)
>>> player.name
'random'
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.batch import Player
from sim.calls import address_of
from sim.errors import InputError
from sim.faults import one_of
from sim.identity import playing_hash
from sim.jit import CACHE_BASE
from strategies.declare import Declaration, Weight, check_bounds, declaration_of, strategy
from strategies.outside import check_signature, compiled, function_in_file, function_of, installed
from strategies.spec import Spec, parse
from strategies.weightfile import WeightFile, read_weights

__all__ = [
    "Listed",
    "Strategy",
    "Weight",
    "available",
    "contents",
    "describe_source",
    "find",
    "fingerprint",
    "is_outside",
    "load",
    "load_source",
    "strategy",
]

CODED: Final[Mapping[str, str]] = {
    "random": "strategies.random_play:random_play",
    "rollout": "strategies.rollout:rollout",
    "weighted": "strategies.weighted:weighted",
    "restricted": "strategies.restricted:restricted",
}
"""Strategies that are code of this project: name → module and function."""

WEIGHTS_FOLDER: Final = Path(__file__).parent / "weights"
"""Every file of weights here is a strategy by itself: the code it names, with its weights."""

_ANY_PLAYERS: Final = 0
_BASE: Final = "base"
"""Setting of built-in code that names another strategy."""
_HIDDEN: Final = frozenset({"weighted", "restricted"})
"""Code that stands on something else, a file of weights or another strategy, and is no entrant by itself."""


@dataclass(frozen=True)
class Listed:
    """One line of the list of strategies.

    Attributes
    ----------
    name
        How it is called in a spec.
    describe
        What it does, in one line.
    source
        "built in", or the package's entry point.
    weights
        Name → value for any number of players.
    """

    name: str
    describe: str
    source: str
    weights: Mapping[str, float]


@dataclass(frozen=True)
class Strategy:
    """A spec that was looked up: code, and what its weights are.

    Attributes
    ----------
    spec
        As given, taken apart.
    function
        The plain function.
    declaration
        What is known of it.
    files
        Files of weights, the first the strategy's own; later ones go over earlier ones.
    numbers, texts
        What the spec itself sets, over everything else.
    source
        "built in", an entry point's value, or a path.
    """

    spec: Spec
    function: Callable[..., Any]
    declaration: Declaration
    files: tuple[WeightFile, ...]
    numbers: Mapping[str, float]
    texts: Mapping[str, str]
    source: str

    @property
    def name(self) -> str:
        """The spec, as results call the strategy."""
        return self.spec.text

    @property
    def describe(self) -> str:
        """What it does, in one line."""
        return (self.files[0].describe if self.files else "") or self.declaration.describe

    def weights(self, players: int = _ANY_PLAYERS) -> dict[str, float]:
        """Name → value for a number of players, in the order of the row the function gets.

        Parameters
        ----------
        players
            Seats; 0 for what holds for any number of them.
        """
        values = {name: weight.default for name, weight in self.declaration.weights.items()}
        for file in self.files:
            values |= file.at(players)
        return {**values, **self.numbers}

    def row(self, players: int = _ANY_PLAYERS) -> NDArray[np.float64]:
        """Return the weights for a number of players as float64[number of weights]."""
        return np.array(list(self.weights(players).values()), dtype=np.float64)


def find(spec: str) -> Strategy:
    """Look a spec up, without compiling anything.

    Parameters
    ----------
    spec
        See `strategies.spec`.

    Returns
    -------
    Strategy
        Code and weights.

    Raises
    ------
    InputError
        If there is no such strategy, file or weight, or a weight is out of bounds.

    Examples
    --------
    >>> find("random").describe
    'any legal action, each as likely as the next'
    """
    taken = parse(spec)
    function, own, source = _code(taken)
    declaration = declaration_of(function)
    files = (*own, *((read_weights(taken.weights_file),) if taken.weights_file else ()))
    for file in files:
        _check_file(file, declaration, taken)
    numbers = {
        name: _number(name, value, declaration, taken.text)
        for name, value in taken.settings.items()
        if name not in declaration.texts
    }
    texts = {**declaration.texts, **{key: value for key, value in taken.settings.items() if key in declaration.texts}}
    return Strategy(taken, function, declaration, files, numbers, texts, source)


def _code(spec: Spec) -> tuple[Callable[..., Any], tuple[WeightFile, ...], str]:
    """Find function, own file of weights and source of a spec."""
    if spec.path:
        return function_in_file(spec.path, spec.name), (), spec.path
    if spec.name in CODED:
        return _coded(spec.name), (), "built in"
    shipped = _shipped()
    if spec.name in shipped:
        file = read_weights(shipped[spec.name])
        return _coded(file.strategy), (file,), "built in"
    points = installed()
    if spec.name in points:
        return function_of(points[spec.name]), (), points[spec.name].value
    known = [*_names(), *points]
    raise InputError(f"strategy {spec.text!r}: {one_of(spec.name, known)}; a file's is written path/to/bot.py:name")


def _coded(name: str) -> Callable[..., Any]:
    module, _, function = CODED[name].partition(":")
    return getattr(import_module(module), function)  # type: ignore[no-any-return]


def _shipped() -> dict[str, Path]:
    return {path.stem: path for path in sorted(WEIGHTS_FOLDER.glob("*.toml"))}


def _names() -> list[str]:
    return [*(name for name in CODED if name not in _HIDDEN), *_shipped()]


def _check_file(file: WeightFile, declaration: Declaration, spec: Spec) -> None:
    for table in (file.weights, *file.by_players.values()):
        for name, value in table.items():
            if name not in declaration.weights:
                raise InputError(f"{file.where}: weights of {spec.name}: {one_of(name, list(declaration.weights))}")
            check_bounds(name, value, declaration.weights[name], file.where)


def _number(name: str, value: str, declaration: Declaration, spec: str) -> float:
    if name not in declaration.weights:
        raise InputError(f"strategy {spec!r}: {one_of(name, [*declaration.weights, *declaration.texts])}")
    try:
        number = float(value)
    except ValueError:
        raise InputError(f"strategy {spec!r}: {name}: found {value!r} where a number is wanted") from None
    return check_bounds(name, number, declaration.weights[name], f"strategy {spec!r}")


def load(spec: str, players: int) -> Player:
    """Make a spec ready to play.

    Parameters
    ----------
    spec
        See `strategies.spec`.
    players
        Seats in the games it is to play; weights may differ by it.

    Returns
    -------
    sim.batch.Player
        Compiled code and weights, named as the spec.

    Raises
    ------
    InputError
        If there is no such strategy or weight, or its code cannot be used; the message says why and where.

    Examples
    --------
    >>> load("balanced:publish=1.5", players=2).name
    'balanced:publish=1.5'
    """
    found = find(spec)
    dispatcher = compiled(found.function, found.name)
    row, kept = found.row(players), None
    if found.declaration.prepare is not None:
        row, kept = found.declaration.prepare(row, found.texts, players)
    return Player(found.name, address_of(dispatcher), np.ascontiguousarray(row, dtype=np.float64), (dispatcher, kept))


def available() -> list[Listed]:
    """List the strategies that have a name: built in, then of installed packages.

    Examples
    --------
    >>> [listed.name for listed in available()][0]
    'random'
    """
    found = [find(name) for name in _names()]
    listed = [Listed(each.name, each.describe, each.source, each.weights()) for each in found]
    for name, point in installed().items():
        try:
            each = find(name)
        except InputError as error:
            listed.append(Listed(name, f"cannot be used: {error}", point.value, {}))
        else:
            listed.append(Listed(name, each.describe, point.value, each.weights()))
    return listed


def is_outside(spec: str) -> bool:
    """Say whether a spec names code that is not this project's own, without running any of it."""
    taken = parse(spec)
    if taken.path or taken.name not in {*CODED, *_shipped()}:
        return True
    inner = _inner(taken)
    return inner is not None and is_outside(inner)


def _inner(spec: Spec) -> str | None:
    """Spec of the strategy that a built-in one is told to stand on, such as the base of a search."""
    return spec.settings.get(_BASE) if spec.name in CODED and not spec.path else None


def contents(spec: str) -> dict[str, Any]:
    """Say what a spec stands for as far as can be said without running any of its code.

    Parameters
    ----------
    spec
        See `strategies.spec`.

    Returns
    -------
    dict
        ``spec``; ``files``, path as in the spec → text; ``package``, name and version of an installed one, or None.

    Raises
    ------
    InputError
        If it is not spelled right or a file cannot be read.

    Examples
    --------
    >>> contents("balanced")["files"]
    {}
    """
    taken = parse(spec)
    files = {path: _text_of(path) for path in (taken.path, taken.weights_file) if path}
    if (inner := _inner(taken)) is not None:
        files |= contents(inner)["files"]
    point = None if taken.path or taken.name in {*CODED, *_shipped()} else installed().get(taken.name)
    package = None if point is None else f"{point.value} {point.dist.version if point.dist else ''}"
    return {"spec": taken.text, "files": files, "package": package}


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def describe_source(spec: str) -> dict[str, Any]:
    """Everything another machine needs to make the same player of a spec.

    A strategy from a file travels as the file's text, a file of weights too; a bot must be one file for that.

    Parameters
    ----------
    spec
        See `strategies.spec`.

    Returns
    -------
    dict
        As `contents`, and ``fingerprint``; it can be written as JSON.

    Examples
    --------
    >>> load_source(describe_source("random"), players=3).name
    'random'
    """
    return {**contents(spec), "fingerprint": fingerprint(spec)}


def load_source(source: Mapping[str, Any], players: int, folder: str | Path | None = None) -> Player:
    """Make a player of what `describe_source` said on another machine.

    Parameters
    ----------
    source
        What it returned.
    players
        Seats in the games to play.
    folder
        Where the files are written to; a folder named by their content below the user's cache by default.

    Raises
    ------
    InputError
        If the strategy is another here: built-in code of another version, or an installed package's.
    """
    text, files = str(source["spec"]), dict(source["files"])
    for path, content in files.items():
        digest = hashlib.sha256(content.encode()).hexdigest()[:16]
        place = _bots_folder(folder) / digest / Path(path).name
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        text = text.replace(path, str(place), 1)
    if fingerprint(text) != source["fingerprint"]:
        raise InputError(f"strategy {source['spec']!r}: the code here is not the same as where it was described")
    player = load(text, players)
    return Player(str(source["spec"]), player.address, player.weights, player.owner)


def _bots_folder(folder: str | Path | None) -> Path:
    if folder is not None:
        return Path(folder)
    return (CACHE_BASE or Path(tempfile.gettempdir())) / "bots"


def fingerprint(spec: str) -> str:
    """Hash of all that decides how a spec plays: its code and its weights for every number of players.

    Returns
    -------
    str
        64 hexadecimal digits. Built-in code counts with the engine's sources, an outside strategy with its own file.

    Examples
    --------
    >>> fingerprint("balanced") == fingerprint("balanced:publish=1.5")
    False
    """
    found = find(spec)
    check_signature(found.function, found.name)
    if found.source == "built in":
        code = playing_hash()
    else:
        file = getattr(found.function, "py_func", found.function).__code__.co_filename
        code = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    numbers = sorted({_ANY_PLAYERS, *(number for file in found.files for number in file.by_players)})
    weights = {number: found.weights(number) for number in numbers}
    texts = dict(found.texts)
    if found.source == "built in" and _BASE in texts:
        texts[_BASE] = fingerprint(texts[_BASE])
    content = [code, found.spec.name, weights, texts]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
