"""Cold and warm start, as whole processes: the help, a small tournament, and the same with nothing compiled yet.

Run it as ``python -m benchmarks.startup``.
"""

import tempfile
from statistics import median

from benchmarks.process import ran
from benchmarks.section import Cell, Section, command

TOURNAMENT = ("tournament", "greedy", "random", "--games", "100", "--quiet")
COLD_REPEATS = 2


def cold() -> float:
    """Seconds of a tournament whose code has to be compiled first."""
    with tempfile.TemporaryDirectory() as folder:
        return ran(TOURNAMENT, {"NUMBA_CACHE_DIR": folder}).seconds


def measure(repeats: int) -> list[Section]:
    ran(TOURNAMENT)  # compiles what is not compiled yet
    rows: list[list[Cell]] = []
    for name, times in (
        ("encyclopedia --help", [ran(["--help"]).seconds for _ in range(repeats)]),
        (f"{' '.join(TOURNAMENT)}, compiled before", [ran(TOURNAMENT).seconds for _ in range(repeats)]),
        ("the same with an empty cache", [cold() for _ in range(min(repeats, COLD_REPEATS))]),
    ):
        rows.append([name, median(times), min(times), max(times), len(times)])
    return [Section("Start", ["process", "seconds", "least", "most", "repeats"], rows)]


if __name__ == "__main__":
    command(measure, __doc__, repeats=7)
