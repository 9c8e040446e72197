"""Games a second of whole tournaments, with parquet: 1 and 2 threads, 1 and 2 worker processes.

Run it on an idle machine: ``python -m benchmarks.scale``. Cases of one thread or process play half as many games, so
that all take about as long. The table in `docs/scale.md` is its output.
"""

import re
import tempfile

from benchmarks.process import Ran, ran
from benchmarks.section import Cell, Section, command

STRATEGY, GAMES = "random", 1_800_000
CASES = (
    ("1 thread", 1, ["--threads", "1"]),
    ("2 threads", 2, ["--threads", "2"]),
    ("1 worker process", 1, ["--workers", "1"]),
    ("2 worker processes", 2, ["--workers", "2"]),
)


def tournament(games: int, how: list[str]) -> tuple[float, Ran]:
    """Games a second of one tournament while it plays and joins, and what its process took."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["tournament", STRATEGY, "--games", str(games), "--seed", "1", "--quiet", "--out", f"{folder}/out"]
        took = ran([*words, *how])
    found = re.search(r"([\d,]+) games/s", took.said)
    assert found is not None, took.said
    return float(found[1].replace(",", "")), took


def measure(repeats: int) -> list[Section]:
    rows: list[list[Cell]] = []
    first = 0.0
    for name, cores, how in CASES:
        games = GAMES * cores // 2
        speed, took = max(tournament(games, how) for _ in range(repeats))
        first = first or speed
        rows.append([name, games, took.seconds, speed, speed / first, took.mebibytes])
    columns = ["how", "games", "seconds, start to end", "games/s", "times 1 thread", "MiB of the first process"]
    return [Section("Scale", columns, rows, note=f"{STRATEGY} with cards, best of {repeats}; files joined at the end")]


if __name__ == "__main__":
    command(measure, __doc__, repeats=1)
