"""Precision: how it is spelled, and that its intervals stay valid though the rule looks again and again."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

from analysis.balance.arrays import BlockMeans
from analysis.balance.moments import BlockMoments
from analysis.balance.precision import Precision, carry_out, levels, parse_precision, widest
from sim.errors import InputError, RunError


class Drawn:
    """A study whose block values are drawn from a distribution."""

    unit, pilot = 100, 400

    def __init__(self, seed, draw):
        self.random, self.draw = np.random.default_rng(seed), draw
        self.moments = BlockMoments(1, 1)
        self.played, self.expected = 0, []

    def cost(self, games):
        return games

    def expect(self, games):
        self.expected.append(games)

    def advance(self, games):
        pass

    def play(self, first, last):
        count = (last - first) * self.unit
        self.played += count
        values = self.draw(self.random, count)[:, None]
        ones = np.ones(count, dtype=np.int64)
        self.moments.add(0 * ones, BlockMeans(np.arange(count), ones, values))

    def half_width(self, kind, level):
        return float(self.moments.estimate().half_width(level)[0])


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("0.5vp", Precision(0.5, "vp")),
        (" 1 VP ", Precision(1.0, "vp")),
        ("0.25pp", Precision(0.0025, "pp")),
        (".5pp", Precision(0.005, "pp")),
    ],
)
def test_spelling(text, precision):
    assert parse_precision(text) == precision
    assert parse_precision(str(precision)) == precision


@pytest.mark.parametrize("text", ["", "0.5", "vp", "-1vp", "0pp", "1e-3pp", "0.5 %", "0.2pp 0.3pp"])
def test_wrong_spelling(text):
    with pytest.raises(InputError, match=r"0\.5vp .* or 0\.2pp"):
        parse_precision(text)


def test_kind_that_makes_no_sense():
    with pytest.raises(InputError, match=r"this question takes 0\.2pp"):
        parse_precision("0.5vp", ("pp",))


def test_levels_use_up_no_more_than_there_is():
    risks = [1 - each for each in itertools.islice(levels(0.95), 60)]
    assert sum(risks) == pytest.approx(0.05)
    assert all(risk > 0 for risk in risks[:40])


def test_a_number_of_games_takes_no_looks():
    study = Drawn(1, lambda random, count: random.normal(size=count))
    extent = carry_out(study, 250, progress=study)
    assert (extent.games, extent.looks, extent.level, extent.half_width) == (300, 0, 0.95, None)
    assert study.expected == [300]


def test_precision_is_reached():
    study = Drawn(2, lambda random, count: random.normal(scale=10, size=count))
    extent = carry_out(study, 1, Precision(0.5, "vp"), study)
    assert extent.half_width <= 0.5
    assert extent.games == study.played == study.expected[-1]
    # Little more than a fixed number of games would have taken.
    assert extent.games < 1.35 * (1.96 * 10 / 0.5) ** 2


def test_the_pilot_may_be_enough():
    study = Drawn(3, lambda random, count: random.normal(scale=0.1, size=count))
    assert carry_out(study, 1, Precision(0.5, "vp")).games == study.pilot


def test_nothing_varies():
    study = Drawn(4, lambda random, count: np.ones(count))
    assert carry_out(study, 1, Precision(0.5, "vp")).half_width == 0


def test_out_of_reach():
    study = Drawn(5, lambda random, count: random.normal(scale=1000, size=count))
    with pytest.raises(RunError, match=r"precision 0\.001vp would take about .* games"):
        carry_out(study, 1, Precision(0.001, "vp"))


@pytest.mark.parametrize(
    ("draw", "truth", "half"),
    [
        (lambda random, count: random.normal(3, 4, count), 3.0, 0.2),
        (lambda random, count: (random.random(count) < 0.1).astype(float), 0.1, 0.015),
        (lambda random, count: random.exponential(2, count), 2.0, 0.1),
    ],
    ids=["normal", "rare wins", "skewed"],
)
def test_intervals_are_valid_under_looking(draw, truth, half):
    covered, looks = [], []
    for seed in range(600):
        study = Drawn(seed, draw)
        extent = carry_out(study, 1, Precision(half, "vp"))
        found = study.moments.estimate().interval(extent.level)
        covered.append(found.low[0] <= truth <= found.high[0])
        looks.append(extent.looks)
    # 600 intervals of 95%: a standard error of 0.9 percentage points.
    assert np.mean(covered) > 0.95 - 0.022
    assert math.isclose(np.mean(looks), 1, abs_tol=0.6)


def test_what_is_unknown_is_not_precise():
    assert math.isnan(widest(np.array([0.1, np.nan, 0.3])))
    assert math.isnan(widest(pl.Series([0.1, None, 0.3])))
    assert math.isnan(widest([0.1], [math.nan]))
    assert widest(pl.Series([0.1, 0.3]), np.array([0.2])) == 0.3
