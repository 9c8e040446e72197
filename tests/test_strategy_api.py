"""Specs, files of bots, and what is said of those that cannot be used."""

from pathlib import Path

import numpy as np
import pytest

from sim.batch import StrategyError
from sim.errors import InputError
from strategies.api import find, fingerprint, load
from strategies.probe import probe

pytestmark = pytest.mark.compiled

HEAD = "from sim.chance import draw\n\n\n"
GOOD = HEAD + "def bot(state, tables, actions, count, random, weights):\n    return draw(random, count)\n"


def written(folder: Path, text: str) -> str:
    """Write a file of bots; return the spec of its function `bot`."""
    path = folder / "bots.py"
    path.write_text(text)
    return f"{path}:bot"


def bot(body: str) -> str:
    return HEAD + f"def bot(state, tables, actions, count, random, weights):\n    {body}\n"


def test_weights_in_a_spec() -> None:
    changed = load("balanced:publish=1.5", 2).weights - load("balanced", 2).weights
    assert np.count_nonzero(changed) == 1
    assert fingerprint("balanced:publish=1.5") != fingerprint("balanced")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("balnced", "balanced"),
        ("balanced:publsh=2", "publish"),
        ("balanced:publish=much", "publish"),
        ("balanced@nowhere.toml", "nowhere.toml"),
        ("nowhere/bot.py:bot", "nowhere/bot.py"),
    ],
)
def test_unknown_names_are_refused_and_near_ones_suggested(spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(spec, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "def bot(state, tables):\n    return 0\n", "state, tables"),
        (bot("return 0.5"), "float"),
        (bot("return count > 1"), "bool"),
        (bot("return nothing_known"), "nothing_known"),
        (HEAD + "bot = 3\n", "bot"),
        ("raise ValueError('no')\n", "no"),
        ("def bot(:\n", "bots.py"),
    ],
)
def test_what_is_no_strategy_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(written(tmp_path, text), 2)


def test_a_good_file_is_probed_once(tmp_path: Path) -> None:
    spec = written(tmp_path, GOOD + f"\n\nUNLIKE = {str(tmp_path)!r}\n")
    assert probe([spec], players=[2]) == [spec]
    assert probe([spec], players=[2]) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return count", "allowed are 0 to"),
        ("if count > 1:\n        raise ValueError('my fault')\n    return 0", "my fault"),
        ("state[0] = 3\n    return 0", "state"),
    ],
)
def test_what_breaks_the_contract_is_named(tmp_path: Path, body: str, said: str) -> None:
    with pytest.raises(StrategyError, match=said) as caught:
        probe([written(tmp_path, bot(body))], players=[2])
    assert "seat" in str(caught.value)


def test_what_never_returns_is_stopped(tmp_path: Path) -> None:
    spec = written(tmp_path, bot("while count > 0:\n        count += 1\n    return 0"))
    with pytest.raises(StrategyError, match="seat"):
        probe([spec], players=[2], patience=2)


def test_the_declared_weights_are_the_row(tmp_path: Path) -> None:
    text = (
        "from strategies.api import Weight, strategy\n\n\n"
        "@strategy(weights={'a': Weight(1.0, 0.0, 2.0, 'first'), 'b': Weight(2.0, 0.0, 3.0, 'second')}, describe='x')\n"
        "def bot(state, tables, actions, count, random, weights):\n    return int(weights[0] + weights[1]) % count\n"
    )
    spec = written(tmp_path, text)
    assert load(f"{spec}:b=3", 2).weights.tolist() == [1.0, 3.0]
    assert list(find(spec).declaration.weights) == ["a", "b"]
