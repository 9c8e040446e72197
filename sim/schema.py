"""The schema of a ruleset file: which keys it has, and its faults in plain words."""

import types
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError

from sim.faults import suggestion
from sim.ruleset import CrossFaultsError, Fault, Ruleset


def schema_at(path: list[str]) -> tuple[Any, list[str]]:
    """Follow a key through the schema.

    Parameters
    ----------
    path
        The parts of a dotted key.

    Returns
    -------
    tuple
        The type found there, or None where the path leaves the schema; and the keys allowed where it ended, sorted as
        in the schema (empty inside a table with keys of its own, and below a value).

    Examples
    --------
    >>> schema_at(["bank", "coins"])
    (<class 'int'>, [])
    >>> schema_at(["bank", "coin"])
    (None, ['coins'])
    """
    here: Any = Ruleset
    for part in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            if part not in here.model_fields:
                return None, list(here.model_fields)
            here = here.model_fields[part].annotation
        elif get_origin(here) is dict:
            here = get_args(here)[1]
        else:
            return None, []
    return here, []


def is_list(kind: object) -> bool:
    """Tell whether a type found by `schema_at` is a list of values."""
    return get_origin(kind) is tuple


def checked(data: Mapping[str, Any]) -> tuple[Ruleset | None, list[Fault]]:
    """Check the tables of a whole ruleset.

    Parameters
    ----------
    data
        Tables as TOML gives them, any base already merged in.

    Returns
    -------
    tuple
        The ruleset and no faults, or None and the faults, each with its dotted key.

    Examples
    --------
    >>> checked({})[1][0]
    Fault(key='name', message='missing; it has to be given')
    """
    try:
        return Ruleset.model_validate(data), []
    except ValidationError as error:
        return None, [fault for detail in error.errors() for fault in _in_words(dict(detail))]


def _in_words(detail: dict[str, Any]) -> list[Fault]:
    """Translate one fault of the schema."""
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, CrossFaultsError):
        return cause.faults
    path = [str(part) for part in detail["loc"] if part != "[key]"]
    message = str(cause) if cause else _PHRASES.get(detail["type"], _unforeseen)(detail)
    if detail["type"] == "extra_forbidden":
        _, allowed = schema_at(path)
        message = f"unknown key; allowed here: {', '.join(allowed)}{suggestion(path[-1], allowed)}"
    if is_list(schema_at(path[:-1])[0]):
        message = f"value {int(path.pop()) + 1} of the list: {message}"
    return [Fault(".".join(path) or "the file", message)]


def _unforeseen(detail: dict[str, Any]) -> str:
    return f"found {detail['input']!r}: {detail['msg']}"


def _needs(what: str) -> Callable[[dict[str, Any]], str]:
    return lambda detail: f"found {detail['input']!r}; {what.format(**detail.get('ctx', {}))}"


_PHRASES: Final[Mapping[str, Callable[[dict[str, Any]], str]]] = types.MappingProxyType(
    {
        "missing": lambda detail: "missing; it has to be given",
        "int_type": _needs("a whole number is needed"),
        "greater_than_equal": _needs("allowed: {ge} or more"),
        "less_than_equal": _needs("allowed: {le} or less"),
        "tuple_type": _needs("a list is needed"),
        "string_type": _needs("a text is needed"),
        "model_type": _needs("a table is needed"),
        "dict_type": _needs("a table is needed"),
        "literal_error": _needs("allowed: {expected}"),
        "too_short": _needs("allowed: {min_length} or more entries"),
        "too_long": lambda detail: (
            f"found {detail['ctx']['actual_length']} entries; allowed: {detail['ctx']['max_length']} or fewer"
        ),
        "string_too_short": _needs("a text that is not empty is needed"),
    }
)
