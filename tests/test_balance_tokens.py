"""Round tokens: planted effects by both methods, and the regression against a library's."""

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

from analysis.balance.precision import Precision
from analysis.balance.randomised import token_effects
from analysis.balance.tokens import CENTRED, PAIRED, RANDOMISED, TokenStudy, token_balance, without_token
from analysis.runs import LocalExecutor
from analysis.tournament import make_plan

BLANK = [f"tokens.{number}.{key}" for number in range(1, 12) for key in ("effect=none", "amount=0", "scope=everyone")]
"""All tokens but the last do nothing."""
EVERYBODY = [*BLANK, "tokens.12.effect=vp", "tokens.12.amount=6", "tokens.12.scope=everyone"]
LEADER = [*BLANK, "tokens.12.effect=vp", "tokens.12.amount=6", "tokens.12.scope=most:vp"]


def answer_of(overrides, games=2400, players=3, **options):
    plan = make_plan(["random"], players, games, 11, overrides=overrides, record_cards=False)
    return token_balance(plan, **options)


def test_known_points_are_covered():
    """A token gives 6 VP to everybody; strategies that choose blindly do not react."""
    answer = answer_of(EVERYBODY)
    found = answer["tokens"].filter(id=12, measure="total", of="seats")
    exact = found.filter(method=PAIRED).row(0, named=True)
    assert (exact["estimate"], exact["low"], exact["high"]) == (6.0, 6.0, 6.0)
    # Compared with the average of the twelve tokens, of which the others do nothing.
    for method in (CENTRED, RANDOMISED):
        row = found.filter(method=method).row(0, named=True)
        assert row["low"] <= 5.5 <= row["high"]
        assert row["p_corrected"] < 0.001
    rounds = answer["rounds"].filter(id=12, measure="total", of="seats", method=PAIRED)
    assert rounds["round"].to_list() == list(range(1, 7))
    assert rounds["estimate"].to_list() == pytest.approx([6.0] * 6)
    others = answer["tokens"].filter(pl.col("id") < 12, pl.col("method") == PAIRED)
    assert (others["estimate"] == 0).all()
    assert "World Exhibition +6.00 VP" in answer.findings[0]


def test_points_for_the_leader_only():
    answer = answer_of(LEADER)
    rows = {
        (row["measure"], row["of"]): row for row in answer["tokens"].filter(id=12, method=PAIRED).iter_rows(named=True)
    }
    total, spread = rows["total", "seats"], rows["spread", "game"]
    # At least one of three seats leads, and before the first round all do.
    assert 2 <= total["low"] <= total["high"] < 6
    assert spread["low"] > 0
    assert spread["p_corrected"] < 0.001
    first = answer["rounds"].filter(id=12, method=PAIRED, measure="total", of="seats", round=1)
    assert first["estimate"].to_list() == [6.0]
    lot = answer["tokens"].filter(id=12, method=RANDOMISED, measure="spread").row(0, named=True)
    assert lot["low"] > 0
    assert "World Exhibition" in answer.findings[2]


def test_the_two_methods_agree():
    answer = answer_of([], games=6000)
    rows = answer["tokens"].filter(measure="total", of="seats").sort("id")
    paired, lot = (rows.filter(method=method) for method in (CENTRED, RANDOMISED))
    assert paired["estimate"].sum() == pytest.approx(0, abs=1e-9)
    assert lot["estimate"].sum() == pytest.approx(0, abs=1e-9)
    ratio = (paired["estimate"] - lot["estimate"]) / (paired["error"] ** 2 + lot["error"] ** 2).sqrt()
    assert (ratio**2).mean() < 3


def synthetic(kinds, rounds, blocks, seed):
    random = np.random.default_rng(seed)
    tokens = np.array([random.permutation(kinds)[:rounds] for _ in range(blocks)])
    strata, games = random.integers(0, 3, blocks), random.integers(1, 4, blocks)
    effects = random.normal(size=(kinds, rounds))
    values = effects[tokens, np.arange(rounds)].sum(axis=1) + strata + random.normal(size=blocks) * (1 + strata)
    return tokens, values[:, None], strata, games, effects


def test_regression_is_weighted_least_squares():
    tokens, values, strata, games, _ = synthetic(7, 3, 600, 1)
    cells, means = token_effects(tokens, values, strata, games, 7)
    columns = [(strata == level).astype(float) for level in range(3)]
    for number in range(3):
        columns += [(tokens[:, number] == kind) * 1.0 - (tokens[:, number] == 6) for kind in range(6)]
    fit = sm.WLS(values[:, 0], np.column_stack(columns), weights=games).fit(cov_type="HC1")
    for number in range(3):
        place = slice(3 + 6 * number, 9 + 6 * number)
        found = cells[np.arange(6) * 3 + number]
        np.testing.assert_allclose(found.mean, fit.params[place], rtol=1e-8)
        np.testing.assert_allclose(found.error, fit.bse[place], rtol=1e-8)
    last = np.zeros(len(fit.params))
    last[[3 + 6 * number for number in range(3)]] = 1 / 3
    assert means.mean[0] == pytest.approx(last @ fit.params)
    assert means.error[0] == pytest.approx(np.sqrt(last @ fit.cov_params() @ last))
    assert cells.blocks.sum() == 600 * 3
    assert means.games.sum() == games.sum() * 3


@pytest.mark.parametrize(("kinds", "rounds"), [(5, 5), (12, 6), (3, 1)], ids=["all come", "standard", "one round"])
def test_regression_covers_the_truth(kinds, rounds):
    covered = []
    for seed in range(1200 // (kinds * rounds)):
        tokens, values, strata, games, effects = synthetic(kinds, rounds, 500, seed)
        truth = effects - effects.mean(axis=0)
        if kinds == rounds:
            truth = truth - truth.mean(axis=1, keepdims=True)
        cells, _ = token_effects(tokens, values, strata, games, kinds)
        interval = cells.interval()
        covered.append((interval.low <= truth.ravel()) & (truth.ravel() <= interval.high))
    assert 0.92 <= np.mean(covered) <= 0.98


def test_too_few_blocks_for_the_regression():
    tokens, values, strata, games, _ = synthetic(12, 6, 40, 1)
    cells, means = token_effects(tokens, values, strata, games, 12)
    assert np.isnan(cells.mean).all()
    assert np.isnan(means.error).all()
    answer = answer_of([], games=24, paired_every=1)
    assert answer["tokens"].filter(method=RANDOMISED)["estimate"].null_count() > 0


def test_strategies_share_what_the_others_lose():
    plan = make_plan(["greedy", "random"], 2, 600, 2, record_cards=False)
    rows = token_balance(plan, paired_every=1)["tokens"]
    assert rows["group"].unique(maintain_order=True).to_list() == ["all", "mirror", "mixed", "line-up"]
    mixed = rows.filter(group="mixed", method=PAIRED, measure="win_share")
    one, other = (mixed.filter(of=name).sort("id")["estimate"] for name in ("greedy", "random"))
    np.testing.assert_allclose(one, -other, atol=1e-12)
    mirror = rows.filter(group="mirror")
    assert "greedy" not in mirror["of"].to_list()


def test_other_numbers_of_tokens_and_rounds():
    answer = answer_of(["rounds=12"], games=24, players=2, paired_every=1)
    assert answer["rounds"]["round"].max() == 12
    assert len(answer["tokens"].filter(method=PAIRED, measure="total", of="seats")) == 12


def test_threads_change_nothing():
    one, two = (answer_of([], games=600, executor=LocalExecutor(threads)) for threads in (1, 2))
    assert all(one[name].equals(two[name]) for name in one.frames)


def test_games_are_counted():
    plan = make_plan(["random"], 2, 4000, 1, record_cards=False)
    study = TokenStudy(plan, 4000)
    answer = token_balance(plan)
    assert answer.about["games"] == -(-4000 // study.unit) * study.unit
    assert answer.about["games played"] == answer.about["games"] * (1 + 12 / 8)
    lot = answer["tokens"].filter(method=RANDOMISED, measure="total", of="seats")
    assert lot["games"].sum() == 6 * answer.about["games"]


@pytest.mark.compiled
def test_precision():
    plan = make_plan(["random"], 2, 10, 1, record_cards=False)
    answer = token_balance(plan, Precision(1.0, "vp"))
    rows = answer["tokens"].filter(measure="total", of="seats")
    rows = rows.filter(pl.col("method") != CENTRED).with_columns(half=(pl.col("high") - pl.col("low")) / 2)
    assert rows.group_by("id").agg(pl.col("half").min())["half"].max() <= 1.0


def test_a_token_made_blank(standard):
    assert without_token(standard, 9).cards.tokens[9].scope == "everyone"
    assert standard.cards.tokens[9].scope == "fewest:vp"
