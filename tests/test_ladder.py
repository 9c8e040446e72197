"""Strengths, match-ups, cycles, profiles: against libraries, against known truth, and in a small ladder."""

import itertools

import choix
import numpy as np
import polars as pl
import pytest

from analysis.balance.dominance import alpha_rank, cycles, dominated
from analysis.balance.health import health_balance
from analysis.balance.plackett_luce import Comparisons, log_strengths, untied
from analysis.balance.precision import parse_precision
from analysis.balance.standings import ELO, Meetings, StandingSums
from analysis.balance.strategies import circles_of, findings_of, strategy_balance
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


def test_who_never_wins_is_told_from_who_seldom_does():
    """a and b win and lose, c beats nobody and is beaten by d; e beats all others."""
    rankings = np.array([[0, 1], [1, 0], [0, 2], [3, 2], [1, 3], [4, 0], [4, 3]])
    compared, counts = Comparisons(rankings, 5), np.full(7, 50.0)
    fitted = log_strengths(rankings, counts, 5)
    sides = compared.sides(counts, fitted)
    assert sides.core.tolist() == [True, True, False, False, False]
    assert sides.below.tolist() == [False, False, True, True, False]
    assert sides.above.tolist() == [False, False, False, False, True]
    low, high = compared.bounds(counts, fitted, sides, 1.0, 0.025)
    assert np.isnan(low[:4]).all()
    assert np.isnan(high[[0, 1, 4]]).all()
    assert high[2] < high[3] < -1, "beside the average of a and b"
    assert low[4] > 1
    # One win more, and it has a strength.
    again = Comparisons(np.vstack([rankings, [[2, 0]]]), 5)
    assert again.sides(np.append(counts, 1.0), fitted).core.tolist() == [True] * 4 + [False]


@pytest.mark.parametrize("games", [1.0, 2.0])
def test_a_bound_is_that_of_a_share_of_which_nothing_was_won(games):
    """Clopper and Pearson's: a chance at which n losses in a row have a probability of 2.5%."""
    rankings, counts = np.array([[0, 1]]), np.array([200.0])
    compared, fitted = Comparisons(rankings, 2), log_strengths(rankings, counts, 2)
    sides = compared.sides(counts, fitted)
    assert sides.core.tolist() == [True, False]
    _, high = compared.bounds(counts, fitted, sides, games, 0.025)
    chance = 1 / (1 + np.exp(-high[1]))
    assert chance == pytest.approx(1 - 0.025 ** (games / 200), rel=1e-3)


def test_bounds_do_not_hang_on_the_prior(monkeypatch):
    lineups = Lineups.of(3, 2, "distinct")
    schedule = lineups.schedule(0, lineups.rounded_up(600))
    strategies = schedule.seatings.astype(np.int64)
    random = np.random.default_rng(4)
    keys = np.where(strategies == 2, -100.0, random.gumbel(size=strategies.shape))
    ranks = (-keys).argsort(axis=1).argsort(axis=1) + 1
    part = Meetings(schedule.games, schedule.lucks, strategies, ranks, keys, (ranks == 1).astype(float))
    rows = []
    for prior in (1.0, 0.01):
        monkeypatch.setattr("analysis.balance.plackett_luce._PRIOR_GAMES", prior)
        sums = StandingSums(list("abc"), lineups)
        sums.add(part)
        rows.append(sums.frames()["strengths"])
    for table in rows:
        last = table.row(2, named=True)
        assert (last["strategy"], last["strength"], last["strength_low"], last["rating"]) == ("c", None, None, None)
        assert table["strength"][:2].sum() == pytest.approx(0), "the average of those that win and lose"
        assert -900 < last["rating_high"] < -500
    assert rows[0]["rating_high"][2] == pytest.approx(rows[1]["rating_high"][2], abs=1)
    said = next(findings_of({"strengths": rows[0], "matchups": sums.frames()["matchups"]}, 2))
    assert f"c below {rows[0]['rating_high'][2]:+.0f}." in said.replace(" being 0", "")


def test_who_hardly_ever_wins_may_have_no_lower_end():
    """One win in 300 games is missing in a third of the resamples, and a strength cannot be told then."""
    lineups = Lineups.of(3, 2, "distinct")
    schedule = lineups.schedule(0, lineups.rounded_up(900))
    strategies = schedule.seatings.astype(np.int64)
    keys = np.where(strategies == 2, -100.0, np.random.default_rng(4).gumbel(size=strategies.shape))
    game = int(np.flatnonzero((strategies == 2).any(axis=1))[0])
    keys[game] *= -1
    ranks = (-keys).argsort(axis=1).argsort(axis=1) + 1
    sums = StandingSums(list("abc"), lineups)
    sums.add(Meetings(schedule.games, schedule.lucks, strategies, ranks, keys, (ranks == 1).astype(float)))
    *others, last = sums.frames()["strengths"].iter_rows(named=True)
    assert last["strategy"] == "c"
    assert last["strength_low"] is None
    assert last["strength"] is None
    assert last["strength_high"] < -3
    # Nor do the others' intervals hang on whether the one win was drawn: it moves nobody's zero.
    for other in others:
        assert other["strength_high"] - other["strength"] == pytest.approx(
            other["strength"] - other["strength_low"], rel=0.5
        )
        assert other["strength_high"] - other["strength_low"] < 1


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


def test_a_circle_of_four_is_found():
    """Four in a circle, the others of each pair not told apart; a fifth is behind all."""
    beats = np.zeros((5, 5), dtype=bool)
    for one, other in ((1, 0), (0, 2), (2, 3), (3, 1)):
        beats[one, other] = True
    beats[:4, 4] = True
    assert cycles(beats) == [[0, 2, 3, 1]]
    strengths = pl.DataFrame({"strategy": list("abcde")})
    pairs = [(list("abcde")[one], list("abcde")[other]) for one, other in zip(*np.nonzero(beats), strict=True)]
    matchups = pl.DataFrame(pairs, schema=["strategy", "against"], orient="row").with_columns(shown=pl.lit("ahead"))
    assert circles_of(strengths, matchups) == [["a", "c", "d", "b"]]


def test_circles_apart_are_all_found():
    beats = np.zeros((7, 7), dtype=bool)
    for circle in ([0, 3, 5], [1, 2, 4, 6]):
        for one, other in zip(circle, [*circle[1:], circle[0]], strict=True):
            beats[one, other] = True
    assert cycles(beats) == [[0, 3, 5], [1, 2, 4, 6]]


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
    # Whether a strategy that hardly ever wins has a strength hangs on the luck of these games; then it has a bound.
    known = rows.filter(pl.col("strength").is_not_null())
    assert known.height >= 3
    assert ((known["rating_low"] < known["rating"]) & (known["rating"] < known["rating_high"])).all()
    assert rows["strength"].sum() == pytest.approx(0, abs=1e-9)
    assert known["rating"].to_list() == pytest.approx((ELO * known["strength"]).to_list())
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
@pytest.mark.parametrize(("players", "games"), [(3, 120), (4, 240)])
def test_every_command_has_the_same_win_share(players, games):
    """Line-ups in which a strategy holds one seat and others in which it holds several, counted by seats."""
    strategies = ["greedy", "random"]
    summary = tournament(strategies, players, games, 1, lineups="all").summary.by_strategy
    plan = make_plan(strategies, players, games, 1, lineups="all")
    strengths = strategy_balance(plan)["strengths"].sort("strategy")
    wanted = summary.with_columns(pl.col("strategy").cast(pl.String)).sort("strategy")
    assert wanted["win_share"].mean() == pytest.approx(1 / players)
    for name in ("win_share", "total"):
        for ending in ("", "_low", "_high"):
            assert strengths[name + ending].to_list() == pytest.approx(wanted[name + ending].to_list()), name + ending
    assert strengths["games"].to_list() == wanted["games"].to_list()
    metrics = health_balance(plan, looked_at=0)["metrics"].filter(lineup="all")
    for name in strategies:
        row = wanted.filter(strategy=name).row(0, named=True)
        for metric in ("win_share", "total"):
            found = metrics.filter(metric=f"{metric}_{name}").row(0, named=True)
            assert found["estimate"] == pytest.approx(row[metric])


def test_many_lineups_count_by_seats_too():
    """Beyond what can be strata of their own."""
    lineups = Lineups.of(5, 4, "mixed")
    part = drawn_meetings(np.array([1.0, 0.5, 0.0, -0.5, -1.0]), lineups, 2 * len(lineups), np.random.default_rng(2))
    sums = StandingSums(list("abcde"), lineups)
    sums.add(part)
    rows = sums.frames()["strengths"].sort("strategy")
    for number in range(5):
        assert rows["win_share"][number] == pytest.approx(part.shares[part.strategies == number].mean())
    assert rows["win_share"].mean() == pytest.approx(1 / 4)


def always_ahead(blocks):
    """Two strategies, of which the first wins every game of some blocks."""
    lineups = Lineups.of(2, 2, "distinct")
    schedule = lineups.schedule(0, 2 * blocks)
    strategies = schedule.seatings.astype(np.int64)
    ranks = 1 + strategies
    sums = StandingSums(["best", "worst"], lineups)
    totals = np.where(strategies == 0, 60.0, 40.0)
    sums.add(Meetings(schedule.games, schedule.lucks, strategies, ranks, totals, (ranks == 1).astype(float)))
    return sums


def test_two_blocks_show_nothing():
    tables = always_ahead(2).frames()
    assert tables["matchups"]["shown"].to_list() == ["even", "even"]
    assert tables["matchups"]["p"].min() > 0.1
    assert dominated(tables["matchups"]) == []
    assert always_ahead(30).frames()["matchups"]["shown"].to_list() == ["ahead", "behind"]
    assert always_ahead(30).half_width("win_share", 0.95) > 0.01


def test_shown_is_what_the_interval_says_at_every_level():
    lineups = Lineups.of(3, 2, "distinct")
    seen = set()
    for seed in range(30):
        part = drawn_meetings(
            np.array([0.25, 0.0, -0.25]), lineups, lineups.rounded_up(180), np.random.default_rng(seed)
        )
        sums = StandingSums(list("abc"), lineups)
        sums.add(part)
        for level in (0.8, 0.96, 0.995):
            for row in sums.frames(level)["matchups"].iter_rows(named=True):
                seen.add((level, row["shown"]))
                if row["shown"] != "even":
                    assert not row["ahead_low"] <= 0.5 <= row["ahead_high"]
                    assert row["p_corrected"] <= 1 - level
    assert {(0.8, "ahead"), (0.995, "even")} <= seen


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
