"""What benchmarks share: a section of results, printed as a table or written as JSON, and a command of its own each."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from analysis.benchmark.timing import Work, timed
from analysis.cli.tables import console, table

Cell = str | int | float | None


@dataclass(frozen=True)
class Section:
    """A table of figures; the first `words` columns say what a row is."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: int = 1
    note: str = ""


Measure = Callable[[int], list[Section]]


def written(cell: Cell) -> str:
    """Write a cell with about three digits or more."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"


def show(sections: Sequence[Section]) -> None:
    """Print tables."""
    for section in sections:
        rows = [[written(cell) for cell in row] for row in section.rows]
        console().print(table(section.title, section.columns, rows, left=section.words, caption=section.note))


def as_data(sections: Sequence[Section]) -> list[dict[str, object]]:
    """Return what JSON has of sections: figures as they were measured."""
    return [asdict(section) for section in sections]


def median_yardsticks(work: Work, repeats: int) -> tuple[float, float]:
    """Time a piece of work; return the medians of nanoseconds and of yardsticks a decision (or whatever it counts)."""
    found = sorted(timed({None: work}, repeats)[None], key=lambda repeat: repeat.yardsticks)
    middle = found[len(found) // 2]
    return middle.seconds * 1e9 / middle.decisions, middle.yardsticks


def command(measure: Measure, about: str | None, repeats: int) -> None:
    """Run a benchmark as a command: ``--repeats``, ``--json``."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--repeats", type=int, default=repeats, help="medians of so many (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    given = parser.parse_args()
    if given.repeats < 1:
        parser.error(f"argument --repeats: found {given.repeats}; allowed: 1 or more")
    sections = measure(given.repeats)
    print(json.dumps(as_data(sections), indent=2)) if given.json else show(sections)
