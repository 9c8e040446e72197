"""What search is made of: copying a state, dealing its future anew, playing it out; and decisions a second by budget.

Run it as ``python -m benchmarks.rollouts``.
"""

import numpy as np

from analysis.benchmark.cases import SEED, Case, player_counts
from analysis.benchmark.positions import GUIDE, Position, choose
from analysis.benchmark.timing import Work
from analysis.benchmark.work import make_choices
from benchmarks.section import Cell, Section, command, median_yardsticks
from sim.config import load_configuration
from sim.game import Arena, Game
from sim.jit import at, cells, entry
from sim.layout import ROUND, SEAT, STATE_SIZE
from sim.playout import copy_cells, renew_chance
from strategies.api import load
from strategies.rollout import WEIGHTS
from strategies.search.trial import Base, Sandbox, try_option

BUDGETS = (32, 64, 256)
COPIES, CHANCES, PLAYOUTS = 200_000, 50_000, 200


@entry
def _copies(count, source, target, size):
    """Copy a state again and again; the sum keeps the compiler from leaving anything out."""
    s, t, total = cells(source), cells(target), 0
    for number in range(count):
        s[at(number % size)] += 1
        copy_cells(s, t, size)
        total += t[at(total % size)]
    return total


@entry
def _chances(count, state, tables, chance, seed):
    """Deal the future of a state anew, again and again."""
    for luck in range(count):
        renew_chance(cells(state), cells(tables), cells(chance), seed, luck)


@entry
def _playouts(count, state, tables, option, sandbox, base, seed, margin):
    """Take an option of a decision and finish the game, again and again."""
    total = 0.0
    for luck in range(count):
        total += try_option(state, tables, option, state[SEAT], sandbox, base, seed, luck, margin)
    return total


def decision_in_round(players: int, number: int) -> Position:
    """Return the first decision of a round, from 0, in a game of the strategy that finishes playouts."""
    game, guide = Game(load_configuration(), players, SEED, 0), load(GUIDE, players)
    while True:
        position = Position(game.state.copy(), game.arena.actions.copy(), game.count, np.arange(4, dtype=np.uint64))
        if game.state[ROUND] >= number:
            return position
        game.choose(choose(guide, game.tables, position))


def parts(players: int, repeats: int) -> list[Cell]:
    """Nanoseconds of a copy; microseconds of a new chance, and of a playout from three rounds."""
    plan, guide = Case(GUIDE, players).plan, load(GUIDE, players)
    tables, arena = plan.tables, Arena(plan.tables)
    sandbox = Sandbox(arena.state, arena.chance, arena.record, arena.actions, arena.randoms)
    base = Base(np.int64(guide.address), guide.weights)
    size = int(tables[STATE_SIZE])

    def playouts(position: Position) -> Work:
        def run() -> int:
            with np.errstate(over="ignore"):
                option, margin = int(position.actions[0]), WEIGHTS["margin"].default
                _playouts(PLAYOUTS, position.state, tables, option, sandbox, base, SEED, margin)
            return PLAYOUTS

        run()
        return Work(0, run)

    last = plan.configuration.ruleset.rounds
    starts = [decision_in_round(players, number) for number in (1, (last + 1) // 2, last)]
    state = starts[0].state

    def copies() -> int:
        _copies(COPIES, state.copy(), arena.state, size)
        return COPIES

    def chances() -> int:
        _chances(CHANCES, state, tables, arena.chance, SEED)
        return CHANCES

    copies(), chances()
    copying, _ = median_yardsticks(Work(0, copies), repeats)
    dealing, _ = median_yardsticks(Work(0, chances), repeats)
    playing = [median_yardsticks(playouts(start), repeats) for start in starts]
    return [size * 4, copying, dealing / 1e3, *(ns / 1e3 for ns, _ in playing), playing[0][1]]


def measure(repeats: int) -> list[Section]:
    last = load_configuration().ruleset.rounds
    rounds = [f"playout, round {number}, µs" for number in (1, (last + 1) // 2, last)]
    columns = ["players", "state, bytes", "copy, ns", "new chance, µs", *rounds, "yardsticks, round 1"]
    decisions: list[list[Cell]] = []
    for players in player_counts():
        for budget in BUDGETS:
            case = Case(f"rollout:budget={budget}", players)
            nanoseconds, yardsticks = median_yardsticks(make_choices(case, 1, 1), repeats)
            decisions.append([case.strategy, players, 1e9 / nanoseconds, nanoseconds / 1e6, yardsticks])
    return [
        Section(
            "Playouts",
            columns,
            [[players, *parts(players, repeats)] for players in player_counts()],
            words=0,
            note=f"{GUIDE} finishes the games; a playout holds its copy and its new chance",
        ),
        Section("Rollouts", ["strategy", "players", "decisions/s", "ms a decision", "yardsticks"], decisions),
    ]


if __name__ == "__main__":
    command(measure, __doc__, repeats=5)
