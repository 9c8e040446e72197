"""Where rulesets and card sets are read from: shipped data or the user's files, as text, tables and rows."""

import csv
import io
import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from sim.errors import InputError
from sim.faults import SHOWN, fail, suggestion

RULESET_FILE = "ruleset.toml"


class Row(NamedTuple):
    """One row of a CSV file: where it stands and its cells by column, stripped."""

    line: int
    cells: dict[str, str]


class Source(NamedTuple):
    """A file or folder that was found, and how messages call it."""

    place: Path | Traversable
    label: str

    def __truediv__(self, name: str) -> "Source":
        """Return the source of a file in this folder."""
        return Source(self.place.joinpath(name), f"{self.label}/{name}")


def shipped() -> list[str]:
    """Return the names of the data sets that come with the program.

    Examples
    --------
    >>> shipped()
    ['standard']
    """
    return sorted(folder.name for folder in files("sim.data").iterdir() if folder.joinpath(RULESET_FILE).is_file())


def find(name: str | Path, what: str, beside: Path | None = None) -> Source:
    """Find a ruleset or a card set.

    Parameters
    ----------
    name
        The name of a shipped one, or the path of a file or folder.
    what
        "ruleset" or "card set", for the message.
    beside
        The folder that a relative path starts from; the working folder by default.

    Returns
    -------
    Source
        The file or folder.

    Raises
    ------
    InputError
        If there is nothing of that name.

    Examples
    --------
    >>> find("standard", "ruleset").label
    'standard'
    """
    text = str(name)
    known = shipped()
    if text in known:
        return Source(files("sim.data").joinpath(text), text)
    try:
        path = (beside or Path()) / Path(text).expanduser()
        found = bool(text) and "\0" not in text and path.exists()
    except (OSError, RuntimeError) as error:
        raise InputError(f"{what} {text!r} cannot be read: {error}") from error
    if not found:
        raise InputError(
            f"{what} {text!r} not found; allowed: a shipped one ({', '.join(known)}) or the path of a file or folder"
            f"{suggestion(text, known)}"
        )
    return Source(path, str(path))


def read_text(source: Source) -> str:
    """Return the text of a file, without a byte order mark.

    Raises
    ------
    InputError
        If the file is not there, cannot be read or is not UTF-8.
    """
    try:
        return source.place.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"{source.label}: file not found") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{source.label}: not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from error
    except OSError as error:
        raise InputError(f"{source.label}: cannot be read: {error.strerror or error}") from error


def read_toml(source: Source) -> dict[str, Any]:
    """Return the tables of a TOML file.

    Raises
    ------
    InputError
        If it cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(read_text(source))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{source.label}: not valid TOML: {error}") from error


def read_rows(source: Source, columns: list[str], may_be_empty: frozenset[str]) -> list[Row]:
    """Return the rows of a CSV file.

    Parameters
    ----------
    source
        The file; comma or semicolon between the cells, as its header has it.
    columns
        The columns it must have, in any order.
    may_be_empty
        Those whose cells may be empty.

    Returns
    -------
    list
        The rows that are not empty.

    Raises
    ------
    InputError
        If the file cannot be read, or a column or cell is missing, unknown or given twice.
    """
    text = read_text(source)
    header = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in header else ",", strict=True)
    lines: list[tuple[int, list[str]]] = []
    try:
        lines.extend((reader.line_num, [cell.strip() for cell in cells]) for cells in reader)
    except csv.Error as error:
        raise InputError(f"{source.label}, line {reader.line_num}: not valid CSV: {error}") from error
    lines = [(line, cells) for line, cells in lines if any(cells)]
    if not lines:
        raise InputError(f"{source.label}: empty; a header is needed: {','.join(columns)}")
    names = _header(source, lines[0][1], columns)
    return _cells(source, names, lines[1:], may_be_empty)


def _header(source: Source, names: list[str], columns: list[str]) -> list[str]:
    """Check the names of the columns."""
    allowed = f"allowed: {','.join(columns)}"
    faults = [
        f"unknown column {name!r}; {allowed}{suggestion(name, columns)}"
        for name in dict.fromkeys(names)
        if name not in columns
    ]
    faults += [f"missing column {name!r}; needed: {','.join(columns)}" for name in columns if name not in names]
    faults += [f"column {name!r} is given more than once" for name in dict.fromkeys(names) if names.count(name) > 1]
    if faults:
        fail([f"{source.label}, header: {fault}" for fault in faults])
    return names


def _cells(
    source: Source, names: list[str], lines: list[tuple[int, list[str]]], may_be_empty: frozenset[str]
) -> list[Row]:
    """Give each cell its column."""
    faults: list[str] = []
    rows: list[Row] = []
    for line, cells in lines:
        if len(cells) != len(names):
            faults.append(f"{source.label}, line {line}: found {len(cells)} cells; the header has {len(names)} columns")
            continue
        row = Row(line, dict(zip(names, cells, strict=True)))
        faults += [
            f"{where(source, row)}: {name} is empty; it has to be given"
            for name, cell in row.cells.items()
            if not cell and name not in may_be_empty
        ]
        rows.append(row)
        if len(faults) > SHOWN * 100:
            break
    if faults:
        fail(faults)
    return rows


def where(source: Source, row: Row) -> str:
    """Name a row in a message."""
    return f"{source.label}, line {row.line} (id {row.cells['id'] or '?'})"
