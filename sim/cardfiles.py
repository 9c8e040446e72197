"""The three CSV files of a card set: their columns, cells and faults by line."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sim.cardset import Animal, CardFault, CardSet, Expert, RoundToken, card_faults
from sim.errors import InputError
from sim.faults import fail, one_of
from sim.overrides import TABLES, Override, cause
from sim.ruleset import CARD_COLUMNS, Ruleset
from sim.sources import Row, Source, find, read_rows, where

EXPERT_COLUMNS: Final = (
    "id",
    "name",
    "continent",
    "trigger",
    "trigger_continent",
    "effect",
    "amount",
    "effect_filter",
)
TOKEN_COLUMNS: Final = ("id", "name", "effect", "amount", "scope")
OPTIONAL: Final = frozenset({"latin", "trigger_continent", "effect_filter", "scope"})
"""Columns whose cells may be empty; an empty scope is everyone (rule 8)."""


def read_cards(name_or_path: str | Path, rules: Ruleset, changes: Sequence[Override]) -> CardSet:
    """Load a card set, changed and checked.

    Parameters
    ----------
    name_or_path
        Name of a shipped card set, or a folder with the three files.
    rules
        The ruleset it has to fit.
    changes
        Changes of cards, already parsed.

    Returns
    -------
    CardSet
        The checked cards.

    Raises
    ------
    InputError
        If anything is missing, unknown or out of range.

    Examples
    --------
    >>> from sim.config import load_ruleset
    >>> len(read_cards("standard", load_ruleset(), []).experts)
    55
    """
    folder = find(name_or_path, "card set")
    if not folder.place.is_dir():
        files = ", ".join(f"{table}.csv" for table in TABLES)
        raise InputError(f"card set {str(name_or_path)!r} is a file; a folder with {files} is needed")
    columns = columns_of(rules)
    rows = {table: read_rows(folder / f"{table}.csv", columns[table], OPTIONAL) for table in TABLES}
    for change in changes:
        _change_card(rows, change)
    _check_numbers(folder, rows, changes)
    cards = CardSet(
        animals=tuple(_animal(row.cells, rules) for row in rows["animals"]),
        experts=tuple(_expert(row.cells) for row in rows["experts"]),
        tokens=tuple(_token(row.cells) for row in rows["tokens"]),
    )
    faults = card_faults(cards, rules)
    if faults:
        fail([_in_file(folder, rows, changes, fault) for fault in faults])
    return cards


def columns_of(rules: Ruleset) -> dict[str, list[str]]:
    """Return the columns of each file; animals have one for each type."""
    return {
        "animals": [*CARD_COLUMNS, *rules.types],
        "experts": list(EXPERT_COLUMNS),
        "tokens": list(TOKEN_COLUMNS),
    }


def _change_card(rows: dict[str, list[Row]], change: Override) -> None:
    """Set one cell of the card that a change names by id."""
    here = f"override {change.text!r}"
    if len(change.path) != 3:
        raise InputError(f"{here}: name a cell as table.id.column, such as experts.7.amount=3")
    table, identity, column = change.path
    row = next((row for row in rows[table] if row.cells["id"] == identity), None)
    if row is None:
        raise InputError(f"{here}: no row of {table} has id {identity!r}")
    columns = [name for name in row.cells if name != "id"]
    if column not in columns:
        raise InputError(f"{here}: unknown column: {one_of(column, columns)}")
    value = change.value
    if value[0] in "\"'" and value[-1] == value[0]:
        value = value[1:-1].strip()
    if not value and column not in OPTIONAL:
        raise InputError(f"{here}: {column} is empty; it has to be given")
    row.cells[column] = value


def _check_numbers(folder: Source, rows: dict[str, list[Row]], changes: Sequence[Override]) -> None:
    """Refuse ids and amounts that are not whole numbers."""
    faults = [
        CardFault(table, index, column, f"found {row.cells[column]!r}; a whole number is needed")
        for table in TABLES
        for index, row in enumerate(rows[table])
        for column in ("id", "amount")
        if column in row.cells and not re.fullmatch(r"[+-]?[0-9]{1,9}", row.cells[column])
    ]
    if faults:
        fail([_in_file(folder, rows, changes, fault) for fault in faults])


def _in_file(folder: Source, rows: dict[str, list[Row]], changes: Sequence[Override], fault: CardFault) -> str:
    """Name the override, or the file and the row, of a fault."""
    file = folder / f"{fault.table}.csv"
    if fault.row is None:
        return f"{file.label}: {fault.message}"
    row = rows[fault.table][fault.row]
    card = f"{fault.table}.{row.cells['id']}"
    place = cause(f"{card}.{fault.column}", changes) or cause(card, changes) or where(file, row)
    return f"{place}: {fault.column}: {fault.message}"


def _animal(cells: dict[str, str], rules: Ruleset) -> Animal:
    return Animal(
        id=int(cells["id"]),
        name=cells["name"],
        latin=cells["latin"],
        continent=cells["continent"],
        categories=tuple(cells[name] for name in rules.types),
    )


def _expert(cells: dict[str, str]) -> Expert:
    return Expert(
        id=int(cells["id"]),
        name=cells["name"],
        continent=cells["continent"],
        trigger=cells["trigger"],
        trigger_continent=cells["trigger_continent"] or None,
        effect=cells["effect"],
        amount=int(cells["amount"]),
        effect_filter=cells["effect_filter"] or None,
    )


def _token(cells: dict[str, str]) -> RoundToken:
    return RoundToken(
        id=int(cells["id"]),
        name=cells["name"],
        effect=cells["effect"],
        amount=int(cells["amount"]),
        scope=cells["scope"] or "everyone",
    )
