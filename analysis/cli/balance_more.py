"""`encyclopedia balance actions`, `strategies` and `health`."""

from __future__ import annotations

from typing import Annotated

import typer

from analysis.cli import asking
from analysis.cli import options as opt

_ACTIONS = """Is a part of the game needed, or dominant? What a strategy loses that has to do without it.

One seat's strategy is barred from an action, a kind of payment or anything else of the kind, all others are plain
copies of it. What it wins less than 1/N of the games, and what it loses in VP against a plain copy on the same luck,
is what the thing is worth to it. --games are those of each strategy and bar."""

_STRATEGIES = """Which strategy is strongest, which beats which, and do they go round in circles?

Strengths are fitted to all games at once (Plackett and Luce), with intervals from resampled blocks."""

_HEALTH = """Is the game exciting, decided by skill, and used to the full?

Drama, lead changes and margins, when the winner was decided, where VP come from, how often every bonus and effect
occurs, how full the category spaces get, and luck against skill."""

ACTION_GAMES = 1000
STRATEGY_GAMES = 4000
HEALTH_GAMES = 4000


def add_to(group: typer.Typer) -> None:
    """Add the commands to the group `balance`."""
    for command, text, lines in (
        (
            actions,
            _ACTIONS,
            ("balance actions greedy --games 2000", "balance actions greedy --without bank --without coins+tokens"),
        ),
        (
            strategies,
            _STRATEGIES,
            ("balance strategies greedy balanced random --players 2", "balance strategies --pool all --out strengths/"),
        ),
        (
            health,
            _HEALTH,
            (
                "balance health greedy balanced --games 8000 --out health/",
                "balance health greedy --players 2 --trace greedy:noise=10 --trace greedy:noise=3",
            ),
        ),
    ):
        group.command(help=opt.paragraphs(text), epilog=opt.examples(*lines))(command)


@asking.asked("mirror", may_choose=False)
def actions(
    request: asking.Request,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="NAME",
            help="What is forbidden, such as bank, coins, or coins+tokens for both at once; may be given again. "
            "Everything, one by one, by default.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
) -> None:
    """Answer what things are worth to those who have to do without (the help text is above)."""
    from analysis.balance.actions import action_balance  # noqa: PLC0415 - slow to import
    from analysis.cli.answer_tables import bar_tables  # noqa: PLC0415

    extra = {"without": without} if without else {}
    asking.ask("actions", request, action_balance, bar_tables, games=ACTION_GAMES, extra=extra)


@asking.asked("mixed")
def strategies(request: asking.Request) -> None:
    """Answer who is strongest (the help text is above)."""
    from analysis.balance.strategies import strategy_balance  # noqa: PLC0415 - slow to import
    from analysis.cli.answer_tables import strategy_tables  # noqa: PLC0415

    asking.ask("strategies", request, strategy_balance, strategy_tables, games=STRATEGY_GAMES)


@asking.asked()
def health(
    request: asking.Request,
    trace: Annotated[
        list[str] | None,
        typer.Option(
            "--trace",
            metavar="STRATEGY",
            help="Also play this strategy, in one seat among copies of the first one given, and show its win share: "
            "better and better ones trace how far skill reaches. May be given again.",
            show_default=False,
            rich_help_panel=opt.WHAT,
        ),
    ] = None,
) -> None:
    """Answer how healthy the game is (the help text is above)."""
    from analysis.balance.health import health_balance  # noqa: PLC0415 - slow to import
    from analysis.cli.answer_tables import health_tables  # noqa: PLC0415

    extra = {"trace": trace or ()}
    asking.ask("health", request, health_balance, health_tables, games=HEALTH_GAMES, record_cards=True, extra=extra)
