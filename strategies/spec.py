"""How a strategy is spelled: ``name``, ``name:weight=1.5``, ``name@weights.toml``, ``path/to/bot.py:name``.

The whole grammar::

    spec     = base ["@" file ".toml"] [":" settings]
    base     = name | path ".py:" function
    settings = name "=" value {"," name "=" value}
    value    = number | text | "(" spec ")"

A value that holds commas of its own stands in parentheses: ``rollout:budget=64,base=(balanced:publish=1.5,bank=2)``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sim.errors import InputError

GRAMMAR: Final = (
    "a strategy is written name, name:weight=1.5,other=2, name@weights.toml or path/to/bot.py:function, "
    "the last two with :weight=1.5 behind them if need be"
)
_SETTING_FIRST: Final = r"(?![^\W\d][\w.-]*(?:@.+?\.toml)?:\s*\w+\s*=)"
"""Not a name with settings, which may name a file themselves."""
_FROM_FILE: Final = re.compile(
    _SETTING_FIRST + r"(?P<path>.+?\.py):(?P<function>[^\W\d]\w*)(?=[:@]|$)(?P<rest>.*)", re.DOTALL
)
_NAMED: Final = re.compile(r"(?P<name>[^\W\d][\w.-]*)(?P<rest>(?:[:@].*)?)", re.DOTALL)
_REST: Final = re.compile(r"(?:@(?P<file>.+?\.toml))?(?::(?P<settings>.+))?", re.DOTALL)


@dataclass(frozen=True)
class Spec:
    """A strategy's spelling, taken apart.

    Attributes
    ----------
    text
        As given.
    name
        Of a strategy that is known by name, or of the function in a file.
    path
        Python file that holds the function; empty for a known name.
    weights_file
        TOML file of weights; empty for none.
    settings
        Name → value as written.
    """

    text: str
    name: str
    path: str = ""
    weights_file: str = ""
    settings: dict[str, str] = field(default_factory=dict)


def parse(text: str) -> Spec:
    """Take a spec apart.

    Parameters
    ----------
    text
        Such as ``balanced:publish=1.5`` or ``path/to/bot.py:name``.

    Returns
    -------
    Spec
        Its parts; whether they exist is not looked at.

    Raises
    ------
    InputError
        If it is not spelled as the grammar wants it.

    Examples
    --------
    >>> parse("balanced@mine.toml:publish=1.5").settings
    {'publish': '1.5'}
    >>> parse("bots/mine.py:eager").path
    'bots/mine.py'
    """
    text = text.strip()
    found = _FROM_FILE.fullmatch(text) or _NAMED.fullmatch(text)
    if found is None or (not found.groupdict().get("path") and found["name"].endswith(".py")):
        if text.endswith(".py"):
            raise InputError(f"strategy {text!r}: which function of the file? Write {text}:name")
        raise InputError(f"strategy {text!r}: {GRAMMAR}")
    rest = _REST.fullmatch(found["rest"])
    if rest is None:
        raise InputError(f"strategy {text!r}: cannot read {found['rest']!r}; {GRAMMAR}")
    groups = found.groupdict()
    return Spec(
        text,
        groups.get("function") or groups["name"],
        groups.get("path") or "",
        rest["file"] or "",
        _settings(rest["settings"] or "", text),
    )


def _settings(text: str, spec: str) -> dict[str, str]:
    settings: dict[str, str] = {}
    for part in _split(text) if text else ():
        name, equals, value = part.partition("=")
        name, value = name.strip(), value.strip()
        if not (name and equals and value):
            raise InputError(f"strategy {spec!r}: found {part!r} where name=value is wanted")
        if name in settings:
            raise InputError(f"strategy {spec!r}: {name} is given twice")
        settings[name] = value[1:-1] if value.startswith("(") and value.endswith(")") else value
    return settings


def _split(text: str) -> list[str]:
    """Cut at the commas that stand in no parentheses."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def with_weights(spec: Spec, weights: Mapping[str, float]) -> str:
    """Spell a strategy with other weights.

    Parameters
    ----------
    spec
        The strategy as it was spelled.
    weights
        Name → value of those that differ.

    Examples
    --------
    >>> with_weights(parse("balanced@mine.toml:publish=1.5"), {"bank": 0.25})
    'balanced@mine.toml:publish=1.5,bank=0.25'
    """
    file = f"@{spec.weights_file}" if spec.weights_file else ""
    settings = {**spec.settings, **{name: repr(value) for name, value in weights.items()}}
    return f"{_base(spec)}{file}:" + ",".join(f"{name}={_enclosed(value)}" for name, value in settings.items())


def with_file(spec: Spec, file: str | Path, replaced: Collection[str] = ()) -> str:
    """Spell a strategy with the weights of a file.

    Parameters
    ----------
    spec
        The strategy as it was spelled.
    file
        TOML file of weights.
    replaced
        Names of weights that the file holds: what was set for them is left out, so that the file counts.

    Examples
    --------
    >>> with_file(parse("bots/mine.py:mine:publish=1.5,bank=2"), "tuned.toml", ["bank"])
    'bots/mine.py:mine@tuned.toml:publish=1.5'
    >>> with_file(parse("balanced"), "tuned.toml")
    'balanced@tuned.toml'
    """
    kept = [f"{name}={_enclosed(value)}" for name, value in spec.settings.items() if name not in replaced]
    return ":".join([f"{_base(spec)}@{file}", *([",".join(kept)] if kept else [])])


def _base(spec: Spec) -> str:
    return f"{spec.path}:{spec.name}" if spec.path else spec.name


def _enclosed(value: str) -> str:
    return f"({value})" if "," in value or ":" in value else value
