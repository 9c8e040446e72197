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


def test_links_lead_somewhere() -> None:
    for page in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        for link in re.findall(r"\]\(([^)#]+)\)", page):
            assert (ROOT / link).exists(), link
