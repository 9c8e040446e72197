"""Intervals from blocks: right on the blocks, and right about how sure one may be."""

import itertools

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats as reference

from analysis import stats
from analysis.stats import (
    BlockSums,
    estimates,
    mean_among_others,
    mean_interval,
    seats_among_others,
    share_interval,
    stratified,
)
from sim.errors import InputError

Rows = list[tuple[int, int, int, str, float]]


def seats_of(rows: Rows) -> pl.DataFrame:
    """Rows of (game, block, line-up, strategy, value)."""
    schema = {
        "game": pl.UInt32, "block": pl.UInt32, "lineup": pl.UInt32, "strategy": pl.String, "win_share": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def random_seats(random: np.random.Generator, blocks: int, shared: float = 0.0) -> pl.DataFrame:
    """Two-player blocks of two games in line-ups 0 and 1; `shared` correlates the games of a block."""
    luck = np.repeat(random.normal(size=blocks) * shared, 2)
    total = 50 + luck + random.normal(size=2 * blocks)
    games = np.arange(2 * blocks)
    return pl.DataFrame(
        {
            "game": games.astype(np.uint32),
            "block": (games - games % 2).astype(np.uint32),
            "lineup": (games // 2 % 2).astype(np.uint32),
            "strategy": ["a"] * len(games),
            "total": total + games // 2 % 2 * 10,
        }
    )


def test_one_lineup_is_the_t_interval_of_block_means() -> None:
    random = np.random.default_rng(1)
    seats = random_seats(random, 40, shared=2).filter(pl.col("lineup") == 0)
    means = seats.group_by("block").agg(pl.col("total").mean())["total"].to_numpy()
    row = estimates(seats, ["strategy"], ["total"]).row(0, named=True)
    wanted = reference.t.interval(0.95, len(means) - 1, means.mean(), reference.sem(means))
    assert row["blocks"] == 20
    assert row["games"] == 40
    assert row["total"] == pytest.approx(means.mean())
    assert (row["total_low"], row["total_high"]) == pytest.approx(wanted)


def test_lineups_are_strata() -> None:
    seats = random_seats(np.random.default_rng(2), 60)
    row = estimates(seats, ["strategy"], ["total"]).row(0, named=True)
    blocks = seats.group_by("lineup", "block").agg(pl.col("total").mean())
    variances = [np.var(part["total"].to_numpy(), ddof=1) / len(part) / 4 for _, part in blocks.group_by("lineup")]
    assert row["total"] == pytest.approx(seats["total"].mean())
    assert row["total_error"] == pytest.approx(np.sqrt(sum(variances)))
    assert row["total_error"] < blocks["total"].std() / np.sqrt(60), "ten VP between line-ups are no uncertainty"


def test_with_one_block_a_lineup_all_blocks_are_one_sample() -> None:
    rows: Rows = [(game, game, game, "a", float(game % 3 == 0)) for game in range(9)]
    row = estimates(seats_of(rows), ["strategy"], ["win_share"]).row(0, named=True)
    values = np.array([value for *_, value in rows])
    assert row["win_share_error"] == pytest.approx(reference.sem(values))


def test_one_block_has_a_mean_and_no_interval() -> None:
    row = estimates(seats_of([(0, 0, 0, "a", 1.0)]), ["strategy"], ["win_share"]).row(0, named=True)
    assert row["win_share"] == 1
    assert row["win_share_low"] is None
    assert row["win_share_error"] is None


def test_the_mean_is_the_mean_of_all_rows() -> None:
    # A strategy sits twice in line-up 1: its line-ups weigh as many rows as it has there.
    rows: Rows = [(0, 0, 0, "a", 0.0), (1, 1, 0, "a", 1.0), (2, 2, 1, "a", 1.0), (2, 2, 1, "a", 1.0)]
    assert estimates(seats_of(rows), ["strategy"], ["win_share"])["win_share"].item() == 0.75


def test_a_strategy_in_a_seat_is_not_in_all_games_of_a_block() -> None:
    """In line-up a a b b each strategy sits in each seat in two of a block's four games, here and there in a row."""
    rows = []
    for block in range(0, 120, 4):
        for turn in range(4):
            order = "aabb"[turn:] + "aabb"[:turn]
            # The first seat wins if it is a's.
            shares = [1.0 if seat == 0 and who == "a" else 0.0 for seat, who in enumerate(order)]
            rows += [(block + turn, block, 0, seat, order[seat], shares[seat]) for seat in range(4)]
    names = ["game", "block", "lineup", "seat", "strategy", "win_share"]
    seats = pl.DataFrame(rows, schema=names, orient="row")
    found = estimates(seats, ["strategy", "seat"], ["win_share"])
    assert found["games"].to_list() == [60] * 8
    assert found["blocks"].to_list() == [30] * 8
    # All is won, or nothing, by one seat a game: so sure is one of that, whatever the seat.
    chance = 0.5 / 31
    assert found["win_share_error"].to_list() == pytest.approx([np.sqrt(chance * (1 - chance) / 30)] * 8)


def test_a_strategy_counts_by_the_seats_it_holds() -> None:
    """One that wins every game of a a a b, a a b b and a b b b has a win share of three wins in six seats."""
    rows: Rows = []
    for block in range(30):
        held = block % 3 + 1
        rows += [(block, block, held, "a", 1 / held)] * held + [(block, block, held, "b", 0.0)] * (4 - held)
    winner, loser = estimates(seats_of(rows), ["strategy"], ["win_share"]).iter_rows(named=True)
    assert winner["win_share"] == pytest.approx(0.5)
    assert (winner["win_share"] + loser["win_share"]) / 2 == pytest.approx(1 / 4), "all together have 1/N"
    assert 0.4 < winner["win_share_low"] < 0.5 < winner["win_share_high"] < 0.6, "thirty blocks leave room"


def test_what_never_varies_leaves_room_in_one_sample_too() -> None:
    """Two line-ups of one block each, both won by the strategy that holds half of the seats."""
    blocks, most = np.ones((2, 1)), np.full((2, 1), 0.5)
    found = stratified(blocks, most, np.zeros((2, 1)), blocks, most)
    assert found.error[0] > 0
    assert stratified(blocks, most, np.zeros((2, 1)), blocks).error[0] == 0


def test_strata_that_a_column_is_not_in_do_not_count() -> None:
    blocks = np.array([[4.0, 4.0], [4.0, 0.0]])
    means = np.array([[1.0, 1.0], [3.0, 99.0]])
    found = stratified(blocks, means, np.full((2, 2), 3.0), np.ones((2, 2)))
    assert found.mean.tolist() == [2.0, 1.0]
    assert found.error == pytest.approx([np.sqrt(2 / 4 / 4), np.sqrt(1 / 4)])
    assert found.freedom.tolist() == [6.0, 3.0]
    assert np.isnan(stratified(np.zeros((1, 1)), *np.zeros((3, 1, 1))).mean[0])


def test_means_over_a_strategys_seats_are_those_where_it_meets_others() -> None:
    values = np.arange(12.0).reshape(4, 3)
    sits = np.array([[True, False, False], [False, True, True], [True, True, True], [False, False, False]])
    assert seats_among_others(sits).tolist() == [1, 2, 0, 0]
    np.testing.assert_array_equal(mean_among_others(values, sits), [0.0, 4.5, np.nan, np.nan])
    both = mean_among_others(np.stack([values, 2 * values]), sits)
    np.testing.assert_array_equal(both[1], [0.0, 9.0, np.nan, np.nan])


def test_pieces_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    seats = random_seats(np.random.default_rng(3), 500)
    whole = estimates(seats, ["strategy"], ["total"])
    monkeypatch.setattr(stats, "_BATCH_ROWS", 7)
    monkeypatch.setattr(stats, "_MOST_PARTS", 3)
    assert_frame_equal(estimates(seats.lazy(), ["strategy"], ["total"]), whole)


def test_pieces_are_cut_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stats, "_BATCH_ROWS", 5)
    seats = random_seats(np.random.default_rng(3), 50)
    pieces = list(stats.in_whole_blocks(seats.lazy()))
    assert len(pieces) > 10
    assert_frame_equal(pl.concat(pieces), seats)
    for before, after in itertools.pairwise(pieces):
        assert before["block"][-1] != after["block"][0]


def test_a_table_by_fewer_columns_is_the_table_of_fewer_columns() -> None:
    random = np.random.default_rng(4)
    seats = random_seats(random, 100).with_columns(seat=pl.Series(random.integers(0, 2, 200), dtype=pl.UInt8))
    sums = BlockSums(["lineup", "strategy"], ["total"])
    sums.add(seats)
    assert_frame_equal(sums.table(["strategy"]), estimates(seats, ["strategy"], ["total"]))
    first = sums.table(["strategy"], pl.col("lineup") == 0)
    assert_frame_equal(first, estimates(seats.filter(pl.col("lineup") == 0), ["strategy"], ["total"]))


@pytest.mark.parametrize("shared", [0.0, 3.0])
def test_intervals_cover_the_truth_as_often_as_they_say(shared: float) -> None:
    random = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        row = estimates(random_seats(random, 20, shared), ["strategy"], ["total"]).row(0, named=True)
        covered += row["total_low"] <= 55 <= row["total_high"]
    assert 0.92 <= covered / 400 <= 0.98


@pytest.mark.parametrize("share", [0.02, 0.25, 0.5, 0.97])
def test_share_intervals_cover_the_truth_as_often_as_they_say(share: float) -> None:
    random = np.random.default_rng(6)
    blocks, times = 200, 2000
    won = random.random((times, blocks)) < share
    mean = won.mean(axis=1)
    error = won.std(axis=1, ddof=1) / np.sqrt(blocks)
    interval = share_interval(mean, error, np.full(times, blocks - 1.0), np.full(times, blocks))
    covered = ((interval.low <= share) & (share <= interval.high)).mean()
    assert 0.92 <= covered <= 0.99


def test_share_intervals_stay_between_0_and_1_and_know_their_ends() -> None:
    interval = share_interval([0.0, 1.0, 0.999, 0.25], [0, 0, 0.001, 0], [99] * 4, [100] * 4)
    assert interval.low[0] == 0
    assert 0.02 < interval.high[0] < 0.05, "100 lost blocks still leave room"
    assert interval.high[1] == 1
    assert 0.95 < interval.low[1] < 0.98
    assert 0.99 < interval.low[2] < 0.999 < interval.high[2] < 1
    assert interval.low[3] == interval.high[3] == 0.25, "a win always shared by four is known"


def test_winning_everything_is_not_certain_but_holding_every_seat_is() -> None:
    # Line-up 0: a in all four seats; line-up 1: a in three seats of four, and always the winner.
    rows: Rows = []
    for block in range(40):
        rows += [(2 * block, 2 * block, 0, "a", 0.25)] * 4
        rows += [(2 * block + 1, 2 * block + 1, 1, "a", 1 / 3)] * 3 + [(2 * block + 1, 2 * block + 1, 1, "b", 0.0)]
    both = estimates(seats_of(rows), ["lineup", "strategy"], ["win_share"])
    mirror, three, one = (row for row in both.iter_rows(named=True))
    assert mirror["win_share_low"] == mirror["win_share_high"] == 0.25
    assert 0.28 < three["win_share_low"] < 1 / 3 < three["win_share_high"] < 0.39
    assert one["win_share_low"] == 0
    assert 0.01 < one["win_share_high"] < 0.1
    pooled = estimates(seats_of(rows), ["strategy"], ["win_share"]).row(0, named=True)
    assert pooled["win_share_low"] < pooled["win_share"] < pooled["win_share_high"]


def test_wilson_is_wilson() -> None:
    n, won = 1000, 37
    wanted = reference.binomtest(won, n).proportion_ci(method="wilson")
    share = won / n
    interval = share_interval([share], [np.sqrt(share * (1 - share) / n)], [1e9], [n])
    assert (interval.low[0], interval.high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-6)


def test_a_level_is_a_probability() -> None:
    narrow, wide = (mean_interval([0.0], [1.0], [10], level).high[0] for level in (0.5, 0.99))
    assert narrow < wide
    with pytest.raises(InputError, match="allowed: between 0 and 1"):
        mean_interval([0.0], [1.0], [10], 95)
