"""`encyclopedia report`: a page of any results folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.cli import options as opt

_HELP = """Write one HTML page of a results folder: findings in plain words, charts, tables, what it was computed on.

The folder holds the results of a tournament, answers to questions of balance, or both. The page needs no network."""

_EXAMPLES = opt.examples("report results/", "report results/ --to page.html")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(report)


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What --out of other commands wrote.")],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", metavar="FILE", help="The page; report.html in the folder by default.", rich_help_panel=opt.OUTPUT
        ),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write a page (the help text is above)."""
    from analysis import report as work  # noqa: PLC0415 - slow to import
    from analysis.cli.progress import spinner  # noqa: PLC0415

    with spinner("Drawing", quiet):
        page = work.report(folder, to)
    typer.echo(page)
