"""Changes to a ruleset or card set: those of a file that names a base, and those typed as `key=value`."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sim.errors import InputError
from sim.faults import one_of, suggestion
from sim.ruleset import Ruleset, flatten, prefixes
from sim.schema import is_list, schema_at

TABLES: Final = ("animals", "experts", "tokens")
"""First parts of keys that mean a card."""

LISTED: Final = ("types", "board.spaces", "reputation.track")
"""Tables whose keys are free; given in a file, they replace those of the base as a whole."""


class Override(NamedTuple):
    """One typed change.

    Examples
    --------
    >>> parse("experts.7.amount=3")
    Override(text='experts.7.amount=3', path=['experts', '7', 'amount'], value='3')
    """

    text: str
    path: list[str]
    value: str

    @property
    def key(self) -> str:
        """The dotted key."""
        return ".".join(self.path)

    def touches(self, key: str) -> bool:
        """Tell whether the change may be the reason for a fault of a key."""
        return self.key in prefixes(key) or key in prefixes(self.key)


def parse(text: str) -> Override:
    """Split `key=value`.

    Parameters
    ----------
    text
        The change as typed, such as `bank.coins=12`.

    Returns
    -------
    Override
        Its parts; the value still a text.

    Raises
    ------
    InputError
        If it is not of that form.

    Examples
    --------
    >>> parse("bank.coins = 12").path
    ['bank', 'coins']
    """
    key, equals, value = text.partition("=")
    path = [part.strip() for part in key.split(".")]
    if path[0] == "provenance":
        # The keys of this table are dotted themselves.
        path = [path[0], ".".join(path[1:]).strip("\"'")] if len(path) > 1 else path
    if not equals or not value.strip() or not all(path):
        raise InputError(f"override {text!r}: write key=value, such as bank.coins=12")
    return Override(text, path, value.strip())


def split(texts: Iterable[str]) -> tuple[list[Override], list[Override]]:
    """Part the changes of the ruleset from those of the cards.

    Returns
    -------
    tuple
        Changes of the ruleset, changes of the cards.

    Raises
    ------
    InputError
        If one begins with a word that is neither.

    Examples
    --------
    >>> rules, cards = split(["rounds=5", "animals.5.continent=Asia"])
    >>> [change.key for change in cards]
    ['animals.5.continent']
    """
    parsed = [parse(text) for text in texts]
    heads = [*Ruleset.model_fields, *TABLES]
    for change in parsed:
        if change.path[0] not in heads:
            raise InputError(f"override {change.text!r}: unknown key: {one_of(change.path[0], heads)}")
    cards = [change for change in parsed if change.path[0] in TABLES]
    return [change for change in parsed if change.path[0] not in TABLES], cards


def merge(base: Mapping[str, Any], change: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Lay tables over those of a base.

    Parameters
    ----------
    base, change
        Tables as TOML gives them.
    above
        The dotted key of both, with a dot at the end.

    Returns
    -------
    dict
        The merged tables; a table of `LISTED` comes from the change as a whole.

    Examples
    --------
    >>> merge({"bank": {"coins": 5}, "rounds": 6}, {"bank": {"coins": 4}})
    {'bank': {'coins': 4}, 'rounds': 6}
    """
    merged = dict(base)
    for key, value in change.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict) and f"{above}{key}" not in LISTED
        merged[key] = merge(old, value, f"{above}{key}.") if both and isinstance(old, dict) else value
    return merged


def layered(base: Ruleset, change: Mapping[str, Any]) -> dict[str, Any]:
    """Lay a file over the ruleset that it names as its base.

    Parameters
    ----------
    base
        The checked base.
    change
        The tables of the file.

    Returns
    -------
    dict
        The merged tables. A value that the file changes without saying where it comes from is marked as changed, and
        provenance of keys that are gone is dropped.
    """
    old = base.model_dump(mode="json")
    own = change.get("provenance", {})
    merged = merge(old, change)
    if isinstance(own, dict):
        merged["provenance"] = _provenance(old, merged, own)
    return merged


def overridden(rules: Ruleset, changes: Sequence[Override]) -> dict[str, Any]:
    """Return the tables of a ruleset after typed changes.

    Parameters
    ----------
    rules
        The checked ruleset.
    changes
        Changes of the ruleset, applied in turn.

    Returns
    -------
    dict
        The changed tables, still to be checked.

    Raises
    ------
    InputError
        If a key is unknown.
    """
    old = rules.model_dump(mode="json")
    data = rules.model_dump(mode="json")
    for change in changes:
        _apply(data, change)
    told: dict[str, Any] = {"provenance": {}}
    for change in changes:
        if change.path[0] == "provenance":
            _apply(told, change)
    if isinstance(told["provenance"], dict):
        data["provenance"] = _provenance(old, data, told["provenance"])
    return data


def _apply(data: dict[str, Any], change: Override) -> None:
    """Set one value in place."""
    kind, allowed = schema_at(change.path)
    table: Any = data
    for depth, part in enumerate(change.path[:-1]):
        if kind is not None and isinstance(table, dict) and part not in table:
            # Only tables with keys of their own get here: the schema knows the key and the ruleset lacks the entry.
            kind, allowed = None, [*table, f"or a new one as {'.'.join(change.path[: depth + 1])}={{…}}"]
        table = table.get(part) if isinstance(table, dict) else None
    if kind is None or not isinstance(table, dict):
        unknown = _unknown_part(data, change)
        hint = f"allowed here: {', '.join(allowed)}" if allowed else "there are no keys below a value"
        raise InputError(f"override {change.text!r}: unknown key {change.key!r}; {hint}{suggestion(unknown, allowed)}")
    last = change.path[-1]
    value = _value(change.value, kind)
    if isinstance(value, dict) and isinstance(table.get(last), dict) and change.key not in LISTED:
        value = merge(table[last], value, f"{change.key}.")
    table[last] = value


def _unknown_part(data: Any, change: Override) -> str:
    """Return the first part of a key that leads nowhere."""
    for part in change.path:
        if not isinstance(data, dict) or part not in data:
            return part
        data = data[part]
    return change.path[-1]


def _value(text: str, kind: object) -> Any:
    """Read the right side of a change: TOML, a list without brackets, or a bare word."""
    if kind is str and text[0] not in "\"'":
        return text
    value = _toml(text)
    if value is None:
        value = [_word(part.strip()) for part in text.split(",")] if "," in text and is_list(kind) else text
    return [value] if is_list(kind) and not isinstance(value, list | dict) else value


def _word(text: str) -> Any:
    value = _toml(text)
    return text if value is None else value


def _toml(text: str) -> Any:
    """Read one TOML value; None if the text is none."""
    try:
        tables = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
    return tables["value"] if len(tables) == 1 else None


def _provenance(old: Mapping[str, Any], new: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known about the values of `new`: its own word first, then that of `old` where nothing changed."""
    known = old["provenance"]
    before, after = (flatten({**tables, "provenance": {}, "name": {}}) for tables in (old, new))
    keys = {prefix for key in after for prefix in prefixes(key)}
    kept = {key: text for key, text in known.items() if key in keys and not set(prefixes(key)) & set(own)}
    for key, value in after.items():
        if (key not in before or before[key] != value) and not set(prefixes(key)) & set(own):
            kept[key] = " ".join(["changed", *look_up(known, key).split(" ")[1:]])
    return kept | dict(own)


def look_up(provenance: Mapping[str, str], key: str) -> str:
    """Return what the closest table above a key, or the key itself, says of it; nothing if none does.

    Examples
    --------
    >>> look_up({"board": "A 4.1", "board.spaces.3": "S 4.1"}, "board.spaces.3.amount")
    'S 4.1'
    """
    return next((provenance[prefix] for prefix in prefixes(key) if prefix in provenance), "")


def cause(key: str, changes: Sequence[Override]) -> str:
    """Name the last change that touches a key; nothing if none does."""
    return next((f"override {change.text!r}" for change in reversed(changes) if change.touches(key)), "")
