"""Peak memory of tournaments with all tables as parquet files: ten times the games need no more.

Run it as ``python -m benchmarks.memory``.
"""

import tempfile
from statistics import median

from benchmarks.process import Ran, ran
from benchmarks.section import Cell, Section, command

SIZES = (40_000, 400_000)


def tournament(games: int) -> Ran:
    """Play a tournament and throw its results away."""
    with tempfile.TemporaryDirectory() as folder:
        return ran(["tournament", "random", "--games", str(games), "--quiet", "--out", f"{folder}/out"])


def measure(repeats: int) -> list[Section]:
    rows: list[list[Cell]] = []
    for games in SIZES:
        found = [tournament(games) for _ in range(repeats)]
        rows.append([f"{games:,}", max(each.mebibytes for each in found), median(each.seconds for each in found)])
    note = "random, four seats; the most of any repeat"
    return [Section("Memory", ["games", "peak, MiB", "seconds"], rows, note=note)]


if __name__ == "__main__":
    command(measure, __doc__, repeats=1)
