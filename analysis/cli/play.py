"""`encyclopedia play`: one game, to be followed."""

from __future__ import annotations

import typer

from analysis.cli import options as opt


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    del app
