"""Parquet files: columns encoded by compiled code, and files put together without decoding them.

A results table is many small whole numbers; a general writer spends more on it than a game costs to play. Here a column
is packed in two passes (`analysis.packing`) and compressed by zstd. What the files' schema is and how polars finds its
own types in them is taken over from an empty file that polars wrote.

Joining a run's shards by reading and writing their rows again would cost as much once more. A parquet file is a sequence
of row groups and a footer that says where each begins; so files of one schema are joined by copying their row groups
byte by byte and writing one footer for all, with the places moved.
(https://parquet.apache.org/docs/file-format/metadata/)
"""

from __future__ import annotations

import functools
import io
import os
import threading
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
import zstandard
from numpy.typing import NDArray

from analysis.columns import MISSING, Column, Columns
from analysis.frames import Frames
from analysis.packing import list_values, put_indexes, put_levels
from analysis.thrift import BINARY, I32, I64, LIST, STRUCT, Structure, decoded, encoded
from sim.errors import RunError
from sim.jit import COMPILED

METADATA_KEY: Final = "encyclopedia"
"""Key of the file metadata under which results say how they came about (JSON)."""

_MAGIC: Final = b"PAR1"
_PIECE: Final = 2**20
_MADE_BY: Final = b"encyclopedia-simulator version 1.0.0"
_LEVEL: Final = 1
_SPAN: Final = 2**16
"""Most distance between values of a column that gets a dictionary."""
_NO_MAPPING: Final = np.empty(0, dtype=np.int32)

# Field numbers and codes of the footer's structures.
_SCHEMA, _ROWS, _ROW_GROUPS, _KEY_VALUES, _CREATED_BY = 2, 3, 4, 5, 6
_GROUP_COLUMNS, _GROUP_BYTES, _GROUP_ROWS, _GROUP_OFFSET, _GROUP_ORDINAL = 1, 2, 3, 5, 7
_CHUNK_OFFSET, _CHUNK_METADATA = 2, 3
_CHUNK_INDEXES: Final = (4, 5, 6, 7)  # page indexes lie outside the row groups and are left out
_PAGE_OFFSETS: Final = (9, 10, 11)
_DATA_PAGE_OFFSET, _DICTIONARY_PAGE_OFFSET, _STATISTICS = 9, 11, 12
_BLOOM_FILTER: Final = (14, 15)
_ELEMENT_TYPE, _ELEMENT_NAME = 1, 4
_PLAIN, _RLE, _RLE_DICTIONARY, _ZSTD = 0, 3, 8, 6
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2


# --- writing --------------------------------------------------------------------------------------------------------


def encode(frames: Frames, table: str) -> bytes:
    """Encode a table of results as a parquet file in memory.

    Parameters
    ----------
    frames
        Games as they were recorded (`analysis.frames.Framer.frames`), at least one.
    table
        Which table.

    Returns
    -------
    bytes
        The file. Whoever reads it gets what `frames.table` gives.
    """
    if not COMPILED or not frames.recorded:
        buffer = io.BytesIO()
        frames.table(table).write_parquet(buffer, compression="zstd", compression_level=_LEVEL, statistics=False)
        return buffer.getvalue()
    out = bytearray(_MAGIC)
    footer: Structure = {}
    groups = []
    rows = 0
    for part in frames.recorded:
        columns = part.columns(table)
        if not footer:
            footer = _template(columns)
        group = _row_group(out, columns, footer)
        rows += group[_GROUP_ROWS][1]
        groups.append(group)
    out += _footer(footer, groups, rows, {})
    return bytes(out)


def _template(columns: Columns) -> Structure:
    """Return the footer that polars writes for frames of such columns: schema, and polars's own types."""
    return dict(_template_of(tuple((name, column.dtype) for name, column in columns.items())))


@functools.lru_cache(16)
def _template_of(schema: tuple[tuple[str, Any], ...]) -> Structure:
    buffer = io.BytesIO()
    pl.DataFrame(schema=dict(schema)).write_parquet(buffer)
    data = buffer.getvalue()
    length = int.from_bytes(data[-8:-4], "little")
    return decoded(data[-8 - length : -8]) | {_CREATED_BY: (BINARY, _MADE_BY)}


class _Room(threading.local):
    """Work space of a thread, kept from column to column."""

    def __init__(self) -> None:
        self.indexes = np.empty(_SPAN, dtype=np.int32)
        self.entries = np.empty(_SPAN, dtype=np.int32)
        self.codes = np.empty(0, dtype=np.int32)
        self.known = np.empty(0, dtype=np.uint8)
        self.out = np.empty(0, dtype=np.uint8)
        self.compress = zstandard.ZstdCompressor(level=_LEVEL).compress

    def make(self, rows: int) -> None:
        """Make room for so many rows."""
        if len(self.codes) < rows:
            self.codes = np.empty(rows, dtype=np.int32)
            self.known = np.empty(rows // 8 + 1, dtype=np.uint8)
            # Levels and indexes: 16 bits a row at most, the least run in between, and the ends.
            self.out = np.empty(4 * rows + 64, dtype=np.uint8)


_room = _Room()


def _row_group(out: bytearray, columns: Columns, footer: Structure) -> Structure:
    """Append the pages of some rows and return what the footer says of them."""
    start = len(out)
    rows = len(next(iter(columns.values())).values)
    _room.make(rows)
    elements = footer[_SCHEMA][1][1][1:]
    chunks = [_column_chunk(out, column, element) for column, element in zip(columns.values(), elements, strict=True)]
    whole = sum(chunk[_CHUNK_METADATA][1][6][1] for chunk in chunks)
    return {
        _GROUP_COLUMNS: (LIST, (STRUCT, chunks)),
        _GROUP_BYTES: (I64, whole),
        _GROUP_ROWS: (I64, rows),
        _GROUP_OFFSET: (I64, start),
        6: (I64, len(out) - start),  # compressed
    }


def _column_chunk(out: bytearray, column: Column, element: Structure) -> Structure:
    """Append the pages of a column of a row group and return what the footer says of it."""
    start, rows = len(out), len(column.values)
    dictionary = _listed(column) if _is_plain(column) else _dictionary(column)
    body = _room.out[: _put_levels(column)].tobytes()
    whole = 0
    if dictionary is not None:
        header = {1: (I32, dictionary.entries), 2: (I32, _PLAIN)}
        whole += _page(out, _DICTIONARY_PAGE, dictionary.page, 7, header)
        body = _room.out[: _put_indexes(column, dictionary, len(body))].tobytes()
    else:
        known = column.values[column.values != MISSING] if column.optional else column.values
        body += known.astype("<i4").tobytes()
    data_start = len(out)
    encoding = _PLAIN if dictionary is None else _RLE_DICTIONARY
    header = {1: (I32, rows), 2: (I32, encoding), 3: (I32, _RLE), 4: (I32, _RLE)}
    whole += _page(out, _DATA_PAGE, body, 5, header)
    details: Structure = {
        1: element[_ELEMENT_TYPE],
        2: (LIST, (I32, [_PLAIN, _RLE, _RLE_DICTIONARY])),
        3: (LIST, (BINARY, [element[_ELEMENT_NAME][1]])),
        4: (I32, _ZSTD),
        5: (I64, rows),
        6: (I64, whole),
        7: (I64, len(out) - start),
        _DATA_PAGE_OFFSET: (I64, data_start),
    }
    if dictionary is not None:
        details[_DICTIONARY_PAGE_OFFSET] = (I64, start)
        if dictionary.ascending:
            page = dictionary.page
            details[_STATISTICS] = (STRUCT, {5: (BINARY, page[-4:]), 6: (BINARY, page[:4])})
    return {_CHUNK_OFFSET: (I64, start), _CHUNK_METADATA: (STRUCT, details)}


class _Dictionary(NamedTuple):
    """A column's dictionary page, and how the indexes into it follow from the column's values."""

    page: bytes
    entries: int
    mapping: NDArray[np.int32]
    least: int
    ascending: bool


def _is_plain(column: Column) -> bool:
    """Say whether a column's values are numbers themselves rather than codes."""
    return column.table is None and not isinstance(column.dtype, pl.Enum)


def _listed(column: Column) -> _Dictionary | None:
    """List a column's values as its dictionary, in ascending order; None if they lie too far apart."""
    room = _room
    count, least = list_values(column.values, column.optional, MISSING, room.indexes, room.entries)
    if count < 0:
        return None
    # A dictionary without entries is more than some readers expect.
    entries = max(count, 1)
    # Numbers kept by their bits are out of order where they pass what a sign takes.
    ascending = count > 0 and not (column.dtype == pl.UInt32 and room.entries[0] < 0)
    return _Dictionary(room.entries[:entries].astype("<i4").tobytes(), entries, room.indexes, least, ascending)


def _dictionary(column: Column) -> _Dictionary:
    """Return the dictionary that a column's codes count."""
    if isinstance(column.dtype, pl.Enum):
        words = _words(column.dtype)
        return _Dictionary(b"".join(words), len(words), _NO_MAPPING if column.table is None else column.table, 0, False)
    assert column.table is not None
    kind = "<f8" if column.dtype == pl.Float64 else "<i4"
    return _Dictionary(column.table.astype(kind).tobytes(), len(column.table), _NO_MAPPING, 0, False)


@functools.lru_cache(16)
def _words(dtype: pl.Enum) -> list[bytes]:
    """Return the words of an Enum as parquet writes them."""
    words = [word.encode() for word in dtype.categories]
    return [len(word).to_bytes(4, "little") + word for word in words]


def _put_levels(column: Column) -> int:
    """Write which rows are known to the room's beginning, and return where that ends."""
    return int(put_levels(column.values, column.optional, MISSING, _room.known, _room.out))


def _put_indexes(column: Column, dictionary: _Dictionary, place: int) -> int:
    """Write indexes to a place in the room, and return where they end."""
    width = max((dictionary.entries - 1).bit_length(), 1)
    return int(
        put_indexes(
            column.values, column.optional, MISSING, dictionary.mapping, dictionary.least, width,
            _room.codes, _room.out, place,
        )
    )  # fmt: skip


def _page(out: bytearray, kind: int, body: bytes, field: int, header: Structure) -> int:
    """Append a page and return its size without compression, header included."""
    packed = _room.compress(body)
    head = encoded(
        {1: (I32, kind), 2: (I32, len(body)), 3: (I32, len(packed)), field: (STRUCT, header)}
    )
    out += head
    out += packed
    return len(head) + len(body)


# --- joining --------------------------------------------------------------------------------------------------------


def metadata_of(path: str | Path) -> str | None:
    """Return what a results file says about itself (JSON), None if it is not one.

    Parameters
    ----------
    path
        A parquet file.
    """
    return pl.read_parquet_metadata(path).get(METADATA_KEY)


def join(sources: Iterable[Path], target: Path, metadata: Mapping[str, str]) -> int:
    """Write the rows of parquet files of one schema as one file.

    Parameters
    ----------
    sources
        At least one file, in the order of their rows.
    target
        The file to write.
    metadata
        Keys and values added to the file's metadata.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    RunError
        If a file is not parquet or of another schema than the first.
    OSError
        If reading or writing fails.
    """
    first: dict[int, Any] = {}
    groups: list[Any] = []
    rows, place = 0, len(_MAGIC)
    # Without buffers of its own: bytes are copied past them.
    with target.open("wb", buffering=0) as file:
        file.write(_MAGIC)
        for path in sources:
            with path.open("rb", buffering=0) as source:
                footer, end = _read_footer(source, path)
                if not first:
                    first = footer
                elif footer[_SCHEMA] != first[_SCHEMA]:
                    raise RunError(f"{path}: its columns are not those of the files before it")
                _copy(source, len(_MAGIC), end, file, place)
            for group in footer[_ROW_GROUPS][1][1]:
                _move(group, place - len(_MAGIC))
                groups.append(group)
            rows += footer[_ROWS][1]
            place += end - len(_MAGIC)
        if not first:
            raise RunError("no parquet files to join")
        file.seek(place)
        _write(file, _footer(first, groups, rows, metadata))
        os.fsync(file.fileno())
    return rows


def _copy(source: FileIO, start: int, end: int, target: FileIO, place: int) -> None:
    """Copy the bytes from `start` to `end` to a place in another file, inside the operating system where it can."""
    while start < end:
        try:
            copied = os.copy_file_range(source.fileno(), target.fileno(), end - start, start, place)
        except (AttributeError, OSError):
            source.seek(start)
            target.seek(place)
            data = source.read(min(end - start, _PIECE))
            copied = len(data)
            _write(target, data)
        if copied == 0:
            raise RunError("a parquet file became shorter while it was read")
        start += copied
        place += copied


def _write(target: FileIO, data: bytes) -> None:
    """Write all of some bytes."""
    left = memoryview(data)
    while left:
        left = left[target.write(left) :]


def _read_footer(source: FileIO, path: Path) -> tuple[dict[int, Any], int]:
    """Read a file's footer and where it begins."""
    size = source.seek(0, os.SEEK_END)
    source.seek(max(size - 8, 0))
    tail = source.read(8)
    length = int.from_bytes(tail[:4], "little")
    if len(tail) < 8 or tail[4:] != _MAGIC or length > size - 12:
        raise RunError(f"{path}: not a whole parquet file")
    source.seek(size - 8 - length)
    try:
        return decoded(source.read(length)), size - 8 - length
    except (IndexError, KeyError) as error:
        raise RunError(f"{path}: the footer of the parquet file is damaged") from error


def _move(group: dict[int, Any], shift: int) -> None:
    """Let a row group say where it lies in the new file."""
    group.pop(_GROUP_ORDINAL, None)
    _add(group, _GROUP_OFFSET, shift)
    for chunk in group[_GROUP_COLUMNS][1][1]:
        for field in _CHUNK_INDEXES:
            chunk.pop(field, None)
        if chunk[_CHUNK_OFFSET][1] > 0:
            _add(chunk, _CHUNK_OFFSET, shift)
        details = chunk[_CHUNK_METADATA][1]
        for field in _BLOOM_FILTER:
            details.pop(field, None)
        for field in _PAGE_OFFSETS:
            _add(details, field, shift)


def _add(structure: dict[int, Any], field: int, number: int) -> None:
    if field in structure:
        kind, value = structure[field]
        structure[field] = (kind, value + number)


def _footer(first: dict[int, Any], groups: list[Any], rows: int, metadata: Mapping[str, str]) -> bytes:
    """Make the end of a file: the first file's footer with the row groups of all."""
    _, (_, key_values) = first.get(_KEY_VALUES, (LIST, (STRUCT, [])))
    added = [{1: (BINARY, key.encode()), 2: (BINARY, value.encode())} for key, value in metadata.items()]
    footer = first | {
        _ROWS: (I64, rows),
        _ROW_GROUPS: (LIST, (STRUCT, groups)),
        _KEY_VALUES: (LIST, (STRUCT, [*key_values, *added])),
    }
    data = encoded(footer)
    return data + len(data).to_bytes(4, "little") + _MAGIC
