"""`encyclopedia compare`: what a change of the rules or cards does to the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.cli import asking
from analysis.cli import options as opt

if TYPE_CHECKING:
    from analysis.balance.answer import Answer
    from analysis.runs import Plan

_HELP = """Compare two configurations A and B, game by game on the same luck.

Each is a ruleset's name or path, changes such as bank.coins=6, or both in quotes. A folder brings the cards that are in
it, for its side, unless --cards or that side's own option names others. Every health metric is shown with its
difference, an interval and how much variance the pairing saved. --games are those of each configuration."""

_EXAMPLES = opt.examples(
    "compare standard bank.coins=6",
    'compare standard "coins.offsets=2,3,3,5 bank.coins=4" --precision 0.5vp',
    "compare standard my-game/",
    "compare standard standard --cards-b my_cards/ --players 3 --out results/",
    "compare coins.offsets=2,3,3,4 coins.offsets=2,3,4,4 --set rounds=5",
)
GAMES = 8000


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(compare)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="Ruleset, changes, or both in quotes.", show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same for the other side.", show_default=False)],
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            "-S",
            metavar="STRATEGY",
            help="Who plays; may be given again. greedy and random if neither strategies nor a pool are given.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
    pool: asking.Pool = None,
    players: opt.Players = 4,
    games: asking.Games = None,
    precision: asking.PrecisionText = None,
    seed: opt.Seed = 0,
    lineups: opt.Lineups = "all",
    ruleset: Annotated[
        str,
        typer.Option(
            "--ruleset",
            metavar="NAME|PATH",
            help="What a side that names no ruleset changes.",
            rich_help_panel=opt.WHAT,
        ),
    ] = "standard",
    cards: opt.Cards = None,
    cards_a: Annotated[
        str | None,
        typer.Option(
            "--cards-a",
            metavar="NAME|PATH",
            help="Card set of A, if another.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
    cards_b: Annotated[
        str | None,
        typer.Option(
            "--cards-b",
            metavar="NAME|PATH",
            help="Card set of B, if another.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
    set_: opt.Set = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Show every metric, not only those that change.", rich_help_panel=opt.OUTPUT),
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
    """Compare two configurations (the help text is above)."""
    from analysis import compare as work  # noqa: PLC0415 - slow to import
    from analysis.cli.answer_tables import compare_tables  # noqa: PLC0415
    from sim.config import cards_of, content_hash  # noqa: PLC0415

    common = list(set_ or ())
    (rules_a, own_a), (rules_b, own_b) = work.parse_side(a, ruleset), work.parse_side(b, ruleset)
    after = work.configuration_of(b, cards_b or cards, common, ruleset)
    request = asking.Request(
        strategy, pool, players, games, precision, seed, lineups, rules_a, cards_a or cards, [*common, *own_a],
        threads, workers, scheduler, patience, out, overwrite, quiet, resume,
    )  # fmt: skip
    names = (_called(a, cards_a), _called(b, cards_b))

    def answer_of(plan: Plan, precision: Any, **extra: Any) -> Answer:
        extra["options"] |= {
            "card set of B": cards_of(rules_b, cards_b or cards),
            "overrides of B": [*common, *own_b],
            "ruleset of B": rules_b,
        }
        return work.compare(plan, work.with_configuration(plan, after), precision, names=names, **extra)

    def tables(answer: Answer) -> Sequence[Any]:
        return compare_tables(answer, every)

    asking.ask("compare", request, answer_of, tables, games=GAMES, about={"B": content_hash(after)})


def _called(text: str, cards: str | None) -> str:
    return text if cards is None else f"{text} with cards {cards}"
