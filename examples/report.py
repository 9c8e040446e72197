"""How do I show all of it? Two answers and a tournament in one folder, and one page of everything."""

import sys
import tempfile
from pathlib import Path

from analysis.balance.answer import write
from analysis.balance.seats import seat_balance
from analysis.compare import compare, pair_of
from analysis.identity import identity_of
from analysis.report import report
from analysis.runs import LocalExecutor
from analysis.store import hold, play
from analysis.tournament import make_plan

games = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    plan = make_plan(["greedy", "balanced"], players=3, games=games, seed=1)

    # The tables of a tournament, as `encyclopedia tournament greedy balanced --out FOLDER` writes them.
    identity = identity_of(plan, {"card set": "standard", "overrides": []})
    with hold(folder, plan, identity, command="examples/report.py") as run:
        play(run, plan, LocalExecutor())

    # Answers stand beside them, a JSON file and some parquet files each.
    write(seat_balance(plan), folder)
    write(compare(*pair_of("standard", "start_player=rotate", ["greedy"], 3, games, seed=1)), folder)

    page = report(folder)
    print(f"{page.name}: {page.stat().st_size / 1e6:.1f} MB, made of {len(list(folder.iterdir())) - 1} files")
