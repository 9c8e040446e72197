"""Parquet files: frames encoded, and files put together without decoding them.

Joining a run's shards by reading and writing their rows again would cost as much as writing them did, and the cards of
ten million games are close to a billion rows. A parquet file is a sequence of row groups and a footer that says where
each begins; so files of one schema are joined by copying their row groups byte by byte and writing one footer for all,
with the places moved. The footer is Thrift's compact protocol; what is not understood is carried along untouched
(https://parquet.apache.org/docs/file-format/, https://github.com/apache/thrift/blob/master/doc/specs/).
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any, Final

import polars as pl

from sim.errors import RunError

METADATA_KEY: Final = "encyclopedia"
"""Key of the file metadata under which results say how they came about (JSON)."""

_MAGIC: Final = b"PAR1"
_ROW_GROUP_ROWS: Final = 2**20
_PIECE: Final = 2**20

# Field numbers of the footer's structures.
_SCHEMA, _ROWS, _ROW_GROUPS, _KEY_VALUES = 2, 3, 4, 5
_GROUP_COLUMNS, _GROUP_OFFSET, _GROUP_ORDINAL = 1, 5, 7
_CHUNK_OFFSET, _CHUNK_METADATA = 2, 3
_CHUNK_INDEXES: Final = (4, 5, 6, 7)  # page indexes lie outside the row groups and are left out
_PAGE_OFFSETS: Final = (9, 10, 11)
_BLOOM_FILTER: Final = (14, 15)


def encoded(frame: pl.DataFrame) -> bytes:
    """Encode a frame as a parquet file in memory.

    Parameters
    ----------
    frame
        Rows of a results table.

    Returns
    -------
    bytes
        The file. Statistics are left out: they cost as much time as the compression does.
    """
    buffer = io.BytesIO()
    frame.write_parquet(
        buffer, compression="zstd", compression_level=1, statistics=False, row_group_size=_ROW_GROUP_ROWS
    )
    return buffer.getvalue()


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
        return _Reader(source.read(length)).structure(), size - 8 - length
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
    _, (_, key_values) = first.get(_KEY_VALUES, (_LIST, (_STRUCT, [])))
    added = [{1: (_BINARY, key.encode()), 2: (_BINARY, value.encode())} for key, value in metadata.items()]
    footer = first | {
        _ROWS: (_I64, rows),
        _ROW_GROUPS: (_LIST, (_STRUCT, groups)),
        _KEY_VALUES: (_LIST, (_STRUCT, [*key_values, *added])),
    }
    data = _Writer().structure(footer)
    return data + len(data).to_bytes(4, "little") + _MAGIC


# --- Thrift's compact protocol: a structure is a dict of field number → (type, value) ---------------------------------

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_LONG_LIST: Final = 15


class _Reader:
    """Reads one structure from bytes."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def structure(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while True:
            head = self._byte()
            if head == 0:
                return fields
            kind = head & 15
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = (kind, kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind))

    def _value(self, kind: int) -> Any:
        if kind in (_I16, _I32, _I64):
            return self._integer()
        if kind == _BINARY:
            return self._take(self._varint())
        if kind in (_LIST, _SET):
            head = self._byte()
            size = self._varint() if head >> 4 == _LONG_LIST else head >> 4
            return head & 15, [self._value(head & 15) for _ in range(size)]
        if kind == _STRUCT:
            return self.structure()
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind == _DOUBLE:
            return self._take(8)
        raise KeyError(kind)

    def _byte(self) -> int:
        self._place += 1
        return self._data[self._place - 1]

    def _take(self, count: int) -> bytes:
        self._place += count
        return self._data[self._place - count : self._place]

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    def _integer(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)


class _Writer:
    """Writes what `_Reader` reads."""

    def __init__(self) -> None:
        self._out = bytearray()

    def structure(self, fields: dict[int, Any]) -> bytes:
        self._structure(fields)
        return bytes(self._out)

    def _structure(self, fields: dict[int, Any]) -> None:
        before = 0
        for number, (kind, value) in sorted(fields.items()):
            if number - before <= _LONG_LIST:
                self._out.append((number - before) << 4 | kind)
            else:
                self._out.append(kind)
                self._integer(number)
            before = number
            if kind not in (_TRUE, _FALSE):
                self._value(kind, value)
        self._out.append(0)

    def _value(self, kind: int, value: Any) -> None:
        if kind in (_I16, _I32, _I64):
            self._integer(value)
        elif kind == _BINARY:
            self._varint(len(value))
            self._out += value
        elif kind in (_LIST, _SET):
            inner, items = value
            self._out.append(min(len(items), _LONG_LIST) << 4 | inner)
            if len(items) >= _LONG_LIST:
                self._varint(len(items))
            for item in items:
                self._value(inner, item)
        elif kind == _STRUCT:
            self._structure(value)
        elif kind == _DOUBLE:
            self._out += value
        else:
            self._out.append(value)

    def _varint(self, number: int) -> None:
        while number > 127:
            self._out.append(number & 127 | 128)
            number >>= 7
        self._out.append(number)

    def _integer(self, number: int) -> None:
        self._varint(number * 2 if number >= 0 else -number * 2 - 1)
