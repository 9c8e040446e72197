"""The shards of a run on disk: each a folder that is written under another name and renamed when it is whole.

A shard's folder holds a parquet file a table and ``shard.json`` with their sizes and hashes, by which a damaged or
truncated one is found.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from analysis import parquet
from analysis.columns import CARDS, TABLES
from analysis.frames import Frames
from analysis.writing import part_of, writing

SHARDS: Final = "shards"
_NOTE: Final = "shard.json"

Tables = Mapping[str, bytes]
"""A shard's tables as parquet files in memory."""


def encode(frames: Frames) -> dict[str, bytes]:
    """Encode a shard's tables, as a task for an executor; cards that are not recorded are left out."""
    recorded = len(frames.cards) if not frames.recorded else any(part.has_cards for part in frames.recorded)
    return {table: parquet.encode(frames, table) for table in TABLES if table != CARDS or recorded}


def digest(data: bytes) -> str:
    """Hash of a file's contents."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Shards:
    """The folder ``shards`` of a run.

    Parameters
    ----------
    folder
        The run's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / SHARDS

    def write(self, shard: int, tables: Tables) -> None:
        """Write a shard.

        Raises
        ------
        RunError
            If it cannot be written; nothing of it is left behind.
        """
        target = self._place(shard)
        part = part_of(target)
        with writing(part):
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            for table, data in tables.items():
                (part / f"{table}.parquet").write_bytes(data)
            files = {table: {"size": len(data), "hash": digest(data)} for table, data in tables.items()}
            (part / _NOTE).write_text(json.dumps({"shard": shard, "tables": files}))
            part.rename(target)

    def files(self, table: str, shards: Collection[int]) -> list[Path]:
        """Files of a table, in the order of the games."""
        found = (self._place(shard) / f"{table}.parquet" for shard in sorted(shards))
        return [file for file in found if file.exists()]

    def size(self, shards: Collection[int]) -> int:
        """Count the bytes of some shards."""
        return sum(file.stat().st_size for shard in shards for file in self._place(shard).iterdir())

    def find(self, count: int) -> tuple[set[int], list[int]]:
        """Find the shards that are there and whole; remove what is damaged, half written or no shard.

        Parameters
        ----------
        count
            How many shards the run has.

        Returns
        -------
        set of int, list of int
            The whole ones; the damaged ones, which are gone now.
        """
        whole, damaged = set(), []
        for place in sorted(self.path.iterdir()) if self.path.is_dir() else ():
            number = int(place.name) if place.name.isdecimal() else -1
            if 0 <= number < count and _is_whole(place, number):
                whole.add(number)
                continue
            if number >= 0:
                damaged.append(number)
            shutil.rmtree(place, ignore_errors=True)
        return whole, damaged

    def remove(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _place(self, shard: int) -> Path:
        return self.path / f"{shard:06d}"


def _is_whole(place: Path, shard: int) -> bool:
    """Say whether a shard's files are what was written."""
    try:
        noted = json.loads((place / _NOTE).read_text())
        files = {table: place / f"{table}.parquet" for table in noted["tables"]}
        return noted["shard"] == shard and all(
            files[table].stat().st_size == about["size"] and digest(files[table].read_bytes()) == about["hash"]
            for table, about in noted["tables"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
