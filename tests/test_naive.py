"""The naive twin alone: hand-worked cases of the tricky rules, and random games with every card counted."""

import itertools
import random
from collections import Counter

import pytest

from tests.naive import Game, RandomLuck, samples
from tests.naive.model import Animal, read_tokens
from tests.naive.payments import offered, subset_sums
from tests.naive.scoring import win_shares

BEAST = ("mammal", "herbivore", "forest", "tropical")
NOBODY = ("Oceania", "game_end", "", "vp", 0, "")
# die ids of the sample luck, four a colour in the order of the continents
AFRICA, AMERICAS, ASIA, EUROPE = 0, 4, 8, 12


class PlainLuck(RandomLuck):
    """Cards come in the order of their ids, a remade deck too; a seal always rolls 4."""

    def __init__(self, rules, cards, players):
        super().__init__(rules, cards, players, 0)
        self.animal_order = [row["id"] for row in cards["animals"]]
        self.expert_order = [row["id"] for row in cards["experts"]]
        self.token_order = [row["id"] for row in cards["tokens"]]

    def reroll(self, round_number, seat, repetition):
        return 4

    def remade(self, deck, k, ids):
        return ids


def scene(animals=(), experts=(), players=2, **changes):
    """A table after setup with no round to play; nobody owns anything but what the test hands out."""
    rules = samples.standard_rules() | {"rounds": 0, "draft": {"animals": 0}, "start": {"expedition_tokens": 0}}
    rules |= {"coins": {"offsets": [0, 0, 0, 0]}} | changes
    experts = [*experts, *[NOBODY] * 4]
    cards = samples.make_cards(rules, list(animals), experts)
    return Game(rules, cards, players, PlainLuck(rules, cards, players))


def hand(game, seat, card, cubes=()):
    """Give an animal from the display or the deck to a seat."""
    pile = game.board.academy if card in game.board.academy else game.animal_deck.pile
    pile.remove(card)
    game.seats[seat].animals.append(Animal(game.animals[card], set(cubes)))
    game.seats[seat].cubes_taken += len(cubes)


def employ(game, seat, card, space):
    """Give an expert from the display or the deck to a seat, on top of a space (from 1)."""
    pile = game.board.university if card in game.board.university else game.expert_deck.pile
    pile.remove(card)
    game.seats[seat].experts[space - 1].append(card)


def put(game, seat, space, die, value):
    game.seats[seat].spaces[space - 1] = die
    game.die_value[die] = value


def play(game, steps, *answers):
    """Run a part of the game with these answers; return the decisions asked."""
    asked, answers = [], list(answers)
    option = None
    while True:
        try:
            asked.append(steps.send(option))
        except StopIteration:
            break
        option = answers.pop(0)
        assert option in asked[-1].options, asked[-1]
    assert not answers
    game.check()
    return asked


def options(asked, kind):
    return [decision.options for decision in asked if decision.kind == kind]


# --- payments (4.4) ------------------------------------------------------------------------------------------


def test_embassy_offers_only_coins_that_gain():
    game = scene()
    game.seats[0].coins = 9
    put(game, 0, 1, AFRICA, 1)
    asked = play(game, game.turn(game.seats[0]), ("embassy",), ("coins", 4))
    assert options(asked, "coins") == [[("coins", 0), ("coins", 2), ("coins", 4)]]  # values 1, 3, 5
    assert (game.seats[0].expedition_tokens, game.seats[0].coins) == (3, 5)
    assert game.board.areas["embassy"] == [AFRICA]


def test_payment_with_value_five_is_not_asked():
    game = scene()
    game.seats[0].coins = 9
    put(game, 0, 1, AFRICA, 5)
    asked = play(game, game.turn(game.seats[0]), ("embassy",))
    assert [d.kind for d in asked] == ["target"]
    assert game.seats[0].coins == 9


def test_expedition_payments_by_hand():
    # one free cube space of cost 4; die 1: worth it at value 4 or 5 by a token, at 4 exactly by coins
    game = scene(animals=[("Asia", *BEAST)])
    hand(game, 0, 1, {1, 2, 3})
    game.seats[0].coins, game.seats[0].expedition_tokens = 5, 3
    put(game, 0, 1, ASIA, 1)
    asked = play(game, game.turn(game.seats[0]), ("expedition", "Asia"), ("tokens", 1), ("cube", 1, 4))
    # (0,0) nothing; (3,0) -> 4; (1,1) -> 4; (0,2) -> 5, without one token 3; (2,1) -> without a coin still 4: no
    assert options(asked, "tokens") == [[("tokens", 0), ("tokens", 1), ("tokens", 2)]]
    assert options(asked, "coins") == []  # one token goes with one coin only
    assert (game.seats[0].coins, game.seats[0].expedition_tokens) == (4, 2)
    assert game.seats[0].animals[0].cubes == {1, 2, 3, 4}
    assert game.seats[0].reputation == 3


def test_expedition_payments_with_the_recolour_token_gone():
    game = scene(animals=[("Asia", *BEAST)])
    hand(game, 0, 1)
    game.seats[0].expedition_tokens = 1
    put(game, 0, 1, AFRICA, 1)
    asked = play(game, game.turn(game.seats[0]), ("expedition", "Asia"), ("cube", 1, 1))
    assert options(asked, "tokens") == []
    assert options(asked, "target")[0].count(("expedition", "Europe")) == 1
    assert game.board.expedition["Asia"] == [AFRICA, None, None, None]


def affordable(sets, base, per_coin, per_token):
    """What is possible with a payment, for things that cost the sum of each set."""
    return lambda c, t: frozenset(s for s in sets if sum(s.values()) <= base + c * per_coin + t * per_token)


class Cubes(dict):
    """A set of cubes and what each costs."""

    def __hash__(self):
        return hash(frozenset(self))


def test_offered_against_every_set_of_cubes():
    rng = random.Random(3)
    for _ in range(60):
        costs = [rng.randint(1, 4) for _ in range(rng.randint(0, 6))]
        boost = rng.randint(1, 6), rng.randint(1, 2), rng.randint(1, 3)
        cubes = list(enumerate(costs))
        sets = [Cubes(chosen) for n in range(len(costs) + 1) for chosen in itertools.combinations(cubes, n)]
        sums = subset_sums(costs)
        assert sums == {sum(chosen.values()) for chosen in sets}
        totals = [Cubes({"total": total}) for total in sums]
        assert offered(affordable(sets, *boost), 6, 4) == offered(affordable(totals, *boost), 6, 4)


def test_publication_boost_is_for_the_reference_types():
    game = scene(animals=[("Asia", *BEAST)])
    hand(game, 0, 1, {2, 4})
    game.seats[0].coins = 6
    put(game, 0, 1, ASIA, 1)
    asked = play(game, game.turn(game.seats[0]), ("publication", 1), ("coins", 5))
    assert options(asked, "coins") == [[("coins", 2), ("coins", 5)]]  # 0 publishes nothing, 4 no more than 2
    seat = game.seats[0]
    assert (seat.vp, seat.seals, seat.coins) == (2 + 5 + 1, 1, 1)
    assert seat.categories == {"diet:herbivore": 1, "climate:tropical": 1}
    assert game.board.dice() == []  # 5.8


def test_publication_out_of_reach_is_no_target():
    game = scene(animals=[("Asia", *BEAST)])
    hand(game, 0, 1, {4})
    game.seats[0].coins = 4
    put(game, 0, 1, ASIA, 1)
    asked = play(game, game.turn(game.seats[0]), ("bank",))
    assert ("publication", 1) not in asked[0].options
    game.seats[0].coins = 5
    put(game, 0, 1, ASIA + 1, 1)
    asked = play(game, game.turn(game.seats[0]), ("publication", 1))
    assert options(asked, "coins") == []


# --- publication (5) -----------------------------------------------------------------------------------------


def test_publication_cascade():
    game = scene(
        animals=[
            ("Asia", "mammal", "herbivore", "forest", "tropical"),  # 1 the reference, cubes 1 2 3
            ("Europe", "mammal", "carnivore", "forest", "polar"),  # 2 shares class and habitat
            ("Asia", "mammal", "herbivore", "desert", "arid"),  # 3 shares class and diet, gives nothing
            ("Asia", "bird", "carnivore", "desert", "arid"),  # 4 shares nothing, comes along or not
            ("Africa", "mammal", "herbivore", "forest", "tropical"),  # 5 has no cube there
        ]
    )
    for card, cubes in ((2, {1, 3, 4}), (1, {1, 2, 3}), (3, {1, 2}), (4, {4}), (5, {4})):
        hand(game, 0, card, cubes)
    put(game, 0, 1, ASIA, 5)
    asked = play(
        game,
        game.turn(game.seats[0]),
        ("publication", 1),
        ("give", 2, 3, True),
        ("give", 3, 2, False),
        ("give", 2, 1, False),
        ("give", 3, 1, False),
        ("along", 3, False),  # could have given
        ("along", 4, True),
    )
    seat = game.seats[0]
    assert [d.kind for d in asked] == ["target", "give", "give", "give", "give", "along", "along"]
    assert seat.categories == {"habitat:forest": 2, "diet:herbivore": 1, "class:mammal": 1}
    assert seat.vp == 3 + 3 + 2 + 1 + 3  # cubes, and three animals
    assert sorted(seat.published) == [1, 2, 4]
    assert [(a.card.id, a.cubes) for a in seat.animals] == [(3, {1, 2}), (5, {4})]
    assert seat.cubes_returned == 3  # two of animal 2, one of animal 4
    assert seat.seals == 1


def test_publication_skips_types_without_a_cube_of_the_reference():
    game = scene(animals=[("Asia", *BEAST), ("Europe", *BEAST)])
    hand(game, 0, 1, {1})
    hand(game, 0, 2, {1, 2})
    put(game, 0, 1, ASIA, 6)
    asked = play(game, game.turn(game.seats[0]), ("publication", 1), ("give", 2, 1, False))
    assert [d.options[0] for d in asked[1:]] == [("give", 2, 1, False)]
    assert game.seats[0].published == [1]


# --- university (4.8) ----------------------------------------------------------------------------------------


def test_over_and_under_and_what_works():
    rules = {"university": {"spaces": 1, "match_reputation": 1}}
    game = scene(
        experts=[
            ("Asia", "university", "", "coins", 1, ""),
            ("Asia", "hire", "", "coins", 10, ""),
            ("Asia", "university", "", "coins", 100, ""),
            ("Asia", "university", "", "coins", 1000, ""),
        ],
        **rules,
    )
    seat = game.seats[0]
    for die in range(4):
        put(game, 0, die + 1, ASIA + die, 1)
    play(game, game.turn(seat), ("university", 1), ("die", ASIA))
    assert (seat.experts, seat.coins, seat.reputation) == ([[1]], 0, 1)  # does not trigger on itself
    play(game, game.turn(seat), ("university", 2), ("die", ASIA + 1), ("slot", 1, "under"))
    assert (seat.experts, seat.coins) == ([[2, 1]], 11)  # hired under: still happens
    play(game, game.turn(seat), ("university", 3), ("die", ASIA + 2), ("slot", 1, "over"))
    assert (seat.experts, seat.coins) == ([[2, 1, 3]], 12)  # the one it covers still works
    play(game, game.turn(seat), ("university", 4), ("slot", 1, "under"))
    assert (seat.experts, seat.coins, seat.reputation) == ([[4, 2, 1, 3]], 113 - 1 + 1, 4)  # track 4: a coin


def test_university_recolour_is_a_choice_free_or_paid():
    game = scene(experts=[("Asia", "university", "Asia", "recolour", 1, ""), ("Asia", *NOBODY[1:])])
    seat = game.seats[0]
    put(game, 0, 1, AFRICA, 1)
    asked = play(game, game.turn(seat), ("university", 1))
    assert options(asked, "recolour") == []  # nothing to pay with; lowest free space
    seat.expedition_tokens = 1
    put(game, 0, 1, AFRICA + 1, 1)
    asked = play(game, game.turn(seat), ("university", 2), ("recolour", True))
    assert (seat.expedition_tokens, seat.reputation) == (1, 1)  # free
    put(game, 0, 1, AFRICA + 2, 1)
    play(game, game.turn(seat), ("university", 3), ("recolour", True))  # Oceania: paid
    assert (seat.expedition_tokens, seat.reputation) == (0, 2)
    assert seat.experts == [[1], [2], [3], []]


# --- experts of an action ------------------------------------------------------------------------------------


def test_discounts_add_up_and_change_what_is_offered():
    game = scene(
        animals=[("Asia", *BEAST)],
        experts=[
            ("Asia", "expedition", "", "discount", 1, ""),
            ("Asia", "expedition", "Asia", "discount", 2, "climate"),
            ("Asia", "expedition", "Europe", "discount", 3, ""),
            ("Asia", "expedition", "Asia", "research", 4, ""),  # at full price
        ],
    )
    hand(game, 0, 1)
    for k in range(1, 5):
        employ(game, 0, k, k)
    game.seats[0].coins = 9
    put(game, 0, 1, ASIA, 1)
    asked = play(
        game,
        game.turn(game.seats[0]),
        ("expedition", "Asia"),
        ("coins", 2),
        ("cube", 1, 4),
        ("cube", 1, 1),
        ("cube", 1, 2),
        ("cube", 1, 3),
    )
    # costs 1, 1, 2, 1: everything for 5 points, so up to 4 coins
    assert options(asked, "coins") == [[("coins", n) for n in range(5)]]
    assert options(asked, "cube")[-1] == [("cube", 1, 3), ("stop",)]  # 4 points for habitat at 3


def test_value_and_free_recolour_of_experts():
    game = scene(
        animals=[("Asia", *BEAST), ("Europe", *BEAST)],
        experts=[
            ("Asia", "academy", "Asia", "value", 2, ""),
            ("Asia", "academy", "Asia", "recolour", 1, ""),
            ("Asia", "academy", "Europe", "coins", 7, ""),
        ],
    )
    for k in range(1, 4):
        employ(game, 0, k, k)
    put(game, 0, 1, AFRICA, 3)
    asked = play(game, game.turn(game.seats[0]), ("academy", 1))
    assert ("academy", 2) not in asked[0].options
    assert (game.seats[0].reputation, game.seats[0].coins) == (3, 0)
    game.seats[0].expedition_tokens = 1
    put(game, 0, 1, AFRICA + 1, 3)
    play(game, game.turn(game.seats[0]), ("academy", 2))
    # 2 more; the track's coin at 4 first; the expert
    assert (game.seats[0].reputation, game.seats[0].coins, game.seats[0].expedition_tokens) == (5, 8, 0)


def test_what_an_action_gains_does_not_pay_for_it():
    game = scene(experts=[("Asia", "embassy", "", "coins", 5, "")])
    employ(game, 0, 1, 1)
    put(game, 0, 1, ASIA, 1)
    play(game, game.turn(game.seats[0]), ("embassy",))
    assert (game.seats[0].expedition_tokens, game.seats[0].coins) == (1, 5)


def test_the_owner_gains_and_decides_in_the_middle():
    game = scene(
        animals=[("Asia", *BEAST), ("Asia", *BEAST)],
        experts=[
            ("Asia", "stolen", "", "research", 2, ""),
            ("Asia", "stolen", "", "animals", 1, ""),
            ("Asia", "embassy", "", "coins", 3, ""),
        ],
    )
    hand(game, 1, 1)
    game.board.academy.remove(2)
    game.animal_deck.pile.append(2)
    for k in range(1, 4):
        employ(game, 1, k, k)
    game.seats[0].coins = 2
    game.seats[1].reputation = game.seats[1].track_paid = 3
    put(game, 1, 2, AFRICA, 1)
    asked = play(game, game.turn(game.seats[0]), ("embassy",), ("cube", 1, 2), ("coins", 2))
    assert [(d.seat, d.kind) for d in asked] == [(0, "target"), (1, "cube"), (0, "coins")]
    owner = game.seats[1]
    assert (owner.reputation, owner.coins) == (4, 1)  # space 2, the track's coin; its embassy expert is silent
    assert [a.card.id for a in owner.animals] == [1, 2]
    assert game.seats[0].expedition_tokens == 2


def test_own_die_pays_nobody():
    game = scene(experts=[("Asia", "stolen", "", "coins", 2, "")])
    employ(game, 0, 1, 1)
    put(game, 0, 1, AFRICA, 1)
    play(game, game.turn(game.seats[0]), ("bank",))
    assert game.seats[0].coins == 5


# --- expedition spaces and seals -----------------------------------------------------------------------------


def test_a_seal_frees_the_space_of_a_closed_continent():
    game = scene()
    row = game.board.expedition["Asia"]
    row[:] = [ASIA, ASIA + 1, ASIA + 2, ASIA + 3]
    game.die_value = dict.fromkeys(row, 1)
    game.seats[0].seals = 2
    asked = play(game, game._spend_seals(game.seats[0]), ("die", ASIA + 1), ("expedition", "Asia"))
    assert options(asked, "seal") == [[("pass",), *(("die", ASIA + k) for k in range(4))]]
    assert game.board.expedition["Asia"] == [ASIA, ASIA + 1, ASIA + 2, ASIA + 3]
    assert (game.seats[0].reputation, game.seats[0].seals) == (2, 1)
    assert game.die_value[ASIA + 1] == 4
    put(game, 1, 1, AFRICA, 1)
    game.seats[1].expedition_tokens = 1
    asked = play(game, game.turn(game.seats[1]), ("bank",))
    assert ("expedition", "Asia") not in asked[0].options  # closed
    assert ("expedition", "Europe") in asked[0].options


def test_a_seal_may_take_the_die_that_another_seal_used_and_pays_nobody():
    game = scene(animals=[("Asia", *BEAST)], experts=[("Asia", "stolen", "", "coins", 9, "")])
    employ(game, 1, 1, 1)
    hand(game, 1, 1, {1})
    game.board.areas["bank"].append(ASIA)
    game.die_value[ASIA] = 1
    for seat in game.seats:
        seat.seals = 1
    play(game, game._spend_seals(game.seats[0]), ("die", ASIA), ("university", 2))
    asked = play(game, game._spend_seals(game.seats[1]), ("die", ASIA), ("publication", 1))
    assert options(asked, "seal") == [[("pass",), ("die", ASIA)]]
    assert game.board.dice() == []
    assert [(seat.coins, seat.seals) for seat in game.seats] == [(0, 0), (0, 1)]
    game.seats[0].seals = 1
    assert play(game, game._spend_seals(game.seats[0])) == []  # a die used for publication is off the board


def test_no_seal_or_no_die_is_a_pass():
    game = scene()
    game.seats[0].seals = 1
    assert play(game, game._spend_seals(game.seats[0])) == []
    game.board.areas["bank"].append(AFRICA)
    game.die_value[AFRICA] = 1
    assert play(game, game._spend_seals(game.seats[1])) == []
    assert game.seats[0].seals == 1


# --- reputation (10) -----------------------------------------------------------------------------------------


def test_track_passing_several_spaces():
    game = scene()
    seat = game.seats[0]
    seat.reputation = seat.track_paid = 3
    play(game, game._effect(seat, "reputation", 13))
    assert (seat.coins, seat.expedition_tokens, seat.vp, seat.reputation) == (1 + 2, 1, 2, 16)
    play(game, game._effect(seat, "reputation", 3))
    assert seat.coins == 3


def test_track_and_beyond():
    game = scene()
    seat = game.seats[0]
    seat.reputation = seat.track_paid = 38
    play(game, game._effect(seat, "reputation", 5))
    assert (seat.reputation, seat.vp) == (40, 6 + 3)
    play(game, game._effect(seat, "reputation", 2))
    assert (seat.reputation, seat.vp) == (40, 11)


def test_own_reputation_is_paid_before_the_hire_effect():
    track = {"1": {"effect": "coins", "amount": 2}}
    game = scene(
        animals=[("Asia", *BEAST)],
        experts=[("Asia", "hire", "", "research", 1, "")],
        reputation={"beyond_vp": 1, "length": 9, "track": track},
    )
    hand(game, 0, 1)
    put(game, 0, 1, ASIA, 1)
    steps = game.turn(game.seats[0])
    steps.send(None)
    assert steps.send(("university", 1)).kind == "cube"
    assert game.seats[0].coins == 2


# --- decks and tokens ----------------------------------------------------------------------------------------


def test_effects_draw_from_the_back_and_decks_are_remade():
    game = scene(animals=[("Asia", *BEAST)] * 10)
    assert game.board.academy == [1, 2, 3, 4, 5, 6]
    assert game.animal_deck.pile == [7, 8, 9, 10]
    game.board.academy.clear()
    game.animal_deck.discards = [5, 1, 6, 3, 2, 4]
    play(game, game._effect(game.seats[0], "animals", 3))
    assert [a.card.id for a in game.seats[0].animals] == [10, 9, 8]
    play(game, game._effect(game.seats[0], "animals", 2))
    assert [a.card.id for a in game.seats[0].animals] == [10, 9, 8, 7, 6]
    assert game.animal_deck.pile == [1, 2, 3, 4, 5]
    game._refill()
    assert game.board.academy == [1, 2, 3, 4, 5]  # fewer are dealt
    play(game, game._effect(game.seats[0], "animals", 2))
    assert len(game.seats[0].animals) == 5
    assert game.animal_deck.remakes == 1


def test_token_scope_is_counted_once_before():
    game = scene(players=3)
    game.tokens = read_tokens([{"id": 1, "effect": "vp", "amount": 4, "scope": "fewest:vp"}])
    for seat, vp in zip(game.seats, (3, 3, 5), strict=True):
        seat.vp = vp
    play(game, game._round_token(1))
    assert [seat.vp for seat in game.seats] == [7, 7, 5]


def test_lose_coins_or_vp():
    game = scene()
    game.seats[0].coins, game.seats[1].coins = 3, 2
    for seat in game.seats:
        play(game, game._effect(seat, "lose_coins", 3))
    assert [(seat.coins, seat.vp) for seat in game.seats] == [(0, 0), (2, -3)]


# --- the end (9) ---------------------------------------------------------------------------------------------


def test_scores_by_hand():
    game = scene(
        animals=[("Asia", *BEAST)] * 3,
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
    seat = game.seats[0]
    for card, space in ((3, 1), (1, 1), (2, 2), (4, 3), (5, 4), (6, 3)):
        employ(game, 0, card, space)
    game.board.academy.clear()
    seat.published = [1, 2, 3]
    seat.categories.update({"class:mammal": 9, "diet:herbivore": 4, "habitat:forest": 3})
    seat.cubes_taken = 16
    seat.vp, seat.seals, seat.coins, seat.expedition_tokens = -2, 2, 9, 3
    game.check()
    assert game.scores()[0] == {
        "vp": -2,
        "category_bonus": 15 + 3,
        "continent_bonus": 16,  # nine of Asia
        "seals": 8,
        "coins": 4,
        "expedition_tokens": 3,
        "experts": 6 + 6 + 6 + 4,  # covered: 50 VP, and a VP a category; six owned
        "total": -2 + 18 + 16 + 8 + 4 + 3 + 22,
    }


def test_ties_share_the_win():
    assert win_shares([5, 9, 9]) == [0, 0.5, 0.5]
    assert win_shares([-1, -1, -1, -1]) == [0.25] * 4
    assert win_shares([3, 2]) == [1, 0]


# --- whole games ---------------------------------------------------------------------------------------------


def test_the_start_of_a_game():
    rules = samples.standard_rules()
    cards = samples.random_cards(rules, 0)
    luck = PlainLuck(rules, cards, 4)
    game = Game(rules, cards, 4, luck)
    assert (game.decision.seat, game.decision.kind) == (3, "draft")
    assert game.decision.options == [("animal", n) for n in range(1, 9)]
    seats = []
    while game.decision.kind == "draft":
        seats.append(game.decision.seat)
        game.choose(game.decision.options[0])
    assert seats == [3, 3, 2, 2, 1, 1, 0]  # the last animal is no choice
    assert game.board.academy == list(range(9, 17))
    assert game.board.university == list(range(1, 7))
    assert [seat.coins for seat in game.seats] == [4, 5, 5, 6]  # the first token: 2 coins
    assert (game.decision.seat, game.decision.kind) == (0, "place")
    assert len(game.unplaced_dice()) == 16
    game.check()
    with pytest.raises(ValueError, match="not among"):
        game.choose(("space", 9))
    with pytest.raises(ValueError, match="not over"):
        game.scores()


def test_rotating_start_player():
    rules = samples.standard_rules() | {"start_player": "rotate"}
    cards = samples.random_cards(rules, 4)
    game = Game(rules, cards, 3, RandomLuck(rules, cards, 3, 1))
    first = {}
    while game.decision is not None:
        if game.decision.kind == "place":
            first.setdefault(game.round, game.decision.seat)
        game.choose(game.decision.options[-1])
    assert list(first.values()) == [0, 1, 2, 0, 1, 2]


def play_randomly(rules, cards, players, seed):
    """Play at random, counting everything after every step; return the game and how often each kind was asked."""
    rng = random.Random(seed)
    game = Game(rules, cards, players, RandomLuck(rules, cards, players, seed))
    game.check()
    kinds = Counter()
    while game.decision is not None:
        kinds[game.decision.kind] += 1
        # more expeditions and publications than a blind choice would make
        liked = [o for o in game.decision.options if o[0] in ("expedition", "publication", "cube")]
        game.choose(rng.choice(liked if liked and rng.random() < 0.5 else game.decision.options))
        game.check()
        game.snapshot()
    return game, kinds


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games(players):
    rules = samples.standard_rules()
    kinds = Counter()
    for seed in range(6):
        game, asked = play_randomly(rules, samples.random_cards(rules, seed), players, seed)
        kinds += asked
        snapshot = game.snapshot()
        assert all(not seat["animals"] for seat in snapshot["seats"])
        assert snapshot["academy"] == snapshot["university"] == []
        assert sum(game.win_shares()) == pytest.approx(1)
    staged = {"target", "die", "recolour", "tokens", "coins"}
    assert {*kinds} == {"draft", "place", *staged, "slot", "cube", "give", "along", "seal"}


@pytest.mark.parametrize("seed", range(40))
def test_random_games_of_odd_rulesets(seed):
    rules = samples.odd_rules(seed)
    few = seed % 3 == 0  # small decks, remade often
    cards = samples.random_cards(rules, seed, *((14, 9) if few else (75, 55)))
    game, _ = play_randomly(rules, cards, 2 + seed % 3, seed)
    assert game.over


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_of_the_shipped_cards(players):
    data = samples.shipped()
    if data is None:
        pytest.skip("no shipped data")
    for seed in range(4):
        game, _ = play_randomly(*data, players, seed)
        assert game.over
