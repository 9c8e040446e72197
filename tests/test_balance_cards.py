"""Cards: planted strong and weak ones, and what is counted of every card."""

import numpy as np
import polars as pl
import pytest

from analysis.balance.appearance import NOBODY, CardTask, Ratios, appearance_effects
from analysis.balance.cardgroups import Items
from analysis.balance.cards import card_balance
from analysis.balance.cardstudy import BAN, GIFT, HOLDER, LIMITS, SHOWN, CardStudy, with_ban, with_gift
from analysis.balance.precision import Precision
from analysis.runs import LocalExecutor, run_games
from analysis.tournament import make_plan, tournament
from sim.errors import InputError
from tests.strategies_for_tests.players import first, make_player

SMALL = [
    "draft.animals=1",
    "display.animals=4,5,6",
    "display.experts=1",
    # Tokens for those who are behind would take back some of what a strong card gives.
    "tokens.10.scope=everyone",
    "tokens.11.scope=everyone",
]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A card set of few cards, so that all of them are given and banned in no time."""
    from sim.config import export, load_configuration

    standard = load_configuration()
    cards = standard.cards
    few = cards.model_copy(update={"animals": cards.animals[::6], "experts": cards.experts[::5]})
    folder = tmp_path_factory.mktemp("cards")
    export(standard.model_copy(update={"cards": few}), folder)
    return folder


def plan_of(cards, *overrides, games=1500, players=2, strategies=("random",), seed=3):
    return make_plan(strategies, players, games, seed, cards=cards, overrides=[*SMALL, *overrides], record_cards=True)


def gift_of(answer, identity, kind="expert"):
    rows = answer["cards"].filter(experiment=GIFT, measure="total", of=HOLDER, kind=kind, id=identity)
    return rows.filter(pl.col("group") == rows["group"][0]).row(0, named=True)


def test_points_of_a_card_are_covered(small):
    """An expert worth 10 VP when hired, and seats that only ever send dice to the embassy: its gift is 10 VP."""
    nothing = ["tokens.8.effect=none", "tokens.8.amount=0"]
    plan = plan_of(
        small, "experts.1.effect=vp", "experts.1.amount=10", *nothing, games=200, strategies=[make_player(first)]
    )
    answer = card_balance(plan, experiments=[GIFT], paired_every=1)
    row = gift_of(answer, 1)
    assert row["low"] <= 10 <= row["high"]
    assert row["p_corrected"] < 0.001
    verdicts = answer["verdicts"].filter(pl.col("found"), pl.col("kind") == "expert", pl.col("id") == 1)
    # Worth having, and never picked, since these seats never go to the university.
    assert verdicts.select("verdict", "by").rows() == [("dead", "pick"), ("must-take", "gift")]


def test_strong_and_weak_cards_are_named(small):
    """An expert worth 10 VP when hired and one that gives 0 coins, among strategies that choose blindly."""
    plan = plan_of(small, "experts.46.effect=vp", "experts.46.amount=10", "experts.1.amount=0", games=3000)
    answer = card_balance(plan, experiments=[GIFT, BAN], paired_every=2)
    strong, weak = gift_of(answer, 46), gift_of(answer, 1)
    # What a blind strategy gets from the card anyway, now and then, is not added by the gift.
    assert 6 < strong["estimate"] < 14
    assert strong["above_low"] > 0
    assert strong["above_p_corrected"] < 0.001
    assert weak["above_high"] < strong["above_low"]
    assert weak["estimate"] < strong["estimate"] - 5
    assert (
        answer["cards"].filter(experiment=GIFT, kind="expert", measure="total", of=HOLDER).sort("estimate")["id"][-1]
        == 46
    )
    shown = answer["cards"].filter(experiment=SHOWN, measure="total", of="seats", kind="expert", id=46)
    assert shown["low"][0] > 0
    banned = answer["cards"].filter(experiment=BAN, measure="total", of="seats", kind="expert", id=46)
    assert banned["high"][0] < 0
    assert any("Biologist of the Great Barrier Reef" in finding for finding in answer.findings)


def test_adding_points_adds_them_to_the_gift(small):
    """Blind strategies play the same games, so 10 VP on the card are worth 10 VP less what they got from it anyway."""
    answers = {
        amount: card_balance(
            plan_of(small, "experts.46.effect=vp", f"experts.46.amount={amount}", games=480),
            experiments=[GIFT],
            paired_every=1,
        )
        for amount in (0, 10)
    }
    added = gift_of(answers[10], 46)["estimate"] - gift_of(answers[0], 46)["estimate"]
    games = answers[0].about["games"]
    overrides = [*SMALL, "experts.46.effect=vp", "experts.46.amount=0"]
    cards = tournament(["random"], 2, games, 3, cards=small, overrides=overrides).cards
    holders = cards.filter(pl.col("kind") == "expert", pl.col("id") == 46).drop_nulls("seat")
    assert added == pytest.approx(10 * (1 - len(holders) / games / 2), abs=0.5)


def test_what_happened_to_every_card(small):
    plan = plan_of(small, games=300, players=3, strategies=["greedy", "random"])
    frames = next(iter(run_games(plan)))
    arrays, cards = CardTask(plan.configuration.cards)(frames), frames.cards
    deck = [*plan.configuration.cards.animals, *plan.configuration.cards.experts]
    animals = len(plan.configuration.cards.animals)
    for column, card in enumerate(deck):
        rows = cards.filter(pl.col("kind") == ("animal" if column < animals else "expert"), pl.col("id") == card.id)
        assert arrays.shown[:, column].sum() == rows["shown"].count()
        assert arrays.picked[:, column].sum() == rows["how"].is_in(["draft", "place"]).sum()
        assert arrays.published[:, column].sum() == rows["published"].count()
        assert (arrays.holder[:, column] != NOBODY).sum() == rows["seat"].count()
    game = cards.filter(pl.col("seat").is_not_null()).row(100, named=True)
    row = int(np.searchsorted(arrays.games.games, game["game"]))
    column = next(
        number for number, card in enumerate(deck)
        if card.id == game["id"] and (number >= animals) == (game["kind"] == "expert")
    )  # fmt: skip
    assert arrays.holder[row, column] == game["seat"]


def test_association_is_counted(small):
    plan = plan_of(small, games=600)
    answer = card_balance(plan, experiments=[])
    cards = next(
        iter(run_games(make_plan(["random"], 2, answer.about["games"], 3, cards=small, overrides=SMALL)))
    ).cards
    rates = answer["association"].filter(kind="animal", id=1)
    rows = cards.filter(kind="animal", id=1)
    shown = rows.filter(pl.col("shown").is_not_null())
    assert rates.filter(rate="pick")["estimate"][0] == pytest.approx(
        shown["how"].is_in(["draft", "place"]).sum() / len(shown)
    )
    held = rows.drop_nulls("seat")
    assert rates.filter(rate="publish")["estimate"][0] == pytest.approx(held["published"].count() / len(held))
    assert answer["association"].filter(rate="publish")["kind"].unique().to_list() == ["animal"]
    effects = answer["cards"].filter(measure="total", of="seats")
    assert effects["experiment"].unique().to_list() == [SHOWN]
    # The few animals of this set all come up in every game, so that nothing can be said of their appearance.
    assert effects.filter(kind="expert")["estimate"].null_count() == 0


def test_gifts_go_to_every_seat_alike(small, monkeypatch):
    given = []

    def spy(plan, kind, identity, seat):
        given.append((kind, identity, seat))
        return with_gift(plan, kind, identity, seat)

    monkeypatch.setattr("analysis.balance.cardstudy.with_gift", spy)
    plan = plan_of(small, games=96, players=3)
    study = CardStudy(plan, 96, [GIFT], paired_every=1)
    study.play(0, 1)
    assert len(given) == 3 * len(study.items.cards)
    assert {given.count(each) for each in given} == {1}


def test_experiments_are_added_to_the_plan(small):
    plan = with_gift(with_ban(plan_of(small), "animal", 1), "expert", 6, 1)
    assert plan.experiment.banned_animals == (1,)
    assert plan.experiment.given_experts == {6: 1}
    assert not plan.record_cards
    assert with_ban(plan, "animal", 7).experiment.banned_animals == (1, 7)


def test_items_are_cards_groups_and_both_above_their_kind(standard):
    items = Items(standard)
    assert items.weights.shape == (130, 2 * len(items))
    plain, above = items.weights[:, : len(items)], items.weights[:, len(items) :]
    np.testing.assert_allclose(plain.sum(axis=0), 1)
    np.testing.assert_allclose(above.sum(axis=0), 0, atol=1e-12)
    kinds = [group for group in items.groups if group.grouping == "kind"]
    assert [len(group.rows) for group in kinds] == [75, 55]
    for grouping in ("continent", "class", "diet", "habitat", "climate"):
        sizes = [len(group.rows) for group in items.groups if (group.kind, group.grouping) == ("animal", grouping)]
        assert sum(sizes) == 75
    limits = items.against(LIMITS["must-take", "gift"])
    np.testing.assert_allclose(limits.sum(axis=0), 1 - LIMITS["must-take", "gift"])


def test_appearance_is_a_difference_of_means():
    random = np.random.default_rng(4)
    shown = random.random((300, 3)) < [0.5, 0.2, 0.0]
    values = random.normal(size=(300, 2)) + 2 * shown[:, :1]
    strata, games = np.zeros(300, dtype=np.int64), np.ones(300, dtype=np.int64)
    found = appearance_effects(shown, values, strata, games, np.eye(3))
    for card in range(2):
        seen = shown[:, card]
        expected = values[seen].mean(axis=0) - values[~seen].mean(axis=0)
        error = np.sqrt(
            values[seen].var(axis=0, ddof=1) / seen.sum() + values[~seen].var(axis=0, ddof=1) / (~seen).sum()
        )
        np.testing.assert_allclose(found.mean[2 * card : 2 * card + 2], expected)
        np.testing.assert_allclose(found.error[2 * card : 2 * card + 2], error)
    assert np.isnan(found.mean[4:]).all()


def test_appearance_is_covered_for_cards_and_averages():
    covered = []
    items = np.hstack([np.eye(20), np.eye(20) - 1 / 20])
    for seed in range(60):
        random = np.random.default_rng(seed)
        strata = random.integers(0, 3, 400)
        shown = np.array([random.permutation(20) < 12 for _ in range(400)])
        values = random.normal(0, 8, 400) + 50 * strata
        found = appearance_effects(shown, values[:, None], strata, np.ones(400, dtype=np.int64), items)
        interval = found.interval()
        covered.append((interval.low <= 0) & (interval.high >= 0))
    assert 0.93 <= np.mean(covered) <= 0.975


def test_ratios_have_the_errors_of_blocks():
    random = np.random.default_rng(5)
    covered = []
    for _ in range(200):
        ratios = Ratios(1)
        below = random.integers(0, 4, (200, 1)).astype(float)
        above = random.binomial(below.astype(int), 0.3).astype(float)
        ratios.add(above, below, np.full(200, 4))
        interval = ratios.estimate().interval(share=True)
        covered.append(interval.low[0] <= 0.3 <= interval.high[0])
    assert 0.91 <= np.mean(covered) <= 0.985


def test_threads_change_nothing(small):
    one, two = (
        card_balance(plan_of(small, games=96), paired_every=1, executor=LocalExecutor(threads)) for threads in (1, 2)
    )
    assert all(one[name].equals(two[name]) for name in one.frames)


def test_effects_by_strategy(small):
    plan = plan_of(small, games=96, strategies=["greedy", "random"])
    rows = card_balance(plan, experiments=[GIFT], paired_every=1)["cards"]
    gifts = rows.filter(experiment=GIFT, group="all", measure="total")
    assert gifts["of"].unique(maintain_order=True).to_list() == [HOLDER, "others", "greedy", "random"]
    wide = gifts.pivot("of", index=["kind", "id"], values="estimate")
    # Both strategies get a gift in half of the games of the mixed line-up, and in all of a line-up of their own.
    np.testing.assert_allclose(wide[HOLDER], (wide["greedy"] + wide["random"]) / 2, atol=0.5 + wide[HOLDER].abs().max())


@pytest.mark.compiled
def test_precision(small):
    plan = plan_of(small)
    answer = card_balance(plan, Precision(2.5, "vp"), experiments=[GIFT], paired_every=1)
    rows = answer["cards"].filter(experiment=GIFT, measure="total", of=HOLDER)
    assert ((rows["high"] - rows["low"]) / 2).max() <= 2.5
    with pytest.raises(InputError, match="that of the gifts, which are not played"):
        card_balance(plan, Precision(2.5, "vp"), experiments=[BAN])
    with pytest.raises(InputError, match="experiment 'theft': allowed: gift, ban"):
        card_balance(plan, experiments=["theft"])
