"""Thrift's compact protocol, in which parquet files say what is in them.

A structure is a dict of field number → (type, value); a list is (type of its items, items). What a reader does not
understand is carried along untouched. (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md)
"""

from __future__ import annotations

from typing import Any, Final

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_WHOLE: Final = (I16, I32, I64)
_TRUTH: Final = (TRUE, FALSE)
_LONG: Final = 15

Structure = dict[int, tuple[int, Any]]


def decoded(data: bytes) -> Structure:
    """Read a structure.

    Parameters
    ----------
    data
        Begins with it.

    Raises
    ------
    IndexError, KeyError
        If it is damaged.

    Examples
    --------
    >>> decoded(encoded({1: (I32, -5), 4: (BINARY, b"abc")}))
    {1: (5, -5), 4: (8, b'abc')}
    """
    return _Reader(data).structure()


def encoded(structure: Structure) -> bytes:
    """Write a structure."""
    out = bytearray()
    _write_structure(out, structure)
    return bytes(out)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def structure(self) -> Structure:
        fields: Structure = {}
        number = 0
        while (head := self._byte()) != 0:
            kind = head & 15
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = (kind, kind == TRUE if kind in _TRUTH else self._value(kind))
        return fields

    def _value(self, kind: int) -> Any:
        if kind in _WHOLE:
            return self._integer()
        if kind == BINARY:
            return self._take(self._varint())
        if kind in (LIST, SET):
            head = self._byte()
            size = self._varint() if head >> 4 == _LONG else head >> 4
            return head & 15, [self._value(head & 15) for _ in range(size)]
        if kind == STRUCT:
            return self.structure()
        if kind in (*_TRUTH, BYTE):
            return self._byte()
        if kind == DOUBLE:
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
            if byte <= 127:
                return number
            shift += 7

    def _integer(self) -> int:
        number = self._varint()
        return (number >> 1) ^ -(number & 1)


def _write_structure(out: bytearray, fields: Structure) -> None:
    before = 0
    for number, (kind, value) in sorted(fields.items()):
        if number - before <= _LONG:
            out.append((number - before) << 4 | kind)
        else:
            out.append(kind)
            _write_integer(out, number)
        before = number
        if kind not in _TRUTH:
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in _WHOLE:
        _write_integer(out, value)
    elif kind == BINARY:
        _write_varint(out, len(value))
        out += value
    elif kind in (LIST, SET):
        inner, items = value
        out.append(min(len(items), _LONG) << 4 | inner)
        if len(items) >= _LONG:
            _write_varint(out, len(items))
        for item in items:
            _write_value(out, inner, item)
    elif kind == STRUCT:
        _write_structure(out, value)
    elif kind == DOUBLE:
        out += value
    else:
        out.append(value)


def _write_varint(out: bytearray, number: int) -> None:
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _write_integer(out: bytearray, number: int) -> None:
    _write_varint(out, number * 2 if number >= 0 else -number * 2 - 1)
