"""How findings and tables write numbers: an estimate with its interval looks the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_OWN_ENDS: Final = ("estimate", "difference", "balance")
"""Columns whose ends are called ``low`` and ``high``; those of any other ``x`` are ``x_low`` and ``x_high``."""


def written(value: float, digits: int = 1, sign: str = "") -> str:
    """Write a number; one that is rounded to nothing has no minus.

    Examples
    --------
    >>> written(-0.04), written(0.04, sign="+"), written(1234.5, 0)
    ('0.0', '+0.0', '1234')
    """
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"


def ends_of(row: Mapping[str, Any], name: str) -> tuple[float | None, float | None]:
    """Return the ends of the interval of a column."""
    low, high = ("low", "high") if name in _OWN_ENDS else (f"{name}_low", f"{name}_high")
    return row[low], row[high]


def estimate(
    row: Mapping[str, Any], name: str = "estimate", digits: int = 1, *, sign: str = "", scale: float = 1, unit: str = ""
) -> str:
    """Write an estimate and, if it is known, its interval; only a bound where nothing else is known.

    Parameters
    ----------
    row
        Of a frame.
    name
        Column of the estimate.
    digits
        After the point.
    sign
        ``+`` for a difference.
    scale, unit
        What it is multiplied by, and what stands behind it.

    Examples
    --------
    >>> estimate({"estimate": 4.25, "low": 4.0, "high": 4.5}, unit=" VP")
    '4.2 VP (4.0 – 4.5)'
    >>> estimate({"vp": -1.0, "vp_low": -2.0, "vp_high": 0.0}, "vp", 0, sign="+")
    '-1 (-2 to +0)'
    >>> estimate({"rating": None, "rating_low": None, "rating_high": -612.0}, "rating", 0)
    'below -612'
    """
    low, high = ends_of(row, name)
    if row[name] is None:
        bounds = (("above", low), ("below", high))
        return (
            " ".join(f"{side} {written(scale * end, digits, sign)}{unit}" for side, end in bounds if end is not None)
            or "–"
        )
    value = written(scale * row[name], digits, sign) + unit
    if low is None or high is None:
        return value
    between = " to " if sign or low < 0 else " – "
    return f"{value} ({written(scale * low, digits, sign)}{between}{written(scale * high, digits, sign)})"


def interval_of(about: Mapping[str, Any]) -> str:
    """Name the intervals of an answer: those of a precision are of a higher level than is asked for.

    Examples
    --------
    >>> interval_of({"level of intervals": 0.95}), interval_of({"level of intervals": 0.995})
    ('95% interval', '99.5% interval')
    """
    return f"{100 * about['level of intervals']:.4g}% interval"


def share(row: Mapping[str, Any], name: str = "estimate", digits: int = 1) -> str:
    """Write a share as a percentage with its interval.

    Examples
    --------
    >>> share({"win_share": 0.25, "win_share_low": 0.2, "win_share_high": 0.306}, "win_share")
    '25.0% (20.0 – 30.6)'
    """
    return estimate(row, name, digits, scale=100, unit="%")


def points(row: Mapping[str, Any], name: str = "estimate", digits: int = 2) -> str:
    """Write a difference of shares in percentage points with its interval.

    Examples
    --------
    >>> points({"difference": 0.0125, "low": 0.01, "high": 0.015}, "difference")
    '+1.25 pp (+1.00 to +1.50)'
    """
    return estimate(row, name, digits, sign="+", scale=100, unit=" pp")


def vp(row: Mapping[str, Any], name: str = "estimate", digits: int = 2) -> str:
    """Write a difference of VP with its interval.

    Examples
    --------
    >>> vp({"estimate": 3.14159, "low": None, "high": None})
    '+3.14 VP'
    """
    return estimate(row, name, digits, sign="+", unit=" VP")


def p_in_words(p: float) -> str:
    """Write a p value in a sentence.

    Examples
    --------
    >>> p_in_words(0.0421), p_in_words(1e-9)
    ('= 0.042', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
