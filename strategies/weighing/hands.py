"""What animals and their cubes are worth, in hand and on display, and what research adds to them."""

from sim.jit import at, rule
from sim.layout import (
    CATEGORIES,
    COINS,
    CONTINENTS,
    HAND_COUNT,
    PER_COIN,
    PLAYERS,
    S_ANIMAL_CUBES,
    S_COSTS,
    TYPE_COST,
    TYPES,
)
from sim.rules.cells import animal_category, animal_continent, hand_start, seat_cell, type_cell
from strategies.weighing.layout import (
    ALL_COST,
    ALL_VALUE,
    ALONG,
    CARD,
    CATEGORY,
    CHEAPEST,
    COIN,
    COINS_A_PIP,
    FREE_COST,
    FREE_VALUE,
    GIVEN,
    GROW,
    HELD,
    HOLD,
    MOST_CATEGORIES,
    MOST_HAND,
    NEVER,
    OTHERS_ANIMALS,
    OWN_ANIMALS,
    START,
    W_ANIMAL,
    W_BAIT,
    W_DENY,
    W_GROUP,
    W_LATER,
)


@rule
def cube_worth(tables, space, animal, type_index):
    """Say what publishing a cube brings: its VP, and its share of the category's bonus."""
    return space[at(CATEGORY + min(animal_category(tables, animal, type_index), MOST_CATEGORIES - 1))]


@rule
def held_worth(state, tables, weights, space, seat, animal, card):
    """Say what an unpublished animal is worth where it lies: its cubes, and what may still be researched."""
    cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
    there, missing = card, 0.0
    for type_index in range(tables[TYPES]):
        worth = cube_worth(tables, space, animal, type_index)
        if (cubes >> type_index) & 1:
            there += worth
        else:
            missing += worth
    sure = space[GROW] if cubes == 0 else space[HOLD]
    return sure * there + space[GROW] * weights[W_LATER] * missing


@rule
def new_worth(state, tables, weights, space, seat, animal):
    """Say what an animal is worth that comes into the hand now."""
    continent = animal_continent(tables, animal)
    worth = space[at(CARD + continent)]
    for type_index in range(tables[TYPES]):
        worth += cube_worth(tables, space, animal, type_index)
    return space[START] * (weights[W_ANIMAL] * worth + weights[W_GROUP] * space[at(OWN_ANIMALS + continent)])


@rule
def count_animals(state, tables, weights, space, seat):
    """Count unpublished animals by continent: own ones, and others' on average if anybody asks for them."""
    for continent in range(tables[CONTINENTS]):
        space[at(OWN_ANIMALS + continent)] = 0.0
        space[at(OTHERS_ANIMALS + continent)] = 0.0
    _count(state, tables, space, seat, OWN_ANIMALS, 1.0)
    if weights[W_DENY] != 0.0 or weights[W_BAIT] != 0.0:
        share = 1.0 / max(tables[PLAYERS] - 1, 1)
        for other in range(tables[PLAYERS]):
            if other != seat:
                _count(state, tables, space, other, OTHERS_ANIMALS, share)


@rule
def _count(state, tables, space, seat, start, step):
    hand = hand_start(tables, seat)
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        space[at(start + animal_continent(tables, state[at(hand + position)]))] += step


@rule
def survey_hand(state, tables, weights, space, seat):
    """Work out what each own animal is worth where it lies, and by continent what research could still add."""
    for continent in range(tables[CONTINENTS]):
        space[at(FREE_VALUE + continent)] = 0.0
        space[at(FREE_COST + continent)] = 0.0
    hand = hand_start(tables, seat)
    for position in range(min(state[seat_cell(seat, HAND_COUNT)], MOST_HAND)):
        animal = state[at(hand + position)]
        continent = animal_continent(tables, animal)
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        there, missing, cost = space[at(CARD + continent)], 0.0, 0
        for type_index in range(tables[TYPES]):
            worth = cube_worth(tables, space, animal, type_index)
            if (cubes >> type_index) & 1:
                there += worth
            else:
                missing += worth
                cost += tables[type_cell(tables, type_index, TYPE_COST)]
        space[at(FREE_VALUE + continent)] += missing
        space[at(FREE_COST + continent)] += cost
        sure = space[GROW] if cubes == 0 else space[HOLD]
        space[at(HELD + position)] = sure * there + space[GROW] * weights[W_LATER] * missing


@rule
def survey_companions(state, tables, space, seat):
    """Add up, by category and continent, what publishing own animals beside a reference brings (5.4, 5.6)."""
    for category in range(min(tables[CATEGORIES], MOST_CATEGORIES)):
        space[at(GIVEN + category)] = 0.0
    for continent in range(tables[CONTINENTS]):
        space[at(ALONG + continent)] = 0.0
    hand = hand_start(tables, seat)
    for position in range(min(state[seat_cell(seat, HAND_COUNT)], MOST_HAND)):
        animal = state[at(hand + position)]
        continent = animal_continent(tables, animal)
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        release = space[at(CARD + continent)] - space[at(HELD + position)]
        space[at(ALONG + continent)] += max(0.0, release)
        for type_index in range(tables[TYPES]):
            category = min(animal_category(tables, animal, type_index), MOST_CATEGORIES - 1)
            gives = (cubes >> type_index) & 1
            space[at(GIVEN + category)] += gives * max(0.0, space[at(CATEGORY + category)] + release)


# --- research -------------------------------------------------------------------------------------------------------


@rule
def research_worth(state, tables, space, seat, value, rate, all_cost):
    """Say what research brings with a die of a value, and coins on top where they pay.

    All free spaces are taken as alike: `rate` is what a point brings, `all_cost` how many points can be spent.
    """
    points = min(value, all_cost)
    profit = max(0.0, rate * tables[PER_COIN] - space[COIN])
    coins = min(1.0 * state[seat_cell(seat, COINS)], (all_cost - points) * space[COINS_A_PIP])
    return rate * points + profit * coins


@rule
def research_rate(space, continent):
    """Say what a point of research brings on own animals of a continent, on average."""
    return space[HOLD] * space[at(FREE_VALUE + continent)] / max(space[at(FREE_COST + continent)], 1.0)


@rule
def survey_research(state, tables, space, seat, continent):
    """Add up value and cost of the free cube spaces of own animals of a continent (-1 for all), at today's prices."""
    hand, value, cost, cheapest = hand_start(tables, seat), 0.0, 0, NEVER
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        if continent >= 0 and animal_continent(tables, animal) != continent:
            continue
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        for type_index in range(tables[TYPES]):
            if not (cubes >> type_index) & 1:
                price = state[at(tables[S_COSTS] + type_index)]
                value += cube_worth(tables, space, animal, type_index)
                cost += price
                cheapest = min(cheapest, 1.0 * price)
    space[ALL_VALUE] = value
    space[ALL_COST] = cost
    space[CHEAPEST] = cheapest


@rule
def choice_worth(state, tables, space, seat, animal, type_index, points):
    """Say what a cube is worth, with what the points left over can still buy."""
    cost = state[at(tables[S_COSTS] + type_index)]
    rest = 1.0 * (points - cost)
    worth = cube_worth(tables, space, animal, type_index)
    if rest >= space[CHEAPEST] and space[ALL_COST] > cost:
        worth += min(rest / (space[ALL_COST] - cost), 1.0) * (space[ALL_VALUE] - worth)
    return worth
