"""`encyclopedia rules`: look at, check and export what is played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.cli import options as opt

if TYPE_CHECKING:
    from sim.config import Configuration

Table = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="rules|animals|experts|tokens",
        help="What to show.",
        show_default="rules and counts of cards",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Show, check and export rulesets and card sets.",
        no_args_is_help=True,
        epilog=opt.examples("rules show", "rules validate --cards my-cards/", "rules export my-game/"),
    )
    group.command(
        help="Show every number of the rules, with its rule (docs/rules.md) and where it is known from: S the source "
        "says it, P public, A assumed, changed for what is not the standard.",
        epilog=opt.examples(
            "rules show", "rules show --set coins.offsets=2,3,3,5", "rules show --table experts --cards my-cards/"
        ),
    )(show)
    group.command(
        help="Check that a ruleset and a card set can be played, and print their hashes.",
        epilog=opt.examples("rules validate --ruleset my-game/"),
    )(validate)
    group.command(
        help="Write a ruleset and a card set as files to edit: ruleset.toml, animals.csv, experts.csv, tokens.csv.",
        epilog=opt.examples("rules export my-game/", "rules export my-game/ --set rounds=5"),
    )(export)
    app.add_typer(group, name="rules")


def show(
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    table: Table = None,
    json: opt.Json = False,
) -> None:
    """Show rules or cards (the help text is above)."""
    from json import dumps  # noqa: PLC0415

    from analysis.cli.tables import console  # noqa: PLC0415 - slow to import
    from analysis.cli.tables import table as made  # noqa: PLC0415
    from sim.config import load_configuration  # noqa: PLC0415
    from sim.errors import InputError  # noqa: PLC0415

    allowed = ("rules", "animals", "experts", "tokens")
    if table is not None and table not in allowed:
        raise InputError(f"--table {table!r}: allowed: {', '.join(allowed)}")
    configuration = load_configuration(ruleset, cards, set_ or ())
    rows = _rows(configuration, table or "rules")
    if json:
        typer.echo(dumps(rows, ensure_ascii=False, indent=2))
        return
    screen = console()
    columns = list(rows[0]) if rows else []
    words = [[_word(value) for value in row.values()] for row in rows]
    title = _title(configuration, table or "rules", _called(ruleset, set_))
    screen.print(made(title, columns, words, left=len(columns)))
    if table is None:
        counts = ", ".join(f"{len(getattr(configuration.cards, name))} {name}" for name in allowed[1:])
        screen.print(f"Cards: {counts} (--table shows them)")


def _rows(configuration: Configuration, table: str) -> list[dict[str, Any]]:
    from sim.config import ruleset_rows  # noqa: PLC0415 - slow to import

    if table == "rules":
        return [row._asdict() for row in ruleset_rows(configuration.ruleset)]
    rows = []
    for card in getattr(configuration.cards, table):
        row = card.model_dump(mode="json")
        rows.append(
            row | dict(zip(configuration.ruleset.types, row.pop("categories"), strict=True))
            if "categories" in row
            else row
        )
    return rows


def _title(configuration: Configuration, table: str, ruleset: str) -> str:
    from sim.config import content_hash  # noqa: PLC0415 - slow to import

    if table == "rules":
        return f"Ruleset {ruleset} ({content_hash(configuration.ruleset)})"
    return f"{table.capitalize()} ({content_hash(configuration.cards)})"


def _called(ruleset: str, changes: list[str] | None) -> str:
    """Name rules as they were asked for: a changed copy may still call itself standard."""
    return f"{ruleset} with {' '.join(changes)}" if changes else ruleset


def _word(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def validate(ruleset: opt.Ruleset = "standard", cards: opt.Cards = None, set_: opt.Set = None) -> None:
    """Check a configuration (the help text is above)."""
    from sim.config import content_hash, load_configuration  # noqa: PLC0415 - slow to import
    from sim.tables import build_tables  # noqa: PLC0415

    configuration = load_configuration(ruleset, cards, set_ or ())
    rules, deck = configuration.ruleset, configuration.cards
    for players in range(rules.players.fewest, rules.players.most + 1):
        build_tables(configuration, players)
    typer.echo(
        f"Ruleset {_called(ruleset, set_)} ({content_hash(rules)}) and card set ({content_hash(deck)}) can be played "
        f"by {rules.players.fewest} to {rules.players.most}: {len(deck.animals)} animals, {len(deck.experts)} experts, "
        f"{len(deck.tokens)} round tokens, {rules.rounds} rounds"
    )


def export(
    folder: Annotated[Path, typer.Argument(help="Where to; made if need be.")],
    ruleset: opt.Ruleset = "standard",
    cards: opt.Cards = None,
    set_: opt.Set = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
) -> None:
    """Write a configuration (the help text is above)."""
    from sim.config import export as write  # noqa: PLC0415 - slow to import
    from sim.config import load_configuration  # noqa: PLC0415

    for path in write(load_configuration(ruleset, cards, set_ or ()), folder, overwrite=overwrite):
        typer.echo(path)
