"""Games a second of whole tournaments, with parquet: 1 and 2 threads, 1 and 2 worker processes.

Run it on an idle machine: ``python benchmarks/scale.py --games 400000``. The table in `docs/scale.md` is its output.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile

COMMAND = [sys.executable, "-c", "from analysis.cli.main import main; main()", "tournament"]
CASES = (
    ("1 thread", ["--threads", "1"]),
    ("2 threads", ["--threads", "2"]),
    ("1 worker process", ["--workers", "1"]),
    ("2 worker processes", ["--workers", "2"]),
)


def measure(strategies: list[str], games: int, how: list[str]) -> float:
    """Games a second of one tournament."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*COMMAND, *strategies, "--games", str(games), "--seed", "1", "--quiet", "--out", f"{folder}/out", *how]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"([\d,]+) games/s", said)
    assert found is not None, said
    return float(found[1].replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("strategies", nargs="*", default=["random"])
    parser.add_argument("--games", type=int, default=400_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(f"{given.games:,} games of {', '.join(given.strategies)}, best of {given.repeats}\n")
    print("| how | games/s | to 1 thread |\n|---|---:|---:|")
    first = None
    for name, how in CASES:
        speed = max(measure(given.strategies, given.games, how) for _ in range(given.repeats))
        first = first or speed
        print(f"| {name} | {speed:,.0f} | {speed / first:.2f} |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nPeak memory of a process: {peak:,.0f} MiB")


if __name__ == "__main__":
    main()
