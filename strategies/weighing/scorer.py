"""What each legal action is worth, whatever the kind of decision: the one entrance to all of it."""

import numpy as np

from sim.actions import CUBE_STEP, PASS, SLOT_OVER, STOP, argument, verb
from sim.chance import draw_unit
from sim.jit import at, cells, rule
from sim.layout import (
    ACADEMY,
    ACTION,
    CONTINENTS,
    EMBASSY,
    EXPEDITION,
    IN_HAND,
    KIND,
    KIND_ALONG,
    KIND_COINS,
    KIND_CUBE,
    KIND_DIE,
    KIND_DRAFT,
    KIND_GIVE,
    KIND_PLACE,
    KIND_RECOLOUR,
    KIND_SEAL,
    KIND_SLOT,
    KIND_TARGET,
    KIND_TOKENS,
    MATCH_REPUTATION,
    PAID_TOKENS,
    PER_COIN,
    PER_TOKEN,
    POINTS,
    PUBLICATION,
    PUBLISH_TYPE,
    RESEARCH_CONTINENT,
    S_ANIMAL_WHERE,
    S_DIE_VALUE,
    SEAT,
    SUBJECT,
    T_DIE_COLOUR,
    TARGET,
    UNIVERSITY,
    VALUE,
)
from sim.rules.effects import value_bonus
from sim.rules.turn import target_continent
from strategies.weighing.dice import (
    die_cost,
    lure_rank,
    pay_rank,
    prepare_values,
    recolour_cost,
    survey_dice,
    survey_stolen,
    survey_wanted,
)
from strategies.weighing.experts import set_uses, survey_experts, survey_slots
from strategies.weighing.hands import (
    choice_worth,
    count_others,
    cube_alone,
    new_worth,
    release_alone,
    research_worth,
    survey_hand,
    survey_research,
    under_way_rate,
)
from strategies.weighing.layout import (
    ACADEMY_FAME,
    ACADEMY_LIKING,
    ACTION_OF,
    ALL_COST,
    ALL_VALUE,
    BLOCK,
    COIN,
    DIE_BONUS,
    FAME,
    HOLD,
    NEW_WORK,
    SEAL,
    SLOT_WORK,
    TOKEN,
    W_BAIT,
    W_DENY,
    W_EMBASSY,
    W_EXPEDITION,
    W_NOISE,
    W_PUBLISH,
    score_space,
    work_space,
)
from strategies.weighing.prices import (
    set_cards,
    set_cubes,
    set_fame,
    set_prices,
    set_research,
    set_space_pay,
    set_time,
)
from strategies.weighing.publishing import prepare_publication, publication_worth, published_with
from strategies.weighing.targets import academy_fame, academy_reputation, score_targets, survey_actions, tokens_gained

# --- dice and payments ------------------------------------------------------------------------------------------------


@rule
def _gain_with(state, tables, weights, space, seat, value):
    """Say what a die's value brings to the chosen action."""
    action = state[ACTION]
    if action == PUBLICATION:
        return weights[W_PUBLISH] * publication_worth(state, tables, space, seat, value)
    if action == EXPEDITION:
        rate, all_cost = under_way_rate(space), space[ALL_COST]
        return weights[W_EXPEDITION] * research_worth(state, tables, space, seat, value, rate, all_cost)
    if action == ACADEMY:
        return space[ACADEMY_LIKING] * academy_reputation(tables, value) * space[FAME]
    if action == EMBASSY:
        return weights[W_EMBASSY] * tokens_gained(tables, value) * space[TOKEN]
    return 0.0


@rule
def _score_dice(state, tables, actions, first, stop, weights, space, out):
    """Fill `out` with what each die brings to the chosen action, less what taking and recolouring it costs."""
    action, seat = state[ACTION], state[SEAT]
    continent = target_continent(tables, action, state[TARGET])
    match = tables[MATCH_REPUTATION] * space[FAME] if action == UNIVERSITY else 0.0
    recolour = recolour_cost(state, space, seat, action, continent) if action >= ACADEMY else 0.0
    for index in range(first, stop):
        die = argument(actions[at(index)])
        value = 1.0 * state[at(tables[S_DIE_VALUE] + die)]
        gain = _gain_with(state, tables, weights, space, seat, value + space[DIE_BONUS])
        gain -= die_cost(state, tables, weights, space, seat, die)
        matches = tables[at(tables[T_DIE_COLOUR] + die)] == continent
        out[at(index - first)] = gain + (match if matches else -recolour)


@rule
def _tokens_score(state, tables, space, seat, tokens):
    value = 1.0 * state[VALUE] + tokens * tables[PER_TOKEN]
    rate = under_way_rate(space)
    research = research_worth(state, tables, space, seat, value, rate, space[ALL_COST])
    return research - tokens * space[TOKEN]


@rule
def _coins_score(state, tables, space, coins):
    action = state[ACTION]
    value = state[VALUE] + coins * tables[PER_COIN] + state[PAID_TOKENS] * tables[PER_TOKEN]
    if action == PUBLICATION:
        gain = published_with(tables, space, value)
    elif action == EXPEDITION:
        gain = space[HOLD] * space[ALL_VALUE] * min(1.0, value / max(space[ALL_COST], 1.0))
    elif action == ACADEMY:
        gain = academy_reputation(tables, value) * space[FAME]
    else:
        gain = tokens_gained(tables, value) * space[TOKEN]
    return gain - coins * space[COIN]


# --- the rest ---------------------------------------------------------------------------------------------------------


@rule
def _cube_score(state, tables, space, seat, option):
    if verb(option) == STOP:
        return -1.0
    animal, type_index = argument(option) // CUBE_STEP, argument(option) % CUBE_STEP
    return space[HOLD] * choice_worth(state, tables, space, seat, animal, type_index, state[POINTS])


@rule
def _yes_worth(state, tables, weights, space, seat):
    """Say what publishing the asked animal brings, with the cube it gives or along (5.4, 5.6)."""
    animal = state[SUBJECT]
    worth = 0.0
    if state[KIND] == KIND_GIVE:
        worth += cube_alone(state, tables, weights, seat, animal, state[PUBLISH_TYPE])
    # One that is published anyway has nothing to lose.
    if state[at(tables[S_ANIMAL_WHERE] + animal)] == IN_HAND + seat:
        worth += release_alone(state, tables, weights, space, seat, animal)
    return worth


@rule
def _slot_score(space, option):
    """Say what the new expert's work is worth more than that of the one it covers; under it changes nothing."""
    if verb(option) != SLOT_OVER:
        return 0.0
    return space[NEW_WORK] - space[at(SLOT_WORK + argument(option))]


@rule
def _seal_score(tables, space, option):
    """Say what one more action brings with a die of the colour, or what the seal scores at the end."""
    if verb(option) == PASS:
        return space[SEAL]
    return space[at(ACTION_OF + tables[at(tables[T_DIE_COLOUR] + argument(option))])]


@rule
def _place_score(state, tables, space, seat, lure, option):
    """Put the die that lures others most where it pays most, and so on down."""
    difference = lure - pay_rank(state, tables, space, seat, argument(option))
    return -1.0 * difference * difference


@rule
def _recolour_score(state, tables, space, seat, option):
    if not argument(option):
        return 0.0
    continent = target_continent(tables, UNIVERSITY, state[TARGET])
    cost = recolour_cost(state, space, seat, UNIVERSITY, continent)
    return tables[MATCH_REPUTATION] * space[FAME] - cost


# --- all of it --------------------------------------------------------------------------------------------------------


@rule
def _prepare_goods(state, tables, weights, space, seat):
    """Work out what everything that can be gained is worth."""
    set_prices(state, tables, weights, space, seat)
    set_research(state, tables, weights, space, seat)
    set_fame(state, tables, weights, space, seat)


@rule
def _prepare_animals(state, tables, weights, space, seat):
    """Look at own animals as far as the decision asks: all of them for a publication, free spaces for research."""
    kind, action = state[KIND], state[ACTION]
    use = kind in (KIND_DIE, KIND_COINS, KIND_TOKENS)
    research = kind == KIND_CUBE or (use and action == EXPEDITION)
    publication = use and action == PUBLICATION
    whole = kind in (KIND_TARGET, KIND_SEAL) or publication
    if whole or research or kind == KIND_DRAFT:
        set_cubes(state, tables, weights, space, seat)
    if research:
        continent = state[RESEARCH_CONTINENT] if kind == KIND_CUBE else state[TARGET]
        survey_research(state, tables, space, seat, continent)
    if whole or kind == KIND_DRAFT:
        set_cards(state, tables, weights, space, seat)
    if whole:
        survey_hand(state, tables, weights, space, seat)
    if publication:
        prepare_publication(state, tables, space, seat, state[TARGET], 0)


@rule
def _prepare_experts(state, tables, weights, space, seat):
    """Look at own experts, before one is hired and when one is put somewhere."""
    set_uses(state, tables, weights, space)
    survey_experts(state, tables, space, seat)
    survey_slots(state, tables, weights, space, seat)


@rule
def _prepare_dice(state, tables, weights, space, seat):
    """Get ready to say what taking a die costs, and where it is best placed."""
    kind = state[KIND]
    count_others(state, tables, space, seat, weights[W_BAIT if kind == KIND_PLACE else W_DENY])
    set_space_pay(tables, space)
    if kind == KIND_PLACE:
        return
    prepare_values(tables, space)
    survey_stolen(state, tables, space)
    survey_wanted(state, tables, weights, space, seat)
    if kind == KIND_DIE:
        continent = target_continent(tables, state[ACTION], state[TARGET])
        space[DIE_BONUS] = value_bonus(state, tables, seat, state[ACTION], continent)
        return
    survey_dice(state, tables, weights, space, seat)
    for continent in range(tables[CONTINENTS]):
        space[at(ACADEMY_FAME + continent)] = academy_fame(state, tables, weights, space, seat, continent)


@rule
def _prepare(state, tables, weights, space, seat):
    """Work out once what the options of a decision have in common, and no more than its kind needs."""
    kind = state[KIND]
    set_time(state, tables, weights, space, seat)
    if kind in (KIND_GIVE, KIND_ALONG):
        return
    if kind != KIND_CUBE:
        _prepare_goods(state, tables, weights, space, seat)
    _prepare_animals(state, tables, weights, space, seat)
    if kind in (KIND_TARGET, KIND_SEAL, KIND_SLOT):
        _prepare_experts(state, tables, weights, space, seat)
    if kind in (KIND_TARGET, KIND_DIE, KIND_PLACE):
        _prepare_dice(state, tables, weights, space, seat)
    if kind == KIND_SEAL:
        survey_actions(state, tables, weights, space, seat)


@rule
def _score(state, tables, actions, first, stop, weights, space, out):
    """Fill `out` with what the options `first` … `stop` − 1 of the decision that was prepared are worth."""
    kind, seat = state[KIND], state[SEAT]
    if kind == KIND_TARGET:
        score_targets(state, tables, actions, first, stop, weights, space, out)
    elif kind == KIND_DIE:
        _score_dice(state, tables, actions, first, stop, weights, space, out)
    elif kind == KIND_CUBE:
        for index in range(first, stop):
            out[at(index - first)] = _cube_score(state, tables, space, seat, actions[at(index)])
    elif kind == KIND_PLACE:
        lure = lure_rank(state, tables, weights, space, seat, state[SUBJECT])
        for index in range(first, stop):
            out[at(index - first)] = _place_score(state, tables, space, seat, lure, actions[at(index)])
    elif kind == KIND_COINS:
        for index in range(first, stop):
            out[at(index - first)] = _coins_score(state, tables, space, argument(actions[at(index)]))
    elif kind == KIND_TOKENS:
        for index in range(first, stop):
            out[at(index - first)] = _tokens_score(state, tables, space, seat, argument(actions[at(index)]))
    elif kind in (KIND_GIVE, KIND_ALONG):
        yes = _yes_worth(state, tables, weights, space, seat)
        for index in range(first, stop):
            out[at(index - first)] = yes * argument(actions[at(index)])
    elif kind == KIND_RECOLOUR:
        for index in range(first, stop):
            out[at(index - first)] = _recolour_score(state, tables, space, seat, actions[at(index)])
    elif kind == KIND_SEAL:
        for index in range(first, stop):
            out[at(index - first)] = _seal_score(tables, space, actions[at(index)])
    elif kind == KIND_SLOT:
        for index in range(first, stop):
            out[at(index - first)] = _slot_score(space, actions[at(index)])
    else:  # the draft
        for index in range(first, stop):
            out[at(index - first)] = new_worth(state, tables, weights, space, seat, argument(actions[at(index)]))


@rule
def best_option(state, tables, actions, count, random, weights):
    """Return the index of the legal action that is worth most; the first of equals."""
    space, scores = cells(work_space()), cells(score_space())
    s, t, a, w = cells(state), cells(tables), cells(actions), cells(weights)
    _prepare(s, t, w, space, s[SEAT])
    best, best_score = 0, -1e300
    for first in range(0, count, BLOCK):
        stop = min(first + BLOCK, count)
        _score(s, t, a, first, stop, w, space, scores)
        if weights[W_NOISE] > 0.0:
            for number in range(stop - first):
                scores[at(number)] += weights[W_NOISE] * draw_unit(random)
        for number in range(stop - first):
            # As a sum: of a choice between two numbers LLVM makes a branch here, one that cannot be foreseen.
            better = np.int64(scores[at(number)] > best_score)
            best += better * (first + number - best)
            best_score = max(scores[at(number)], best_score)
    return best


@rule
def all_scores(state, tables, actions, count, weights, out):
    """Fill ``out[:count]`` with what each legal action is worth."""
    space = cells(work_space())
    s, t, w = cells(state), cells(tables), cells(weights)
    _prepare(s, t, w, space, s[SEAT])
    _score(s, t, cells(actions), 0, count, w, space, cells(out))
