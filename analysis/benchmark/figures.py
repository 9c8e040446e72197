"""What was measured, as it is written to JSON and read again: repeats, lines, a whole benchmark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveFloat, PositiveInt, computed_field
from scipy.stats import median_abs_deviation

SCHEMA: Final = 1
REFERENCE_YARDSTICK: Final = 34.0
"""Nanoseconds of the machine that games per second are scaled to."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Figure(_Frozen):
    """Median of several repeats and their spread.

    Attributes
    ----------
    spread
        Median absolute deviation, scaled to be the standard deviation of normal noise; one outlier changes nothing.
    """

    median: float
    spread: float


class Repeat(_Frozen):
    """One timing.

    Attributes
    ----------
    games
        Games played; 0 where decisions were timed one by one.
    decisions
        Of them, those with more than one legal action.
    seconds, cpu_seconds
        By the clock; of this process on all cores.
    yardstick_ns
        Mean of the yardstick right before and right after, in nanoseconds.
    """

    games: NonNegativeInt
    decisions: PositiveInt
    seconds: PositiveFloat
    cpu_seconds: PositiveFloat
    yardstick_ns: PositiveFloat

    @property
    def ns_a_decision(self) -> float:
        """Nanoseconds a decision takes."""
        return self.seconds * 1e9 / self.decisions

    @property
    def yardsticks(self) -> float:
        """Yardsticks a decision takes."""
        return self.ns_a_decision / self.yardstick_ns


class Line(_Frozen):
    """One line of a benchmark.

    Attributes
    ----------
    players, strategy, threads
        What was played: the strategy in all seats.
    layer
        How much was kept of the games (`analysis.benchmark.layers`), or ``choices`` for decisions without games.
    fingerprint
        Of games or decisions.
    checked
        Whether an accepted fingerprint agreed; there is none of strategies of one's own.
    repeats
        In the order in which they were timed.
    """

    players: PositiveInt
    strategy: str
    threads: PositiveInt
    layer: str
    fingerprint: str
    checked: bool
    repeats: tuple[Repeat, ...] = Field(min_length=1)

    @property
    def key(self) -> tuple[int, str, int, str]:
        """What makes two lines of two benchmarks the same line."""
        return self.players, self.strategy, self.threads, self.layer

    def figure(self, of: Callable[[Repeat], float]) -> Figure:
        """Return median and spread of a quantity."""
        values = np.array([of(repeat) for repeat in self.repeats])
        return Figure(median=float(np.median(values)), spread=float(median_abs_deviation(values, scale="normal")))

    def _of_games(self, of: Callable[[Repeat], float]) -> Figure | None:
        return self.figure(of) if all(repeat.games for repeat in self.repeats) else None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def games_per_second(self) -> Figure | None:
        """Games a second; None where decisions were timed."""
        return self._of_games(lambda repeat: repeat.games / repeat.seconds)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def games_per_second_at_reference(self) -> Figure | None:
        """The same, scaled to a machine whose yardstick is `REFERENCE_YARDSTICK`."""
        return self._of_games(lambda repeat: repeat.games / repeat.seconds * repeat.yardstick_ns / REFERENCE_YARDSTICK)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def decisions_per_second(self) -> Figure:
        """Decisions a second."""
        return self.figure(lambda repeat: repeat.decisions / repeat.seconds)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ns_a_decision(self) -> Figure:
        """Nanoseconds by the clock for one decision."""
        return self.figure(lambda repeat: repeat.ns_a_decision)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def yardsticks_a_decision(self) -> Figure:
        """Yardsticks for one decision: the figure to compare between machines."""
        return self.figure(lambda repeat: repeat.yardsticks)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cores_used(self) -> Figure:
        """Processor time for a second by the clock: fewer than threads where other programs ran, or threads waited."""
        return self.figure(lambda repeat: repeat.cpu_seconds / repeat.seconds)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def cpu_us_a_game(self) -> Figure | None:
        """Microseconds of processor time for one game, whatever was done at the same time."""
        return self._of_games(lambda repeat: repeat.cpu_seconds * 1e6 / repeat.games)


class Document(_Frozen):
    """A whole benchmark.

    Attributes
    ----------
    schema_version
        Of this document.
    machine
        Where, when and with what it was measured (`analysis.benchmark.machine.facts`).
    yardstick_ns
        Median of all that were measured.
    speeds
        Games and decisions by strategy, players and threads.
    layers
        The same games with more and more kept of them.
    """

    schema_version: int = SCHEMA
    machine: dict[str, str | int | float]
    yardstick_ns: PositiveFloat
    speeds: tuple[Line, ...]
    layers: tuple[Line, ...]

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines, each once: a speed may be a layer too, and counts as a speed."""
        return tuple({line.key: line for line in (*self.layers, *self.speeds)}.values())


def speed_up(line: Line, base: Line) -> Figure:
    """Return how many times as fast a line is as another, repeat by repeat (they were timed in turn)."""
    ratios = [
        (one.decisions / one.seconds) / (other.decisions / other.seconds)
        for one, other in zip(line.repeats, base.repeats, strict=False)
    ]
    return Figure(median=float(np.median(ratios)), spread=float(median_abs_deviation(ratios, scale="normal")))
