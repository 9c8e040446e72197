"""What the README says can be typed and run."""

import re
import shlex
from pathlib import Path

import pytest

from analysis.cli.main import run

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
BOT = next(block for block in BLOCKS if "def mine(" in block)
PYTHON = [block for block in BLOCKS if block != BOT]
COMMANDS = [
    line.partition(" > ")[0]
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ encyclopedia")
]
TABLES = re.findall(r"`encyclopedia ((?:balance|plan|rules|strategies)[^`]*)`", README)
"""Commands that stand in tables."""
SHOWN = re.findall(r"```console\n\$ encyclopedia ([^\n]*)\n```\n```\n(.*?)```", README, re.DOTALL)
"""Commands and what is shown of what they print; … stands for lines left out."""


def test_the_two_commands_open_the_readme() -> None:
    first = re.search(r"```console\n(.*?)```", README, re.DOTALL)
    assert first is not None
    assert [line.split("#")[0].strip() for line in first[1].splitlines()] == ["make run", "make test"]
    assert README.index("make run") < 100


@pytest.mark.parametrize("block", PYTHON)
def test_examples_run(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(block, {})
    assert capsys.readouterr().out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the commands speak of."""
    monkeypatch.chdir(tmp_path)
    run(["rules", "export", "my-game/"])
    (tmp_path / "mine.py").write_text(BOT)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, folder: Path) -> None:
    words = shlex.split(command)[2:]
    if "--games" in words:
        words[words.index("--games") + 1] = "24"
    if words[:2] == ["rules", "export"]:
        words.append("--overwrite")
    assert run(words) == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", TABLES)
def test_commands_of_tables_run(command: str, folder: Path) -> None:
    words = shlex.split(command)
    if words[0] == "balance":
        words += ["--games", "48", "--quiet"]
    if words[:2] == ["strategies", "new"]:
        (folder / words[2]).unlink(missing_ok=True)
    assert run(words) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), SHOWN)
def test_what_is_shown_is_what_is_printed(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*shlex.split(command), "--quiet"]) == 0
    printed = _lines(capsys.readouterr().out)
    for part in shown.split("…\n"):
        assert _lines(part) in printed


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def test_links_lead_somewhere() -> None:
    for page in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        for link in re.findall(r"\]\(([^)#]+)\)", page):
            assert (ROOT / link).exists(), link
