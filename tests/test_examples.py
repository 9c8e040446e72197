"""The worked examples run, one for each question, and print what they say they do."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PRINTED = {
    "balance_seats": (120, "Start player: rotate"),
    "balance_coins": (120, "optimum_high"),
    "balance_tokens": (1200, "paired_centred"),
    "balance_cards": (100, "picked"),
    "balance_actions": (24, "Rules: bank.coins=12"),
    "balance_strategies": (120, "Dominated: [("),
    "balance_health": (60, "leader_wins_low"),
    "compare": (60, "variance_saved"),
    "report": (24, "report.html: "),
}
"""Name → games, and words that it prints."""


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == PRINTED.keys()


@pytest.mark.compiled
@pytest.mark.parametrize("name", PRINTED)
def test_example(name, monkeypatch, capsys):
    path = EXAMPLES / f"{name}.py"
    games, printed = PRINTED[name]
    monkeypatch.setattr(sys, "argv", [str(path), str(games)])
    runpy.run_path(str(path), run_name="__main__")
    assert printed in capsys.readouterr().out
