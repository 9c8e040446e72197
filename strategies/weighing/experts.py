"""What experts are worth: by what they do, how often it will still happen, and what they score at the end."""

from typing import Final

from sim.jit import at, rule
from sim.layout import (
    ACADEMY,
    ANIMAL_VP,
    BANK,
    CATEGORIES,
    CONTINENTS,
    EFFECT_PER_CATEGORY,
    EFFECT_PER_COINS,
    EFFECT_PER_EXPERT,
    EFFECT_PER_PUBLISHED,
    EFFECT_PER_SEAL,
    EFFECT_RECOLOUR,
    EFFECT_VALUE,
    EMBASSY,
    EXPEDITION,
    EXPERT_AMOUNT,
    EXPERT_CONTINENT,
    EXPERT_COUNT,
    EXPERT_EFFECT,
    EXPERT_FILTER,
    EXPERT_FILTER_KIND,
    EXPERT_TRIGGER,
    EXPERT_TRIGGER_CONTINENT,
    FILTER_CONTINENT,
    FILTER_NONE,
    KIND,
    KIND_SLOT,
    PUBLICATION,
    PUBLISHED_COUNT,
    ROUND,
    ROUNDS,
    S_CONTINENT_ANIMALS,
    SEALS,
    SLOTS,
    TARGET,
    TRIGGER_ACTION,
    TRIGGER_GAME_END,
    TRIGGER_HIRE,
    TRIGGER_ROUND_START,
    TRIGGER_STOLEN,
    TYPES,
    UNIVERSITY,
)
from sim.rules.cells import expert_cell, hand_animals, seat_cell
from sim.rules.effects import top_expert
from strategies.weighing.layout import (
    ACTIONS_LEFT,
    COIN,
    COVERED,
    EXPERT_GAIN,
    EXPERT_VALUE,
    FAME,
    HOLD,
    MOST_SLOTS,
    NARROW,
    NEW_WORK,
    NEXT_CARD,
    NOTHING,
    PRICE,
    RESEARCH_POINT,
    SLOT_WORK,
    TOKEN,
    TURNS_AFTER,
    USES,
    VALUE_PRICE,
    W_EXPERT,
    W_LEGACY,
)
from strategies.weighing.prices import effect_value

# How often things happen, from games of strategies that play to win.
_ELSEWHERE: Final = 0.2  # share of an action's uses that fall on one given continent
_STOLEN: Final = 0.5  # own dice that others take, a turn
_PUBLISHED: Final = 0.28  # animals published, an action
_SPREAD: Final = 0.45  # categories that ever see a cube
_COINS_LEFT: Final = 4.0


_USES: Final = (0.04, 0.06, 0.24, 0.14, 0.22, 0.26)
"""How often each action is performed, an action."""


@rule
def set_uses(state, tables, weights, space):
    """Work out how often an expert of each trigger will still work, and what one more on a die is worth."""
    often = weights[W_EXPERT] * space[ACTIONS_LEFT]
    space[USES + TRIGGER_HIRE] = 0.0
    space[USES + TRIGGER_ACTION + EMBASSY] = _USES[EMBASSY] * often
    space[USES + TRIGGER_ACTION + BANK] = _USES[BANK] * often
    space[USES + TRIGGER_ACTION + UNIVERSITY] = _USES[UNIVERSITY] * often
    space[USES + TRIGGER_ACTION + ACADEMY] = _USES[ACADEMY] * often
    space[USES + TRIGGER_ACTION + EXPEDITION] = _USES[EXPEDITION] * often
    space[USES + TRIGGER_ACTION + PUBLICATION] = _USES[PUBLICATION] * often
    space[USES + TRIGGER_STOLEN] = _STOLEN * weights[W_EXPERT] * space[TURNS_AFTER]
    space[USES + TRIGGER_ROUND_START] = weights[W_EXPERT] * (tables[ROUNDS] - state[ROUND])
    space[VALUE_PRICE + EMBASSY] = 0.3 * space[TOKEN]
    space[VALUE_PRICE + BANK] = 0.0
    space[VALUE_PRICE + UNIVERSITY] = 0.0
    space[VALUE_PRICE + ACADEMY] = 0.5 * space[FAME]
    space[VALUE_PRICE + EXPEDITION] = space[RESEARCH_POINT]
    space[VALUE_PRICE + PUBLICATION] = 0.7 * space[COIN]


@rule
def _work_value(space, effect, amount, action):
    """Say what one time is worth that an expert works; `action` matters if it adds to a die."""
    add = effect == EFFECT_VALUE
    return amount * space[at(VALUE_PRICE + action if add else PRICE + effect)]


@rule
def _per_published(state, tables, space, seat, expert, amount):
    """Say what an expert that counts published animals will score."""
    kind = tables[expert_cell(tables, expert, EXPERT_FILTER_KIND)]
    wanted = tables[expert_cell(tables, expert, EXPERT_FILTER)]
    now, coming = (1.0 * state[seat_cell(seat, PUBLISHED_COUNT)], _PUBLISHED * space[ACTIONS_LEFT])
    if kind == FILTER_NONE:
        return amount * (now + coming)
    if kind == FILTER_CONTINENT:
        now = 1.0 * state[at(tables[S_CONTINENT_ANIMALS] + seat * tables[CONTINENTS] + wanted)]
        waiting = space[HOLD] * state[hand_animals(tables, seat, wanted)]
        return amount * (now + waiting + 0.8 * coming / tables[CONTINENTS])
    return amount * (now + coming) * tables[TYPES] / max(tables[CATEGORIES], 1)


@rule
def _legacy(state, tables, space, seat, expert):
    """Say what a `game_end` expert will score, with what will be there by then."""
    effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
    amount = 1.0 * tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
    actions = space[ACTIONS_LEFT]
    if effect == EFFECT_PER_PUBLISHED:
        return _per_published(state, tables, space, seat, expert, amount)
    if effect == EFFECT_PER_CATEGORY:
        return amount * min(_SPREAD * tables[CATEGORIES], state[seat_cell(seat, PUBLISHED_COUNT)] + 0.5 * actions)
    if effect == EFFECT_PER_EXPERT:
        return amount * (state[seat_cell(seat, EXPERT_COUNT)] + 1.0 + 0.08 * actions)
    if effect == EFFECT_PER_SEAL:
        return amount * (state[seat_cell(seat, SEALS)] + 0.13 * actions)
    if effect == EFFECT_PER_COINS:
        return amount * _COINS_LEFT / max(tables[expert_cell(tables, expert, EXPERT_FILTER)], 1)
    return amount


@rule
def working_value(state, tables, weights, space, seat, expert):
    """Say what having an expert on top of a space is worth from now on, without what it does when hired."""
    trigger = tables[expert_cell(tables, expert, EXPERT_TRIGGER)]
    if trigger == TRIGGER_GAME_END:
        return weights[W_LEGACY] * _legacy(state, tables, space, seat, expert)
    effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
    amount = 1.0 * tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
    share = _ELSEWHERE if tables[expert_cell(tables, expert, EXPERT_TRIGGER_CONTINENT)] >= 0 else 1.0
    return share * space[at(USES + trigger)] * _work_value(space, effect, amount, trigger - TRIGGER_ACTION)


@rule
def survey_slots(state, tables, weights, space, seat):
    """Say what each working expert is worth if a new one would have to cover one, and what the new one is worth."""
    space[COVERED] = 0.0
    slots = min(tables[SLOTS], MOST_SLOTS)
    for slot in range(slots):
        if top_expert(state, tables, seat, slot) < 0:
            return
    least = 1e9
    # The last round of the loop is for the expert that is put somewhere now, if there is one.
    for slot in range(slots + (state[KIND] == KIND_SLOT)):
        new = slot == slots
        expert = state[TARGET] if new else top_expert(state, tables, seat, slot)
        worth = working_value(state, tables, weights, space, seat, expert)
        space[NEW_WORK if new else SLOT_WORK + slot] = worth
        least = min(least, worth)
    space[COVERED] = least


@rule
def hire_worth(state, tables, weights, space, seat, expert):
    """Say what hiring an expert brings: its work, its part of a continent's bonus, what it does at once."""
    worth = space[at(NEXT_CARD + tables[expert_cell(tables, expert, EXPERT_CONTINENT)])] - tables[ANIMAL_VP]
    effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
    at_once = effect_value(space, effect, tables[expert_cell(tables, expert, EXPERT_AMOUNT)])
    hired = tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_HIRE
    work = working_value(state, tables, weights, space, seat, expert) - space[COVERED]
    return worth + (at_once if hired else max(0.0, work))


@rule
def survey_experts(state, tables, space, seat):
    """Add up, by action, what own working experts bring and add to the die; narrow ones are only marked."""
    for action in range(PUBLICATION + 1):
        space[at(EXPERT_GAIN + action)] = NOTHING
        space[at(EXPERT_VALUE + action)] = NOTHING
    narrow = 0
    for slot in range(tables[SLOTS]):
        expert = top_expert(state, tables, seat, slot)
        if expert < 0:
            continue
        action = tables[expert_cell(tables, expert, EXPERT_TRIGGER)] - TRIGGER_ACTION
        if action < 0 or action > PUBLICATION:
            continue
        if tables[expert_cell(tables, expert, EXPERT_TRIGGER_CONTINENT)] >= 0:
            narrow |= 1 << action
            continue
        effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
        amount = tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
        if effect == EFFECT_VALUE:
            space[at(EXPERT_VALUE + action)] += amount
        elif effect != EFFECT_RECOLOUR:
            space[at(EXPERT_GAIN + action)] += _work_value(space, effect, amount, action)
    space[NARROW] = narrow


@rule
def _works_there(tables, expert, action, continent):
    return (
        expert >= 0
        and tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_ACTION + action
        and tables[expert_cell(tables, expert, EXPERT_TRIGGER_CONTINENT)] == continent
    )


@rule
def experts_gain(state, tables, space, seat, action, continent):
    """Say what own working experts bring when an action is performed on a continent."""
    worth = space[at(EXPERT_GAIN + action)]
    if (int(space[NARROW]) >> action) & 1:
        for slot in range(tables[SLOTS]):
            expert = top_expert(state, tables, seat, slot)
            if _works_there(tables, expert, action, continent):
                effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
                if effect not in (EFFECT_VALUE, EFFECT_RECOLOUR):
                    worth += _work_value(space, effect, tables[expert_cell(tables, expert, EXPERT_AMOUNT)], action)
    return worth


@rule
def experts_value(state, tables, space, seat, action, continent):
    """Say what own working experts add to the die of an action on a continent."""
    value = space[at(EXPERT_VALUE + action)]
    if (int(space[NARROW]) >> action) & 1:
        for slot in range(tables[SLOTS]):
            expert = top_expert(state, tables, seat, slot)
            if (
                _works_there(tables, expert, action, continent)
                and tables[expert_cell(tables, expert, EXPERT_EFFECT)] == EFFECT_VALUE
            ):
                value += tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
    return value
