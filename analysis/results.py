"""Results folders as they are read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from analysis.columns import CARDS, GAMES, SEATS, TABLES
from analysis.parquet import metadata_of
from sim.errors import InputError


@dataclass(frozen=True)
class StoredResults:
    """Results in files, read lazily.

    Attributes
    ----------
    games, seats, cards
        The tables; cards is None where they were not recorded.
    about
        What the files say about themselves. ``games`` is how many they hold; of a run that was cut off there is
        also ``games planned``.
    """

    games: pl.LazyFrame
    seats: pl.LazyFrame
    cards: pl.LazyFrame | None
    about: dict[str, Any]


def open_results(folder: str | Path) -> StoredResults:
    """Open a folder of results.

    Parameters
    ----------
    folder
        As given to ``--out``.

    Raises
    ------
    InputError
        If there are no results in it, or its files are not of one run.
    """
    paths = {table: Path(folder).expanduser() / f"{table}.parquet" for table in TABLES}
    if not paths[GAMES].is_file() or not paths[SEATS].is_file():
        raise InputError(f"{folder}: no results there (games.parquet, seats.parquet)")
    about = metadata_of(paths[GAMES])
    if about is None:
        raise InputError(f"{paths[GAMES]}: not a results file of this program")
    for path in (paths[SEATS], *([paths[CARDS]] if paths[CARDS].is_file() else [])):
        if metadata_of(path) != about:
            raise InputError(
                f"{path}: of other games than {paths[GAMES].name}; the run was cut off: go on with it (--resume)"
            )
    cards = pl.scan_parquet(paths[CARDS]) if paths[CARDS].is_file() else None
    return StoredResults(pl.scan_parquet(paths[GAMES]), pl.scan_parquet(paths[SEATS]), cards, json.loads(about))
