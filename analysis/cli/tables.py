"""How results look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console

from analysis.cli.fitting import FittingTable

if TYPE_CHECKING:
    from rich.table import Table

    from analysis.tournament import Summary


def console() -> Console:
    """Return the console for results; one that is no terminal gets wide lines."""
    screen = Console(highlight=False)
    if not screen.is_terminal:
        screen.width = max(screen.width, 140)
    return screen


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1, caption: str = "") -> Table:
    """Make a table of text.

    Parameters
    ----------
    title, caption
        What stands above and below.
    columns, rows
        Headings and cells.
    left
        How many of the first columns are words rather than numbers. They name the row: where a terminal is too narrow
        for all columns, they are repeated in front of those that follow below.
    """
    made = FittingTable(title, caption, keys=left if left < len(columns) else 1)
    for position, name in enumerate(columns):
        number = position >= left
        side: Literal["left", "right"] = "right" if number else "left"
        made.add_column(name, justify=side, no_wrap=number)
    for row in rows:
        made.add_row(*row)
    return made


def summary_tables(summary: Summary) -> list[Table]:
    """Make the tables by strategy and by seat."""
    columns = ["games", "win share", "95% interval", "mean VP", "95% interval", "mean rank"]
    by_strategy = [_row(str(row["strategy"]), row) for row in summary.by_strategy.iter_rows(named=True)]
    by_seat = [_row(str(row["seat"]), row) for row in summary.by_seat.iter_rows(named=True)]
    fair = f"equal ones have {percent(1 / len(by_seat))}"
    met = ", in line-ups with others" if len(by_strategy) > 1 else ""
    return [
        table("Strategies", ["strategy", *columns], by_strategy, caption=f"win share for each seat held{met}; {fair}"),
        table("Seats", ["seat", *columns], by_seat, caption=f"in all line-ups, by first turn order; {fair}"),
    ]


def _row(name: str, row: dict[str, Any]) -> list[str]:
    return [
        name,
        f"{row['games']:,}",
        percent(row["win_share"]),
        between(row["win_share_low"], row["win_share_high"], percent),
        f"{row['total']:.2f}",
        between(row["total_low"], row["total_high"], lambda value: f"{value:.2f}"),
        f"{row['rank']:.3f}",
    ]


def percent(share: float) -> str:
    """Write a share as a percentage."""
    return f"{100 * share:.2f}%"


def p_value(p: float | None) -> str:
    """Write a p value in a table; a dash where it is not known."""
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def between(low: float | None, high: float | None, write: Any) -> str:
    """Write an interval; a dash where too few blocks were played to know it."""
    return "–" if low is None or high is None else f"{write(low).rstrip('%')} – {write(high)}"


def duration(seconds: float) -> str:
    """Write a time so that it is easy to grasp."""
    if seconds < 0.05:
        return "less than 0.1 s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def size(count: float) -> str:
    """Write a number of bytes."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
