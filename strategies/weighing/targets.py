"""What each action is worth, with the best die there is for it."""

# ruff: noqa: D103
from sim.actions import TO_EMBASSY, TO_UNIVERSITY, argument, verb
from sim.jit import at, rule
from sim.layout import (
    ACADEMY,
    ACADEMY_COUNT,
    ACADEMY_STEPS,
    BANK,
    BANK_COINS,
    CONTINENTS,
    EMBASSY,
    EMBASSY_STEPS,
    EXPEDITION,
    EXPERT_CONTINENT,
    HAND_COUNT,
    MATCH_REPUTATION,
    PUBLICATION,
    S_ACADEMY,
    S_ANIMAL_CUBES,
    S_UNIVERSITY,
    SEAT,
    SIDES,
    T_ACADEMY,
    T_EMBASSY,
    UNIVERSITY,
    UNIVERSITY_COUNT,
)
from sim.rules.cells import animal_continent, expert_cell, hand_start, seat_cell
from strategies.view import expedition_reputation, expedition_space
from strategies.weighing.dice import candidate_cost, candidate_value, recolour_cost, recoloured_cost, recoloured_value
from strategies.weighing.experts import experts_gain, experts_value, hire_worth
from strategies.weighing.hands import new_worth, research_rate, research_worth
from strategies.weighing.layout import (
    ACADEMY_FAME,
    ACADEMY_LIKING,
    ACTION_OF,
    COIN,
    FAME,
    FREE_COST,
    LOW_ANY,
    LOW_ANY_COST,
    LOW_COST,
    MOST_HAND,
    NEVER,
    TOKEN,
    TOP,
    TOP_ANY,
    TOP_ANY_COST,
    TOP_COST,
    W_BANK,
    W_EMBASSY,
    W_EXPEDITION,
    W_EXTRA,
    W_PUBLISH,
    W_UNIVERSITY,
)
from strategies.weighing.prices import level
from strategies.weighing.publishing import prepare_publication, publication_worth


@rule
def tokens_gained(tables, value):
    return level(tables, tables[T_EMBASSY], tables[EMBASSY_STEPS], int(value))


@rule
def academy_reputation(tables, value):
    return level(tables, tables[T_ACADEMY], tables[ACADEMY_STEPS], int(value))


@rule
def _embassy(state, tables, weights, space, seat):
    bonus = experts_value(state, tables, space, seat, EMBASSY, -1)
    high = weights[W_EMBASSY] * tokens_gained(tables, space[TOP_ANY] + bonus) * space[TOKEN] - space[TOP_ANY_COST]
    low = weights[W_EMBASSY] * tokens_gained(tables, space[LOW_ANY] + bonus) * space[TOKEN] - space[LOW_ANY_COST]
    return max(high, low) + weights[W_EMBASSY] * experts_gain(state, tables, space, seat, EMBASSY, -1)


@rule
def _bank(state, tables, weights, space, seat):
    gain = tables[BANK_COINS] * space[COIN] + experts_gain(state, tables, space, seat, BANK, -1)
    return weights[W_BANK] * gain - space[LOW_ANY_COST]


@rule
def _university(state, tables, weights, space, seat, expert):
    continent = tables[expert_cell(tables, expert, EXPERT_CONTINENT)]
    gain = hire_worth(state, tables, weights, space, seat, expert)
    gain += experts_gain(state, tables, space, seat, UNIVERSITY, continent)
    match = tables[MATCH_REPUTATION] * space[FAME]
    return weights[W_UNIVERSITY] * gain - min(
        space[LOW_ANY_COST], space[at(LOW_COST + continent)] - weights[W_UNIVERSITY] * match
    )


@rule
def _academy(state, tables, weights, space, seat, animal):
    continent = animal_continent(tables, animal)
    gain = new_worth(state, tables, weights, space, seat, animal)
    return space[ACADEMY_LIKING] * gain + space[at(ACADEMY_FAME + continent)]


@rule
def academy_fame(state, tables, weights, space, seat, continent):
    """Say what the academy brings beside the animal, less what the die costs."""
    bonus = experts_value(state, tables, space, seat, ACADEMY, continent)
    recolour = recolour_cost(state, space, seat, ACADEMY, continent)
    best = -NEVER
    for cheapest in range(2):
        fame = academy_reputation(tables, candidate_value(space, continent, cheapest) + bonus) * space[FAME]
        best = max(best, space[ACADEMY_LIKING] * fame - candidate_cost(space, continent, cheapest))
    if recolour < NEVER:
        for cheapest in range(2):
            fame = academy_reputation(tables, recoloured_value(space, cheapest) + bonus) * space[FAME]
            best = max(best, space[ACADEMY_LIKING] * fame - recoloured_cost(space, recolour, cheapest))
    return best + space[ACADEMY_LIKING] * experts_gain(state, tables, space, seat, ACADEMY, continent)


@rule
def _expedition(state, tables, weights, space, seat, continent):
    recolour = recolour_cost(state, space, seat, EXPEDITION, continent)
    gain = expedition_reputation(state, tables, continent) * space[FAME]
    gain += experts_gain(state, tables, space, seat, EXPEDITION, continent)
    all_cost = space[at(FREE_COST + continent)]
    rate = research_rate(space, continent)
    bonus = experts_value(state, tables, space, seat, EXPEDITION, continent)
    best = -NEVER
    for cheapest in range(2):
        value = candidate_value(space, continent, cheapest) + bonus
        research = research_worth(state, tables, space, seat, value, rate, all_cost)
        best = max(best, weights[W_EXPEDITION] * research - candidate_cost(space, continent, cheapest))
    if recolour < NEVER:
        for cheapest in range(2):
            value = recoloured_value(space, cheapest) + bonus
            research = research_worth(state, tables, space, seat, value, rate, all_cost)
            best = max(best, weights[W_EXPEDITION] * research - recoloured_cost(space, recolour, cheapest))
    return best + weights[W_EXPEDITION] * gain


@rule
def _publication(state, tables, weights, space, seat, reference):
    """Say what a publication is worth that was prepared."""
    continent = animal_continent(tables, reference)
    bonus = experts_value(state, tables, space, seat, PUBLICATION, continent)
    recolour = recolour_cost(state, space, seat, PUBLICATION, continent)
    worth = publication_worth(state, tables, space, seat, space[at(TOP + continent)] + bonus)
    best = weights[W_PUBLISH] * worth - space[at(TOP_COST + continent)]
    if recolour < NEVER:
        worth = publication_worth(state, tables, space, seat, space[TOP_ANY] + bonus)
        best = max(best, weights[W_PUBLISH] * worth - space[TOP_ANY_COST] - recolour)
    return best + weights[W_PUBLISH] * experts_gain(state, tables, space, seat, PUBLICATION, continent)


@rule
def _until(actions, first, stop, action):
    """Find where the options of an action end; they stand together, in the order of the actions."""
    while first < stop and verb(actions[at(first)]) == TO_EMBASSY + action:
        first += 1
    return first


@rule
def score_targets(state, tables, actions, first, stop, weights, space, out):
    """Fill `out` with what each action is worth with the best die for it; one loop an action keeps them short."""
    seat, begin = state[SEAT], first
    while first < stop and verb(actions[at(first)]) < TO_UNIVERSITY:
        embassy = verb(actions[at(first)]) == TO_EMBASSY
        out[at(first - begin)] = _goods(state, tables, weights, space, seat, embassy)
        first += 1
    end = _until(actions, first, stop, UNIVERSITY)
    for index in range(first, end):
        out[at(index - begin)] = _university(state, tables, weights, space, seat, argument(actions[at(index)]))
    first, end = end, _until(actions, end, stop, ACADEMY)
    for index in range(first, end):
        out[at(index - begin)] = _academy(state, tables, weights, space, seat, argument(actions[at(index)]))
    first, end = end, _until(actions, end, stop, EXPEDITION)
    for index in range(first, end):
        out[at(index - begin)] = _expedition(state, tables, weights, space, seat, argument(actions[at(index)]))
    position = 0
    for index in range(end, stop):
        # Publications are listed in the order of the hand, so each is looked for behind the last.
        reference = argument(actions[at(index)])
        position = prepare_publication(state, tables, space, seat, reference, position)
        out[at(index - begin)] = _publication(state, tables, weights, space, seat, reference)


@rule
def _goods(state, tables, weights, space, seat, embassy):
    if embassy:
        return _embassy(state, tables, weights, space, seat)
    return _bank(state, tables, weights, space, seat)


# --- the action that a seal buys --------------------------------------------------------------------------------------


@rule
def _offer(tables, space, continent, worth, recolour):
    """Note an action for the colour it needs, and at a price for all others."""
    space[at(ACTION_OF + continent)] = max(space[at(ACTION_OF + continent)], worth)
    return worth - recolour


@rule
def survey_actions(state, tables, weights, space, seat):
    """Find the best action for a die of each colour whose value is a middling one, not yet rolled (6.2)."""
    value = 0.5 * (1 + tables[SIDES])
    for colour in range(tables[CONTINENTS]):
        space[at(ACTION_OF + colour)] = -NEVER
    tokens = tokens_gained(tables, value + experts_value(state, tables, space, seat, EMBASSY, -1)) * space[TOKEN]
    best = weights[W_EMBASSY] * (tokens + experts_gain(state, tables, space, seat, EMBASSY, -1))
    coins = tables[BANK_COINS] * space[COIN] + experts_gain(state, tables, space, seat, BANK, -1)
    best = max(best, weights[W_BANK] * coins)
    for position in range(state[UNIVERSITY_COUNT]):
        expert = state[at(tables[S_UNIVERSITY] + position)]
        continent = tables[expert_cell(tables, expert, EXPERT_CONTINENT)]
        gain = hire_worth(state, tables, weights, space, seat, expert)
        gain = weights[W_UNIVERSITY] * (gain + experts_gain(state, tables, space, seat, UNIVERSITY, continent))
        match = weights[W_UNIVERSITY] * tables[MATCH_REPUTATION] * space[FAME]
        best = max(best, _offer(tables, space, continent, gain + match, match))
    for position in range(state[ACADEMY_COUNT]):
        animal = state[at(tables[S_ACADEMY] + position)]
        continent = animal_continent(tables, animal)
        gain = new_worth(state, tables, weights, space, seat, animal)
        gain += experts_gain(state, tables, space, seat, ACADEMY, continent)
        bonus = experts_value(state, tables, space, seat, ACADEMY, continent)
        gain += academy_reputation(tables, value + bonus) * space[FAME]
        recolour = recolour_cost(state, space, seat, ACADEMY, continent)
        best = max(best, _offer(tables, space, continent, space[ACADEMY_LIKING] * gain, recolour))
    for continent in range(tables[CONTINENTS]):
        if expedition_space(state, tables, continent) < 0:
            continue
        bonus = experts_value(state, tables, space, seat, EXPEDITION, continent)
        gain = expedition_reputation(state, tables, continent) * space[FAME]
        gain += experts_gain(state, tables, space, seat, EXPEDITION, continent)
        gain += research_worth(
            state, tables, space, seat, value + bonus, research_rate(space, continent), space[at(FREE_COST + continent)]
        )
        recolour = recolour_cost(state, space, seat, EXPEDITION, continent)
        best = max(best, _offer(tables, space, continent, weights[W_EXPEDITION] * gain, recolour))
    hand = hand_start(tables, seat)
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        if state[at(tables[S_ANIMAL_CUBES] + animal)] != 0:
            continent = animal_continent(tables, animal)
            prepare_publication(state, tables, space, seat, animal, min(position, MOST_HAND - 1))
            bonus = experts_value(state, tables, space, seat, PUBLICATION, continent)
            gain = publication_worth(state, tables, space, seat, value + bonus)
            gain += experts_gain(state, tables, space, seat, PUBLICATION, continent)
            recolour = recolour_cost(state, space, seat, PUBLICATION, continent)
            best = max(best, _offer(tables, space, continent, weights[W_PUBLISH] * gain, recolour))
    for colour in range(tables[CONTINENTS]):
        space[at(ACTION_OF + colour)] = weights[W_EXTRA] * max(space[at(ACTION_OF + colour)], best)
