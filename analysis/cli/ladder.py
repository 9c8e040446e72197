"""`encyclopedia ladder`: the whole pool of strategies against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.cli import asking
from analysis.cli import options as opt

if TYPE_CHECKING:
    from analysis.balance.answer import Answer
    from analysis.runs import Plan

_HELP = """Play the whole pool of strategies, or those named, against each other.

Shows how strong each is (Plackett and Luce, with intervals from resampled blocks), who finishes ahead of whom, how
quick each is, and with --profile what each does and scores with."""

_EXAMPLES = opt.examples(
    "ladder",
    "ladder --players 4 --games 40000 --profile --out ladder/",
    "ladder greedy balanced path/to/bot.py:mine --games 4000",
    "ladder --leave-out rollout --markdown",
)
GAMES = 20_000


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(ladder)


def ladder(
    strategies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STRATEGY]...", help="Who plays; every strategy there is by default.", show_default=False
        ),
    ] = None,
    pool: asking.Pool = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out",
            metavar="STRATEGY",
            help="Leave one out; may be given again.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
    players: opt.Players = 2,
    games: asking.Games = None,
    precision: asking.PrecisionText = None,
    seed: opt.Seed = 0,
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Show what each does and scores with.", rich_help_panel=opt.OUTPUT)
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.", rich_help_panel=opt.OUTPUT)
    ] = False,
    threads: opt.Threads = None,
    workers: opt.Workers = None,
    scheduler: opt.Scheduler = None,
    patience: opt.Patience = 60.0,
    resume: opt.Resume = False,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    quiet: opt.Quiet = False,
) -> None:
    """Play a ladder (the help text is above)."""
    from analysis import ladder as work  # noqa: PLC0415 - slow to import
    from analysis.balance.pool import pool_of  # noqa: PLC0415
    from analysis.cli.answer_tables import as_markdown, ladder_tables  # noqa: PLC0415

    named = [*(strategies or ()), *(pool_of(pool) if pool is not None else ())]
    entering = _without(list(dict.fromkeys(named)) or work.pool(), leave_out or ())
    # The mirror line-ups are few, whatever the number of strategies; the ladder chooses its own.
    request = asking.Request(
        entering, None, players, games, precision, seed, "mirror", ruleset, cards, set_,
        threads, workers, scheduler, patience, out, overwrite, quiet, resume,
    )  # fmt: skip

    def answer_of(plan: Plan, precision: Any, **extra: Any) -> Answer:
        extra["options"] |= {"lineups": "ladder"}
        return work.ladder(work.with_ladder_lineups(plan), precision, **extra)

    def tables(answer: Answer) -> Sequence[Any]:
        made = ladder_tables(answer, profile)
        return [as_markdown(table) + "\n" for table in made] if markdown else made

    asking.ask("ladder", request, answer_of, tables, games=GAMES)


def _without(names: list[str], left_out: Sequence[str]) -> list[str]:
    """Leave some strategies out.

    Raises
    ------
    InputError
        If one is not there.
    """
    from sim.errors import InputError  # noqa: PLC0415 - slow to import
    from sim.faults import one_of  # noqa: PLC0415

    for name in left_out:
        if name not in names:
            raise InputError(f"--leave-out: {one_of(name, names)}")
    return [name for name in names if name not in left_out]
