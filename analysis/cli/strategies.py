"""`encyclopedia strategies`: what is there, and help with writing one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from analysis.cli import options as opt


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="List strategies; check or begin one of your own.",
        invoke_without_command=True,
        callback=listed,
        epilog=opt.examples("strategies", "strategies new bots/mine.py", "strategies check bots/mine.py:mine"),
    )
    group.command(
        help="Begin a strategy of your own: write a file that plays and says what may be changed.",
        epilog=opt.examples("strategies new bots/mine.py"),
    )(new)
    group.command(
        help="Check that a strategy keeps to the rules for strategies, by playing it.",
        epilog=opt.examples("strategies check bots/mine.py:mine", "strategies check greedy"),
    )(check)
    app.add_typer(group, name="strategies")


def listed(context: typer.Context, json: opt.Json = False) -> None:
    """List strategies (the help text is above)."""
    if context.invoked_subcommand is not None:
        return
    from json import dumps  # noqa: PLC0415

    from analysis.cli.tables import console, table  # noqa: PLC0415 - slow to import
    from strategies.api import available  # noqa: PLC0415

    found = available()
    if json:
        entries = [
            {"name": each.name, "describe": each.describe, "source": each.source, "weights": dict(each.weights)}
            for each in found
        ]
        typer.echo(dumps(entries, ensure_ascii=False, indent=2))
        return
    rows = [[each.name, each.describe, each.source, _weights(each.weights)] for each in found]
    screen = console()
    screen.print(table("Strategies", ["name", "what it does", "from", "weights"], rows, left=4))
    screen.print("A file's strategy is written path/to/bot.py:function; `encyclopedia strategies new FILE` begins one")


def _weights(weights: Mapping[str, float]) -> str:
    return str(len(weights)) if weights else ""


def new(file: Annotated[Path, typer.Argument(help="The file to write; it must not be there yet.")]) -> None:
    """Write a template (the help text is above)."""
    from strategies.template import write_template  # noqa: PLC0415 - slow to import

    typer.echo(write_template(file))


def check(strategy: Annotated[str, typer.Argument(help="Its spec, such as bots/mine.py:mine.")]) -> None:
    """Check a strategy (the help text is above)."""
    from strategies.check import check_strategy  # noqa: PLC0415 - slow to import

    typer.echo(check_strategy(strategy))
