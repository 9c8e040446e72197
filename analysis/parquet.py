"""Results as parquet files: written, joined and asked what they are, all by polars."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl

from analysis.frames import Frames
from sim.errors import RunError

METADATA_KEY: Final = "encyclopedia"
"""Key of the file metadata under which results say how they came about (JSON)."""

# Statistics cost as much time as compression, and the columns of games are in order anyway.
_WRITING: Final[dict[str, Any]] = {"compression": "zstd", "compression_level": 1, "statistics": False}
_ROW_GROUP_ROWS: Final = 2**17
"""Readers hold several row groups at a time."""
_SECOND_INTERRUPT: Final = 0.1


def encode(frames: Frames, table: str) -> bytes:
    """Encode a table of results as a parquet file in memory.

    Parameters
    ----------
    frames
        Games as they were recorded.
    table
        Which table, one of `analysis.frames.TABLES`.
    """
    buffer = io.BytesIO()
    frames.table(table).write_parquet(buffer, **_WRITING)
    return buffer.getvalue()


def encoded_again(data: bytes) -> bytes:
    """Read a table of results and encode it anew, which is what joining does with it.

    Parameters
    ----------
    data
        What `encode` returned.
    """
    buffer = io.BytesIO()
    pl.read_parquet(io.BytesIO(data)).write_parquet(buffer, **_WRITING)
    return buffer.getvalue()


def metadata_of(path: str | Path) -> str | None:
    """Return what a results file says about itself (JSON), None if it is not one.

    Parameters
    ----------
    path
        A parquet file.
    """
    try:
        return pl.read_parquet_metadata(path).get(METADATA_KEY)
    except (pl.exceptions.PolarsError, OSError):
        return None


def join(sources: Iterable[Path], target: Path, metadata: Mapping[str, str]) -> None:
    """Put files of one schema together, in their order, a piece at a time.

    Parameters
    ----------
    sources
        Parquet files, at least one.
    target
        Where the joined file goes.
    metadata
        What the file says about itself.

    Raises
    ------
    RunError
        If a file is damaged or cannot be read or written.
    """
    try:
        pl.scan_parquet(list(sources)).sink_parquet(
            target, row_group_size=_ROW_GROUP_ROWS, metadata=dict(metadata), maintain_order=True, **_WRITING
        )
    except KeyboardInterrupt:
        # It comes twice: from polars, and then from Python.
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(_SECOND_INTERRUPT)
        raise
    except pl.exceptions.PolarsError as error:
        reason = str(error).rpartition("underlying IO error: ")[2]
        raise RunError(
            f"{target}: the finished shards cannot be joined: {reason}; they stay, and take as much space again when "
            "they are joined"
        ) from error
