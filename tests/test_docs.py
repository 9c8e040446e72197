"""What the pages in docs/ show of Python runs."""

import re
from pathlib import Path

import pytest

from analysis.cli.main import run
from analysis.tournament import tournament

pytestmark = pytest.mark.compiled

DOCS = Path(__file__).parents[1] / "docs"
QUICKER = {r"games=[\d_]+": "games=24", r'"[\d.]+pp"': '"40pp"', "check_tables=50": "check_tables=4"}
"""What is played less of here than on the pages."""


def python_of(page: Path) -> str:
    """Return the samples of a page as one program: later ones use names of those before."""
    program = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    for much, little in QUICKER.items():
        program = re.sub(much, little, program)
    return program


PROGRAMS = {page.name: program for page in sorted(DOCS.glob("*.md")) if (program := python_of(page))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results that the pages read."""
    folder = tmp_path_factory.mktemp("docs")
    for name in ("results", "big"):
        run(["tournament", "greedy", "random", "--games", "24", "--out", str(folder / name), "--quiet"])
    return folder


def test_there_are_samples() -> None:
    assert {"analysis.md", "balance.md", "results.md", "scale.md", "search.md"} <= PROGRAMS.keys()


@pytest.mark.parametrize("page", PROGRAMS)
def test_samples_run(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    exec(compile(PROGRAMS[page], page, "exec"), {})


def test_strategies_are_summed_up_as_a_tournament_prints_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    sample = PROGRAMS["results.md"].replace("mixed.group_by", "found = mixed.group_by", 1)
    exec(sample, names)
    printed = tournament(["greedy", "random"], games=24).summary.by_strategy
    rows = {row["strategy"]: row for row in names["found"].iter_rows(named=True)}  # type: ignore[attr-defined]
    for row in printed.iter_rows(named=True):
        found = rows[row["strategy"]]
        assert (found["game"], found["win_share"], found["total"], found["rank"]) == pytest.approx(
            (row["games"], row["win_share"], row["total"], row["rank"])
        )
