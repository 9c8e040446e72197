"""Columns of small whole numbers packed into bits, as parquet's pages hold them; compiled.

A page of a column is its *levels* (which rows are known) and then, for those, indexes into a dictionary of the column's
values. Both are in parquet's hybrid of runs and packed bits, and each is written in one pass over the column.
(https://parquet.apache.org/docs/file-format/data-pages/encodings/)
"""

from __future__ import annotations

import numpy as np

from sim.jit import entry

_BYTE = np.uint64(255)
_WORD = np.uint64(32)
_RUN = 8
"""Equal values from which on a run is shorter than packed bits."""


@entry
def _put_varint(number, out, place):
    while number > 127:
        out[place] = (number & 127) | 128
        number >>= 7
        place += 1
    out[place] = number
    return place + 1


@entry
def _put_bits(codes, start, stop, width, out, place):
    """Pack codes in `width` bits each, and fill up the last group of eight with zeros."""
    word, bits, step = np.uint64(0), np.uint64(0), np.uint64(width)
    end = place + (stop - start + 7) // 8 * width
    for row in range(start, stop):
        word |= np.uint64(codes[row]) << bits
        bits += step
        if bits >= _WORD:
            for byte in range(4):
                out[place + byte] = (word >> np.uint64(8 * byte)) & _BYTE
            place += 4
            word >>= _WORD
            bits -= _WORD
    while place < end:
        out[place] = word & _BYTE
        word >>= np.uint64(8)
        place += 1
    return place


@entry
def _run_from(codes, start, stop):
    """Find where the run of equal codes that begins at `start` ends."""
    end = start + 1
    while end < stop and codes[end] == codes[start]:
        end += 1
    return end


@entry
def _put_hybrid(codes, count, width, out, place):
    """Write codes as runs where they repeat and as packed bits where they do not."""
    row = 0
    while row < count:
        end = _run_from(codes, row, count)
        if end - row >= _RUN:
            place = _put_varint((end - row) << 1, out, place)
            for byte in range((width + 7) // 8):
                out[place] = (codes[row] >> (8 * byte)) & 255
                place += 1
            row = end
            continue
        start = row
        row = min(row + 8, count)
        # Packed bits go on in groups of eight, until a whole group is the beginning of a run.
        while row + 8 <= count and _run_from(codes, row, row + 8) < row + 8:
            row += 8
        if row + 8 > count:
            row = count
        place = _put_varint(((row - start + 7) // 8) << 1 | 1, out, place)
        place = _put_bits(codes, start, row, width, out, place)
    return place


@entry
def _list_known(values, missing, known):
    """Fill a byte for every eight rows with a bit for each that is known."""
    whole = values.shape[0] // 8
    for group in range(whole):
        bits = np.int64(0)
        for bit in range(8):
            bits |= np.int64(values[8 * group + bit] != missing) << bit
        known[group] = bits
    left = values.shape[0] - 8 * whole
    if left > 0:
        known[whole] = 0
        for bit in range(left):
            known[whole] |= np.int64(values[8 * whole + bit] != missing) << bit


@entry
def _put_known(known, rows, out, place):
    """Write bytes of known rows as runs of bytes all known or all missing, and as they are between."""
    groups = (rows + 7) // 8
    group = 0
    while group < groups:
        start, byte = group, known[group]
        if byte in (0, 255) and 8 * (group + 1) <= rows:
            while 8 * (group + 1) <= rows and known[group] == byte:
                group += 1
            place = _put_varint((group - start) * 8 << 1, out, place)
            out[place] = byte & 1
            place += 1
            continue
        # A single byte that could be a run is longer as one.
        group += 1
        while group < groups:
            byte = known[group]
            if byte in (0, 255) and 8 * (group + 2) <= rows and known[group + 1] == byte:
                break
            group += 1
        place = _put_varint((group - start) << 1 | 1, out, place)
        for number in range(start, group):
            out[place] = known[number]
            place += 1
    return place


@entry
def put_levels(values, optional, missing, known, out):
    """Write which rows are known, with the length of that in front; return where it ends."""
    rows = values.shape[0]
    if optional:
        _list_known(values, missing, known)
        place = _put_known(known, rows, out, 4)
    else:
        place = _put_varint(rows << 1, out, 4)
        out[place] = 1
        place += 1
    for byte in range(4):
        out[byte] = ((place - 4) >> (8 * byte)) & 255
    return place


@entry
def list_values(values, optional, missing, indexes, entries):
    """List a column's values in ascending order in `entries`.

    Return how many, or -1 if they lie too far apart, and the least (of what stands for missing, too). Afterwards
    `indexes` holds, by distance from the least, each value's place in the list.
    """
    least = most = values[0]
    for row in range(values.shape[0]):
        least = min(least, values[row])
        most = max(most, values[row])
    span = np.int64(most) - np.int64(least) + 1
    if span > indexes.shape[0]:
        return -1, np.int64(least)
    for distance in range(span):
        indexes[distance] = 0
    for row in range(values.shape[0]):
        indexes[np.int64(values[row]) - np.int64(least)] = 1
    count = 0
    for distance in range(span):
        value = np.int64(least) + distance
        if indexes[distance] != 0 and not (optional and value == missing):
            entries[count] = value
            indexes[distance] = count
            count += 1
    return count, np.int64(least)


@entry
def put_indexes(values, optional, missing, mapping, least, width, codes, out, place):
    """Write the dictionary indexes of the known rows; return where they end.

    A value's index is found in `mapping` by its distance from the `least`; without a mapping it is the value itself.
    """
    mapped = mapping.shape[0] > 0
    count = 0
    for row in range(values.shape[0]):
        value = values[row]
        # What is missing is written too, and written over: a branch would be guessed wrong half of the time.
        codes[count] = mapping[max(np.int64(value) - np.int64(least), 0)] if mapped else value
        count += not optional or value != missing
    out[place] = width
    return _put_hybrid(codes, count, width, out, place + 1)
