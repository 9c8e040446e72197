"""Strengths, match-ups, cycles, profiles: against libraries, against known truth, and in a small ladder."""

import itertools

import choix
import numpy as np
import polars as pl
import pytest

from analysis.balance.dominance import alpha_rank, cycles, dominated
from analysis.balance.plackettluce import log_strengths, untied
from analysis.balance.precision import parse_precision
from analysis.balance.standings import ELO, Meetings, StandingSums
from analysis.balance.strategies import circles_of, strategy_balance
from analysis.ladder import ladder, ladder_lineups, ladder_plan, pool
from analysis.lineups import Lineups
from analysis.runs import LocalExecutor
from analysis.tournament import make_plan, tournament
from sim.errors import InputError

POOL = ["greedy", "random", "greedy:noise=3", "greedy:noise=9"]


# --- Plackett–Luce ------------------------------------------------------------------------------------------------


def test_strengths_agree_with_choix():
    random = np.random.default_rng(3)
    data = [tuple(random.permutation(5)[:4]) for _ in range(2000)] + [(0, 1, 2, 3)] * 300
    fitted = log_strengths(np.array(data), np.ones(len(data)), 5)
    wanted = choix.ilsr_rankings(5, data)
    assert fitted == pytest.approx(wanted - wanted.mean(), abs=2e-3)


def test_counts_stand_for_repeated_rankings():
    orders = np.array([[0, 1, 2], [2, 0, 1], [1, 0, 2]])
    counts = np.array([5, 2, 3])
    repeated = log_strengths(np.repeat(orders, counts, axis=0), np.ones(10), 3)
    assert log_strengths(orders, counts.astype(float), 3) == pytest.approx(repeated, abs=1e-6)


def test_who_never_wins_has_a_finite_strength():
    fitted = log_strengths(np.array([[0, 1]]), np.array([1000.0]), 2)
    assert np.isfinite(fitted).all()
    assert fitted[0] - fitted[1] > 6


def test_the_order_of_games_cannot_matter():
    random = np.random.default_rng(1)
    orders = np.array([random.permutation(4) for _ in range(200)])
    one, other = (log_strengths(rows, np.ones(200), 4) for rows in (orders, orders[::-1]))
    assert one == pytest.approx(other, abs=1e-9)


def test_ties_count_for_every_order():
    rows, orders, weights = untied(np.array([[0, 1, 2], [2, 1, 0]]), np.array([[1, 1, 3], [1, 2, 3]]))
    found = {(int(row), *map(int, order)): weight for row, order, weight in zip(rows, orders, weights, strict=True)}
    assert found == {(1, 2, 1, 0): 1.0, (0, 0, 1, 2): 0.5, (0, 1, 0, 2): 0.5}
    many = untied(np.arange(6)[None], np.ones((1, 6), dtype=np.int64))
    assert many[2].sum() == pytest.approx(1)
    first = np.bincount(many[1][:, 0], many[2], 6)
    assert first == pytest.approx(np.full(6, 1 / 6))


def drawn_meetings(strength, lineups, blocks, random):
    """Games whose rankings follow the model, with VP that rank the same."""
    schedule = lineups.schedule(0, lineups.rounded_up(blocks * lineups.round_games // lineups.players))
    keys = strength[schedule.seatings] + random.gumbel(size=schedule.seatings.shape)
    ranks = (-keys).argsort(axis=1).argsort(axis=1) + 1
    return Meetings(
        schedule.games, schedule.lucks, schedule.seatings.astype(np.int64), ranks, keys, (ranks == 1).astype(float)
    )


def test_intervals_of_strengths_cover_the_truth(monkeypatch):
    monkeypatch.setattr("analysis.balance.standings._RESAMPLES", 100)
    strength = np.array([1.0, 0.0, -0.2, -0.8])
    lineups = Lineups.of(4, 3, "distinct")
    covered = []
    for seed in range(40):
        sums = StandingSums(list("abcd"), lineups)
        sums.add(drawn_meetings(strength, lineups, 24, np.random.default_rng(seed)))
        rows = sums.frames()["strengths"].sort("strategy")
        low, high = rows["strength_low"].to_numpy(), rows["strength_high"].to_numpy()
        covered.append((low <= strength) & (strength <= high))
    assert 0.88 <= np.mean(covered) <= 0.99


# --- match-ups, cycles, dominance ---------------------------------------------------------------------------------


def test_stone_paper_scissors_goes_in_a_circle():
    payoffs = np.array([[0.5, 0.1, 0.9], [0.9, 0.5, 0.1], [0.1, 0.9, 0.5]])
    assert alpha_rank(payoffs) == pytest.approx(np.full(3, 1 / 3))
    assert cycles(payoffs > 0.5) == [[0, 2, 1]]


def test_a_strategy_that_beats_all_takes_everything():
    payoffs = np.array([[0.5, 0.8, 0.9], [0.2, 0.5, 0.6], [0.1, 0.4, 0.5]])
    assert alpha_rank(payoffs)[0] == pytest.approx(1, abs=1e-6)
    assert cycles(payoffs > 0.5) == []


def test_dominance_needs_every_opponent():
    names = "abc"
    ahead = {("a", "b"): 0.7, ("a", "c"): 0.6, ("b", "c"): 0.65}
    rows = []
    for one, other in itertools.permutations(names, 2):
        value = ahead.get((one, other), 1 - ahead.get((other, one), 0))
        rows.append({"strategy": one, "against": other, "ahead": value, "shown": "ahead" if value > 0.5 else "behind"})
    # a beats b, but does worse against c than b does.
    assert dominated(pl.DataFrame(rows)) == [("b", "c")] or ("a", "b") not in dominated(pl.DataFrame(rows))
    assert ("a", "c") in dominated(pl.DataFrame(rows))


@pytest.mark.parametrize(("strategies", "players"), [(2, 4), (5, 2), (5, 4), (13, 4), (13, 3), (30, 4)])
def test_in_a_ladder_everybody_meets_everybody_about_equally_often(strategies, players):
    lineups = ladder_lineups(strategies, players)
    meetings = np.zeros((strategies, strategies), dtype=int)
    for order in lineups.members:
        for one, other in itertools.permutations(set(order.tolist()), 2):
            meetings[one, other] += 1
    apart = meetings[~np.eye(strategies, dtype=bool)]
    assert apart.min() > 0
    assert apart.max() <= 4 * apart.mean()
    assert len(lineups) <= 700
    assert (lineups.members == ladder_lineups(strategies, players).members).all()


# --- games --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    return ladder(ladder_plan(POOL, 2, 360, 1))


@pytest.mark.compiled
def test_the_ladder_has_the_right_order(small):
    assert small["strengths"]["strategy"].to_list() == ["greedy", "greedy:noise=3", "greedy:noise=9", "random"]
    rows = small["strengths"]
    assert ((rows["rating_low"] < rows["rating"]) & (rows["rating"] < rows["rating_high"])).all()
    assert rows["strength"].sum() == pytest.approx(0, abs=1e-9)
    assert rows["rating"].to_list() == pytest.approx((ELO * rows["strength"]).to_list())
    assert rows["alpha_rank"].sum() == pytest.approx(1)
    assert circles_of(rows, small["matchups"]) == []


@pytest.mark.compiled
def test_match_ups_are_win_shares_at_two_players(small):
    pairs = {(row["strategy"], row["against"]): row for row in small["matchups"].iter_rows(named=True)}
    assert len(pairs) == 12
    for (one, other), row in pairs.items():
        assert row["ahead"] + pairs[other, one]["ahead"] == pytest.approx(1)
        assert row["vp"] + pairs[other, one]["vp"] == pytest.approx(0)
    plan = make_plan(["greedy", "random"], 2, 60, 1, lineups="distinct")
    answer = strategy_balance(plan)
    shares = tournament(["greedy", "random"], 2, 60, 1, lineups="distinct").summary.by_strategy
    assert answer["matchups"]["ahead"].to_list() == pytest.approx(shares["win_share"].to_list())
    assert answer["strengths"].sort("strategy")["total"].to_list() == pytest.approx(
        shares.with_columns(pl.col("strategy").cast(pl.String)).sort("strategy")["total"].to_list()
    )


@pytest.mark.compiled
def test_profiles_are_shares(small):
    sums = small["profiles"].group_by("strategy", "kind").agg(pl.col("share").sum())
    assert sums["share"].to_list() == pytest.approx([1.0] * 8)
    distances = {(row["strategy"], row["other"]): row for row in small["distances"].iter_rows(named=True)}
    assert distances["greedy", "random"]["actions"] > distances["greedy", "greedy:noise=3"]["actions"]
    assert all(0 <= row["actions"] <= 1 and 0 <= row["score"] <= 1 for row in distances.values())
    wide = small["profiles"].filter(kind="action").pivot("strategy", index="part", values="share")
    by_hand = (wide["greedy"] - wide["random"]).abs().sum() / 2
    assert distances["greedy", "random"]["actions"] == pytest.approx(by_hand)


@pytest.mark.compiled
def test_speeds_are_measured_for_everybody(small):
    assert small["speeds"]["strategy"].to_list() == POOL
    assert (small["speeds"]["games_per_second"] > 0).all()


@pytest.mark.compiled
def test_threads_change_nothing_but_speeds(small):
    again = ladder(ladder_plan(POOL, 2, 360, 1), executor=LocalExecutor(1))
    for name in ("strengths", "matchups", "profiles", "distances"):
        assert small[name].equals(again[name]), name


@pytest.mark.compiled
def test_four_players_and_precision():
    plan = ladder_plan(["greedy", "random"], 4, 48, 1)
    found = ladder(plan, parse_precision("5pp"))
    rows = found["strengths"]
    assert ((rows["win_share_high"] - rows["win_share_low"]) / 2).max() <= 0.0501
    assert rows["fair"].to_list() == [0.25, 0.25]
    assert found["matchups"].filter(strategy="greedy")["ahead"].item() > 0.95


@pytest.mark.compiled
def test_equal_strategies_are_not_told_apart():
    plan = make_plan(["greedy:noise=0", "greedy"], 2, 200, 1, lineups="mixed")
    answer = strategy_balance(plan)
    assert set(answer["matchups"]["shown"]) == {"even"}
    assert answer["matchups"]["ahead"].to_list() == pytest.approx([0.5, 0.5])
    assert answer["strengths"]["strength"].abs().max() < 0.2


@pytest.mark.compiled
def test_one_strategy_is_too_few():
    with pytest.raises(InputError, match="at least two"):
        ladder_plan(["greedy"])
    with pytest.raises(InputError, match="no two of them meet"):
        strategy_balance(make_plan(["greedy"], 2, 10))


def test_the_pool_holds_what_is_built_in():
    assert {"random", "greedy", "balanced"} <= set(pool())
    assert not {"weighted", "restricted"} & set(pool())
