"""Block means, moments, strata and corrections against plainer ways to compute them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from analysis.balance.arrays import block_means, compact, in_units, play_arrays, play_units, unit_of
from analysis.balance.correction import with_corrected
from analysis.balance.moments import MOST_STRATA, BlockMoments, Estimate, Strata, p_of
from analysis.lineups import Lineups
from analysis.runs import LocalExecutor, run_games
from analysis.stats import BlockSums
from analysis.tournament import make_plan


@given(
    st.integers(1, 4), st.integers(2, 5), st.one_of(st.none(), st.integers(1, 300_000)), st.sampled_from([1, 2, 8, 24])
)
def test_units_are_whole_and_few_games_too_many(strategies, players, games, multiple):
    lineups = Lineups.of(strategies, players)
    unit = unit_of(lineups, games, multiple)
    assert unit % (lineups.round_games * multiple) == 0
    if games is not None:
        played = -(-games // unit) * unit
        assert games <= played < games * 1.02 + (games // 8192 + 2) * lineups.round_games * multiple


def test_units_are_the_plans_games():
    plan = make_plan(["random", "greedy"], players=3, games=600, seed=3, record_cards=False)
    unit = plan.lineups.round_games * 5
    cut = in_units(plan, unit)
    executor = LocalExecutor(2)
    whole = next(iter(run_games(plan, executor)))
    games = play_arrays(cut, unit, [1, 3], executor)
    expected = compact(whole)
    rows = np.concatenate([np.arange(unit, 2 * unit), np.arange(3 * unit, 4 * unit)])
    for name in ("games", "blocks", "totals", "shares", "tokens"):
        np.testing.assert_array_equal(getattr(games, name), getattr(expected, name)[rows])
    assert play_units(cut, unit, [], executor) == []


def test_block_means_leave_out_what_is_unknown():
    values = np.array([[1.0, np.nan], [2.0, 4.0], [6.0, np.nan]])
    means = block_means(np.array([0, 0, 7]), values)
    assert means.games.tolist() == [2, 1]
    np.testing.assert_array_equal(means.values, [[1.5, 4.0], [6.0, np.nan]])


@pytest.mark.parametrize("pieces", [1, 3])
def test_moments_agree_with_block_sums(pieces):
    plan = make_plan(["random", "greedy"], players=3, games=900, seed=5, record_cards=False)
    frames = next(iter(run_games(plan)))
    sums = BlockSums(["seat"], ["win_share", "total"])
    sums.add(frames.seats)
    table = sums.table(["seat"])
    games, strata = compact(frames), Strata(plan.lineups)
    moments = BlockMoments(len(strata), 6)
    for rows in np.split(np.arange(len(games)), pieces):
        means = block_means(games.blocks[rows], np.hstack([games.shares, games.totals])[rows])
        moments.add(strata.of_games(games.games[rows][means.first]), means)
    found = moments.estimate()
    assert found.blocks.tolist() == table["blocks"].to_list() * 2
    assert found.games.tolist() == table["games"].to_list() * 2
    shares, totals = found[slice(0, 3)], found[slice(3, 6)]
    for name, part, share in (("win_share", shares, True), ("total", totals, False)):
        rows = part.table(share=share)
        for column, ending in (("estimate", ""), ("low", "_low"), ("high", "_high"), ("error", "_error")):
            np.testing.assert_allclose(rows[column], table[name + ending], rtol=1e-9)


def test_moments_of_columns_that_are_known_here_and_there():
    random = np.random.default_rng(1)
    values = random.normal(size=(200, 3))
    values[random.random(values.shape) < 0.5] = np.nan
    moments = BlockMoments(1, 3)
    for rows in np.split(np.arange(200), 4):
        moments.add(np.zeros(50, dtype=np.int64), block_means(rows, values[rows]))
    found = moments.estimate()
    known = (~np.isnan(values)).sum(axis=0)
    np.testing.assert_allclose(found.mean, np.nanmean(values, axis=0))
    np.testing.assert_allclose(found.error, np.nanstd(values, axis=0, ddof=1) / np.sqrt(known))
    assert found.blocks.tolist() == known.tolist()


def test_strata_count_by_all_their_games():
    """A column that one line-up happens to have more often is not drawn towards it."""
    values = np.array([[0.0], [0.0], [0.0], [0.0], [10.0], [10.0], [np.nan], [np.nan]])
    moments = BlockMoments(2, 1)
    moments.add(np.repeat([0, 1], 4), block_means(np.arange(8), values))
    assert moments.estimate().mean.tolist() == [5.0]
    assert moments.estimate(np.array([False, True])).mean.tolist() == [10.0]


def test_a_mean_by_weights_is_a_ratio_of_sums():
    """Blocks of one stratum that count differently, in pieces and at once."""
    random = np.random.default_rng(3)
    values, weights = random.normal(size=(60, 2)), random.integers(1, 4, size=(60, 2))
    values[random.random((60, 2)) < 0.2] = np.nan
    strata = np.repeat([0, 1], 30)
    whole, pieces = BlockMoments(2, 2), BlockMoments(2, 2)
    whole.add(strata, block_means(np.arange(60), values), weights)
    for rows in np.split(np.arange(60), [7, 41]):
        pieces.add(strata[rows], block_means(rows, values[rows]), weights[rows])
    found = whole.estimate()
    for name in ("mean", "error", "freedom"):
        np.testing.assert_allclose(getattr(pieces.estimate(), name), getattr(found, name))
    for column in range(2):
        means, errors, counted = [], [], []
        for stratum in range(2):
            rows = (strata == stratum) & ~np.isnan(values[:, column])
            w, v, n = weights[rows, column], values[rows, column], rows.sum()
            mean = (w * v).sum() / w.sum()
            means.append(mean)
            errors.append(n / (n - 1) * (w**2 * (v - mean) ** 2).sum() / w.sum() ** 2)
            counted.append(weights[strata == stratum, column].sum())
        shares = np.array(counted) / sum(counted)
        assert found.mean[column] == pytest.approx(shares @ means)
        assert found.error[column] == pytest.approx(np.sqrt(shares**2 @ errors))


def test_too_few_blocks_are_unknown():
    moments = BlockMoments(1, 2)
    moments.add(np.zeros(1, dtype=np.int64), block_means(np.zeros(1, dtype=np.int64), np.array([[1.0, np.nan]])))
    table = moments.estimate().table()
    assert table["error"].to_list() == [None, None]
    assert table["low"].to_list() == [None, None]
    assert table["estimate"].to_list() == [1.0, None]
    assert table["p"].to_list() == [None, None]


def test_many_lineups_are_gathered_by_kind():
    lineups = Lineups.of(5, 4)
    strata = Strata(lineups)
    assert len(lineups) > MOST_STRATA > len(strata)
    assert not strata.single
    for stratum in range(len(strata)):
        rows = np.flatnonzero(strata.of == stratum)
        assert len(set(lineups.periods[rows])) == 1
        assert (lineups.is_mixed[rows] == strata.mixed[stratum]).all()


def test_p_of_what_never_varies():
    """It is as certain as so many equal signs are."""
    errors, blocks = np.array([0.0, 0.0, 0.0, np.nan]), np.array([10, 10, 2, 0])
    p = p_of(np.array([0.0, 1.0, 1.0, 1.0]), errors, np.array([9.0, 9.0, 1.0, 0.0]), blocks)
    assert p[:3].tolist() == [1.0, 0.5**9, 0.5]
    assert np.isnan(p[3])


@pytest.mark.parametrize("level", [0.95, 0.995])
@pytest.mark.parametrize("share", [True, False])
def test_p_says_what_the_interval_says(level, share):
    """It is small just where the interval leaves out what is tested against, and half widths are those of intervals."""
    random = np.random.default_rng(1)
    blocks = random.integers(2, 40, size=3000)
    mean, error = random.random(3000), random.exponential(0.2, size=3000)
    mean[:200], error[:200] = random.integers(0, 2, size=200), 0.0
    found = Estimate(mean, error, blocks - 1.0, blocks, blocks)
    interval = found.interval(level, share=share)
    outside = (interval.low > 0.5) | (interval.high < 0.5)
    small = found.p(0.5, share=share) <= 1 - level
    certain = error == 0
    assert (outside == small)[~certain].all()
    assert (outside | ~small).all()
    np.testing.assert_allclose(found.half_width(level, share=share), (interval.high - interval.low) / 2)
    if share:
        assert found.half_width(level, share=True)[certain].min() > 0


def test_correction_is_benjamini_and_hochbergs():
    p = np.random.default_rng(2).random(40) ** 3
    frame = pl.DataFrame({"p": p, "kind": ["a", "b"] * 20, "last": range(40)})
    whole = with_corrected(frame)
    np.testing.assert_allclose(whole["p_corrected"], multipletests(p, method="fdr_bh")[1])
    assert whole.columns == ["p", "p_corrected", "kind", "last"]
    parts = with_corrected(frame, ["kind"])
    np.testing.assert_allclose(parts["p_corrected"][::2], multipletests(p[::2], method="fdr_bh")[1])
