"""Tables fit the terminal: names and numbers are whole at any width."""

import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from analysis.balance import answer as answers
from analysis.cli.answer_tables import as_markdown, bar_tables, compare_tables, health_tables, ladder_tables
from analysis.cli.balance_tables import card_tables, coin_tables, seat_tables, token_tables
from analysis.cli.main import run
from analysis.cli.tables import table

WIDTHS = (60, 80, 100, 160)
NAMES = ["Biologist of the Great Barrier Reef", "Dean of Bologna", "Gift of a Collector"]


def drawn(made: Table, width: int) -> str:
    """Draw a table on a terminal."""
    file = io.StringIO()
    Console(file=file, width=width, highlight=False, legacy_windows=False).print(made)
    return file.getvalue()


def assert_whole(made: Table, width: int) -> None:
    """Check that nothing is cut and nothing is wider than the terminal."""
    text = drawn(made, width)
    assert max(map(cell_len, text.splitlines())) <= width
    words = text.split()
    for column in made.columns:
        cells = [str(cell) for cell in column.cells]
        for word in " ".join([str(column.header), *cells]).split():
            assert word in words, word
        for cell in cells if column.no_wrap else ():
            # An interval stands on the line of its number.
            assert re.search(rf"(^| ){re.escape(cell)}( |$)", text, re.MULTILINE), cell


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("numbers", [1, 5, 9])
def test_names_and_numbers_are_whole(width: int, numbers: int) -> None:
    heads = ["card", *(f"against average, paired {number}" for number in range(numbers))]
    rows = [[name, *(f"{1000 * row + number:,} (+1.00 to +{number}.50)" for number in range(numbers))]
            for row, name in enumerate(NAMES, 9)]  # fmt: skip
    assert_whole(table("Cards", heads, rows, caption="what is shown"), width)


def test_columns_that_do_not_fit_follow_below_with_the_names() -> None:
    made = table("Cards", ["card", "one", "two"], [["Okapi", "+12.34 ±5.67", "9,012"]])
    assert drawn(made, 80).count("Okapi") == 1
    narrow = drawn(made, 24)
    assert "Cards, continued" in narrow
    assert narrow.count("Okapi") == 2
    assert "9,012" in narrow
    assert as_markdown(made).count("Okapi") == 1


def test_a_name_longer_than_the_terminal_is_wrapped_and_not_cut() -> None:
    name = "/a/folder/far/away/of/strategies/with/a/long/name/bots.py:mine"
    text = drawn(table("Strategies", ["strategy", "games"], [[name, "9,012"]]), 60)
    assert max(map(cell_len, text.splitlines())) <= 60
    assert "9,012" in text
    assert name in "".join(re.sub("9,012|games", "", text).split())


def test_a_table_without_rows_or_headings_is_drawn() -> None:
    assert "one" in drawn(table("None", ["card", "one"], []), 80)
    assert len(drawn(table("Plan", ["", ""], [["games", "9,012"]], left=2), 80).strip().splitlines()) <= 3


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("words", "tables"),
    [
        (("balance", "tokens", "--games", "48"), token_tables),
        (("balance", "cards", "--games", "24"), card_tables),
        (("balance", "coins", "--games", "48"), coin_tables),
        (("balance", "seats", "--games", "48"), seat_tables),
        (("balance", "actions", "--games", "24"), bar_tables),
        (("balance", "health", "--games", "24"), health_tables),
        (("ladder", "greedy", "balanced", "random", "--games", "24"), lambda answer: ladder_tables(answer, True)),
        (("compare", "standard", "bank.coins=6", "--games", "24"), lambda answer: compare_tables(answer, True)),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_every_answer_is_whole_on_a_terminal_of_80_columns(
    tmp_path: Path, words: Sequence[str], tables: Callable[[answers.Answer], Sequence[Table]]
) -> None:
    assert run([*words, "--threads", "1", "--quiet", "--out", str(tmp_path)]) == 0
    for made in tables(answers.read(words[0] if words[0] != "balance" else words[1], tmp_path)):
        assert_whole(made, 80)
