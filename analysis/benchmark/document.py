"""A whole benchmark: what is wanted, measured, and written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import BaseModel, SerializeAsAny

from analysis.benchmark import layers as layering
from analysis.benchmark import speeds as speeding
from analysis.benchmark.cases import Case, cases, player_counts
from analysis.benchmark.figures import Document
from analysis.benchmark.machine import facts
from analysis.benchmark.speeds import Tell, say_nothing, thread_counts
from analysis.benchmark.verdicts import Verdict
from sim.errors import InputError
from sim.faults import one_of

NONE = "none"


@dataclass(frozen=True)
class Wanted:
    """What a benchmark is to measure; make one with `of`.

    Attributes
    ----------
    speeds, layered
        Cases whose speeds and layers are timed.
    layers
        Which layers.
    threads, seconds, repeats
        How: by how many threads, and how long and how often each line is timed.
    """

    speeds: tuple[Case, ...]
    layered: tuple[Case, ...]
    layers: tuple[str, ...]
    threads: tuple[int, ...]
    seconds: float
    repeats: int

    @classmethod
    def of(
        cls,
        strategies: Sequence[str] | None = None,
        players: Sequence[int] | None = None,
        threads: Sequence[int] | None = None,
        layers: Sequence[str] = (),
        seconds: float = 0.15,
        repeats: int = 5,
    ) -> Wanted:
        """Take what was asked for and fill in the rest.

        Parameters
        ----------
        strategies, players, threads
            What is timed; None for the standard ones. Layers are then those of two strategies and most players.
        layers
            If given, only these are timed, and no speeds; ``none`` for speeds only.
        seconds, repeats
            Of each line.

        Raises
        ------
        InputError
            If anything cannot be used.

        Examples
        --------
        >>> wanted = Wanted.of(["random"], [2], layers=["none"])
        >>> [case.name for case in wanted.speeds], wanted.layered
        (['random-2'], ())
        """
        for layer in layers:
            if layer not in (*layering.LAYERS, NONE):
                raise InputError(f"layer {layer!r}: {one_of(layer, [*layering.LAYERS, NONE])}")
        only_layers = bool(layers) and NONE not in layers
        return cls(
            speeds=() if only_layers else tuple(cases(strategies, players)),
            layered=()
            if NONE in layers
            else tuple(cases(strategies or layering.STRATEGIES, players or player_counts()[-1:])),
            layers=tuple(layers or layering.LAYERS),
            threads=tuple(dict.fromkeys(threads or thread_counts())),
            seconds=seconds,
            repeats=repeats,
        )


class _Whole(Document):
    comparison: tuple[SerializeAsAny[BaseModel], ...] = ()


def measured(wanted: Wanted, tell: Tell = say_nothing) -> Document:
    """Measure what is wanted.

    Parameters
    ----------
    wanted
        Lines and how they are timed.
    tell
        Told what is timed next.

    Raises
    ------
    RunError
        If the games are not the right ones.
    """
    how = (wanted.threads, wanted.seconds, wanted.repeats)
    speeds = tuple(speeding.suite(wanted.speeds, *how, tell))
    layers = tuple(layering.suite(wanted.layered, wanted.layers, *how, tell))
    rulers = [repeat.yardstick_ns for line in (*speeds, *layers) for repeat in line.repeats]
    return Document(machine=facts(), yardstick_ns=median(rulers), speeds=speeds, layers=layers)


def as_json(document: Document, comparison: Sequence[Verdict] = ()) -> str:
    """Write a benchmark, and what it was compared with, as JSON that `read_document` reads again."""
    return _Whole(**dict(document), comparison=tuple(comparison)).model_dump_json(indent=2)
