"""`encyclopedia play`: one game, to be followed at a table or by a referee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from analysis.cli import options as opt

if TYPE_CHECKING:
    from analysis.explain import Thoughts
    from sim.config import Configuration
    from sim.gamelog import Event

_HELP = """Play one game and tell it so that a person at a table can follow it.

Give the strategies in the order of their seats. Game 17 is game 17 of every tournament with this seed in which they
sat like that: any row of a results file can be looked at. With --json, the log from which a referee can play the game
again is printed, one event a line."""

_EXAMPLES = opt.examples(
    "play greedy random --seed 1 --game 17",
    "play greedy random random greedy --seed 1 --game 40 --explain",
    "play greedy random --seed 1 --game 17 --json > game.jsonl",
)

_STYLES = {"title": "bold", "round": "bold", "part": "bold", "table": "default"}


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(help=opt.paragraphs(_HELP), epilog=_EXAMPLES)(play)


def play(
    strategies: opt.Strategies,
    seed: opt.Seed = 0,
    game: Annotated[int, typer.Option("--game", min=0, help="Number of the game.", rich_help_panel=opt.WHAT)] = 0,
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    explain: Annotated[
        bool,
        typer.Option(
            help="Show at each decision the best options with what the strategy thinks they are worth.",
            rich_help_panel=opt.OUTPUT,
        ),
    ] = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Play one game (the help text is above)."""
    from analysis.cli.progress import getting_ready  # noqa: PLC0415 - slow to import
    from analysis.explain import Thoughts, play_game  # noqa: PLC0415
    from sim.config import load_configuration  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415
    from sim.gamelog import to_json_lines  # noqa: PLC0415

    if json and explain:
        raise InputError("--json and --explain: give one of them; a log for a referee holds no thoughts")
    with getting_ready(quiet):
        configuration = load_configuration(ruleset, cards, set_ or ())
        _check_seats(len(strategies), configuration)
        thoughts = Thoughts(strategies) if explain else None
        events = play_game(configuration, strategies, seed, game, on_decision=thoughts.note if thoughts else None)
    if json:
        typer.echo(to_json_lines(events), nl=False)
        return
    _tell(events, thoughts)


def _check_seats(seats: int, configuration: Configuration) -> None:
    from sim.errors import InputError  # noqa: PLC0415 - slow to import

    allowed = configuration.ruleset.players
    if not allowed.fewest <= seats <= allowed.most:
        raise InputError(
            f"strategies: {seats} given, one a seat; ruleset {configuration.ruleset.name!r} is for {allowed.fewest} to "
            f"{allowed.most} players"
        )


def _tell(events: list[Event], thoughts: Thoughts | None) -> None:
    """Print the lines of a game, each kind in its style."""
    from rich.text import Text  # noqa: PLC0415 - slow to import

    from analysis.cli.tables import console  # noqa: PLC0415
    from sim.narrative import narrate, to_text  # noqa: PLC0415

    lines = list(thoughts.told(events) if thoughts else narrate(events))
    screen = console()
    if not screen.is_terminal:
        typer.echo(to_text(lines), nl=False)
        return
    for line in lines:
        if line.level in ("round", "part"):
            screen.print()
        style = "dim" if line.text.startswith("  ? ") else _STYLES.get(line.level, "")
        screen.print(Text(to_text([line]).rstrip("\n"), style=style), soft_wrap=True)
