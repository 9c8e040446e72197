"""What the benchmark expects: fingerprints of the right games, and yardsticks a decision."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tomli_w

FILE: Final = Path(__file__).with_name("accepted.toml")
GAMES: Final = "games"
CHOICES: Final = "choices"
YARDSTICKS: Final = "yardsticks"
_HEAD: Final = """\
# What `encyclopedia bench` expects; `encyclopedia bench --accept` writes it anew.
# games, choices: fingerprints of the games played, and of the decisions of strategies too slow for whole games.
# yardsticks: a decision's, the best of several repeats.

"""


def read() -> dict[str, dict[str, Any]]:
    """Return what is expected: table → case → fingerprint or yardsticks."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def write(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Take these for what is expected from now on."""
    FILE.write_text(_HEAD + tomli_w.dumps(tables), encoding="utf-8")
