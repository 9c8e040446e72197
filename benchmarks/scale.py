"""Games a second of whole tournaments, with parquet: 1 and 2 threads, 1 and 2 worker processes.

Run it on an idle machine: ``python -m benchmarks.scale``. The table in `docs/scale.md` is its output.
"""

import re
import tempfile

from benchmarks.process import ran
from benchmarks.section import Cell, Section, command

STRATEGY, GAMES = "random", 400_000
CASES = (
    ("1 thread", ["--threads", "1"]),
    ("2 threads", ["--threads", "2"]),
    ("1 worker process", ["--workers", "1"]),
    ("2 worker processes", ["--workers", "2"]),
)


def speed(how: list[str]) -> float:
    """Games a second of one tournament."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["tournament", STRATEGY, "--games", str(GAMES), "--seed", "1", "--quiet", "--out", f"{folder}/out"]
        said = ran([*words, *how]).said
    found = re.search(r"([\d,]+) games/s", said)
    assert found is not None, said
    return float(found[1].replace(",", ""))


def measure(repeats: int) -> list[Section]:
    rows: list[list[Cell]] = []
    for name, how in CASES:
        best = max(speed(how) for _ in range(repeats))
        rows.append([name, best, best / rows[0][1] if rows else 1.0])  # type: ignore[operator]
    note = f"{GAMES:,} games of {STRATEGY}, best of {repeats}; files joined at the end"
    return [Section("Scale", ["how", "games/s", "times 1 thread"], rows, note=note)]


if __name__ == "__main__":
    command(measure, __doc__, repeats=3)
