"""Options that several commands take, spelled and explained the same everywhere.

Nothing slow is imported here: `encyclopedia --help` reads this file.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

WHAT = "What is played"
HOW = "How it is run"
OUTPUT = "Output"

LineupKind = Literal["all", "mixed", "distinct", "mirror"]

Strategies = Annotated[
    list[str],
    typer.Argument(
        metavar="STRATEGY",
        help="A strategy's name, name:weight=1.5, name@weights.toml or path/to/bot.py:function "
        "([bold]encyclopedia strategies[/bold] lists what is there).",
        show_default=False,
    ),
]
Players = Annotated[int, typer.Option("--players", "-p", min=1, help="Seats at a table.", rich_help_panel=WHAT)]
Games = Annotated[
    int,
    typer.Option(
        "--games", "-g", min=1, help="Games; rounded up to whole blocks of every line-up.", rich_help_panel=WHAT
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", "-s", min=0, max=2**63 - 1, help="Seed of all chance.", rich_help_panel=WHAT)
]
Lineups = Annotated[
    LineupKind,
    typer.Option(
        "--lineups",
        help="Line-ups that play: [bold]all[/bold]; [bold]mixed[/bold], at least two different strategies; "
        "[bold]distinct[/bold], no strategy twice; [bold]mirror[/bold], one strategy in all seats.",
        rich_help_panel=WHAT,
    ),
]
Ruleset = Annotated[
    str,
    typer.Option(
        "--ruleset",
        metavar="NAME|PATH",
        help="A shipped ruleset, a TOML file, or a folder with ruleset.toml, which brings the cards that are in it.",
        rich_help_panel=WHAT,
    ),
]
Cards = Annotated[
    str | None,
    typer.Option(
        "--cards",
        metavar="NAME|PATH",
        help="A shipped card set or a folder of CSV files.",
        show_default="those in the ruleset's folder, or standard",
        rich_help_panel=WHAT,
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a rule or a card, such as coins.offsets=2,3,3,5 or experts.7.amount=3; may be given again.",
        show_default=False,
        rich_help_panel=WHAT,
    ),
]
NoCards = Annotated[
    bool,
    typer.Option("--no-cards", help="Do not record what happened to every card.", rich_help_panel=OUTPUT),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", "-t", min=1, help="Games played at the same time; one a core by default.", rich_help_panel=HOW
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Play in this many processes of a Dask cluster on this machine (extra [bold]distributed[/bold]).",
        rich_help_panel=HOW,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help="Play on the Dask cluster of this scheduler (extra [bold]distributed[/bold]).",
        rich_help_panel=HOW,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FOLDER", help="Write results to this folder as parquet files.", rich_help_panel=OUTPUT
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with the run that was cut off in --out.", rich_help_panel=HOW)
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Throw away the results that are in --out.", rich_help_panel=OUTPUT)
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only the result.", rich_help_panel=OUTPUT)]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Say what the run will take, and do nothing.", rich_help_panel=HOW),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", rich_help_panel=OUTPUT)]
Patience = Annotated[
    float,
    typer.Option(
        "--patience",
        min=0.1,
        metavar="SECONDS",
        help="Seconds without a finished game after which a strategy counts as never returning.",
        rich_help_panel=HOW,
    ),
]


def kept(lineups: str, ruleset: str, cards: str | None, changes: Sequence[str] | None) -> dict[str, object]:
    """Return what was typed and is kept with results."""
    from sim.config import cards_of  # noqa: PLC0415 - slow to import

    return {
        "lineups": lineups,
        "ruleset": ruleset,
        "card set": cards_of(ruleset, cards),
        "overrides": list(changes or ()),
    }


def paragraphs(text: str) -> str:
    """Return a help text whose lines are wrapped by the terminal, not by the source."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def examples(*lines: str) -> str:
    """Return the end of a command's help: what one may type."""
    return "[bold]Examples[/bold]\n\n" + "\n\n".join(f"[cyan]encyclopedia {line}[/cyan]" for line in lines)
