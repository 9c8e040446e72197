"""Coin offsets: the model of win shares, the search, and planted offsets."""

import numpy as np
import polars as pl
import pytest

from analysis.balance.arrays import GameArrays
from analysis.balance.coins import coin_balance
from analysis.balance.fairer import FairerSums
from analysis.balance.offsets import CONFIRM, SCREEN, CoinSearch, candidates, chances_of_best, fresh_seed, with_offsets
from analysis.balance.precision import SILENT, Precision, parse_precision
from analysis.balance.response import Played, Response, fit
from analysis.balance.seats import SeatSums, fairness_of
from analysis.lineups import Lineups
from analysis.runs import LocalExecutor
from analysis.tournament import make_plan
from sim.errors import InputError

LEVELS, SLOPES = np.array([0.0, -0.2, -0.5, -0.6]), np.array([0.06, 0.05, 0.05, 0.04])
VECTORS = [(2, 3, 3, 4), (6, 3, 3, 4), (2, 7, 3, 4), (2, 3, 7, 4), (2, 3, 3, 8), (0, 3, 3, 4), (2, 3, 3, 0)]


def played(vectors, blocks, seed):
    """Games won by chances that the model gives, on the same luck for every vector."""
    random = np.random.default_rng(seed).random(blocks)
    model = Response(LEVELS, SLOPES, np.zeros((8, 8)))
    parts = []
    for shares in model.shares(vectors):
        wins = np.eye(4)[np.searchsorted(np.cumsum(shares)[:-1], random)]
        parts.append(Played(wins, wins, np.full(blocks, 1 / blocks), np.zeros(blocks, dtype=np.int64)))
    return parts


def test_model_is_recovered():
    model = fit(VECTORS, played(VECTORS, 60_000, 1))
    np.testing.assert_allclose(model.levels, LEVELS, atol=0.08)
    np.testing.assert_allclose(model.slopes, SLOPES, atol=0.015)
    truth = Response(LEVELS, SLOPES, np.zeros((8, 8)))
    np.testing.assert_allclose(model.shares(VECTORS), truth.shares(VECTORS), atol=0.01)
    shares = truth.shares([truth.fair(2)])
    np.testing.assert_allclose(shares, 0.25)


def test_covariance_of_the_model():
    """Its standard errors are those that repetitions show."""
    models = [fit(VECTORS, played(VECTORS, 1000, seed)) for seed in range(60)]
    for name, first in (("levels", 0), ("slopes", 4)):
        spread = np.std([getattr(model, name) for model in models], axis=0)
        errors = np.mean([np.sqrt(np.diag(model.covariance))[first : first + 4] for model in models], axis=0)
        assert errors == pytest.approx(spread, rel=0.35)


def test_candidates_are_next_to_the_optimum_and_hold_the_current_vector():
    model = Response(LEVELS, SLOPES, np.eye(8) * 1e-8)
    found = candidates(model, model.fair(2), (2, 3, 3, 4))
    assert (2, 3, 3, 4) in found
    for vector in found[:-1]:
        assert np.abs(np.array(vector) - model.fair(2)).max() < 1


def test_chances_add_up_and_follow_the_shares():
    fair = Response(LEVELS, SLOPES, np.zeros((8, 8))).fair(2)
    near = tuple(round(float(coins)) for coins in fair)
    chances = chances_of_best(dict(zip([near, *VECTORS], played([near, *VECTORS], 4000, 3), strict=True)))
    assert sum(chances.values()) == pytest.approx(1)
    assert chances[near] > 0.95


def test_offsets_of_seats_that_do_not_play_stay(standard):
    changed = with_offsets(standard, (9, 8))
    assert changed.ruleset.coins.offsets == (9, 8, 3, 4)
    assert standard.ruleset.coins.offsets == (2, 3, 3, 4)


def test_fresh_seeds():
    seeds = {fresh_seed(seed, stage) for seed in range(50) for stage in range(4)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_vectors_share_their_luck_within_a_stage():
    plan = make_plan(["random"], 3, 60, 5, record_cards=False)
    found = CoinSearch(plan, LocalExecutor(1), SILENT)
    seeds = {stage: found.plan_of((1, 2, 3), stage).seed for stage in ("search", "refine", "screen", "confirm")}
    assert seeds["search"] == 5
    assert len(set(seeds.values())) == 4
    assert found.plan_of((4, 4, 4), "screen").seed == seeds["screen"]
    assert found.current == (2, 3, 3)


@pytest.mark.compiled
@pytest.mark.parametrize(("players", "start"), [(4, "fixed"), (3, "fixed"), (3, "rotate")])
def test_planted_offsets_are_found(players, start):
    """The last seat starts with 15 coins: it is too strong, and fewer are recommended for it."""
    planted = ",".join(["0"] * (players - 1) + ["15"])
    overrides = [f"coins.offsets={planted}{',0' * (4 - players)}", f"start_player={start}"]
    plan = make_plan(["random"], players, 1500, 1, overrides=overrides, record_cards=False)
    answer = coin_balance(plan)
    current = answer["shares"].filter(stage=CONFIRM, vector=planted, measure="win_share")
    assert current["low"][-1] > 1 / players
    vectors = answer["vectors"].filter(stage=CONFIRM)
    best, now = (vectors.filter(pl.col(name)).row(0, named=True) for name in ("recommended", "current"))
    offsets = [int(coins) for coins in best["vector"].split(",")]
    assert offsets[-1] - min(offsets[:-1]) < 10
    assert best["fairer"] == pytest.approx(best["balance"] - now["balance"])
    assert 0 < best["fairer_low"] < best["fairer"] < best["fairer_high"]
    assert now["p"] < 0.001
    assert answer.findings[0].startswith("Recommended offsets:")


def both_seatings(first, second, blocks, seed):
    """Mirror games of two seatings with given chances of winning, on the same luck."""
    random = np.random.default_rng(seed).random(blocks)
    numbers = np.arange(blocks)
    tokens = np.zeros((blocks, 6), dtype=np.int32)
    games = []
    for shares in (first, second):
        wins = np.eye(len(shares))[np.searchsorted(np.cumsum(shares)[:-1], random)]
        games.append(GameArrays(numbers, numbers, wins, wins, tokens))
    return games


@pytest.mark.parametrize("second", [[0.34, 0.34, 0.32], [0.4, 0.33, 0.27], [0.38, 0.33, 0.29]])
def test_the_difference_of_two_balances_is_covered(second):
    first = [0.38, 0.33, 0.29]
    truth = (max(second) - min(second)) - (max(first) - min(first))
    covered = []
    for seed in range(40):
        sums = FairerSums(Lineups.of(1, 3))
        sums.add(*both_seatings(first, second, 600, seed))
        found = sums.found(0.95)
        covered.append(found.low - 1e-12 <= truth <= found.high + 1e-12)
        assert found.low <= found.difference <= found.high
    assert np.mean(covered) >= 0.9


def test_what_two_seatings_share_does_not_count():
    """Both lose their balance to the same luck: the difference is known better than either."""
    first, second = [0.4, 0.33, 0.27], [0.42, 0.33, 0.25]
    games = both_seatings(first, second, 4000, 1)
    sums = FairerSums(Lineups.of(1, 3))
    sums.add(*games)
    found = sums.found()
    unfair = [shares.max() - shares.min() for shares in (each.shares.mean(axis=0) for each in games)]
    assert found.difference == pytest.approx(unfair[1] - unfair[0])
    assert found.low > 0
    apart = []
    for each in games:
        seats = SeatSums(make_plan(["random"], 3, 10, 1))
        seats.add(each)
        apart.append(fairness_of(seats.found()))
    assert apart[0].low < apart[1].high, "separate intervals overlap"
    again = FairerSums(Lineups.of(1, 3))
    again.add(games[0], games[0])
    same = again.found()
    assert same.difference == 0
    assert same.low <= 0 <= same.high


@pytest.mark.compiled
def test_answer_has_all_that_was_played():
    plan = make_plan(["random"], 2, 600, 1, record_cards=False)
    answer = coin_balance(plan)
    assert answer["vectors"].filter(pl.col("current"))["stage"].to_list()[-2:] == [SCREEN, CONFIRM]
    assert answer["vectors"]["games"].sum() == answer.about["games played"]
    shares = answer["shares"].filter(measure="win_share").group_by("stage", "vector").agg(pl.col("estimate").sum())
    assert shares["estimate"].to_numpy() == pytest.approx(1)
    assert answer["vectors"].filter(stage=SCREEN)["chance_of_best"].sum() == pytest.approx(1)
    assert answer["model"]["optimum"].min() == pytest.approx(2)
    assert len(answer["model"]) == 2


@pytest.mark.compiled
def test_precision_is_that_of_the_confirmation():
    plan = make_plan(["random"], 2, 10, 1, record_cards=False)
    precision = parse_precision("1pp")
    answer = coin_balance(plan, precision, search_games=400, screen_games=400)
    rows = answer["shares"].filter(stage=CONFIRM, measure="win_share")
    assert ((rows["high"] - rows["low"]) / 2).max() <= 0.01
    with pytest.raises(InputError, match="judged by win share"):
        coin_balance(plan, Precision(1.0, "vp"))
