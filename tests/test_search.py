"""Search: playouts on chance of their own, and a strategy that plays better for them."""

import numpy as np
import polars as pl
import pytest

from analysis.tournament import tournament
from sim.config import load_configuration
from sim.engine import ask
from sim.game import Game
from strategies.api import load
from strategies.check import check

pytestmark = pytest.mark.compiled


def test_contract() -> None:
    report = check("rollout:budget=4", games=1, compiler_off=False)
    assert report.passed, str(report)


def test_it_decides_the_same_whatever_the_game_has_in_store() -> None:
    """Decks, tokens and dice to come are in the chance array, which no strategy gets."""
    game, player = Game(load_configuration(), players=3, seed=4, luck=2), load("rollout:budget=16", 3)
    for _ in range(12):
        arena, chosen = game.arena, []
        for seed in (1, 2):
            arena.chance[1] = seed  # another luck from here on
            arena.chance[6:] = arena.chance[6:][::-1].copy()
            stream = np.array([5, 6, 7, 1], dtype=np.uint64)
            state = arena.state.copy()
            with np.errstate(over="ignore"):
                index = ask(player.address, state, game.tables, arena.actions, game.count, stream, player.weights)
            assert (state == arena.state).all()
            chosen.append(int(index))
        assert chosen[0] == chosen[1]
        game.choose(chosen[0])


@pytest.mark.slow
def test_it_plays_better_than_its_base() -> None:
    played = tournament(
        ["rollout:budget=256", "balanced"], players=2, games=120, seed=3, lineups="mixed", record_cards=False
    )
    row = played.summary.by_strategy.row(by_predicate=pl.col("strategy") == "rollout:budget=256", named=True)
    assert row["win_share_low"] > 0.65
