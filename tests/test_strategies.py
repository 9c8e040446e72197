"""Every built-in strategy keeps the contract, and the ladder has the steps it promises."""

import numpy as np
import polars as pl
import pytest

from analysis.tournament import tournament
from sim import layout as lay
from sim.actions import CUBE, STOP, TAKE
from sim.config import load_configuration
from sim.engine import ask
from sim.game import Game
from sim.jit import entry
from strategies import view
from strategies.api import available, find, load
from strategies.check import check
from strategies.explain import Explainer
from strategies.weighing import layout as weighing

pytestmark = pytest.mark.compiled

BUILT_IN = [listed.name for listed in available()]
ARCHETYPES = ["pamphleteer", "scholar", "collector", "explorer", "courtier", "raider", "balanced"]
SEARCH = {"rollout"}


def win_share(strategy: str, opponent: str, games: int = 400, players: int = 2) -> tuple[float, float]:
    """Win share of a strategy against another and the lower end of its 95% interval."""
    played = tournament(
        [strategy, opponent], players=players, games=games, seed=11, lineups="mixed", record_cards=False
    )
    row = played.summary.by_strategy.row(by_predicate=pl.col("strategy") == strategy, named=True)
    return row["win_share"], row["win_share_low"]


def test_all_archetypes_are_there() -> None:
    assert {"random", "greedy", *ARCHETYPES} <= set(BUILT_IN)


@pytest.mark.parametrize("name", [name for name in BUILT_IN if name not in SEARCH])
def test_contract(name: str) -> None:
    report = check(name, games=1, compiler_off=False)
    assert report.passed, str(report)
    assert report.games >= 3


@pytest.mark.parametrize("name", ARCHETYPES)
def test_every_archetype_beats_random(name: str) -> None:
    assert win_share(name, "random")[1] > 0.9


def test_greedy_beats_random_and_balanced_beats_greedy() -> None:
    assert win_share("greedy", "random", 800)[1] > 0.95
    assert win_share("balanced", "greedy", 800)[1] > 0.65


def test_no_archetype_is_a_copy_of_another() -> None:
    """Shares of actions and parts of the score of any two differ by more than chance could make them."""
    parts = ["vp_cubes", "vp_animals", "vp_track", "vp_continents", "vp_seals", "vp_experts_end"]
    actions = ["embassy", "bank", "university", "academy", "expedition", "publication", "dice_taken"]
    profiles = {}
    for name in ARCHETYPES:
        seats = tournament([name], players=2, games=200, seed=3, record_cards=False).seats
        counts = seats.select(pl.col(actions).mean()).row(0)
        score = seats.select(pl.col(parts).mean() / pl.col("total").mean()).row(0)
        profiles[name] = np.array([*(np.array(counts) / sum(counts)), *score])
    for place, one in enumerate(ARCHETYPES):
        for other in ARCHETYPES[place + 1 :]:
            assert np.abs(profiles[one] - profiles[other]).max() > 0.02, (one, other)


def test_the_explained_best_is_what_is_played() -> None:
    game = Game(load_configuration(), players=3, seed=4, luck=2)
    explainer, player = Explainer("balanced", 3), load("balanced", 3)
    arena, seat_random = game.arena, np.array([1, 2, 3, 1], dtype=np.uint64)
    for _ in range(60):
        scores = explainer.scores(game)
        assert scores is not None
        with np.errstate(over="ignore"):
            index = ask(
                player.address, arena.state, game.tables, arena.actions, game.count, seat_random, player.weights
            )
        assert scores[index] == pytest.approx(scores.max())
        game.choose(int(index))


def test_places_in_the_row_of_weights_are_those_of_their_names() -> None:
    for place, name in enumerate(weighing.WEIGHTS):
        assert getattr(weighing, f"W_{name.upper()}") == place
    assert list(find("balanced").weights()) == list(weighing.WEIGHTS)


def test_weights_of_balanced_differ_by_number_of_players() -> None:
    rows = [load("balanced", players).weights.tolist() for players in (2, 3, 4)]
    assert rows[0] != rows[1] != rows[2]


def test_noise_makes_a_strategy_weaker_and_stays_deterministic() -> None:
    assert win_share("balanced:noise=6", "balanced")[0] < 0.35
    assert win_share("balanced:noise=6", "balanced") == win_share("balanced:noise=6", "balanced")


def test_whose_strategy_cannot_say_is_told_nothing() -> None:
    game = Game(load_configuration(), players=2, seed=1, luck=0)
    assert Explainer("random", 2).best(game) == []
    assert not Explainer("random", 2).can_say


@entry
def answers(state, tables, seat, option, out):
    """Ask the view a little of everything, for Python."""
    out[0] = view.turns_left(state, tables, seat)
    out[1] = view.coins(state, seat)
    out[2] = view.score_now(state, tables, seat)
    out[3] = view.hand_count(state, seat)
    out[4] = view.rounds_left(state, tables)
    out[5] = view.verb_of(option)
    if view.verb_of(option) == TAKE and view.decision(state) == lay.KIND_DIE:
        out[6] = view.die_owner(state, tables, view.argument_of(option))
        out[7] = view.die_on_board(
            state, tables, view.die_owner(state, tables, view.argument_of(option)),
            view.die_space(state, tables, view.argument_of(option)),
        )  # fmt: skip
        out[8] = view.argument_of(option)
    if view.verb_of(option) == CUBE:
        out[9] = view.has_cube(state, tables, view.cube_animal(option), view.cube_type(option))


def test_the_view_says_what_a_game_says() -> None:
    configuration = load_configuration()
    game = Game(configuration, players=3, seed=8, luck=5)
    blind = np.random.default_rng(1)
    asked, turns = [], []
    while not game.over:
        out = np.full(10, -9, dtype=np.int64)
        option = int(game.legal[-1])
        answers(game.state, game.tables, game.seat, option, out)
        cells = game.state[lay.SEATS + game.seat * lay.SEAT_SIZE :]
        assert out[1] == cells[lay.COINS]
        assert out[3] == cells[lay.HAND_COUNT]
        assert out[4] == configuration.ruleset.rounds - game.state[lay.ROUND]
        if game.kind == "die":
            assert 0 <= out[6] < 3
            assert out[7] == out[8]
        if game.kind == "cube" and out[5] != STOP:
            assert out[9] == 0
        own_turn = game.kind == "target" and not game.state[lay.BY_SEAL]
        asked.append((len(turns), game.seat, int(out[0]), own_turn, game.kind == "die"))
        if own_turn:
            turns.append(game.seat)
        last = game.state.copy()
        game.choose(int(blind.integers(game.count)))
    for place, seat, said, _, taking in asked:
        assert said == turns[place:].count(seat) + taking, (place, seat)
    # Nothing scores between the last decision and the end but what that decision set off.
    out = np.zeros(10, dtype=np.int64)
    answers(game.state, game.tables, 0, 0, out)
    assert out[2] == game.totals()[0]
    assert last[lay.ROUND] == configuration.ruleset.rounds
