"""`encyclopedia plan`: what a run would take."""

from __future__ import annotations

from typing import Annotated

import typer

from analysis.cli import options as opt

_HELP = """Say what a tournament would take: games, shards, disk space, time, and the precision it would give.

A second's worth of games is played to find out. With --precision, also how many games a win share's 95% interval of
that half-width needs."""

_EXAMPLES = opt.examples(
    "plan greedy random --players 4 --games 10000000",
    "plan greedy random --players 2 --games 1000 --precision 0.5pp",
)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(plan)


def plan(
    strategies: opt.Strategies,
    players: opt.Players = 4,
    games: opt.Games = 1000,
    seed: opt.Seed = 0,
    lineups: opt.Lineups = "all",
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="0.2pp", help="Wanted half-width of a win share's interval, in percentage points."),
    ] = None,
    threads: opt.Threads = None,
    no_cards: opt.NoCards = False,
    quiet: opt.Quiet = False,
) -> None:
    """Forecast a run (the help text is above)."""
    from analysis.balance.precision import parse_precision  # noqa: PLC0415 - slow to import
    from analysis.cli.planning import print_forecast  # noqa: PLC0415 - slow to import
    from analysis.cli.progress import getting_ready  # noqa: PLC0415
    from analysis.tournament import make_plan  # noqa: PLC0415
    from sim.batch import PATIENCE  # noqa: PLC0415

    with getting_ready(quiet):
        made = make_plan(
            strategies, players, games, seed,
            lineups=lineups, ruleset=ruleset, cards=cards, overrides=set_ or (), record_cards=not no_cards,
            patience=PATIENCE,
        )  # fmt: skip
    print_forecast(made, threads, None if precision is None else parse_precision(precision, ("pp",)).half_width)
