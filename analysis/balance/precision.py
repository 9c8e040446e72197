"""Games until an answer is precise enough, by a rule that stays valid however often it looks.

The rule (`Looks`) is a fixed schedule of looks with a corrected level:

- A *pilot* of a fixed number of games is played. Nothing is concluded from it; the width of its intervals says how
  many games the first look is to have (none more, if the pilot is enough already).
- Look 1 takes intervals of level 1 − 0.8 α, look 2 of 1 − 0.1 α, look 3 of 1 − 0.05 α, and so on by halves, where
  1 − α is the level asked for. The first look whose widest interval is narrow enough is the last; else the next look
  has as many games as the widths ask for, at least 1.1 times those of the last one.

The levels that may be missed add up to α, so that whichever look turns out to be the last, its interval misses the
true value with a probability of at most α (Bonferroni). How many games a look has depends on the variances seen and
not on the means; a mean over such a number of games is still asymptotically normal (F. J. Anscombe, *Large-sample
theory of sequential estimation*, Proc. Cambridge Phil. Soc. 48, 1952). The price is small: intervals of level 0.96
instead of 0.95 at the first look need a tenth more games.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from analysis.lineups import MOST_GAMES
from analysis.stats import LEVEL
from sim.errors import InputError, RunError

Kind = Literal["vp", "pp"]

FIRST_LOOK: Final = 0.8
"""Part of the level that the first look may use up."""
_MARGIN: Final = 1.04
_LEAST_GROWTH: Final = 1.1
_FORM: Final = re.compile(r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>vp|pp)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Precision:
    """Half the width that every interval of a kind is to have at most.

    Attributes
    ----------
    half_width
        In VP, or as a share (0.002 for 0.2 percentage points).
    kind
        ``vp``: means of VP; ``pp``: win shares.
    """

    half_width: float
    kind: Kind

    def __str__(self) -> str:
        number = self.half_width if self.kind == "vp" else 100 * self.half_width
        return f"{number:g}{self.kind}"


def parse_precision(text: str, kinds: tuple[Kind, ...] = ("vp", "pp")) -> Precision:
    """Read a precision such as ``0.5vp`` (half a VP) or ``0.2pp`` (0.2 percentage points of win share).

    Parameters
    ----------
    text
        As typed.
    kinds
        What the question at hand can be asked for.

    Raises
    ------
    InputError
        If it is not of that form, not positive, or of a kind that makes no sense here.

    Examples
    --------
    >>> parse_precision("0.2pp")
    Precision(half_width=0.002, kind='pp')
    """
    allowed = " or ".join({"vp": "0.5vp (VP)", "pp": "0.2pp (percentage points of win share)"}[kind] for kind in kinds)
    found = _FORM.fullmatch(text)
    if found is None or float(found["number"]) <= 0:
        raise InputError(f"precision {text!r}: write half the width wanted and its unit, such as {allowed}")
    kind: Kind = "vp" if found["unit"].lower() == "vp" else "pp"
    if kind not in kinds:
        raise InputError(f"precision {text!r}: this question takes {allowed}")
    number = float(found["number"])
    return Precision(number if kind == "vp" else number / 100, kind)


class Progress(Protocol):
    """Told how far the games have come."""

    def expect(self, games: int) -> None:
        """Take note of how many games there will be in all, as far as is known."""
        ...

    def advance(self, games: int) -> None:
        """Count games played."""
        ...


class Silent:
    """Shows no progress."""

    def expect(self, games: int) -> None:
        """Do nothing."""

    def advance(self, games: int) -> None:
        """Do nothing."""


SILENT: Final = Silent()


class Following:
    """Progress of a part that follows others.

    Parameters
    ----------
    progress
        Of the whole.
    played
        Games of the parts before.
    """

    def __init__(self, progress: Progress, played: int) -> None:
        self._progress, self._played = progress, played

    def expect(self, games: int) -> None:
        """Take note of how many games the part will have."""
        self._progress.expect(self._played + games)

    def advance(self, games: int) -> None:
        """Count games played."""
        self._progress.advance(games)


def widest(*widths: ArrayLike) -> float:
    """Return the largest of some intervals' half widths: not a number if one is unknown, which is not precise.

    Parameters
    ----------
    widths : float[n]
        Not a number, or null, where unknown; at least one in all.

    Examples
    --------
    >>> widest([0.1, 0.3], [0.2])
    0.3
    >>> widest([0.1, float("nan")])
    nan
    """
    return float(np.max(np.concatenate([np.ravel(np.asarray(each, dtype=np.float64)) for each in widths])))


class Study(Protocol):
    """Games whose answer becomes more precise the more of them are played."""

    @property
    def unit(self) -> int:
        """Games that are played together at least."""
        ...

    @property
    def pilot(self) -> int:
        """Games after which variances are known well enough to plan with."""
        ...

    def cost(self, games: int) -> int:
        """Count the games that all configurations play for so many of the study's."""
        ...

    def play(self, first: int, last: int) -> None:
        """Play units `first` … `last` − 1 and take them in."""
        ...

    def half_width(self, kind: Kind, level: float) -> float:
        """Half the width of the widest interval of a kind among those that are the answer; not a number if unknown."""
        ...


@dataclass(frozen=True)
class Extent:
    """What was played for an answer.

    Attributes
    ----------
    games
        Of the study.
    played
        Of all its configurations.
    level
        Of each interval at the look that was the last: what to compute intervals with.
    looks
        How many looks were taken; 0 if a number of games was given and nothing was looked at.
    half_width
        Half the width of the widest interval that a precision was asked for; None without one.
    """

    games: int
    played: int
    level: float
    looks: int
    half_width: float | None


def levels(level: float = LEVEL) -> Iterator[float]:
    """Level of the intervals of the first look, the second, and so on.

    Examples
    --------
    >>> from itertools import islice
    >>> [round(each, 5) for each in islice(levels(0.95), 3)]
    [0.96, 0.995, 0.9975]
    """
    risk = 1 - level
    yield 1 - FIRST_LOOK * risk
    rest = (1 - FIRST_LOOK) * risk
    while True:
        rest /= 2
        yield 1 - rest


def carry_out(
    study: Study, games: int, precision: Precision | None = None, progress: Progress = SILENT, level: float = LEVEL
) -> Extent:
    """Play a study: a number of games, or until it is precise enough.

    Parameters
    ----------
    study
        What is played.
    games
        How many games, rounded up to whole units, if no precision is asked for.
    precision
        Half the width wanted.
    progress
        Told how far it is.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    Extent
        With the level that intervals are to be computed with.

    Raises
    ------
    InputError
        If it would take more games than a run can have.
    """
    units = -(-(games if precision is None else study.pilot) // study.unit)
    progress.expect(study.cost(_checked(units, study, precision) * study.unit))
    study.play(0, units)
    if precision is None:
        return _extent(study, units, level, 0, None)
    for look, corrected in enumerate(levels(level), start=1):
        wanted = _units_for(study, units, precision, corrected, 1.0 if look == 1 else _LEAST_GROWTH)
        if wanted > units:
            progress.expect(study.cost(_checked(wanted, study, precision) * study.unit))
            study.play(units, wanted)
            units = wanted
        width = study.half_width(precision.kind, corrected)
        if width <= precision.half_width:
            return _extent(study, units, corrected, look, width)
    raise AssertionError("levels never end")


def _units_for(study: Study, units: int, precision: Precision, level: float, growth: float) -> int:
    """Units after which a look is expected to be the last; precision goes with the root of their number."""
    width = study.half_width(precision.kind, level)
    if math.isnan(width):
        return 4 * units
    needed = units * (width / precision.half_width) ** 2
    if needed <= units and growth == 1.0:
        return units
    return max(math.ceil(needed * _MARGIN), math.ceil(units * growth))


def _checked(units: int, study: Study, precision: Precision | None) -> int:
    if units * study.unit > MOST_GAMES:
        if precision is None:
            raise InputError(f"games: found {units * study.unit:,}; at most {MOST_GAMES:,} are possible in one run")
        raise RunError(
            f"precision {precision} would take about {units * study.unit:,} games; at most {MOST_GAMES:,} are possible"
        )
    return units


def _extent(study: Study, units: int, level: float, looks: int, width: float | None) -> Extent:
    games = units * study.unit
    return Extent(games, study.cost(games), level, looks, width)
