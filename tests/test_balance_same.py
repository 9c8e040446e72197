"""Nothing is found where nothing is: intervals of experiments without an effect cover the truth as often as they say.

Each is repeated with different seeds; a few times here, and 200 times in the slow version (`make test-slow`), where
95% intervals have to cover in 92 to 98% of cases.
"""

import numpy as np
import polars as pl
import pytest

from analysis.balance.paired import paired
from analysis.balance.seats import seat_balance
from analysis.balance.tokens import CENTRED, RANDOMISED, token_balance
from analysis.tournament import make_plan
from sim.config import load_configuration
from tests.generators import reordered
from tests.strategies_for_tests.players import first, make_player

FEW, MANY = 20, 200
REPETITIONS = [FEW, pytest.param(MANY, marks=pytest.mark.slow)]

pytestmark = pytest.mark.compiled


def check(covered, repetitions, what):
    """Coverage within bounds; with few repetitions what these may show by chance."""
    share = np.mean(covered)
    print(f"{what}: {share:.1%} of {len(covered)} intervals")
    low, high = (0.92, 0.98) if repetitions == MANY else (0.85, 1.0)
    assert low <= share <= high


def covers(frame, truth):
    return ((frame["low"] <= truth + 1e-9) & (frame["high"] >= truth - 1e-9)).to_list()


@pytest.mark.parametrize("repetitions", REPETITIONS)
def test_the_order_of_cards_and_tokens(repetitions):
    standard = load_configuration()
    covered = {"total": [], "win_share": [], "animals_published": []}
    for seed in range(repetitions):
        plans = [
            make_plan(["random"], 2, 240, seed, configuration=each, record_cards=False)
            for each in (standard, reordered(standard, seed))
        ]
        table = paired(*plans, list(covered), by=["seat"])
        for name, cases in covered.items():
            cases.extend(covers(table.filter(measure=name, seat=0), 0.0))
    for what, cases in covered.items():
        check(cases, repetitions, what)


@pytest.mark.parametrize("repetitions", REPETITIONS)
def test_seats_that_can_be_exchanged(repetitions):
    """Seats that send every die to the embassy for what it rolled, on boards that give nothing: all are equal."""
    rules = [
        "coins.offsets=0,0,0,0",
        "embassy.expedition_tokens=1,2,3,4,5,6",
        *(f"board.spaces.{space}.{key}" for space in range(1, 5) for key in ("effect=none", "amount=0")),
    ]
    player = make_player(first)
    shares, totals, fair = [], [], []
    for seed in range(repetitions):
        answer = seat_balance(make_plan([player], 3, 300, seed, overrides=rules, record_cards=False))
        results = answer["results"]
        shares += covers(results.filter(measure="win_share", seat=seed % 3), 1 / 3)
        totals += [p > 0.05 for p in results.filter(measure="total", seat=seed % 3)["p"]]
        fair += [p > 0.05 for p in answer["fairness"]["p"]]
    for what, covered in (("win share", shares), ("VP, by p", totals), ("balance, by p", fair)):
        check(covered, repetitions, what)


@pytest.mark.parametrize("repetitions", REPETITIONS)
def test_tokens_with_equal_effects(repetitions):
    rules = [
        f"tokens.{number}.{key}" for number in range(1, 13) for key in ("effect=coins", "amount=3", "scope=everyone")
    ]
    covered = {CENTRED: [], RANDOMISED: []}
    for seed in range(repetitions):
        plan = make_plan(["random"], 2, 400, seed, overrides=rules, record_cards=False)
        answer = token_balance(plan, paired_every=2)
        for method, cases in covered.items():
            rows = answer["tokens"].filter(pl.col("method") == method)
            cases.extend(covers(rows.filter(measure="total", of="seats"), 0.0))
            cases.extend(covers(rows.filter(measure="win_share", of="seat 0"), 0.0))
    for what, cases in covered.items():
        check(cases, repetitions, what)
