"""What two benchmarks say about each other, in yardsticks, with allowance for noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from scipy.stats import ttest_ind

from analysis.benchmark.figures import SCHEMA, Document, Line
from sim.errors import InputError

LEVEL: Final = 0.99
"""Probability that an interval holds the true ratio, were the repeats all the noise there is."""
TOLERANCE: Final = 0.05
"""What one program differs from itself by, from one process to the next, beyond what its repeats show."""
_TRIM: Final = 0.2

Word = Literal["faster", "slower", "no difference seen", "too few repeats"]


class Verdict(BaseModel):
    """What became of a line.

    Attributes
    ----------
    players, strategy, threads, layer
        Which line.
    ratio
        Yardsticks a decision now, for one then; below 1 is faster.
    low, high
        Interval of the ratio; None where there are too few repeats to know.
    word
        ``faster`` and ``slower`` only if the whole interval says so and is further from 1 than `TOLERANCE`.
    cores_then, cores
        Cores used by either (`Line.cores_used`): where they differ, so did the machine, or threads wait for each other.
    same_games
        Whether both played the same games; if not, the ratio is that of a decision in different games.
    """

    model_config = ConfigDict(frozen=True)

    players: int
    strategy: str
    threads: int
    layer: str
    ratio: float
    low: float | None
    high: float | None
    word: Word
    cores_then: float
    cores: float
    same_games: bool


def read_document(path: str | Path) -> Document:
    """Read what an earlier ``bench --json`` printed.

    Raises
    ------
    InputError
        If the file cannot be read or is something else.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        document = Document.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(
            f"{path}: not what encyclopedia bench --json prints: {where}: {first['msg'].lower()}"
        ) from None
    if document.schema_version != SCHEMA:
        raise InputError(f"{path}: schema_version: found {document.schema_version}; this program reads {SCHEMA}")
    return document


def ratio_of(then: Sequence[float], now: Sequence[float]) -> tuple[float, float | None, float | None]:
    """Return the ratio of two series of timings, with an interval.

    The interval is Yuen's for the difference of trimmed means of two samples of unequal variance (K. K. Yuen, *The
    two-sample trimmed t for unequal population variances*, Biometrika 61, 1974), of logarithms: a repeat that was
    disturbed is cut off and does not decide.

    Parameters
    ----------
    then, now
        Timings, all positive.

    Returns
    -------
    float, float or None, float or None
        Ratio of the medians, now to then; lower and upper end, None with fewer than two timings on a side.

    Examples
    --------
    >>> ratio, low, high = ratio_of([1.0, 1.01, 0.99, 1.0, 1.0], [2.0, 2.02, 1.98, 2.0, 5.0])
    >>> round(ratio, 2), round(low, 1), round(high, 1)
    (2.0, 1.9, 2.1)
    """
    before, after = np.log(then), np.log(now)
    ratio = math.exp(float(np.median(after) - np.median(before)))
    if min(len(then), len(now)) < 2:
        return ratio, None, None
    if np.ptp(before) == 0 and np.ptp(after) == 0:
        return ratio, ratio, ratio
    interval = ttest_ind(after, before, equal_var=False, trim=_TRIM).confidence_interval(LEVEL)
    # The median of a skewed few may lie outside an interval of trimmed means.
    return ratio, min(math.exp(interval.low), ratio), max(math.exp(interval.high), ratio)


def _word(low: float | None, high: float | None) -> Word:
    if low is None or high is None:
        return "too few repeats"
    if low > 1 + TOLERANCE:
        return "slower"
    return "faster" if high < 1 / (1 + TOLERANCE) else "no difference seen"


def verdict(then: Line, now: Line) -> Verdict:
    """Compare a line with itself in an earlier benchmark."""
    ratio, low, high = ratio_of(
        [repeat.yardsticks for repeat in then.repeats], [repeat.yardsticks for repeat in now.repeats]
    )
    return Verdict(
        players=now.players,
        strategy=now.strategy,
        threads=now.threads,
        layer=now.layer,
        ratio=ratio,
        low=low,
        high=high,
        word=_word(low, high),
        cores_then=then.cores_used.median,
        cores=now.cores_used.median,
        same_games=then.fingerprint == now.fingerprint,
    )


def compare(then: Document, now: Document) -> list[Verdict]:
    """Compare the lines that two benchmarks share.

    Raises
    ------
    InputError
        If they share none.
    """
    before = {line.key: line for line in then.lines}
    found = [verdict(before[line.key], line) for line in now.lines if line.key in before]
    if not found:
        raise InputError("the two benchmarks have no line in common: other players, strategies, threads or layers")
    return found
