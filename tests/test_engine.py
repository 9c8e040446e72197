"""Cases of the trickiest rules, worked out by hand and played by the engine; numbers are those of the rules page."""

import copy
import itertools
import random

import numba
import pytest

from sim import layout as lay
from sim import vocabulary
from sim.config import load_configuration
from sim.errors import InputError
from sim.game import Game
from sim.jit import COMPILED
from sim.tables import Experiment, build_tables
from tests import invariants
from tests.lockstep import configuration_from, eager_picker, engine_snapshot, win_shares
from tests.naive import samples
from tests.scenes import (
    AFRICA,
    ASIA,
    BEAST,
    EUROPE,
    IDLE,
    OCEANIA,
    Scene,
    bare_configuration,
    bare_rules,
    options,
)

ASIAN = ("Asia", *BEAST)


def asked_kinds(asked: list[tuple[int, str, list[tuple[object, ...]]]]) -> list[tuple[int, str]]:
    return [(seat, kind) for seat, kind, _ in asked]


# --- codes ----------------------------------------------------------------------------------------------------------


def test_codes_of_the_layout_are_places_in_the_vocabulary() -> None:
    effects = {
        "none": lay.EFFECT_NONE,
        "coins": lay.EFFECT_COINS,
        "expedition_tokens": lay.EFFECT_TOKENS,
        "reputation": lay.EFFECT_REPUTATION,
        "vp": lay.EFFECT_VP,
        "seals": lay.EFFECT_SEALS,
        "animals": lay.EFFECT_ANIMALS,
        "research": lay.EFFECT_RESEARCH,
        "value": lay.EFFECT_VALUE,
        "recolour": lay.EFFECT_RECOLOUR,
        "discount": lay.EFFECT_DISCOUNT,
        "vp_per_published": lay.EFFECT_PER_PUBLISHED,
        "vp_per_category": lay.EFFECT_PER_CATEGORY,
        "vp_per_expert": lay.EFFECT_PER_EXPERT,
        "vp_per_seal": lay.EFFECT_PER_SEAL,
        "vp_per_coins": lay.EFFECT_PER_COINS,
        "vp_per_animal": lay.EFFECT_PER_ANIMAL,
        "lose_coins": lay.EFFECT_LOSE_COINS,
    }
    assert [effects[name] for name in vocabulary.EFFECTS] == list(range(len(vocabulary.EFFECTS)))
    assert vocabulary.TRIGGERS.index("hire") == lay.TRIGGER_HIRE
    assert [vocabulary.TRIGGERS.index(name) for name in vocabulary.ACTIONS] == [
        lay.TRIGGER_ACTION + action
        for action in (lay.EMBASSY, lay.BANK, lay.UNIVERSITY, lay.ACADEMY, lay.EXPEDITION, lay.PUBLICATION)
    ]
    assert vocabulary.TRIGGERS.index("stolen") == lay.TRIGGER_STOLEN
    assert vocabulary.TRIGGERS.index("round_start") == lay.TRIGGER_ROUND_START
    assert vocabulary.TRIGGERS.index("game_end") == lay.TRIGGER_GAME_END
    assert vocabulary.SCOPES[0] == "everyone"
    assert len(lay.SEAT_COLUMNS) == lay.REC_SEAT_SIZE
    assert [vocabulary.EFFECTS.index(name) for name in vocabulary.PASSIVE_EFFECTS] == [
        lay.EFFECT_VALUE,
        lay.EFFECT_RECOLOUR,
        lay.EFFECT_DISCOUNT,
    ]


# --- taking a die (4.1, 4.12) ---------------------------------------------------------------------------------------


def test_the_owner_gains_and_decides_in_the_middle_of_a_turn() -> None:
    scene = Scene(
        animals=[ASIAN, ASIAN, ASIAN],
        experts=[
            ("Asia", "stolen", "", "research", 2, ""),
            ("Asia", "stolen", "", "animals", 1, ""),
            ("Asia", "embassy", "", "coins", 3, ""),
        ],
        display={"experts": 6, "animals": [1, 1, 1]},
    )
    scene.hand(1, 1)
    for card in (1, 2, 3):
        scene.employ(1, card, card)
    scene.give(0, coins=2)
    scene.give(1, reputation=3)
    scene.dice({(1, 2): (AFRICA, 1)})
    asked = scene.turn(0, ("embassy",), ("cube", 1, 2), ("coins", 2))
    assert asked_kinds(asked) == [(0, "target"), (1, "cube"), (0, "coins")]
    # Space 2 gives reputation, whose track pays a coin before the experts; the embassy expert is not the actor's.
    assert scene.goods(1, "reputation", "coins") == (4, 1)
    assert len(engine_snapshot(scene.game)["seats"][1]["animals"]) == 2
    assert scene.goods(0, "coins", "expedition_tokens") == (0, 2)
    assert (scene.record(0, "dice_taken"), scene.record(1, "dice_lost")) == (1, 1)


def test_stolen_experts_see_what_the_space_and_the_one_before_gave() -> None:
    """An animal drawn by the expert of space 1 can be researched by the one of space 2, not the other way round."""
    experts = [("Asia", "stolen", "", "animals", 1, ""), ("Asia", "stolen", "", "research", 1, "")]
    for first, second, cubes in ((1, 2, [[1]]), (2, 1, [[]])):
        scene = Scene(animals=[ASIAN, ASIAN], experts=experts, display={"experts": 6, "animals": [1, 1, 1]})
        scene.employ(1, 1, first)
        scene.employ(1, 2, second)
        scene.dice({(1, 4): (AFRICA, 1)})
        scene.turn(0, ("bank",))
        while scene.game.kind == "cube":
            scene.game.choose(1)
        assert [animal["cubes"] for animal in engine_snapshot(scene.game)["seats"][1]["animals"]] == cubes


def test_an_own_die_pays_nobody() -> None:
    scene = Scene(experts=[("Asia", "stolen", "", "coins", 9, "")])
    scene.employ(0, 1, 1)
    scene.dice({(0, 1): (AFRICA, 1)})
    scene.turn(0, ("bank",))
    assert scene.goods(0, "coins") == 5
    assert scene.record(0, "dice_taken") == 0


def test_a_covered_stolen_expert_is_silent() -> None:
    scene = Scene(experts=[("Asia", "stolen", "", "coins", 9, "")])
    scene.employ(1, 1, 1)
    scene.employ(1, 2, 1)
    scene.dice({(1, 4): (AFRICA, 1)})
    scene.turn(0, ("bank",))
    assert scene.goods(1, "coins") == 0


# --- payments (4.3, 4.4) --------------------------------------------------------------------------------------------


def test_embassy_offers_only_coins_that_gain() -> None:
    scene = Scene()
    scene.give(0, coins=9)
    scene.dice({(0, 1): (AFRICA, 1)})
    asked = scene.turn(0, ("embassy",), ("coins", 4))
    assert options(asked, "coins") == [[("coins", 0), ("coins", 2), ("coins", 4)]]  # values 1, 3, 5
    assert scene.goods(0, "expedition_tokens", "coins") == (3, 5)
    scene.dice({(0, 1): (AFRICA, 5)})
    assert asked_kinds(scene.turn(0, ("embassy",))) == [(0, "target")]
    assert scene.goods(0, "expedition_tokens", "coins") == (6, 5)


def test_coins_worth_more_than_a_point() -> None:
    scene = Scene(boost={"per_coin": 3, "per_token": 2})
    scene.give(0, coins=9)
    scene.dice({(0, 1): (AFRICA, 1)})
    asked = scene.turn(0, ("embassy",), ("coins", 2))
    assert options(asked, "coins") == [[("coins", 0), ("coins", 1), ("coins", 2)]]  # values 1, 4, 7
    assert scene.goods(0, "expedition_tokens", "coins") == (3, 7)


def test_coins_worth_nothing_are_never_asked_for() -> None:
    scene = Scene(boost={"per_coin": 0, "per_token": 0})
    scene.give(0, coins=9, expedition_tokens=9)
    scene.hand(0, 1)
    scene.dice({(0, 1): (OCEANIA, 1), (0, 2): (OCEANIA + 1, 1)})
    assert asked_kinds(scene.turn(0, ("embassy",), ("die", OCEANIA))) == [(0, "target"), (0, "die")]
    asked = scene.turn(0, ("expedition", "Oceania"), ("cube", 1, 1))
    assert asked_kinds(asked) == [(0, "target"), (0, "cube")]


def test_expedition_payments_by_hand() -> None:
    # One free cube space of cost 4, a die of 1.
    scene = Scene(animals=[ASIAN])
    scene.hand(0, 1, [1, 2, 3])
    scene.give(0, coins=5, expedition_tokens=3)
    scene.dice({(0, 1): (ASIA, 1)})
    asked = scene.turn(0, ("expedition", "Asia"), ("tokens", 1), ("cube", 1, 4))
    # (3, 0), (1, 1) and (0, 2) reach it; of (2, 1) a coin could stay, of (1, 2) a token.
    assert options(asked, "tokens") == [[("tokens", 0), ("tokens", 1), ("tokens", 2)]]
    assert options(asked, "coins") == []  # one token goes with one coin only
    assert scene.goods(0, "coins", "expedition_tokens", "reputation") == (4, 2, 3)


def test_coins_go_with_the_tokens_paid() -> None:
    scene = Scene(animals=[ASIAN])
    scene.hand(0, 1, [1])
    scene.give(0, coins=9, expedition_tokens=1)
    scene.dice({(0, 1): (ASIA, 1)})
    # Sets of cubes cost 0, 2, 3, 4, 5, 6, 7, 9. With a token the value is 3, and 1 without.
    asked = scene.turn(0, ("expedition", "Asia"), ("tokens", 1), ("coins", 6), ("cube", 1, 2), ("cube", 1, 3))
    assert options(asked, "coins") == [[("coins", n) for n in (0, 1, 2, 3, 4, 6)]]
    assert options(asked, "cube")[-1] == [("stop",), ("cube", 1, 3), ("cube", 1, 4)]
    scene.play(("cube", 1, 4))
    assert scene.goods(0, "coins", "expedition_tokens") == (3, 0)


@pytest.mark.parametrize(("per_coin", "per_token"), [(1, 2), (2, 1), (3, 4), (1, 5), (0, 2), (2, 0)])
def test_expedition_payments_against_every_set_of_cubes(per_coin: int, per_token: int) -> None:
    """What is offered is what the rule says when every set of free cube spaces is looked at (4.4)."""
    rng = random.Random(10 * per_coin + per_token)
    for _ in range(12):
        scene = Scene(animals=[ASIAN] * 3, boost={"per_coin": per_coin, "per_token": per_token})
        costs = []
        for card in range(1, rng.randint(2, 4)):
            cubes = [t for t in range(1, 5) if rng.random() < 0.5]
            costs += [t for t in range(1, 5) if t not in cubes]
            scene.hand(0, card, cubes)
        sums = {sum(chosen) for size in range(len(costs) + 1) for chosen in itertools.combinations(costs, size)}
        coins, tokens, value = rng.randint(0, 9), rng.randint(0, 6), rng.randint(1, 6)
        scene.give(0, coins=coins, expedition_tokens=tokens)
        scene.dice({(0, 1): (ASIA, value)})

        def affordable(c: int, t: int, value: int = value, sums: set[int] = sums) -> int:
            return sum(total <= value + c * per_coin + t * per_token for total in sums)

        offered = [
            (c, t)
            for c in range(coins + 1)
            for t in range(tokens + 1)
            if (c == 0 or affordable(c - 1, t) < affordable(c, t))
            and (t == 0 or affordable(c, t - 1) < affordable(c, t))
        ]
        scene.turn(0, ("expedition", "Asia"))
        by_tokens: dict[int, list[int]] = {}
        for c, t in offered:
            by_tokens.setdefault(t, []).append(c)
        if len(by_tokens) > 1:
            assert scene.game.options() == [("tokens", t) for t in sorted(by_tokens)]
        for t, choices in by_tokens.items():
            game = copy.deepcopy(scene.game)
            if len(by_tokens) > 1:
                game.choose(game.options().index(("tokens", t)))
            if len(choices) > 1:
                assert game.options() == [("coins", c) for c in choices]
            else:
                paid = invariants.seat_cell(game, 0, lay.COINS)
                assert game.kind in ("cube", "target")
                assert paid == coins - choices[0]


def test_the_token_of_a_recolour_pays_for_nothing_else() -> None:
    scene = Scene(animals=[ASIAN])
    scene.hand(0, 1)
    scene.give(0, expedition_tokens=1)
    scene.dice({(0, 1): (AFRICA, 1)})
    asked = scene.turn(0, ("expedition", "Asia"), ("cube", 1, 1))
    assert options(asked, "tokens") == []
    assert scene.goods(0, "expedition_tokens") == 0
    assert engine_snapshot(scene.game)["board"]["expedition"]["Asia"] == [AFRICA, None, None, None]
    assert scene.record(0, "recolours_paid") == 1


def test_recolouring_for_nothing_and_for_much() -> None:
    scene = Scene(animals=[ASIAN], recolour={"expedition_tokens": 0})
    scene.dice({(0, 1): (AFRICA, 1)})
    assert ("academy", 1) in scene.turn(0, ("academy", 1))[0][2]
    scene = Scene(animals=[ASIAN], recolour={"expedition_tokens": 2})
    scene.give(0, expedition_tokens=1)
    scene.dice({(0, 1): (AFRICA, 1)})
    assert ("academy", 1) not in scene.turn(0, ("bank",))[0][2]
    scene.give(0, expedition_tokens=1)
    scene.dice({(0, 1): (AFRICA, 1)})
    scene.turn(0, ("academy", 1), ("coins", 0))
    assert scene.goods(0, "expedition_tokens", "reputation") == (0, 1)


def test_what_an_action_gains_does_not_pay_for_it() -> None:
    scene = Scene(experts=[("Asia", "embassy", "", "coins", 5, "")])
    scene.employ(0, 1, 1)
    scene.dice({(0, 1): (ASIA, 1)})
    assert asked_kinds(scene.turn(0, ("embassy",))) == [(0, "target")]
    assert scene.goods(0, "expedition_tokens", "coins") == (1, 5)


def test_publication_coins_are_for_the_types_of_the_reference() -> None:
    scene = Scene(animals=[ASIAN])
    scene.hand(0, 1, [2, 4])
    scene.give(0, coins=6)
    scene.dice({(0, 1): (ASIA, 1)})
    asked = scene.turn(0, ("publication", 1), ("coins", 5))
    assert options(asked, "coins") == [[("coins", 2), ("coins", 5)]]  # 0 publishes nothing, 4 no more than 2
    assert scene.goods(0, "vp", "seals", "coins") == (2 + 5 + 1, 1, 1)


def test_a_publication_out_of_reach_is_no_target() -> None:
    scene = Scene(animals=[ASIAN, ("Africa", *BEAST)], experts=[("Asia", "publication", "Asia", "value", 1, "")])
    scene.hand(0, 1, [4])
    scene.hand(0, 2)
    scene.give(0, coins=4)
    scene.dice({(0, 1): (ASIA, 1), (0, 2): (AFRICA, 6)})
    targets = scene.turn(0, ("bank",), ("die", AFRICA))[0][2]
    assert not [target for target in targets if target[0] == "publication"]  # 5 of 6; no cube
    scene = Scene(animals=[ASIAN], experts=[("Asia", "publication", "Asia", "value", 1, "")])
    scene.hand(0, 1, [4])
    scene.employ(0, 1, 1)
    scene.give(0, coins=4)
    scene.dice({(0, 1): (ASIA, 1)})
    assert asked_kinds(scene.turn(0, ("publication", 1))) == [(0, "target")]
    assert scene.goods(0, "coins") == 0


def test_only_dice_that_reach_the_target_are_offered() -> None:
    scene = Scene(animals=[ASIAN])
    scene.hand(0, 1, [3])
    scene.give(0, coins=1)
    scene.dice({(0, 1): (ASIA, 3), (0, 2): (ASIA + 1, 4), (1, 1): (ASIA + 2, 6), (1, 2): (EUROPE, 6)})
    asked = scene.turn(0, ("publication", 1), ("die", ASIA + 2))
    assert options(asked, "die") == [[("die", ASIA + 1), ("die", ASIA + 2)]]
    assert scene.goods(1, "coins") == 2  # space 1


# --- university (4.8) -----------------------------------------------------------------------------------------------


def test_over_and_under_and_what_works() -> None:
    scene = Scene(
        experts=[
            ("Asia", "university", "", "coins", 1, ""),
            ("Asia", "hire", "", "coins", 10, ""),
            ("Asia", "university", "", "coins", 100, ""),
            ("Asia", "university", "", "coins", 1000, ""),
        ],
        university={"spaces": 1, "match_reputation": 1},
    )

    def hire(card: int, *answers: tuple[object, ...]) -> None:
        scene.dice({(0, 1): (ASIA, 1)})
        scene.turn(0, ("university", card), *answers)

    def seat() -> tuple[list[list[int]], int, int]:
        found = engine_snapshot(scene.game)["seats"][0]
        return found["experts"], found["coins"], found["reputation"]

    hire(1)
    assert seat() == ([[1]], 0, 1)  # does not trigger on itself
    hire(2, ("slot", 1, "under"))
    assert seat() == ([[2, 1]], 11, 2)  # hired under: it happens all the same
    hire(3, ("slot", 1, "over"))
    assert seat() == ([[1, 2, 3]], 12, 3)  # the one it covers still works
    hire(4, ("slot", 1, "under"))
    assert seat() == ([[1, 2, 4, 3]], 12 + 100 + 1, 4)  # under never works; the track's coin at 4
    assert (scene.record(0, "experts_over"), scene.record(0, "experts_under")) == (1, 2)


def test_a_free_space_leaves_no_choice_and_the_lowest_is_taken() -> None:
    scene = Scene(experts=[IDLE] * 6)
    scene.employ(0, 1, 1)
    scene.employ(0, 2, 2)
    scene.dice({(0, 1): (AFRICA, 1)})
    assert asked_kinds(scene.turn(0, ("university", 3))) == [(0, "target")]
    assert engine_snapshot(scene.game)["seats"][0]["experts"] == [[1], [2], [3], []]


def test_all_spaces_full() -> None:
    scene = Scene(experts=[IDLE] * 6, university={"spaces": 2, "match_reputation": 0})
    scene.employ(0, 1, 1)
    scene.employ(0, 2, 2)
    scene.dice({(0, 1): (AFRICA, 1)})
    asked = scene.turn(0, ("university", 3), ("slot", 2, "over"))
    assert options(asked, "slot") == [[("slot", k, way) for k in (1, 2) for way in ("over", "under")]]
    assert engine_snapshot(scene.game)["seats"][0]["experts"] == [[1], [2, 3]]


def test_university_recolour_is_a_choice_free_or_paid() -> None:
    scene = Scene(experts=[("Asia", "university", "Asia", "recolour", 1, ""), ("Asia", *IDLE[1:]), ("Asia", *IDLE[1:])])
    scene.dice({(0, 1): (AFRICA, 1)})
    assert options(scene.turn(0, ("university", 1)), "recolour") == []  # nothing to pay with
    scene.dice({(0, 1): (ASIA, 1)})
    scene.give(0, expedition_tokens=1)
    assert options(scene.turn(0, ("university", 2)), "recolour") == []  # it matches as it is
    assert scene.goods(0, "reputation", "expedition_tokens") == (1, 1)
    scene.dice({(0, 1): (AFRICA, 1)})
    asked = scene.turn(0, ("university", 3), ("recolour", True))
    assert options(asked, "recolour") == [[("recolour", False), ("recolour", True)]]
    assert scene.goods(0, "reputation", "expedition_tokens") == (2, 1)  # free
    scene.dice({(0, 1): (AFRICA, 1)})
    scene.turn(0, ("university", 4), ("recolour", True))  # Oceania: paid
    assert scene.goods(0, "reputation", "expedition_tokens") == (3, 0)
    assert (scene.record(0, "recolours_free"), scene.record(0, "recolours_paid")) == (1, 1)


def test_a_covered_expert_no_longer_recolours() -> None:
    scene = Scene(
        animals=[ASIAN],
        experts=[("Asia", "academy", "", "recolour", 1, "")],
        university={"spaces": 1, "match_reputation": 0},
    )
    scene.employ(0, 1, 1)
    scene.dice({(0, 1): (AFRICA, 1), (0, 2): (AFRICA + 1, 1)})
    asked = scene.turn(0, ("university", 2), ("die", AFRICA), ("slot", 1, "over"))
    assert ("academy", 1) in asked[0][2]
    assert ("academy", 1) not in scene.turn(0, ("bank",))[0][2]


# --- academy, experts of an action ----------------------------------------------------------------------------------


def test_value_and_free_recolour_of_experts() -> None:
    scene = Scene(
        animals=[ASIAN, ("Europe", *BEAST)],
        experts=[
            ("Asia", "academy", "Asia", "value", 2, ""),
            ("Asia", "academy", "Asia", "recolour", 1, ""),
            ("Asia", "academy", "Europe", "coins", 7, ""),
        ],
    )
    for card in (1, 2, 3):
        scene.employ(0, card, card)
    scene.dice({(0, 1): (AFRICA, 3)})
    asked = scene.turn(0, ("academy", 1))
    assert ("academy", 2) not in asked[0][2]
    assert scene.goods(0, "reputation", "coins") == (3, 0)
    scene.give(0, expedition_tokens=1)
    scene.dice({(0, 1): (AFRICA, 3)})
    scene.turn(0, ("academy", 2))
    # Value 3 gives 2 reputation; the track's coin at 4, then the expert's.
    assert scene.goods(0, "reputation", "coins", "expedition_tokens") == (5, 8, 0)


def test_own_reputation_is_paid_before_the_hire_effect() -> None:
    scene = Scene(
        animals=[ASIAN],
        experts=[("Asia", "hire", "", "research", 1, "")],
        reputation={"beyond_vp": 1, "length": 9, "track": {"1": {"effect": "coins", "amount": 2}}},
    )
    scene.hand(0, 1)
    scene.dice({(0, 1): (ASIA, 1)})
    scene.turn(0, ("university", 1))
    assert scene.game.kind == "cube"
    assert scene.goods(0, "coins") == 2


def test_the_order_of_what_an_action_sets_off() -> None:
    """Track, the hired expert, then the actor's experts by space (4.12)."""
    scene = Scene(
        experts=[
            ("Asia", "university", "", "vp", 1, ""),
            ("Asia", "university", "Asia", "vp", 2, ""),
            ("Asia", "university", "Europe", "vp", 9, ""),
            ("Asia", "hire", "", "vp", 3, ""),
        ],
        reputation={"beyond_vp": 1, "length": 9, "track": {"1": {"effect": "vp", "amount": 4}}},
    )
    for card, slot in ((1, 2), (2, 1), (3, 3)):
        scene.employ(0, card, slot)
    scene.dice({(0, 1): (ASIA, 1)})
    before = len(scene.game.log_rows())
    scene.turn(0, ("university", 4))
    gains = [int(row[3]) for row in scene.game.log_rows(before) if row[0] == lay.LOG_GAIN]
    assert gains == [4, 3, 2, 1]


# --- expedition (4.10) ----------------------------------------------------------------------------------------------


def test_discounts_add_up_and_change_what_is_offered() -> None:
    scene = Scene(
        animals=[ASIAN],
        experts=[
            ("Asia", "expedition", "", "discount", 1, ""),
            ("Asia", "expedition", "Asia", "discount", 2, "climate"),
            ("Asia", "expedition", "Europe", "discount", 3, ""),
            ("Asia", "expedition", "Asia", "research", 4, ""),
        ],
    )
    scene.hand(0, 1)
    for card in range(1, 5):
        scene.employ(0, card, card)
    scene.give(0, coins=9)
    scene.dice({(0, 1): (ASIA, 1)})
    asked = scene.turn(
        0, ("expedition", "Asia"), ("coins", 2), ("cube", 1, 4), ("cube", 1, 1), ("cube", 1, 2), ("cube", 1, 3)
    )
    # Costs 1, 1, 2, 1: everything for 5 points.
    assert options(asked, "coins") == [[("coins", n) for n in range(5)]]
    assert options(asked, "cube")[-1] == [("stop",), ("cube", 1, 3)]  # 4 points for habitat, at its full price of 3
    assert scene.record(0, "cubes_researched") == 4


def test_an_expedition_goes_without_an_animal_and_a_full_continent_is_closed() -> None:
    scene = Scene()
    scene.dice({(0, 1): (ASIA, 6)}, {ASIA + 1: ("expedition", 1), ASIA + 2: ("expedition", 1)})
    assert asked_kinds(scene.turn(0, ("expedition", "Asia"))) == [(0, "target")]
    assert scene.goods(0, "reputation") == 1  # the third space
    assert engine_snapshot(scene.game)["board"]["expedition"]["Asia"] == [ASIA + 1, ASIA + 2, ASIA, None]
    scene.give(0, expedition_tokens=5)
    scene.dice({(0, 1): (EUROPE, 6)}, {ASIA + n: ("expedition", 1) for n in range(4)})
    targets = scene.turn(0, ("bank",))[0][2]
    assert ("expedition", "Asia") not in targets
    assert ("expedition", "Africa") in targets


def test_points_are_lost_and_a_space_holds_one_cube() -> None:
    scene = Scene(animals=[ASIAN, ASIAN, ("Africa", *BEAST)])
    scene.hand(0, 1, [1])
    scene.hand(0, 2)
    scene.hand(0, 3)
    scene.dice({(0, 1): (ASIA, 2)})
    asked = scene.turn(0, ("expedition", "Asia"), ("cube", 2, 1))
    assert options(asked, "cube") == [[("stop",), ("cube", 1, 2), ("cube", 2, 1), ("cube", 2, 2)]]
    assert scene.game.kind == "target"  # the point left buys nothing
    assert scene.state[lay.POINTS] == 0


# --- publication (5) ------------------------------------------------------------------------------------------------


def test_publication_cascade() -> None:
    scene = Scene(
        animals=[
            ("Asia", "mammal", "herbivore", "forest", "tropical"),  # 1 the reference, cubes 1 2 3
            ("Europe", "mammal", "carnivore", "forest", "polar"),  # 2 shares class and habitat
            ("Asia", "mammal", "herbivore", "desert", "arid"),  # 3 shares class and diet, gives nothing
            ("Asia", "bird", "carnivore", "desert", "arid"),  # 4 shares nothing, comes along
            ("Africa", "mammal", "herbivore", "forest", "tropical"),  # 5 has no cube there
        ],
        experts=[("Asia", "publication", "Asia", "coins", 4, ""), ("Asia", "publication", "Europe", "coins", 9, "")],
    )
    scene.employ(0, 1, 1)
    scene.employ(0, 2, 2)
    for card, cubes in ((2, [1, 3, 4]), (1, [1, 2, 3]), (3, [1, 2]), (4, [4]), (5, [4])):
        scene.hand(0, card, cubes)
    scene.dice({(0, 1): (ASIA, 5)})
    asked = scene.turn(
        0,
        ("publication", 1),
        ("give", 2, 3, True),
        ("give", 3, 2, False),
        ("give", 2, 1, False),
        ("give", 3, 1, False),
        ("along", 3, False),  # though it could have given
        ("along", 4, True),
    )
    assert [kind for _, kind, _ in asked] == ["target", "give", "give", "give", "give", "along", "along"]
    seat = engine_snapshot(scene.game)["seats"][0]
    assert seat["categories"] == {"habitat:forest": 2, "diet:herbivore": 1, "class:mammal": 1}
    assert seat["vp"] == 3 + 3 + 2 + 1 + 3  # cubes, and three animals
    assert seat["published"] == [1, 2, 4]
    assert seat["animals"] == [{"id": 3, "cubes": [1, 2]}, {"id": 5, "cubes": [4]}]
    assert (seat["seals"], seat["coins"]) == (1, 4)
    assert scene.game.state[scene.game.tables[lay.S_DIE_WHERE] + ASIA] == lay.DIE_PUBLISHED


def test_publication_skips_types_without_a_cube_of_the_reference() -> None:
    scene = Scene(animals=[ASIAN, ("Europe", *BEAST)])
    scene.hand(0, 1, [1])
    scene.hand(0, 2, [1, 2])
    scene.dice({(0, 1): (ASIA, 6)})
    asked = scene.turn(0, ("publication", 1), ("give", 2, 1, False))
    assert [kind for _, kind, _ in asked] == ["target", "give"]
    assert engine_snapshot(scene.game)["seats"][0]["published"] == [1]


def test_the_value_sets_the_highest_type_and_the_rest_stays_with_the_player() -> None:
    scene = Scene(animals=[ASIAN, ASIAN])
    scene.hand(0, 1, [1, 2, 3, 4])
    scene.hand(0, 2, [4])
    scene.dice({(0, 1): (ASIA, 4)})
    scene.turn(0, ("publication", 1), ("along", 2, True))
    seat = engine_snapshot(scene.game)["seats"][0]
    assert seat["categories"] == {"class:mammal": 1, "diet:herbivore": 1}
    assert (seat["vp"], seat["published"], seat["animals"]) == (1 + 2 + 2, [1, 2], [])


# --- seals (6) ------------------------------------------------------------------------------------------------------


def test_a_seal_frees_the_space_of_a_closed_continent() -> None:
    scene = Scene()
    scene.give(0, seals=2)
    scene.dice({}, {ASIA + n: ("expedition", 1) for n in range(4)})
    asked = scene.seals(("die", ASIA + 1), ("expedition", "Asia"))
    assert options(asked, "seal") == [[("pass",), *(("die", ASIA + n) for n in range(4))]]
    assert engine_snapshot(scene.game)["board"]["expedition"]["Asia"] == [ASIA, ASIA + 1, ASIA + 2, ASIA + 3]
    assert scene.goods(0, "reputation", "seals") == (2, 1)
    assert scene.record(0, "seals_used") == 1
    assert scene.game.over  # seat 1 has no seal


def test_a_seal_may_take_the_die_another_has_just_used_and_pays_nobody() -> None:
    scene = Scene(animals=[ASIAN, ASIAN], experts=[("Asia", "stolen", "", "coins", 9, ""), ("Asia", *IDLE[1:])])
    scene.employ(1, 1, 1)
    scene.hand(1, 1, [1])
    for seat in (0, 1):
        scene.give(seat, seals=1)
    scene.dice({}, {ASIA: ("bank", 1)})
    scene.seals(("die", ASIA), ("university", 2))
    assert scene.game.seat == 1
    asked = scene.play(("die", ASIA), ("publication", 1))
    assert options(asked, "seal") == [[("pass",), ("die", ASIA)]]
    assert scene.goods(0, "coins", "seals") == (0, 0)
    assert scene.goods(1, "coins", "seals") == (0, 1)
    assert scene.game.over


def test_no_seal_or_no_die_is_a_pass() -> None:
    scene = Scene()
    scene.give(0, seals=1)
    scene.dice({})
    assert scene.seals() == []
    assert scene.game.over
    assert scene.record(0, "seals_left") == 1


def test_a_die_of_a_publication_is_off_the_board() -> None:
    scene = Scene(animals=[ASIAN])
    scene.hand(0, 1, [1])
    scene.give(1, seals=1)
    scene.dice({(0, 1): (ASIA, 1)})
    scene.turn(0, ("publication", 1))
    assert scene.seals() == []
    assert scene.game.over  # neither has a die to roll: not the one of the publication


def test_several_seals_in_a_row_until_a_pass() -> None:
    scene = Scene(seals={"per_round": 3})
    scene.give(0, seals=5)
    scene.give(1, seals=2)
    scene.dice({}, {ASIA: ("bank", 1), EUROPE: ("bank", 1)})
    asked = scene.seals(
        ("die", ASIA),
        ("bank",),
        ("die", ASIA),
        ("bank",),
        ("die", EUROPE),
        ("bank",),
        ("die", ASIA),
        ("bank",),
        ("pass",),
    )
    assert [seat for seat, kind, _ in asked if kind == "seal"] == [0, 0, 0, 1, 1]
    assert scene.game.over
    rolled = [int(row[4]) for row in scene.game.log_rows() if row[0] == lay.LOG_ACTION]
    assert len(rolled) == 4
    assert scene.goods(0, "seals", "coins") == (2, 15)


def test_no_seals_in_a_game_without_them() -> None:
    scene = Scene(seals={"per_round": 0})
    scene.give(0, seals=5)
    scene.dice({}, {ASIA: ("bank", 1)})
    assert scene.seals() == []
    assert scene.game.over


# --- decks (3.1, 11.2) ----------------------------------------------------------------------------------------------


def test_effects_draw_from_the_back_and_decks_are_remade() -> None:
    scene = Scene(
        animals=[ASIAN] * 10,
        experts=[("Asia", "stolen", "", "animals", 3, "")],
        display={"experts": 6, "animals": [6, 6, 6]},
    )
    order = [int(row) + 1 for row in scene.game.arena.chance[scene.game.tables[lay.C_ANIMALS] :][:10]]
    assert engine_snapshot(scene.game)["academy"] == order[:6]
    scene.discard_academy()
    scene.employ(1, 1, 1)

    def steal() -> list[int]:
        scene.dice({(1, 4): (AFRICA, 1)})
        scene.turn(0, ("bank",))
        return [animal["id"] for animal in engine_snapshot(scene.game)["seats"][1]["animals"]]

    assert steal() == order[:6:-1]  # the last three, from the back
    drawn = steal()
    assert drawn[3] == order[6]  # the last of the old deck, then two of the remade one
    remade = [int(row) + 1 for row in scene.game.arena.chance[scene.game.tables[lay.C_ANIMALS] :][:6]]
    assert sorted(remade) == sorted(order[:6])
    assert drawn[4:] == [remade[5], remade[4]]
    assert scene.state[lay.ANIMAL_REMAKES] == 1
    steal()
    assert len(steal()) == 10  # everything; with no card left anywhere, fewer are drawn
    assert scene.state[lay.ANIMAL_REMAKES] == 1
    assert scene.record(1, "animals_drawn") == 10


def test_fewer_cards_are_dealt_when_there_are_no_more() -> None:
    game = Game(bare_configuration([ASIAN] * 3, [IDLE], display={"experts": 9, "animals": [8, 8, 8]}), 2, 1, 1)
    snapshot = engine_snapshot(game)
    assert sorted(snapshot["academy"]) == [1, 2, 3]
    assert sorted(snapshot["university"]) == [1, 2, 3, 4, 5]


# --- round start and tokens (3.2, 8) --------------------------------------------------------------------------------


def after_token(effect: str, amount: int, scope: str = "", offsets: list[int] | None = None, **more: object) -> Scene:
    """A game of three before the first turn, its round token applied."""
    tokens = [(effect, amount, scope)]
    return Scene(tokens=tokens, players=3, coins={"offsets": [*(offsets or [0] * 3), 0]}, **more)


@pytest.mark.parametrize(
    ("scope", "coins"),
    [
        ("", [7, 7, 9]),
        ("everyone", [7, 7, 9]),
        ("fewest:coins", [7, 7, 5]),
        ("most:coins", [3, 3, 9]),
        ("fewest:vp", [7, 7, 9]),
        ("most:vp", [7, 7, 9]),
        ("most:animals", [7, 7, 9]),
    ],
)
def test_a_scope_is_counted_once_before_and_ties_count(scope: str, coins: list[int]) -> None:
    scene = after_token("coins", 4, scope, [3, 3, 5])
    assert [scene.goods(seat, "coins") for seat in range(3)] == coins


def test_lose_coins_or_as_many_vp() -> None:
    scene = after_token("lose_coins", 3, "", [3, 2, 9])
    assert [scene.goods(seat, "coins", "vp") for seat in range(3)] == [(0, 0), (2, -3), (6, 0)]
    assert [scene.record(seat, "coins_lost") for seat in range(3)] == [3, 0, 3]


def test_vp_per_animal_counts_unpublished_ones() -> None:
    scene = after_token(
        "vp_per_animal", 2, animals=[ASIAN] * 9, draft={"animals": 2}, display={"experts": 6, "animals": [4, 6, 8]}
    )
    assert [scene.goods(seat, "vp") for seat in range(3)] == [4, 4, 4]


def test_free_research_of_a_token_is_a_decision_of_each_in_turn_order() -> None:
    rules = bare_rules(draft={"animals": 1}, display={"experts": 6, "animals": [6, 7, 8]})
    cards = samples.make_cards(rules, [ASIAN] * 9, [IDLE] * 4, [("research", 3, "")])
    game = Game(configuration_from(rules, cards), 3, 1, 1)
    seats = []
    while game.kind != "place":
        if game.kind == "cube":
            seats.append(game.seat)
            assert not any(option[0] == "cube" and option[2] == 4 for option in game.options())
        game.choose(game.count - 1)
    assert seats == [0, 1, 2]


def test_the_token_comes_before_round_start_experts_in_turn_order() -> None:
    experiment = Experiment(given_experts={1: 2, 2: 0})
    scene = Scene(
        experts=[("Asia", "round_start", "", "coins", 7, ""), ("Asia", "round_start", "", "coins", 6, "")],
        tokens=[("coins", 1, "")],
        players=3,
        experiment=experiment,
    )
    gains = [tuple(row[1:4]) for row in scene.game.log_rows().tolist() if row[0] == lay.LOG_GAIN]
    coins = lay.EFFECT_COINS
    assert gains == [(0, coins, 1), (1, coins, 1), (2, coins, 1), (0, coins, 6), (2, coins, 7)]


def test_the_start_player_rotates() -> None:
    rules = samples.standard_rules() | {"start_player": "rotate"}
    game = Game(configuration_from(rules, samples.random_cards(rules, 4)), 3, 1, 1)
    first: dict[int, int] = {}
    while not game.over:
        if game.kind == "place":
            first.setdefault(int(game.state[lay.ROUND]), game.seat)
        game.choose(game.count - 1)
    assert list(first.values()) == [0, 1, 2, 0, 1, 2]


def test_the_draft_goes_from_the_last_seat_and_takes_both_at_once() -> None:
    rules = samples.standard_rules()
    game = Game(configuration_from(rules, samples.random_cards(rules, 0)), 4, 1, 1)
    seats = []
    while game.kind == "draft":
        seats.append(game.seat)
        game.choose(0)
    assert seats == [3, 3, 2, 2, 1, 1, 0]  # the last animal is no choice


# --- reputation (10) ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "amount", "after"),
    [
        (0, 3, (3, 0, 0, 0, 0)),
        (0, 4, (4, 1, 0, 0, 0)),
        (3, 13, (16, 3, 1, 0, 2)),
        (4, 3, (7, 0, 0, 0, 0)),
        (19, 1, (20, 0, 0, 1, 0)),
        (38, 5, (40, 0, 0, 0, 6 + 3)),
        (40, 2, (40, 0, 0, 0, 2)),
        (0, 45, (40, 6, 2, 1, 2 + 3 + 4 + 6 + 5)),
    ],
)
def test_the_track_pays_what_is_reached_or_passed(start: int, amount: int, after: tuple[int, ...]) -> None:
    scene = Scene(experts=[("Asia", "bank", "", "reputation", amount, "")], bank={"coins": 0})
    scene.employ(0, 1, 1)
    scene.give(0, reputation=start)
    scene.dice({(0, 1): (AFRICA, 1)})
    scene.turn(0, ("bank",))
    assert scene.goods(0, "reputation", "coins", "expedition_tokens", "seals", "vp") == after


def test_a_track_that_moves_its_own_marker_is_refused() -> None:
    with pytest.raises(InputError, match="allowed: none, coins"):
        load_configuration(overrides=["reputation.track.4={effect='reputation',amount=1}"])


# --- the end (9) ----------------------------------------------------------------------------------------------------


def test_scores_by_hand() -> None:
    scene = Scene(
        animals=[ASIAN] * 9,
        experts=[
            ("Asia", "game_end", "", "vp_per_published", 2, "Asia"),
            ("Asia", "game_end", "", "vp_per_coins", 3, "4"),
            ("Asia", "game_end", "", "vp", 50, ""),
            ("Asia", "game_end", "", "vp_per_category", 1, ""),
            ("Asia", "game_end", "", "vp_per_expert", 1, ""),
            ("Asia", "game_end", "", "vp_per_seal", 2, ""),
            ("Asia", "game_end", "", "vp_per_published", 1, "diet:herbivore"),
        ],
    )
    for card, space in ((3, 1), (1, 1), (2, 2), (4, 3), (5, 4), (6, 3)):
        scene.employ(0, card, space)
    scene.hand(0, 1, [1, 2])
    for card in range(2, 6):
        scene.hand(0, card, [1])
    scene.hand(0, 6, [3])
    scene.dice({(0, 1): (ASIA, 3)})
    scene.give(0, coins=9, expedition_tokens=3, seals=1)
    gives = [("give", card, 1, True) for card in range(2, 6)]
    scene.turn(0, ("publication", 1), *gives, ("along", 6, False))
    scene.seals()  # there is no die to roll
    assert scene.game.over
    vp = 2 + 5 * 1 + 5 * 1  # a cube of type 2, five of type 1, five animals
    parts = {
        "vp_categories": 5,  # five mammals
        "vp_continents": 16,  # five animals and six experts of Asia
        "vp_seals": 8,
        "vp_coins": 4,
        "vp_expedition_tokens": 3,
        "vp_experts_end": 2 * 5 + 3 * 2 + 6 + 2 * 2,  # 50 VP and a VP a category are covered
    }
    assert {name: scene.record(0, name) for name in parts} == parts
    assert scene.game.totals()[0] == vp + sum(parts.values())
    assert scene.record(0, "animals_left") == 1  # and its cube is gone with it
    assert win_shares(scene.game) == [1, 0]


def test_ties_share_the_win() -> None:
    for points, shares, ranks in (
        ((5, 9, 9), [0, 0.5, 0.5], [3, 1, 1]),
        ((-1, -1, -1), [1 / 3] * 3, [1, 1, 1]),
        ((7, 3, 3), [1, 0, 0], [1, 2, 2]),
    ):
        scene = Scene(players=3)
        for seat, vp in enumerate(points):
            scene.give(seat, vp=vp)
        scene.seals()
        assert scene.game.totals() == list(points)
        assert win_shares(scene.game) == shares
        assert [scene.record(seat, "rank") for seat in range(3)] == ranks


# --- experiments and limits -----------------------------------------------------------------------------------------


def test_a_given_expert_works_and_its_hire_effect_happens() -> None:
    scene = Scene(
        experts=[("Asia", "hire", "", "coins", 4, ""), ("Asia", "bank", "", "coins", 2, "")],
        experiment=Experiment(given_experts={1: 1, 2: 1}, given_animals={1: 0}),
    )
    assert scene.goods(1, "coins") == 4
    assert engine_snapshot(scene.game)["seats"][1]["experts"] == [[1], [2], [], []]
    assert [animal["id"] for animal in engine_snapshot(scene.game)["seats"][0]["animals"]] == [1]


def test_everything_may_be_given_to_one_seat() -> None:
    hires = [("Asia", "hire", "", "reputation", 1, "") for _ in range(300)]
    given = dict.fromkeys(range(1, 301), 0)
    game = Game(bare_configuration([ASIAN], hires), 2, 1, 1, Experiment(given_experts=given))
    invariants.check(game)
    assert engine_snapshot(game)["seats"][0]["reputation"] == 40
    assert engine_snapshot(game)["seats"][0]["vp"] == 15 + 260


def test_a_draft_goes_on_without_animals() -> None:
    configuration = bare_configuration([ASIAN] * 4, draft={"animals": 2}, players={"fewest": 2, "most": 2})
    game = Game(configuration, 2, 1, 1, Experiment(banned_animals=[1, 2]))
    assert (game.seat, game.kind) == (1, "draft")
    game.choose(0)
    assert game.kind == "place"
    hands = [len(seat["animals"]) for seat in engine_snapshot(game)["seats"]]
    assert hands == [0, 2]
    game = Game(configuration, 2, 1, 1, Experiment(banned_animals=[1, 2, 3, 4]))
    assert game.kind == "place"


def test_a_banned_card_never_comes() -> None:
    cards = load_configuration().cards
    game = Game(
        load_configuration(),
        4,
        1,
        1,
        Experiment([card.id for card in cards.animals[::2]], [card.id for card in cards.experts[::2]]),
    )
    pick = eager_picker(1)
    while not game.over:
        game.choose(pick(game))
    codes = {lay.LOG_DEAL_ACADEMY: 0, lay.LOG_DREW: 0, lay.LOG_DEAL_UNIVERSITY: 0}
    for row in game.log_rows().tolist():
        if row[0] in codes:
            codes[row[0]] += 1
            assert row[2] % 2 == 1
    assert codes[lay.LOG_DEAL_ACADEMY] > 40
    assert game.state[lay.ANIMAL_REMAKES] > 0


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        (Experiment(banned_animals=[999]), "animal 999: there is no such card"),
        (Experiment(given_experts={999: 0}), "expert 999: there is no such card"),
        (Experiment(given_experts={1: 2}), "expert 1: given to seat 2; allowed: 0 to 1"),
        (Experiment(given_animals={1: -1}), "animal 1: given to seat -1; allowed: 0 to 1"),
        (Experiment(banned_animals=[1], given_animals={1: 0}), "animal 1: it is banned and given"),
    ],
)
def test_experiments_that_make_no_sense_are_refused(experiment: Experiment, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_tables(load_configuration(), 2, experiment)


def test_more_than_fits_is_refused() -> None:
    names = ["Oceania", *(f"land {n}" for n in range(31))]
    with pytest.raises(InputError, match="continents: found 32, at most 31 are possible"):
        build_tables(bare_configuration(continents={"names": names}), 2)
    with pytest.raises(InputError, match="seals per round: found 65, at most 64"):
        build_tables(bare_configuration(seals={"per_round": 65}), 2)
    board = {str(number): {"effect": "coins", "amount": 1} for number in range(1, 34)}
    with pytest.raises(InputError, match="board spaces: found 33, at most 32"):
        build_tables(bare_configuration(board={"spaces": board}), 2)


def test_the_largest_game_there_is_room_for() -> None:
    """Ten seats, 31 continents, ten types, a long track."""
    names = [f"land {n}" for n in range(30)] + ["Oceania"]
    rules = bare_rules(
        rounds=6,
        players={"fewest": 10, "most": 10},
        coins={"offsets": [9] * 10},
        continents={"names": names},
        display={"experts": 20, "animals": [60]},
        dice={"per_colour": 4, "sides": 20, "per_player": 5},
        board={"spaces": {str(k): {"effect": "reputation", "amount": 30} for k in range(1, 8)}},
        draft={"animals": 3},
        seals={"per_round": 4},
    )
    rules["types"] = {
        f"type {n}": {"categories": ["a", "b", "c"], "cost": 1 + n, "publish_from": 1 + n, "vp": n} for n in range(10)
    }
    rules["reputation"] = {
        "beyond_vp": 1,
        "length": 200,
        "track": {str(space): {"effect": "research", "amount": 3} for space in range(1, 201)},
    }
    cards = samples.random_cards(rules, 3, animals=900, experts=900)
    game = Game(configuration_from(rules, cards), 10, 1, 1)
    pick = eager_picker(3)
    number = 0
    while not game.over:
        if number % 97 == 0:
            invariants.check(game)
        game.choose(pick(game))
        number += 1
    invariants.check(game)
    assert number > 1000


@pytest.mark.skipif(COMPILED and not numba.config.BOUNDSCHECK, reason="bounds are checked with NUMBA_BOUNDSCHECK=1")
def test_an_index_out_of_bounds_is_found() -> None:
    scene = Scene(experts=[IDLE] * 6)
    scene.game.arena.actions = scene.game.arena.actions[:5].copy()
    with pytest.raises(IndexError):
        scene.turn(0)


@pytest.mark.compiled
def test_the_log_of_a_long_game_has_room() -> None:
    rules = samples.standard_rules() | {"rounds": 100, "seals": {"per_round": 9}}
    cards = samples.random_cards(rules, 2)
    cards["tokens"] = [row | {"id": number} for number, row in enumerate(cards["tokens"] * 9)][:100]
    for number, row in enumerate(cards["tokens"]):
        row["id"] = number + 1
    game = Game(configuration_from(rules, cards), 4, 1, 1)
    pick = eager_picker(3)
    while not game.over:
        game.choose(pick(game))
    rows = game.log_rows()
    assert len(rows) > 12_000
    assert (rows[:, 0] == lay.LOG_ROUND_END).sum() == 100
    assert rows[:, 0].max() <= lay.LOG_ROUND_END
    invariants.check(game)
