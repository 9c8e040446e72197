"""`encyclopedia balance`: questions of balance, a command each."""

from __future__ import annotations

import typer

from analysis.cli import asking, balance_more
from analysis.cli import options as opt

_SEATS = """Is the seating fair? Win share and mean VP by seat, with one strategy in all seats and with mixed line-ups.

Balance is 1 − the largest difference of two seats' win shares; whether the seats are equal is tested with errors from
blocks."""

_COINS = """Which coin offsets are fair? Searches vectors of offsets on common random numbers, recommends one, and plays
it and the current one on fresh luck.

The least offset stays what it is. --games and --precision are those of the last step, for each of the two vectors."""

_TOKENS = """What does every round token do? Change in VP, spread, seat 0's and every strategy's win share, over all
rounds and by round.

Two estimates side by side: by the lot that deals the tokens, and paired with games in which the token is blank."""

_CARDS = """What is every animal and expert worth? What its appearance does (by lot), a gift and a ban of it (paired),
how often it is picked, published and wins (association); dead cards and must-takes; categories, continents, effects.

A gift goes to each seat in turn, and so to every strategy alike."""

SEAT_GAMES = 20_000
COIN_GAMES = 40_000
TOKEN_GAMES = 40_000
CARD_GAMES = 20_000


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Answer questions of balance: seats, coins, tokens, cards and more, each with one command.",
        no_args_is_help=True,
        epilog=opt.examples("balance seats greedy random", "balance tokens greedy random --precision 0.3vp"),
    )
    for command, text, lines in (
        (
            seats,
            _SEATS,
            ("balance seats greedy --players 4", "balance seats greedy random --precision 0.2pp --out seats/"),
        ),
        (
            coins,
            _COINS,
            (
                "balance coins greedy random --precision 0.3pp",
                "balance coins greedy --players 2 --set start_player=rotate",
            ),
        ),
        (tokens, _TOKENS, ("balance tokens greedy random --games 100000", "balance tokens greedy --precision 0.5vp")),
        (cards, _CARDS, ("balance cards greedy random --games 20000", "balance cards greedy --precision 1vp --no-ban")),
    ):
        group.command(help=opt.paragraphs(text), epilog=opt.examples(*lines))(command)
    balance_more.add_to(group)
    app.add_typer(group, name="balance")


@asking.asked()
def seats(request: asking.Request) -> None:
    """Answer whether seats are equal (the help text is above)."""
    from analysis.balance.seats import seat_balance  # noqa: PLC0415 - slow to import
    from analysis.cli.balance_tables import seat_tables  # noqa: PLC0415

    asking.ask("seats", request, seat_balance, seat_tables, games=SEAT_GAMES)


@asking.asked()
def coins(request: asking.Request) -> None:
    """Answer which offsets are fair (the help text is above)."""
    from analysis.balance.coins import coin_balance  # noqa: PLC0415 - slow to import
    from analysis.cli.balance_tables import coin_tables  # noqa: PLC0415

    asking.ask("coins", request, coin_balance, coin_tables, games=COIN_GAMES, kinds=("pp",))


@asking.asked()
def tokens(request: asking.Request, paired_every: asking.PairedEvery = 8) -> None:
    """Answer what round tokens do (the help text is above)."""
    from analysis.balance.tokens import token_balance  # noqa: PLC0415 - slow to import
    from analysis.cli.balance_tables import token_tables  # noqa: PLC0415

    extra = {"paired_every": paired_every}
    asking.ask("tokens", request, token_balance, token_tables, games=TOKEN_GAMES, extra=extra)


@asking.asked()
def cards(
    request: asking.Request,
    no_gift: asking.NoGift = False,
    no_ban: asking.NoBan = False,
    paired_every: asking.PairedEvery = 8,
) -> None:
    """Answer what cards are worth (the help text is above)."""
    from analysis.balance.cards import card_balance  # noqa: PLC0415 - slow to import
    from analysis.balance.cardstudy import BAN, GIFT  # noqa: PLC0415 - slow to import
    from analysis.cli.balance_tables import card_tables  # noqa: PLC0415

    experiments = [name for name, without in ((GIFT, no_gift), (BAN, no_ban)) if not without]
    extra = {"paired_every": paired_every, "experiments": experiments}
    asking.ask("cards", request, card_balance, card_tables, games=CARD_GAMES, record_cards=True, extra=extra)
