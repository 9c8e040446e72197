"""`encyclopedia bench`: how quick the engine is on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from analysis.cli import options as opt

_HELP = """Time games and decisions a second: 2, 3 and 4 players, random and greedy, one thread and all cores.

First it is checked that the games played are the right ones, by a fingerprint of their results."""

_EXAMPLES = opt.examples("bench", "bench --players 4 --seconds 5", "bench --json > speed.json")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(bench)


def bench(
    players: Annotated[
        list[int] | None, typer.Option("--players", "-p", min=2, max=4, help="Only this many; may be given again.")
    ] = None,
    strategy: Annotated[list[str] | None, typer.Option(help="Only this strategy; may be given again.")] = None,
    threads: Annotated[list[int] | None, typer.Option("--threads", "-t", min=1, help="Only this many.")] = None,
    seconds: Annotated[float, typer.Option(min=0.01, help="Seconds a line.")] = 1.0,
    json: opt.Json = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the games as they are now for the right ones.")
    ] = False,
    quiet: opt.Quiet = False,
) -> None:
    """Time the engine (the help text is above)."""
    from dataclasses import asdict  # noqa: PLC0415
    from json import dumps  # noqa: PLC0415

    from analysis import benchmark  # noqa: PLC0415 - slow to import
    from analysis.cli.progress import getting_ready, spinner  # noqa: PLC0415
    from analysis.cli.tables import console, table  # noqa: PLC0415
    from analysis.version import engine_hash, program_version  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415

    for name in strategy or ():
        if name not in benchmark.STRATEGIES:
            raise InputError(f"--strategy {name!r}: allowed: {', '.join(benchmark.STRATEGIES)}")
    strategies, counts = strategy or benchmark.STRATEGIES, players or benchmark.PLAYERS
    with getting_ready(quiet):
        if accept:
            benchmark.accept_hashes()
        benchmark.results_hash(benchmark.plan_of(strategies[0], counts[0]), 1)
    with spinner("Timing", quiet or json):
        speeds = list(benchmark.suite(strategies, counts, threads, seconds))
    if json:
        about = {"program version": program_version(), "engine": engine_hash()}
        typer.echo(dumps(about | {"speeds": [asdict(speed) for speed in speeds]}, indent=2))
        return
    rows = [
        [
            str(speed.players),
            speed.strategy,
            str(speed.threads),
            f"{speed.games_per_second:,.0f}",
            f"{speed.decisions_per_second:,.0f}",
        ]
        for speed in speeds
    ]
    columns = ["players", "strategy", "threads", "games/s", "decisions/s"]
    console().print(table("Speed", columns, rows, left=2, caption="the games are the right ones; engine alone"))
