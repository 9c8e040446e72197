"""A file to which outcomes are added one by one, and from which an earlier sitting's are read.

Each entry is a key, a value, their lengths and a hash. A process that is killed while it adds one leaves a torn entry
at the end; it is cut off when the file is opened again, and so is all that stands behind a damaged one.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import zlib
from pathlib import Path
from typing import Final

from sim.errors import RunError

_MAGIC: Final = b"ENCYC1\n"
_HEAD: Final = struct.Struct("<II16s")
_LEVEL: Final = 1


class Journal:
    """An open journal.

    Parameters
    ----------
    path
        The file; made if need be.

    Raises
    ------
    RunError
        If it cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = Journal(Path(folder) / "journal")
    ...     first.add(b"a", b"what came of a")
    ...     first.close()
    ...     second = Journal(Path(folder) / "journal")
    ...     second.get(b"a"), second.get(b"b")
    ...     second.close()
    (b'what came of a', None)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[bytes, tuple[int, int]] = {}
        self._lock = threading.Lock()
        try:
            self._file = path.open("r+b" if path.exists() else "w+b")
            self._end = self._read()
            self._file.truncate(self._end)
            if self._end == 0:
                self._file.seek(0)
                self._file.write(_MAGIC)
                self._file.flush()
                self._end = len(_MAGIC)
        except OSError as error:
            raise self._failed(error) from error

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: bytes, value: bytes) -> None:
        """Add an entry.

        Raises
        ------
        RunError
            If it cannot be written; the entries before it stay.
        """
        packed = zlib.compress(value, _LEVEL)
        head = _HEAD.pack(len(key), len(packed), _hash(key, packed))
        with self._lock:
            try:
                self._file.seek(self._end)
                self._file.write(head + key + packed)
                self._file.flush()
            except OSError as error:
                raise self._failed(error) from error
            self._places[key] = (self._end + len(head) + len(key), len(packed))
            self._end += len(head) + len(key) + len(packed)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, None if there is none."""
        if key not in self._places:
            return None
        place, length = self._places[key]
        with self._lock:
            self._file.seek(place)
            return zlib.decompress(self._file.read(length))

    def close(self) -> None:
        """Close the file; what a full disk did not take is left behind."""
        try:
            self._file.close()
        except OSError:
            self._file.close()

    def _read(self) -> int:
        """Take note of the entries that are whole, and return where they end."""
        if self._file.read(len(_MAGIC)) != _MAGIC:
            return 0
        end = len(_MAGIC)
        while len(head := self._file.read(_HEAD.size)) == _HEAD.size:
            key_length, length, digest = _HEAD.unpack(head)
            key, packed = self._file.read(key_length), self._file.read(length)
            if len(packed) < length or _hash(key, packed) != digest:
                break
            self._places[key] = (end + _HEAD.size + key_length, length)
            end += _HEAD.size + key_length + length
        return end

    def _failed(self, error: OSError) -> RunError:
        return RunError(f"{self.path}: cannot be written: {error.strerror or error}; what was finished is kept")


def _hash(key: bytes, packed: bytes) -> bytes:
    return hashlib.blake2b(key + packed, digest_size=16).digest()
