"""Restricted play: bars hold, copies are copies, and what is planted is found."""

import polars as pl
import pytest

from analysis.balance.actions import ALL, action_balance
from analysis.tournament import make_plan, tournament
from sim.errors import InputError
from strategies.check import check
from strategies.restricted import BARS, mask_of, spec_of

pytestmark = pytest.mark.compiled

FORBIDDEN = {
    "embassy": ["embassy"],
    "bank": ["bank"],
    "university": ["university", "experts_hired"],
    "academy": ["academy", "animals_taken"],
    "expedition": ["expedition"],
    "publication": ["publication", "vp_cubes"],
    "recolour": ["recolours_paid", "recolours_free"],
    "seals": ["seals_used"],
    "embassy+bank": ["embassy", "bank"],
}
"""Bar → recorded columns that stay 0."""


def barred_seats(base, bar, players, overrides=(), games=60):
    spec = spec_of(base, bar.split("+"))
    result = tournament(
        [base, spec], players, games, 3, lineups="mixed", overrides=overrides, record_cards=False
    )  # fmt: skip
    return result.seats.filter(pl.col("strategy") == spec)


@pytest.mark.parametrize("base", ["random", "greedy"])
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("bar", FORBIDDEN)
def test_what_is_barred_never_happens(base, players, bar):
    rows = barred_seats(base, bar, players)
    assert rows.select(pl.col(FORBIDDEN[bar]).sum()).row(0) == (0,) * len(FORBIDDEN[bar])
    assert rows["total"].n_unique() > 1


@pytest.mark.parametrize("base", ["random", "greedy"])
def test_barred_payments_happen_only_where_nothing_else_is_offered(base):
    coins, tokens = barred_seats(base, "coins", 3), barred_seats(base, "tokens", 3)
    assert coins["coins_spent"].mean() < 0.1
    # Tokens still pay for recolours, one each in the standard game.
    assert (tokens["expedition_tokens_spent"] - tokens["recolours_paid"]).mean() < 0.1


def test_dice_of_others_are_taken_only_when_own_ones_are_gone():
    plain, barred = barred_seats("greedy", "along", 4), barred_seats("greedy", "others", 4)
    assert barred["dice_taken"].mean() < 0.5 * plain["dice_taken"].mean()


def test_a_copy_without_bars_plays_the_same_games():
    plain = tournament(["greedy"], 3, 30, 5, record_cards=False)
    copy = tournament([spec_of("greedy")], 3, 30, 5, record_cards=False)
    assert plain.seats.drop("strategy").equals(copy.seats.drop("strategy"))
    assert plain.games.select("plies", "winner").equals(copy.games.select("plies", "winner"))


@pytest.mark.parametrize(
    "bars",
    [
        ["bank", "others", "recolour", "coins"],
        *(pytest.param(bars, marks=pytest.mark.slow) for bars in ([], ["university", "seals", "tokens"], list(BARS))),
    ],
)
def test_restricted_strategies_keep_the_contract(bars):
    report = check(spec_of("greedy", bars), games=2)
    assert report.passed, str(report)


def test_unknown_bars_are_refused_with_what_is_allowed():
    with pytest.raises(InputError, match=r"allowed: embassy, bank.*did you mean 'seals'"):
        mask_of(["seal"])
    with pytest.raises(InputError, match="found 'bnk'"):
        tournament(["restricted:base=greedy,without=bnk"], 2, 2)
    plan = make_plan(["greedy"], 2, 4)
    with pytest.raises(InputError, match="nothing given"):
        action_balance(plan, without=[])
    with pytest.raises(InputError, match="found 'x'"):
        action_balance(plan, without=["bank+x"])


def test_bars_add_up():
    assert mask_of(["embassy", "bank"]) == mask_of(["embassy"]) | mask_of(["bank"])
    assert mask_of(BARS) == 2 ** len(BARS) - 1


@pytest.fixture(scope="module")
def rich_bank():
    plan = make_plan(["greedy", "random"], 2, 400, 1, overrides=["bank.coins=12"])
    return action_balance(plan, without=["bank", "embassy"])


def test_a_bank_of_twelve_coins_is_missed(rich_bank):
    bank = rich_bank["bars"].filter(without="bank")
    assert (bank["vp_high"] < 0).all()
    assert (bank["win_share_high"] < 0.5).all()
    assert (bank["verdict"] == "loses").all()


def test_an_embassy_that_gives_nothing_is_not_missed():
    plan = make_plan(["greedy", "random"], 2, 400, 1, overrides=["embassy.expedition_tokens=0"])
    embassy = action_balance(plan, without=["embassy"])["bars"]
    rows = {row["strategy"]: row for row in embassy.iter_rows(named=True)}
    assert rows["random"]["vp_low"] > 0
    assert rows["random"]["verdict"] == "gains"
    assert rows["greedy"]["vp_high"] >= 0
    assert rows["greedy"]["verdict"] in ("never used", "gains", "not shown to matter")


def test_rows_of_all_strategies_are_their_mean(rich_bank):
    bars = rich_bank["bars"]
    for name in ("win_share", "total", "vp", "others_vp", "used"):
        single = (
            bars.filter(pl.col("strategy") != ALL).group_by("without", maintain_order=True).agg(pl.col(name).mean())
        )
        pooled = bars.filter(strategy=ALL)[name]
        assert single[name].to_list() == pytest.approx(pooled.to_list())


def test_vp_lost_are_the_difference_to_a_plain_copy_on_the_same_luck():
    games = 60
    found = action_balance(make_plan(["greedy"], 3, games, 9), without=["seals"])["bars"].row(0, named=True)
    plain = tournament(["greedy"], 3, games, 9, record_cards=False)
    # The blocks are the lucks of every third game, in which the barred seat goes round.
    same = plain.seats.filter(pl.col("game") % 3 == 0)
    assert found["total_plain"] == pytest.approx(same["total"].mean())
    assert found["vp"] == pytest.approx(found["total"] - found["total_plain"])
    assert found["games"] == games
    assert found["blocks"] == games // 3


def test_two_blocks_show_nothing_however_they_end():
    """Without publications every game is lost, which two blocks cannot prove."""
    table = action_balance(make_plan(["greedy"], 2, 4, 1), without=["publication"])["bars"]
    row = table.row(0, named=True)
    assert (row["win_share"], row["blocks"]) == (0.0, 2)
    assert row["p"] > 0.1
    assert row["win_share_low"] <= row["fair"] <= row["win_share_high"]


def test_a_bar_without_effect_leaves_exactly_a_fair_share():
    plan = make_plan(["greedy"], 3, 30, 1, overrides=["publication.seals=0"])
    row = action_balance(plan, without=["seals"])["bars"].filter(pl.col("used") == 0)
    if len(row):
        assert row["win_share"].item() == pytest.approx(1 / 3)
        assert row["verdict"].item() == "never used"


def test_where_strategies_differ_their_average_is_not_the_answer() -> None:
    """Coins are worth much to the one and hinder the other."""
    answer = action_balance(make_plan(["greedy", "random"], 4, 1000, 0), without=["coins", "publication"])
    averaged = " ".join(answer.findings[:-1])
    assert "Loses without: publication" in averaged
    assert "coins" not in averaged
    assert answer.findings[-1] == "Without these, it depends on who plays: coins (loses: greedy; gains: random)."
