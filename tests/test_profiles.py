"""Profiles and their distances: intervals that hold what they promise, where nothing differs too."""

import numpy as np
import pytest

from analysis.ladder import ladder, ladder_plan
from analysis.profiles import distance
from analysis.resampling import MOST_BAGS, BlockBags, resampled_weights


def test_sums_of_units_drawn_anew_vary_as_the_stratified_variance_says():
    random = np.random.default_rng(1)
    strata = np.repeat([0, 1, 2], [2, 5, 40])
    values = random.normal(size=47) + 100 * strata
    wanted = sum(len(part) * part.var(ddof=1) for part in (values[strata == number] for number in range(3)))
    draws = resampled_weights(strata, 20_000) @ values
    assert draws.mean() == pytest.approx(values.sum(), abs=0.2)
    assert draws.var() == pytest.approx(wanted, rel=0.04)


def test_strata_of_one_unit_are_taken_together():
    assert (resampled_weights(np.array([7]), 3) == 1).all()
    weights = resampled_weights(np.arange(6), 100)
    assert weights.sum(axis=1) == pytest.approx(6)
    assert weights.std() > 0


def test_bags_keep_all_blocks_in_bounded_memory():
    random = np.random.default_rng(2)
    strata, values = random.integers(0, 3, 5000), random.normal(size=(5000, 2))
    whole, pieces = BlockBags(3, 2), BlockBags(3, 2)
    whole.add(strata, values)
    for rows in np.split(np.arange(5000), [10, 11, 3000]):
        pieces.add(strata[rows], values[rows])
    assert whole.sums() == pytest.approx(values.sum(axis=0))
    assert pieces.blocks.tolist() == np.bincount(strata).tolist()
    draws = whole.resampled(4000)
    np.testing.assert_allclose(pieces.resampled(4000), draws)
    assert draws.std(axis=0) == pytest.approx(values.std(axis=0) * np.sqrt(5000), rel=0.1)
    assert MOST_BAGS < 5000


def shares_of(counts):
    return counts / counts.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    "other",
    [[0.2, 0.2, 0.2, 0.2, 0.2], [0.21, 0.2, 0.2, 0.2, 0.19], [0.24, 0.17, 0.2, 0.2, 0.19], [0.4, 0.3, 0.1, 0.1, 0.1]],
    ids=["the same", "hardly differing", "differing here and there", "far apart"],
)
def test_intervals_of_distances_hold_the_truth(other, level):
    random = np.random.default_rng(3)
    one, blocks, times = np.full(5, 0.2), 200, 200
    truth = np.abs(one - other).sum() / 2
    held = 0
    for _ in range(times):
        first, second = (random.multinomial(20, chances, size=blocks) for chances in (one, np.array(other)))
        weights = resampled_weights(np.zeros(blocks, dtype=np.int64), 400, int(random.integers(2**31)))
        apart = shares_of(first.sum(axis=0)) - shares_of(second.sum(axis=0))
        found = distance(apart, shares_of(weights @ first) - shares_of(weights @ second), level)
        assert found.low <= found.estimate <= found.high
        held += found.low <= truth <= found.high
    assert held / times >= level - 0.04
    if truth > 0.2:
        assert held / times <= level + 0.05, "no wider than need be where all signs are known"


@pytest.mark.compiled
def test_two_of_a_kind_may_be_no_distance_apart():
    found = ladder(ladder_plan(["greedy", "greedy:noise=0.0001", "random"], 2, 600, 1))["distances"]
    rows = {(row["strategy"], row["other"]): row for row in found.iter_rows(named=True)}
    for name in ("actions", "score"):
        same, apart = rows["greedy", "greedy:noise=0.0001"], rows["greedy", "random"]
        assert same[f"{name}_low"] == 0
        assert 0 < same[name] <= same[f"{name}_high"] < 0.05
        assert 0.05 < apart[f"{name}_low"] < apart[name] < apart[f"{name}_high"]


@pytest.mark.compiled
def test_a_profile_is_the_mean_over_all_seats_a_strategy_holds():
    """In line-ups where strategies sit once or twice at a table, as the rows of the seats table have it."""
    from analysis.tournament import tournament

    plan = ladder_plan(["greedy", "random"], 3, 60, 1)
    found = ladder(plan)["profiles"]
    seats = tournament(["greedy", "random"], 3, 60, 1, lineups="mixed").seats
    for name in ("greedy", "random"):
        rows = seats.filter(strategy=name)
        mine = found.filter(strategy=name, part="academy").row(0, named=True)
        assert mine["mean"] == pytest.approx(rows["academy"].mean())
        assert mine["mean_low"] < mine["mean"] < mine["mean_high"]
        assert mine["share_low"] < mine["share"] < mine["share_high"]
