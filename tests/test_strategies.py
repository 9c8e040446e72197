"""Every built-in strategy keeps the contract, and the ladder has the steps it promises."""

import numpy as np
import polars as pl
import pytest

from analysis.tournament import tournament
from sim.config import load_configuration
from sim.engine import ask
from sim.game import Game
from strategies.api import available, load
from strategies.check import check
from strategies.explain import Explainer

pytestmark = pytest.mark.compiled

BUILT_IN = [listed.name for listed in available()]
ARCHETYPES = ["pamphleteer", "scholar", "collector", "explorer", "courtier", "raider", "balanced"]
SEARCH = {"rollout", "mcts"}


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
