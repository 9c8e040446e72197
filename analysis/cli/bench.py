"""`encyclopedia bench`: how quick the engine is on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from analysis.cli import options as opt

_HELP = """Time games and decisions a second: 2, 3 and 4 players, random, greedy, balanced and rollout, one thread and
all cores; then what recording and parquet files cost on top of the engine. About a minute and a half.

First it is checked that the games played are the right ones, by a fingerprint of their results. Figures that are to be
compared between machines are in yardsticks: a fixed synthetic turn, timed right before and after each repeat
(docs/performance.md)."""

_EXAMPLES = opt.examples(
    "bench --players 4 --strategy random --layer none",
    "bench --json > before.json",
    "bench --compare before.json --fail-above 2",
    "bench --guard",
)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(bench)


def bench(
    players: Annotated[
        list[int] | None, typer.Option("--players", "-p", min=1, help="Only this many; may be given again.")
    ] = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", "-S", help="Only this strategy, any there is; may be given again.")
    ] = None,
    threads: Annotated[
        list[int] | None, typer.Option("--threads", "-t", min=1, help="Only this many; may be given again.")
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this layer and no speeds: engine, seats, cards, parquet, parquet-cards; or none: no layers. May "
            "be given again."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds a repeat, roughly.")] = 0.15,
    repeats: Annotated[int, typer.Option(min=1, help="Repeats of each line; medians are shown.")] = 5,
    json: opt.Json = False,
    compare: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Compare with what --json printed earlier.", show_default=False)
    ] = None,
    fail_above: Annotated[
        float | None,
        typer.Option(
            metavar="RATIO",
            min=1.0,
            help="End with 1 if a line is slower, by more than this many times (--compare; for --guard, 2 by default).",
            show_default=False,
        ),
    ] = None,
    guard: Annotated[
        bool, typer.Option("--guard", help="Only check games, and speed against what was accepted, in a few seconds.")
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take games and speed as they are now for the right ones, and stop.")
    ] = False,
    quiet: opt.Quiet = False,
) -> None:
    """Time the engine (the help text is above)."""
    from sim.errors import InputError, RunError  # noqa: PLC0415 - slow to import
    from sim.jit import COMPILED  # noqa: PLC0415

    if fail_above is not None and compare is None and not guard:
        raise InputError("--fail-above says what ends with 1 in a comparison: give --compare or --guard")
    if not COMPILED:
        raise RunError("NUMBA_DISABLE_JIT is set: without the compiler there is nothing to time")
    if guard or accept:
        _accept(quiet) if accept else _guard(fail_above, json, quiet)
        return
    _time(players, strategy, threads, layer or (), seconds, repeats, json, compare, fail_above, quiet)


def _time(
    players: Sequence[int] | None,
    strategies: Sequence[str] | None,
    threads: Sequence[int] | None,
    layers: Sequence[str],
    seconds: float,
    repeats: int,
    json: bool,
    compare: Path | None,
    fail_above: float | None,
    quiet: bool,
) -> None:
    """Time what is asked for, print it, and compare it if that is asked for."""
    from analysis.benchmark import document, verdicts  # noqa: PLC0415 - slow to import
    from analysis.cli import bench_tables as tables  # noqa: PLC0415
    from analysis.cli.progress import getting_ready, telling  # noqa: PLC0415
    from analysis.cli.tables import console  # noqa: PLC0415

    before = None if compare is None else verdicts.read_document(compare)
    with getting_ready(quiet or json):
        wanted = document.Wanted.of(strategies, players, threads, layers, seconds, repeats)
    with telling("Timing", quiet) as tell:
        found = document.measured(wanted, tell)
    compared = [] if before is None else verdicts.compare(before, found)
    if json:
        typer.echo(document.as_json(found, compared))
    else:
        screen = console()
        for lines, table in ((found.speeds, tables.speed_table), (found.layers, tables.layer_table)):
            if lines:
                screen.print(table(found))
        if before is not None:
            screen.print(tables.verdict_table(compared, before, str(compare)))
        for note in tables.notes(found):
            screen.print(note, soft_wrap=True, markup=False)
    slower = [each for each in compared if each.word == "slower"]
    _fail([(f"{each.strategy}, {each.players} players", each.ratio) for each in slower], fail_above)


def _guard(fail_above: float | None, json: bool, quiet: bool) -> None:
    """Check games and speed against what was accepted."""
    from json import dumps  # noqa: PLC0415

    from analysis.benchmark import guard  # noqa: PLC0415 - slow to import
    from analysis.cli.bench_tables import guard_table  # noqa: PLC0415
    from analysis.cli.progress import getting_ready  # noqa: PLC0415
    from analysis.cli.tables import console  # noqa: PLC0415

    limit = fail_above or guard.LIMIT
    with getting_ready(quiet or json):
        found = guard.guard(limit)
    if json:
        rows = [
            {"case": each.case.name, "accepted": each.accepted, "now": each.now, "ratio": each.ratio} for each in found
        ]
        typer.echo(dumps({"limit": limit, "guarded": rows}, indent=2))
    else:
        console().print(guard_table(found, limit))
    _fail([(f"{each.case.strategy}, {each.case.players} players", each.ratio) for each in found], limit)


def _accept(quiet: bool) -> None:
    """Write what is expected from now on."""
    from analysis.benchmark import accepted, guard  # noqa: PLC0415 - slow to import
    from analysis.cli.progress import getting_ready  # noqa: PLC0415

    with getting_ready(quiet):
        guard.accept()
    typer.echo(f"Games and speed as they are now are in {accepted.FILE}")


def _fail(ratios: Sequence[tuple[str, float]], limit: float | None) -> None:
    """End with an error that names what became too slow, if anything did."""
    from sim.errors import RunError  # noqa: PLC0415 - slow to import

    slow = [f"{name} ({ratio:.2f} times)" for name, ratio in ratios if limit is not None and ratio > limit]
    if slow:
        raise RunError(f"more than {limit:g} times the yardsticks a decision took: {', '.join(slow)}")
