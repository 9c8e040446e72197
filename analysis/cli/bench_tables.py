"""How benchmarks look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.benchmark.figures import REFERENCE_YARDSTICK, Figure, speed_up
from analysis.benchmark.layers import ENGINE, LAYERS
from analysis.benchmark.verdicts import LEVEL, TOLERANCE, Verdict
from analysis.cli.tables import table

if TYPE_CHECKING:
    from rich.table import Table

    from analysis.benchmark.figures import Document
    from analysis.benchmark.guard import Guarded

_OTHER_CORES = 0.1
_BUSY = 0.5
"""Processes that ran in the minute before; figures of an idle machine are better."""


def number(value: float) -> str:
    """Write a figure with about three digits or more."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def middle(figure: Figure | None) -> str:
    """Write a median; a dash for what is not known."""
    return "–" if figure is None else number(figure.median)


def spread(figure: Figure | None) -> str:
    """Write a spread as a share of the median."""
    return "" if figure is None else f"±{100 * figure.spread / figure.median:.1f}%"


def speed_table(document: Document) -> Table:
    """Show games and decisions a second, one row a line."""
    alone = {(line.players, line.strategy): line for line in document.speeds if line.threads == 1}
    rows = []
    for line in document.speeds:
        base = alone.get((line.players, line.strategy))
        ratio = "" if base is None or base is line else f"{speed_up(line, base).median:.2f}"
        rows.append(
            [
                str(line.players),
                line.strategy,
                str(line.threads),
                middle(line.games_per_second),
                middle(line.decisions_per_second),
                number(line.ns_a_decision.median),
                number(line.yardsticks_a_decision.median),
                spread(line.yardsticks_a_decision),
                middle(line.games_per_second_at_reference),
                number(line.cores_used.median),
                ratio,
            ]
        )
    columns = [
        "players", "strategy", "threads", "games/s", "decisions/s", "ns a decision", "yardsticks", "spread",
        f"games/s at {REFERENCE_YARDSTICK:.0f} ns", "cores", "times 1 thread",
    ]  # fmt: skip
    caption = (
        f"medians; yardsticks a decision, of {number(document.yardstick_ns)} ns here, with the spread of repeats; "
        "games with seats recorded\n"
        "– where single decisions were timed, because a game takes too long\n"
        "cores: processor time for time by the clock; fewer than threads where other programs ran"
    )
    return table("Speed", columns, rows, left=2, caption=caption)


def layer_table(document: Document) -> Table:
    """Say what keeping results costs, on top of the engine alone."""
    engines = {line.key[:3]: line for line in document.layers if line.layer == ENGINE}
    rows, last = [], None
    for line in document.layers:
        engine = engines[line.key[:3]].cpu_us_a_game
        cost = line.cpu_us_a_game
        assert engine is not None
        assert cost is not None
        extra = cost.median - engine.median
        group = [str(line.players), line.strategy, str(line.threads)]
        rows.append(
            [
                *(group if line.key[:3] != last else ["", "", ""]),
                LAYERS[line.layer],
                middle(line.games_per_second),
                number(cost.median),
                spread(cost),
                "" if line.layer == ENGINE else f"{extra:+.1f}",
                "" if line.layer == ENGINE else f"{100 * extra / engine.median:+.0f}%",
            ]
        )
        last = line.key[:3]
    columns = [
        "players", "strategy", "threads", "what is done", "games/s", "CPU µs a game", "spread", "on top",
        "of engine",
    ]  # fmt: skip
    caption = "CPU time of all threads together: files are written by a thread of their own while games go on"
    return table("Layers", columns, rows, left=4, caption=caption)


def notes(document: Document) -> list[str]:
    """Say what is to be known about the figures."""
    unknown = sorted({line.strategy for line in document.lines if not line.checked})
    said = [f"Timed without a check of the games, since none is recorded: {', '.join(unknown)}"] if unknown else []
    facts = document.machine
    if float(facts["load before"]) > _BUSY:
        said.append(f"The machine was busy (load {facts['load before']}): figures for several threads mean little")
    return [
        *said,
        f"{facts['processor']}, {facts['cores in use']} of {facts['cores']} cores; Python {facts['python']}, "
        f"numba {facts['numba']}; engine {facts['engine']}; yardstick {number(document.yardstick_ns)} ns",
    ]


def _in_words(found: Verdict) -> str:
    """Write a verdict, and what else was different."""
    said = _how_much(found)
    if not found.same_games:
        said += ", other games"
    if abs(found.cores / found.cores_then - 1) > _OTHER_CORES:
        said += f", on {found.cores:.1f} cores for {found.cores_then:.1f} then"
    return said


def _how_much(found: Verdict) -> str:
    """Write by how much a line is faster or slower."""
    if found.word in ("no difference seen", "too few repeats") or found.low is None or found.high is None:
        return found.word
    ends = (found.low, found.ratio, found.high)
    low, ratio, high = ends if found.word == "slower" else (1 / end for end in reversed(ends))
    return f"{found.word} {ratio:.2f}× ({low:.2f}–{high:.2f})"


def verdict_table(verdicts: Sequence[Verdict], before: Document, name: str) -> Table:
    """Say what became of each line since an earlier benchmark."""
    rows = [
        [
            str(found.players),
            found.strategy,
            str(found.threads),
            found.layer,
            _in_words(found),
            f"{found.ratio:.3f}",
            "–" if found.low is None else f"{found.low:.3f} – {found.high:.3f}",
        ]
        for found in verdicts
    ]
    columns = [
        "players",
        "strategy",
        "threads",
        "layer",
        "verdict",
        "yardsticks now for 1 then",
        f"{LEVEL:.0%} interval",
    ]
    caption = (
        f"then: {before.machine.get('measured')}, engine {before.machine.get('engine')}, yardstick "
        f"{number(before.yardstick_ns)} ns\nfaster or slower: the whole interval is beyond {TOLERANCE:.0%}"
    )
    return table(f"Compared with {name}", columns, rows, left=5, caption=caption)


def guard_table(found: Sequence[Guarded], limit: float) -> Table:
    """Say what the guard found."""
    rows = [
        [
            str(each.case.players),
            each.case.strategy,
            number(each.accepted),
            number(each.now),
            f"{each.ratio:.2f}",
            "right games, quick enough" if each.ratio <= limit else f"too slow: more than {limit:g} times",
        ]
        for each in found
    ]
    columns = ["players", "strategy", "accepted", "now", "ratio", "verdict"]
    return table("Guard", columns, rows, left=2, caption="yardsticks a decision, best of several repeats")
