"""What is said about words that typer cannot make anything of: what was given, and what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin

if TYPE_CHECKING:
    from typer.exceptions import TyperException

_NUMBERS: Final = {int: "a whole number", float: "a number"}


def in_words(error: TyperException) -> str:
    """Say in a line what was wrong with a command line; nothing where help was shown instead.

    Parameters
    ----------
    error
        Raised by typer.
    """
    parameter = getattr(error, "param", None)
    wanted, found = _wanted(parameter), _found(error)
    if wanted and found is not None:
        message = f"{' / '.join(parameter.opts)}: found {found!r}; {wanted}"  # type: ignore[union-attr]
    else:
        message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see {context.command_path} --help" if message and context is not None else message


def _found(error: TyperException) -> Any:
    """Return what was typed, as the validation saw it; None if that is not known."""
    faults = getattr(error.__cause__, "errors", None)
    return faults()[0].get("input") if faults is not None else None


def _wanted(parameter: Any) -> str:
    """Say which numbers or words a parameter takes; nothing where typer says it well enough."""
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    if get_origin(kind) is Literal:
        return f"allowed: {', '.join(get_args(kind))}"
    if kind not in _NUMBERS:
        return ""
    low, high = parameter.min, parameter.max
    ends = f" of at least {low}" if high is None else f" from {low} to {high}"
    return f"{_NUMBERS[kind]}{'' if low is None else ends} is needed"
