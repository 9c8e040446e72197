"""Where peers stand: catanatron and OpenSpiel beside this project, random play on one core, in one run.

Peers live in an environment of their own, made on first use (``--environment``); this project does not depend on
them. Run it as ``python -m benchmarks.peers``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from pathlib import Path

from rich.console import Console
from rich.table import Table

from analysis.benchmark import measure

PEERS = ("catanatron==3.2.1", "open_spiel==2.0.2")
SECONDS = 3.0

CATANATRON = """
import json, sys, time
from catanatron import Color, Game, RandomPlayer
seconds = float(sys.argv[1])
games = decisions = 0
start = time.perf_counter()
while time.perf_counter() - start < seconds:
    game = Game([RandomPlayer(colour) for colour in Color])
    game.play()
    games += 1
    decisions += len(getattr(game.state, "actions", None) or game.state.action_records)
spent = time.perf_counter() - start
print(json.dumps([["catanatron, 4 players", games / spent, decisions / spent]]))
"""

OPEN_SPIEL = """
import json, random, sys, time
import pyspiel
seconds = float(sys.argv[1])
rows = []
for label, name in (("OpenSpiel backgammon, 2 players", "backgammon"),
                    ("OpenSpiel crazy eights, 4 players", "crazy_eights(players=4)")):
    game = pyspiel.load_game(name)
    generator, plies, sample = random.Random(1), 0, 20
    for _ in range(sample):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes())
                state.apply_action(generator.choices(outcomes, chances)[0])
                continue
            legal = state.legal_actions()
            plies += len(legal) > 1
            state.apply_action(generator.choice(legal))
    bots = [pyspiel.make_uniform_random_bot(seat, seat + 1) for seat in range(game.num_players())]
    games, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, games)
        games += 1
    spent = time.perf_counter() - start
    rows.append([label, games / spent, games / spent * plies / sample])
print(json.dumps(rows))
"""


def environment(folder: Path) -> Path:
    """Make the peers' environment if it is not there; return its interpreter."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return python


def timed(python: Path, program: str) -> list[tuple[str, float, float]]:
    """Run one peer's program; return name, games and decisions a second."""
    output = subprocess.run([python, "-c", program, str(SECONDS)], check=True, capture_output=True, text=True).stdout
    return [(name, games, decisions) for name, games, decisions in json.loads(output.splitlines()[-1])]


def main() -> None:
    """Time everybody in one run and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--environment", type=Path, default=Path.home() / ".cache" / "encyclopedia-peers")
    python = environment(parser.parse_args().environment)
    rows = [*timed(python, CATANATRON), *timed(python, OPEN_SPIEL)]
    ours = measure("random", players=4, threads=1, seconds=SECONDS)
    table = Table("simulator (random play, one core)", "games/s", "decisions/s", "our decisions for one of theirs")
    for name, games, decisions in rows:
        table.add_row(name, f"{games:,.0f}", f"{decisions:,.0f}", f"{ours.decisions_per_second / decisions:,.1f}")
    table.add_row("this project, 4 players", f"{ours.games_per_second:,.0f}", f"{ours.decisions_per_second:,.0f}", "1")
    Console().print(table)


if __name__ == "__main__":
    main()
