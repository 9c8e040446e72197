"""Files of weights (`strategies.weightfile`) that hold what was tuned."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from analysis.tuning.search import Tuned


def file_text(tuned: Tuned, made: str, before: str | Path | None = None) -> str:
    """Text of a file of weights (`strategies.weightfile`) that holds the tuned ones for their number of players.

    Parameters
    ----------
    tuned
        What came of a tuning.
    made
        How they were made, for those who read the file.
    before
        A file whose other contents are kept.

    Returns
    -------
    str
        TOML.
    """
    data: dict[str, Any] = {}
    if before is not None and Path(before).exists():
        data = tomllib.loads(Path(before).read_text(encoding="utf-8"))
    files = tuned.tuning.strategy.files
    data.setdefault("strategy", files[0].strategy if files and files[0].strategy else tuned.tuning.strategy.spec.name)
    notes = [line for line in str(data.get("made", "")).splitlines() if line and not line.startswith(_head(tuned))]
    data["made"] = "\n".join([*notes, f"{_head(tuned)} {made}"])
    players: Mapping[str, Any] = data.get("players", {})
    data["players"] = dict(sorted({**players, str(tuned.tuning.players): tuned.weights}.items()))
    order = [key for key in ("strategy", "describe", "made", "weights", "players") if key in data]
    return tomli_w.dumps({key: data[key] for key in order}, multiline_strings=True)


def _head(tuned: Tuned) -> str:
    return f"{tuned.tuning.players} players:"
