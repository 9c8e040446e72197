"""The worked examples of seats, coins, tokens and cards run, and print what they say they do."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "games", "printed"),
    [
        ("seats", 120, "Start player: rotate"),
        ("coins", 120, "optimum_high"),
        ("tokens", 1200, "paired_centred"),
        ("cards", 100, "picked"),
    ],
)
def test_example(name, games, printed, monkeypatch, capsys):
    path = EXAMPLES / f"balance_{name}.py"
    monkeypatch.setattr(sys, "argv", [str(path), str(games)])
    runpy.run_path(str(path), run_name="__main__")
    assert printed in capsys.readouterr().out
