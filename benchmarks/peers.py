"""Where peers stand: catanatron and OpenSpiel beside this project, random play on one core, in one run.

Peers live in an environment of their own, made on first use below the user's cache; this project does not depend on
them. Run it as ``python -m benchmarks.peers``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from statistics import median

from platformdirs import user_cache_path

from analysis.benchmark.cases import Case
from analysis.benchmark.speeds import measure as measure_case
from benchmarks.section import Cell, Section, command

ENVIRONMENT = user_cache_path("encyclopedia-peers")
PEERS = ("catanatron==3.2.1", "open_spiel==2.0.2")
SECONDS = 3.0
OURS = "this project, 4 players"

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


def timed_in_turn(python: Path, repeats: int) -> list[tuple[str, float, float]]:
    """Time all peers and this project one after the other, some times over; return medians."""
    rows: dict[str, list[tuple[float, float]]] = {}
    ours = Case("random", 4)
    for _ in range(repeats):
        for program in (CATANATRON, OPEN_SPIEL):
            for name, games, decisions in timed(python, program):
                rows.setdefault(name, []).append((games, decisions))
        (line,) = measure_case(ours, [1], SECONDS / 3, 3)
        assert line.games_per_second is not None
        rows.setdefault(OURS, []).append((line.games_per_second.median, line.decisions_per_second.median))
    return [(name, median(g for g, _ in found), median(d for _, d in found)) for name, found in rows.items()]


def measure(repeats: int) -> list[Section]:
    found = timed_in_turn(environment(ENVIRONMENT), repeats)
    ours = next(decisions for name, _, decisions in found if name == OURS)
    rows: list[list[Cell]] = [[name, games, decisions, ours / decisions] for name, games, decisions in found]
    columns = ["simulator", "games/s", "decisions/s", "our decisions for one of theirs"]
    return [Section("Peers", columns, rows, note="random play on one core, in turn")]


if __name__ == "__main__":
    command(measure, __doc__, repeats=3)
