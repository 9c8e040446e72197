"""Seats: fair and unfair seatings, and the statistics of fairness."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare

from analysis.balance.arrays import GameArrays
from analysis.balance.precision import Precision
from analysis.balance.seats import LINEUP, MIRROR, MIXED, SeatSums, fairness_of, seat_balance
from analysis.runs import LocalExecutor
from analysis.tournament import make_plan


def synthetic(shares, games, seed, players=4):
    """Results of mirror games with given chances of winning, and the sums of them."""
    plan = make_plan(["random"], players, games, 1)
    random = np.random.default_rng(seed)
    winners = random.choice(players, size=games, p=shares)
    wins = np.eye(players)[winners]
    totals = random.normal(50, 10, (games, players)) + 20 * wins
    numbers = np.arange(games)
    sums = SeatSums(plan)
    sums.add(GameArrays(numbers, numbers, totals, wins, np.zeros((games, 6), dtype=np.int32)))
    return sums, winners


def test_chi_squared_for_blocks_of_one_game():
    sums, winners = synthetic([0.255, 0.245, 0.25, 0.25], 8000, 1)
    fair = fairness_of(sums.found())
    expected = chisquare(np.bincount(winners, minlength=4))
    assert fair.p == pytest.approx(expected.pvalue, rel=0.05)
    assert fair.freedom_1 == 3
    shares = np.bincount(winners, minlength=4) / 8000
    assert fair.balance == pytest.approx(1 - (shares.max() - shares.min()))
    assert fair.low < fair.balance < fair.high


def test_covariance_from_differences():
    sums, winners = synthetic([0.4, 0.3, 0.2, 0.1], 5000, 2)
    expected = np.cov(np.eye(4)[winners].T) / 5000
    np.testing.assert_allclose(sums.found().covariance(), expected, atol=1e-12)


@pytest.mark.parametrize("shares", [[0.25] * 4, [0.3, 0.25, 0.25, 0.2]], ids=["fair", "unfair"])
def test_balance_is_covered(shares):
    covered, rejected = [], []
    for seed in range(100):
        fair = fairness_of(synthetic(shares, 600, seed)[0].found())
        covered.append(fair.low - 1e-12 <= 1 - (max(shares) - min(shares)) <= fair.high + 1e-12)
        rejected.append(fair.p < 0.05)
    assert np.mean(covered) >= 0.9
    if shares[0] == shares[3]:
        assert np.mean(rejected) <= 0.12


def test_seats_that_always_share_the_win():
    plan = make_plan(["random"], 2, 10, 1)
    sums, numbers = SeatSums(plan), np.arange(10)
    sums.add(GameArrays(numbers, numbers, np.ones((10, 2)), np.full((10, 2), 0.5), np.zeros((10, 6), dtype=np.int32)))
    fair = fairness_of(sums.found())
    assert (fair.balance, fair.low, fair.high, fair.p) == (1.0, 1.0, 1.0, 1.0)


def test_a_seat_that_never_won_is_not_known_exactly():
    """Its share of 0 has an interval, and is counted in the test of all seats."""
    sums, _ = synthetic([0.5, 0.25, 0.25, 0.0], 40, 1)
    found = sums.found()
    assert found.shares.error.min() > 0
    assert found.shares.half_width(0.95, share=True).min() > 0.01
    assert found.shares.interval(0.95, share=True).high[3] > 0.01
    one, _ = synthetic([1.0, 0.0], 3, 1, players=2)
    fair = fairness_of(one.found())
    assert fair.p == 0.25
    assert fair.low < fair.high


def test_a_few_blocks_prove_nothing():
    for seed in range(8):
        answer = seat_balance(make_plan(["random"], 2, 2, seed))
        assert answer["fairness"]["p"][0] >= 0.5
        assert answer["results"].filter(measure="win_share")["p"].min() > 0.1


def test_planted_offsets_are_found():
    """Seat 3 starts with 15 coins more than the others."""
    plan = make_plan(["random"], 4, 3000, 1, overrides=["coins.offsets=0,0,0,15"], record_cards=False)
    answer = seat_balance(plan)
    row = answer["results"].filter(seat=3, measure="win_share").row(0, named=True)
    assert row["low"] > 0.25
    assert row["p_corrected"] < 0.001
    assert answer["fairness"]["p"][0] < 0.001
    assert "not fair" in answer.findings[0]
    assert "Seat 3 wins most" in answer.findings[0]


def test_groups_of_lineups():
    answer = seat_balance(make_plan(["random", "greedy"], 3, 240, 1, record_cards=False))
    results = answer["results"]
    assert results["group"].unique(maintain_order=True).to_list() == ["all", MIRROR, MIXED, LINEUP]
    shares = results.filter(measure="win_share").group_by("group", "lineup").agg(pl.col("estimate").sum())
    assert shares["estimate"].to_numpy() == pytest.approx(1)
    # Strategies in mirror line-ups share with themselves, so that all groups together have all games.
    games = answer["fairness"].filter(pl.col("group") == LINEUP)["games"].sum()
    assert games == answer.about["games"] == 240
    assert len([said for said in answer.findings if "line-ups: " in said or "all seats: " in said]) == 6
    mixed = seat_balance(make_plan(["random", "greedy"], 3, 240, 1, lineups="mixed"))
    assert mixed["results"]["group"].unique(maintain_order=True).to_list() == [MIXED, LINEUP]


def test_threads_and_pieces_change_nothing():
    plan = make_plan(["random", "greedy"], 2, 9000, 3, record_cards=False)
    one, two = (seat_balance(plan, executor=LocalExecutor(threads)) for threads in (1, 2))
    assert all(one[name].equals(two[name]) for name in one.frames)
    assert dict(one.about) == dict(two.about)


def test_precision_of_win_shares_and_vp():
    plan = make_plan(["random"], 2, 10, 3, record_cards=False)
    for precision, measure in ((Precision(0.01, "pp"), "win_share"), (Precision(0.2, "vp"), "total")):
        answer = seat_balance(plan, precision)
        rows = answer["results"].filter(measure=measure)
        assert ((rows["high"] - rows["low"]) / 2).max() <= precision.half_width * 1.0001
        assert answer.about["looks"] >= 1
        assert answer.about["precision"] == str(precision)
        assert answer.about["games"] == rows["games"][0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_number_of_players(players):
    answer = seat_balance(make_plan(["random"], players, 50, 1, record_cards=False))
    assert answer["results"]["seat"].to_list() == list(range(players)) * 2


def test_seats_that_are_worth_something_else_to_each_strategy_are_not_averaged_first():
    answer = seat_balance(make_plan(["balanced", "random"], players=2, games=1200, seed=1))
    assert answer.findings[0].startswith(
        "What a seat is worth depends on who plays. Among copies of itself wins balanced"
    )
    assert "random most from seat" in answer.findings[0]
    alike = seat_balance(make_plan(["random", "greedy"], players=2, games=60, seed=1, lineups="mirror"))
    assert not any("depends on who plays" in said for said in alike.findings)
