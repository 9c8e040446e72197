"""What animals and their cubes are worth, in hand and on display, and what research adds to them."""

from sim.jit import at, rule
from sim.layout import (
    ANIMAL_VP,
    CATEGORIES,
    CATEGORY_STEPS,
    COINS,
    CONTINENT_STEPS,
    CONTINENTS,
    HAND_COUNT,
    KIND,
    KIND_DIE,
    PER_COIN,
    PLAYERS,
    S_ANIMAL_CUBES,
    S_CATEGORY_CUBES,
    S_COSTS,
    T_CATEGORY_BONUS,
    T_CONTINENT_BONUS,
    TYPE_COST,
    TYPE_VP,
    TYPES,
)
from sim.rules.cells import animal_category, animal_continent, hand_animals, hand_start, seat_cell, type_cell
from strategies.view import continent_cards
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
    NEXT,
    NEXT_CARD,
    NOTHING,
    OTHERS_ANIMALS,
    START,
    W_ANIMAL,
    W_CATEGORY,
    W_CONTINENT,
    W_GROUP,
    W_LATER,
)
from strategies.weighing.prices import bonus_step


@rule
def cube_worth(tables, space, animal, type_index):
    """Say what publishing a cube brings: its VP, and its share of the category's bonus."""
    return space[at(CATEGORY + min(animal_category(tables, animal, type_index), MOST_CATEGORIES - 1))]


@rule
def next_worth(tables, space, animal, type_index):
    """Say what a cube brings that is yet to be researched."""
    return space[at(NEXT + min(animal_category(tables, animal, type_index), MOST_CATEGORIES - 1))]


@rule
def new_worth(state, tables, weights, space, seat, animal):
    """Say what an animal is worth that comes into the hand now."""
    continent = animal_continent(tables, animal)
    worth = space[at(NEXT_CARD + continent)]
    for type_index in range(tables[TYPES]):
        worth += next_worth(tables, space, animal, type_index)
    own = state[hand_animals(tables, seat, continent)]
    return space[START] * (weights[W_ANIMAL] * worth + weights[W_GROUP] * own)


@rule
def count_others(state, tables, space, seat, asked):
    """Count others' unpublished animals by continent, on average, if a weight asks for them."""
    share = 1.0 / max(tables[PLAYERS] - 1, 1)
    for continent in range(tables[CONTINENTS]):
        count = 0
        if asked != 0.0:
            for other in range(tables[PLAYERS]):
                count += state[hand_animals(tables, other, continent)]
            count -= state[hand_animals(tables, seat, continent)]
        space[at(OTHERS_ANIMALS + continent)] = share * count


@rule
def survey_hand(state, tables, weights, space, seat):
    """Look at every own animal once.

    Says what each is worth where it lies; by continent what research could still add, and what animals bring that are
    published along; by category what cubes bring that are given along (5.4, 5.6).
    """
    for continent in range(tables[CONTINENTS]):
        space[at(FREE_VALUE + continent)] = NOTHING
        space[at(FREE_COST + continent)] = NOTHING
        space[at(ALONG + continent)] = NOTHING
    for category in range(min(tables[CATEGORIES], MOST_CATEGORIES)):
        space[at(GIVEN + category)] = NOTHING
    hand = hand_start(tables, seat)
    for position in range(min(state[seat_cell(seat, HAND_COUNT)], MOST_HAND)):
        animal = state[at(hand + position)]
        continent = animal_continent(tables, animal)
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        card = space[at(CARD + continent)]
        there, missing, cost = card, 0.0, 0
        for type_index in range(tables[TYPES]):
            # Sums instead of branches, which a processor cannot foresee here; so in all that follows.
            has = (cubes >> type_index) & 1
            there += has * cube_worth(tables, space, animal, type_index)
            missing += (1 - has) * next_worth(tables, space, animal, type_index)
            cost += (1 - has) * tables[type_cell(tables, type_index, TYPE_COST)]
        sure = space[GROW] if cubes == 0 else space[HOLD]
        held = sure * there + space[GROW] * weights[W_LATER] * missing
        space[at(HELD + position)] = held
        space[at(FREE_VALUE + continent)] += missing
        space[at(FREE_COST + continent)] += cost
        space[at(ALONG + continent)] += max(0.0, card - held)
        for type_index in range(tables[TYPES]):
            category = min(animal_category(tables, animal, type_index), MOST_CATEGORIES - 1)
            release = max(0.0, space[at(CATEGORY + category)] + card - held)
            space[at(GIVEN + category)] += ((cubes >> type_index) & 1) * release


# --- one animal alone, without the lists above ------------------------------------------------------------------------


@rule
def cube_alone(state, tables, weights, seat, animal, type_index):
    """Say as `cube_worth` what publishing a cube brings."""
    category = animal_category(tables, animal, type_index)
    cubes = state[at(tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES] + category)]
    values, length = tables[T_CATEGORY_BONUS], tables[CATEGORY_STEPS]
    vp = tables[type_cell(tables, type_index, TYPE_VP)]
    return vp + bonus_step(tables, values, length, weights[W_CATEGORY], cubes)


@rule
def release_alone(state, tables, weights, space, seat, animal):
    """Say what publishing an animal for nothing but itself brings, less what it is worth where it lies."""
    cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
    cards = continent_cards(state, tables, seat, animal_continent(tables, animal))
    values, length = tables[T_CONTINENT_BONUS], tables[CONTINENT_STEPS]
    card = tables[ANIMAL_VP] + bonus_step(tables, values, length, weights[W_CONTINENT], cards)
    there, missing = card, 0.0
    for type_index in range(tables[TYPES]):
        worth = cube_alone(state, tables, weights, seat, animal, type_index)
        has = (cubes >> type_index) & 1
        there += has * worth
        missing += (1 - has) * worth
    sure = space[GROW] if cubes == 0 else space[HOLD]
    return card - sure * there - space[GROW] * weights[W_LATER] * missing


# --- research ---------------------------------------------------------------------------------------------------------


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
    """Add up value and cost of the free cube spaces of own animals of a continent (-1 for all).

    What experts save is known only once the die is taken; before, prices are full.
    """
    full = state[KIND] == KIND_DIE
    hand, value, cost, cheapest = hand_start(tables, seat), 0.0, 0, NEVER
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        if continent >= 0 and animal_continent(tables, animal) != continent:
            continue
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        for type_index in range(tables[TYPES]):
            free = 1 - ((cubes >> type_index) & 1)
            price = state[at(tables[S_COSTS] + type_index)]
            price = tables[type_cell(tables, type_index, TYPE_COST)] if full else price
            value += free * next_worth(tables, space, animal, type_index)
            cost += free * price
            cheapest = min(cheapest, price + (1 - free) * NEVER)
    space[ALL_VALUE] = value
    space[ALL_COST] = cost
    space[CHEAPEST] = cheapest


@rule
def under_way_rate(space):
    """Say what a point brings in the research under way, on average."""
    return space[HOLD] * space[ALL_VALUE] / max(space[ALL_COST], 1.0)


@rule
def choice_worth(state, tables, space, seat, animal, type_index, points):
    """Say what a cube is worth, with what the points left over can still buy."""
    cost = state[at(tables[S_COSTS] + type_index)]
    rest = 1.0 * (points - cost)
    worth = next_worth(tables, space, animal, type_index)
    if rest >= space[CHEAPEST] and space[ALL_COST] > cost:
        worth += min(rest / (space[ALL_COST] - cost), 1.0) * (space[ALL_VALUE] - worth)
    return worth
