"""Tables that fit any terminal: no name and no number is ever cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

_LEAST_WORDS: Final = 20
"""Sentences in a column are wrapped no narrower than this."""
_KEYS_SHARE: Final = 0.5
"""Share of the terminal that names may take where they would leave no room for numbers."""


class FittingTable(Table):
    """A table that is continued below where the terminal is too narrow for all its columns.

    Names and sentences are wrapped; a number with its interval is not. Columns that do not fit follow in a further
    table, which begins with the same names.

    Parameters
    ----------
    title, caption
        What stands above and below.
    keys
        How many of the first columns name a row.
    """

    def __init__(self, title: str, caption: str, keys: int) -> None:
        super().__init__(title=title, caption=caption or None)
        self.keys = keys

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the table, in as many parts as the width needs."""
        del console
        for number, part in enumerate(_parts(self.columns, self.keys, options.max_width)):
            yield Text(f"{self.title}, continued" if number else str(self.title), style="bold")
            yield _drawn(part)
        if self.caption:
            yield Text(str(self.caption), style="table.caption")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Take all there is; what is needed depends on it."""
        del console
        return Measurement(1, options.max_width)


def _drawn(part: Sequence[tuple[Column, int]]) -> Table:
    """Make a table of columns of fixed widths."""
    made = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        header_style="bold",
        show_header=any(column.header for column, _ in part),
    )
    for column, width in part:
        # Numbers are as wide as they need, so that only their headings are wrapped.
        made.add_column(column.header, justify=column.justify, overflow="fold", width=width)
    for row in zip(*(column.cells for column, _ in part), strict=True):
        made.add_row(*row)
    return made


def _parts(columns: Sequence[Column], keys: int, width: int) -> Iterator[list[tuple[Column, int]]]:
    """Divide columns among tables that fit, each with the columns that name a row in front."""
    names, others = columns[:keys], columns[keys:]
    room = max(int(width * _KEYS_SHARE), width - max(map(_least, others), default=0) - 2)
    least = _squeezed([_longest_word(column) for column in names], room - _overhead(len(names)))
    part: list[tuple[Column, int]] = list(zip(names, least, strict=True))
    for column in others:
        if len(part) > len(names) and _taken([*part, (column, _least(column))]) > width:
            yield _filled(part, width)
            part = part[: len(names)]
        part.append((column, max(min(_least(column), width - _taken([*part, (column, 0)])), 1)))
    yield _filled(part, width)


def _filled(part: Sequence[tuple[Column, int]], width: int) -> list[tuple[Column, int]]:
    """Give what is left of the width to the columns that can use it, the first of them first."""
    spare = width - _taken(part)
    filled = []
    for column, least in part:
        more = max(min(spare, _natural(column) - least), 0)
        spare -= more
        filled.append((column, least + more))
    return filled


def _squeezed(widths: list[int], room: int) -> list[int]:
    """Take from the widest until all fit."""
    widths = list(widths)
    while sum(widths) > room and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return widths


def _least(column: Column) -> int:
    """Return the width in which a column can be read."""
    if column.no_wrap:
        return max(_longest_word(column), max((cell_len(str(cell)) for cell in column.cells), default=0))
    return max(_longest_word(column), min(_natural(column), _LEAST_WORDS))


def _natural(column: Column) -> int:
    return max(cell_len(line) for text in _texts(column) for line in text.split("\n"))


def _longest_word(column: Column) -> int:
    texts = [str(column.header)] if column.no_wrap else _texts(column)
    return max((cell_len(word) for text in texts for word in text.split()), default=1)


def _texts(column: Column) -> list[str]:
    return [str(column.header), *map(str, column.cells)]


def _taken(part: Sequence[tuple[Column, int]]) -> int:
    return sum(width for _, width in part) + _overhead(len(part))


def _overhead(columns: int) -> int:
    """Return what edges, lines and padding take."""
    return 2 * columns + 2
