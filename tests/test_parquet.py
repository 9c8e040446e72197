"""Columns encoded by compiled code: whatever is in them, every reader reads it back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from analysis.columns import MISSING, Column, Columns
from analysis.frames import Frames, frame_of
from analysis.parquet import encode, join
from analysis.thrift import BINARY, BYTE, DOUBLE, FALSE, I16, I32, I64, LIST, STRUCT, TRUE, decoded, encoded

pytestmark = pytest.mark.compiled

LARGEST = 2**31 - 1


class Given:
    """Stands for recorded games: columns as they are."""

    has_cards = True

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def columns(self, table: str) -> Columns:
        del table
        return self._columns


def frames_of(*groups: Columns) -> Frames:
    return Frames(recorded=[Given(columns) for columns in groups])  # type: ignore[misc]


def column(values: Sequence[int] | np.ndarray[Any, Any], dtype: Any = pl.Int32, **options: Any) -> Column:
    return Column(np.asarray(values, dtype=np.int64).astype(np.uint32).view(np.int32), dtype, **options)


def check(folder: Path, *groups: Columns) -> None:
    """Encode groups of columns and read them with everything that reads parquet."""
    wanted = pl.concat([frame_of(columns) for columns in groups])
    path = folder / "file.parquet"
    path.write_bytes(encode(frames_of(*groups), "games"))
    assert_frame_equal(pl.read_parquet(path), wanted)
    words = [name for name, kind in wanted.schema.items() if isinstance(kind, pl.Enum)]
    plain = wanted.with_columns(pl.col(words).cast(pl.String))
    assert_frame_equal(duckdb.sql(f"select * from '{path}'").pl(), plain)
    found = pl.from_arrow(pq.read_table(path))
    assert isinstance(found, pl.DataFrame)
    assert_frame_equal(found.with_columns(pl.col(words).cast(pl.String)), plain)
    assert pq.ParquetFile(path).metadata.num_row_groups == len(groups)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("columns")


# Runs of equal values and stretches of different ones, of all lengths around those where the encoding changes.
stretches = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 9), st.integers(1, 40)).map(lambda run: [run[0]] * run[1]),
        st.lists(st.integers(0, 9), min_size=1, max_size=30),
    ),
    min_size=1,
    max_size=8,
).map(lambda parts: [value for part in parts for value in part])


@given(stretches, st.integers(1, 70_000), st.integers(-(2**20), 2**20))
def test_numbers_near_and_far(folder: Path, values: list[int], factor: int, offset: int) -> None:
    numbers = np.array(values) * factor + offset
    check(folder, {"numbers": column(numbers), "same": column(np.full(len(values), offset))})


@given(stretches, stretches)
def test_small_numbers_of_which_some_are_missing(folder: Path, values: list[int], gaps: list[int]) -> None:
    rows = min(len(values), len(gaps))
    numbers = np.where(np.array(gaps[:rows]) < 4, MISSING, values[:rows])
    words = pl.Enum([f"word {number}" for number in range(10)])
    check(
        folder,
        {
            "numbers": column(numbers, pl.UInt8, optional=True),
            "wide": column(numbers, pl.UInt16, optional=True),
            "words": column(numbers, words, optional=True),
            "known": column(values[:rows], words),
            "ids": column(values[:rows], table=np.array([5, 3, 900_000, 1, 1, 2, 7, 8, 9, 4], dtype=np.int32)),
            "twice": column(values[:rows], words, table=np.array([1, 2, 2, 1, 9, 0, 3, 3, 3, 3], dtype=np.int32)),
            "shares": column(values[:rows], pl.Float64, table=np.array([0.0, *(1 / part for part in range(1, 10))])),
        },
    )


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000])
def test_ends(folder: Path, rows: int) -> None:
    random = np.random.default_rng(rows)
    check(
        folder,
        {
            "none": column(np.full(rows, MISSING), pl.UInt8, optional=True),
            "all": column(random.integers(0, 200, rows), pl.UInt8, optional=True),
            "some": column(random.integers(-1, 2, rows), pl.UInt8, optional=True),
            "counted": column(np.arange(rows), pl.UInt32),
            "extremes": column(random.choice([-LARGEST - 1, LARGEST, 0], rows)),
        },
    )


def test_numbers_beyond_half_of_what_32_bits_hold(folder: Path) -> None:
    games = np.arange(2**31 - 20, 2**31 + 20)
    check(folder, {"game": column(games, pl.UInt32)}, {"game": column(games + 2**30, pl.UInt32)})


def test_large_dictionaries_and_none(folder: Path) -> None:
    random = np.random.default_rng(1)
    check(
        folder,
        {
            "near": column(random.integers(0, 2**16, 200_000)),
            "far": column(random.integers(-LARGEST, LARGEST, 200_000)),
            "far and missing": column(np.where(random.random(200_000) < 0.5, MISSING, 2**30), optional=True),
            "words": column(random.integers(0, 300, 200_000), pl.Enum([f"{number}" for number in range(300)])),
        },
    )


def test_a_row_group_knows_its_least_and_most(folder: Path) -> None:
    path = folder / "file.parquet"
    groups = [{"game": column(np.arange(start, start + 50), pl.UInt32)} for start in (0, 50, 100)]
    path.write_bytes(encode(frames_of(*groups), "games"))
    statistics = [pq.ParquetFile(path).metadata.row_group(number).column(0).statistics for number in range(3)]
    assert [(each.min, each.max) for each in statistics] == [(0, 49), (50, 99), (100, 149)]
    assert pl.scan_parquet(path).filter(pl.col("game") == 77).collect()["game"].to_list() == [77]


def test_joined_files_are_read_as_one(tmp_path: Path) -> None:
    groups: list[Columns] = [
        {"a": column([number] * 9), "b": column([number, MISSING] * 4 + [0], pl.UInt8, optional=True)}
        for number in range(5)
    ]
    parts = []
    for number, group in enumerate(groups):
        parts.append(tmp_path / f"{number}.parquet")
        parts[-1].write_bytes(encode(frames_of(group), "games"))
    assert join(parts, tmp_path / "all.parquet", {"key": "value"}) == 45
    assert_frame_equal(pl.read_parquet(tmp_path / "all.parquet"), pl.concat([frame_of(group) for group in groups]))
    assert pl.read_parquet_metadata(tmp_path / "all.parquet")["key"] == "value"


structures = st.recursive(
    st.one_of(
        st.tuples(st.sampled_from([I16, I32, I64]), st.integers(-(2**31), 2**31)),
        st.tuples(st.just(BINARY), st.binary(max_size=300)),
        st.tuples(st.just(DOUBLE), st.binary(min_size=8, max_size=8)),
        st.tuples(st.just(BYTE), st.integers(0, 255)),
        st.sampled_from([(TRUE, True), (FALSE, False)]),
        st.tuples(st.just(LIST), st.tuples(st.just(I32), st.lists(st.integers(-9, 2**20), max_size=20))),
    ),
    lambda inner: st.tuples(st.just(STRUCT), st.dictionaries(st.integers(1, 60), inner, max_size=5)),
)


@given(st.dictionaries(st.integers(1, 60), structures, max_size=8))
def test_thrift_reads_what_it_wrote(structure: Any) -> None:
    assert decoded(encoded(structure)) == structure
