"""All benchmarks, one after the other; with ``--json FILE`` everything goes to one file too.

Peers are timed if their environment is there already (``make bench-peers`` makes it).
Run it as ``python -m benchmarks.everything``, on a machine that does nothing else.
"""

import argparse
import json
from pathlib import Path

from analysis.benchmark.document import Wanted, as_json, measured
from analysis.cli.bench_tables import layer_table, notes, speed_table
from analysis.cli.tables import console
from benchmarks import memory, peers, rollouts, scale, size, startup
from benchmarks.section import Section, as_data, show

REPEATS = {"startup": 7, "memory": 1, "size": 5, "rollouts": 5, "scale": 2, "peers": 1}
MEASURES = {
    "startup": startup.measure,
    "memory": memory.measure,
    "size": size.measure,
    "rollouts": rollouts.measure,
    "scale": scale.measure,
    "peers": peers.measure,
}


def speeds() -> dict[str, object]:
    """Do what `encyclopedia bench` does."""
    found = measured(Wanted.of())
    for table in (speed_table(found), layer_table(found)):
        console().print(table)
    for note in notes(found):
        console().print(note, soft_wrap=True, markup=False)
    return dict(json.loads(as_json(found)))


def sections(name: str) -> list[Section]:
    """Run one benchmark and print it."""
    found = MEASURES[name](REPEATS[name])
    show(found)
    return found


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything to this file")
    file = parser.parse_args().json
    names = [name for name in MEASURES if name != "peers" or peers.ENVIRONMENT.exists()]
    found: dict[str, object] = {"bench": speeds()}
    for name in names:
        found[name] = as_data(sections(name))
        if file is not None:
            # After each, so that what has been measured stays if a later one fails.
            file.write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
