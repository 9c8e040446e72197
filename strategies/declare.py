"""How a strategy is declared: a plain function, and beside it what a reader or a tuner should know of it.

The decorator adds nothing to what the function does. A bare function in a file is a strategy as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from sim.errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])

ATTRIBUTE: Final = "__strategy__"
ARGUMENTS: Final = ("state", "tables", "actions", "count", "random", "weights")
"""Names of a strategy's arguments, in their order."""


@dataclass(frozen=True)
class Weight:
    """A number that a strategy can be given.

    Attributes
    ----------
    default
        What it is if nobody says otherwise.
    low, high
        What it may be; a tuner varies it within these bounds.
    describe
        What it does, in one line.
    """

    default: float
    low: float = -math.inf
    high: float = math.inf
    describe: str = ""


@dataclass(frozen=True)
class Declaration:
    """What is known of a strategy beside its code.

    Attributes
    ----------
    describe
        One line for lists.
    weights
        Name → `Weight`; the row of weights that the function gets has them in this order.
    texts
        Name → default of settings that are not numbers (such as the base of a search); only `prepare` sees them.
    scores
        ``scores(state, tables, actions, count, weights, out)``: fills ``out[:count]`` with what the strategy thinks
        each legal action is worth; None if it cannot say.
    prepare
        Called with (row of weights, texts, players) when the strategy is loaded; returns the row that the compiled
        function gets and anything that must be kept alive with it.
    """

    describe: str = ""
    weights: Mapping[str, Weight] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    scores: Callable[..., Any] | None = None
    prepare: Callable[..., tuple[Any, Any]] | None = None


def strategy(
    *,
    weights: Mapping[str, float | Weight] | None = None,
    describe: str = "",
    texts: Mapping[str, str] | None = None,
    scores: Callable[..., Any] | None = None,
    prepare: Callable[..., tuple[Any, Any]] | None = None,
) -> Callable[[Function], Function]:
    """Declare a function to be a strategy.

    Parameters
    ----------
    weights
        Numbers that a spec may change, as ``bot.py:name:publish=1.5``: name → default, or a `Weight` with bounds.
        The function finds them in its last argument, in this order.
    describe
        One line for lists.
    texts, scores, prepare
        See `Declaration`.

    Returns
    -------
    Callable
        Decorator that notes this beside the function and returns the function itself.

    Examples
    --------
    >>> @strategy(weights={"boldness": 1.0}, describe="always the first choice")
    ... def first(state, tables, actions, count, random, weights):
    ...     return 0
    >>> declaration_of(first).weights["boldness"].default
    1.0
    """
    listed = {
        name: given if isinstance(given, Weight) else Weight(float(given)) for name, given in (weights or {}).items()
    }
    declaration = Declaration(describe, listed, dict(texts or {}), scores, prepare)

    def note(function: Function) -> Function:
        setattr(function, ATTRIBUTE, declaration)
        return function

    return note


def declaration_of(function: Any) -> Declaration:
    """Say what is known of a strategy; for a bare function, the first line of its docstring."""
    plain = getattr(function, "py_func", function)
    found = getattr(function, ATTRIBUTE, None) or getattr(plain, ATTRIBUTE, None)
    if isinstance(found, Declaration):
        if found.describe:
            return found
        return Declaration(_first_line(plain), found.weights, found.texts, found.scores, found.prepare)
    return Declaration(_first_line(plain))


def _first_line(function: Any) -> str:
    lines = (function.__doc__ or "").strip().splitlines()
    return str(lines[0]).rstrip(".") if lines else ""


def check_bounds(name: str, value: float, weight: Weight, where: str) -> float:
    """Return a weight's value if it is a number within its bounds.

    Raises
    ------
    InputError
        If it is not.
    """
    if not math.isfinite(value) or not weight.low <= value <= weight.high:
        raise InputError(f"{where}: {name} = {value:g}; allowed: {weight.low:g} to {weight.high:g}")
    return value
