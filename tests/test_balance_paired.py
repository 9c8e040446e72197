"""Paired comparisons on common random numbers."""

import numpy as np
import polars as pl
import pytest

from analysis.balance.paired import Comparison, PairedStudy, PairedSums, game_rows, paired, seat_rows
from analysis.balance.precision import Precision, carry_out
from analysis.lineups import Lineups
from analysis.runs import LocalExecutor
from analysis.tournament import make_plan
from sim.errors import InputError


def plan_of(*overrides, games=600, strategies=("random",), players=2, **options):
    return make_plan(strategies, players, games, 7, overrides=overrides, record_cards=False, **options)


def test_nothing_changes_nothing():
    table = paired(plan_of(), plan_of(), by=["seat"])
    assert table["difference"].to_list() == [0.0] * 4
    assert table["p"].to_list() == [1.0] * 4
    assert table["variance_saved"].to_list() == [None] * 4


def test_seats_and_games():
    poor, rich = plan_of("coins.offsets=0,0,0,0"), plan_of("coins.offsets=0,30,0,0")
    gained = paired(poor, rich, ["coins_gained", "total"], by=["seat"])
    row = gained.row(by_predicate=(pl.col("seat") == 1) & (pl.col("measure") == "total"), named=True)
    assert row["low"] > 3
    assert row["after"] - row["before"] == pytest.approx(row["difference"])
    assert row["games"] == row["blocks"] == 600
    plies = paired(poor, rich, ["plies", "margin"], rows=game_rows)
    assert plies["measure"].to_list() == ["plies", "margin"]
    assert plies["difference"][0] > 0


def test_a_difference_is_that_of_block_means():
    plan, other = plan_of(strategies=["random", "greedy"]), plan_of("bank.coins=9", strategies=["random", "greedy"])
    table = paired(plan, other, ["total"], by=["strategy"])
    from analysis.runs import run_games

    before, after = (next(iter(run_games(each))).seats for each in (plan, other))
    rows = before.with_columns(difference=after["total"] - before["total"]).filter(strategy="greedy")
    blocks = rows.group_by("lineup", "block").agg(pl.col("difference").cast(pl.Float64).mean())
    strata = blocks.group_by("lineup").agg(pl.col("difference").mean(), error=pl.col("difference").var() / pl.len())
    weights = rows.group_by("lineup").len()
    joined = strata.join(weights, on="lineup", maintain_order="right")
    share = weights["len"] / weights["len"].sum()
    row = table.filter(strategy="greedy").row(0, named=True)
    assert row["difference"] == pytest.approx(rows["difference"].mean())
    assert row["difference"] == pytest.approx((joined["difference"] * share).sum())
    assert row["error"] == pytest.approx((joined["error"] * share**2).sum() ** 0.5)
    assert (row["games"], row["blocks"]) == (rows["game"].n_unique(), len(blocks))


def test_a_strategy_in_a_seat_is_not_in_all_games_of_a_block():
    """Line-up 0 0 1 1: each strategy sits in each seat in two of a block's four games."""
    lineups = Lineups(np.array([[0, 0, 1, 1]], dtype=np.int32))
    schedule = lineups.schedule(0, 40)
    frame = pl.DataFrame(
        {
            "game": np.repeat(schedule.games, 4),
            "block": np.repeat(schedule.lucks, 4),
            "seat": np.tile(np.arange(4), 40),
            "strategy": schedule.seatings.ravel(),
            "total": np.random.default_rng(1).normal(size=160),
        }
    )
    for by, games in ((["strategy", "seat"], 20), (["strategy"], 40), (["seat"], 40)):
        sums = PairedSums(lineups, ["total"], by)
        sums.add(frame, frame.with_columns(pl.col("total") + 1))
        assert set(sums.table()["games"]) == {games}
        assert set(sums.table()["blocks"]) == {10}


def test_groups_must_be_the_same_in_both():
    frame = pl.DataFrame({"game": [0, 1], "block": [0, 1], "seat": [0, 1], "total": [1, 2]})
    sums = PairedSums(Lineups.of(1, 2), ["total"], ["seat"])
    with pytest.raises(InputError, match="same games"):
        sums.add(frame, frame.reverse())


def test_plans_that_are_no_pair():
    with pytest.raises(InputError, match="one seed"):
        paired(plan_of(), make_plan(["random"], 2, 600, 8))
    with pytest.raises(InputError, match="same line-ups"):
        paired(plan_of(), plan_of(players=3))


def test_threads_change_nothing():
    one, two = (paired(plan_of(), plan_of("bank.coins=9"), executor=LocalExecutor(threads)) for threads in (1, 2))
    assert one.equals(two)


@pytest.mark.compiled
def test_a_study_by_precision():
    comparisons = [Comparison("seats", ("total",)), Comparison("games", ("margin",), rows=game_rows)]
    study = PairedStudy(plan_of(), plan_of("bank.coins=9"), comparisons, watched={"vp": ("seats", "total")})
    extent = carry_out(study, 1, Precision(0.25, "vp"))
    tables = study.tables(extent.level)
    width = (tables["seats"]["high"] - tables["seats"]["low"]) / 2
    assert width[0] == pytest.approx(extent.half_width)
    assert extent.half_width <= 0.25
    assert tables["games"]["games"][0] == extent.games
    with pytest.raises(InputError, match="no such measure"):
        study.half_width("pp", 0.95)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "change",
    ["coins.offsets=2,3,3,5", "tokens.2.amount=4", "experts.7.amount=2"],
    ids=["one coin offset", "one token", "one card"],
)
def test_common_random_numbers_halve_the_games(change):
    """The variance of the difference in mean VP is less than half that of independent runs."""
    before = plan_of(strategies=["greedy", "random"], players=4, games=2400)
    after = plan_of(change, strategies=["greedy", "random"], players=4, games=2400)
    saved = paired(before, after, ["total"], rows=seat_rows)["variance_saved"][0]
    assert saved is None or saved > 2


def test_rows_without_a_value_do_not_count():
    frame = pl.DataFrame({"game": [0, 1, 2], "block": [0, 1, 2], "total": [1.0, None, 3.0]})
    sums = PairedSums(Lineups.of(1, 2), ["total"])
    sums.add(frame, frame.with_columns(total=pl.Series([2.0, 5.0, 6.0])))
    row = sums.table().row(0, named=True)
    assert (row["before"], row["difference"], row["games"]) == (2.0, 2.0, 2)
    assert np.isfinite(row["error"])
