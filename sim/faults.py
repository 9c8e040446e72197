"""How a fault in something given from outside is put into words."""

import difflib
from collections.abc import Iterable, Sequence
from typing import NoReturn

from sim.errors import InputError

SHOWN = 5
"""Faults that one message names; the rest are counted."""


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """Return the words that point to the allowed name closest to a mistyped one, or nothing.

    Examples
    --------
    >>> suggestion("ofsets", ["offsets", "coins"])
    "; did you mean 'offsets'?"
    >>> suggestion("x", ["offsets"])
    ''
    """
    close = difflib.get_close_matches(word, list(allowed), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def one_of(found: object, allowed: Sequence[str]) -> str:
    """Say what was found and what is allowed instead.

    Examples
    --------
    >>> one_of("fixd", ["fixed", "rotate"])
    "found 'fixd'; allowed: fixed, rotate; did you mean 'fixed'?"
    """
    return f"found {found!r}; allowed: {', '.join(allowed) or 'nothing'}{suggestion(str(found), allowed)}"


def fail(faults: Sequence[str]) -> NoReturn:
    """Raise the first few faults as one error, one per line.

    Raises
    ------
    InputError
        Always.
    """
    rest = len(faults) - SHOWN
    lines = [*faults[:SHOWN], *([f"and {rest} more"] if rest > 0 else [])]
    raise InputError("\n".join(lines))
