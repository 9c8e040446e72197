"""Recolour and boost: what an action may cost (rules 4.3, 4.4).

A payment is offered only if no single coin or token could be left out without shrinking what becomes possible.
For an expedition that is a question of subset sums: which totals can cubes on the free spaces cost?
"""

from typing import Final

import numpy as np

from sim.actions import PAY_COINS, PAY_TOKENS, argument, pack
from sim.jit import at, kernel, rule
from sim.layout import (
    ACADEMY,
    ACADEMY_STEPS,
    ACTION,
    ACTOR,
    BANK,
    COINS,
    COLOUR,
    DIE,
    EFFECT_DISCOUNT,
    EMBASSY,
    EMBASSY_STEPS,
    EXPEDITION,
    EXPEDITION_TOKENS,
    EXPERT_AMOUNT,
    EXPERT_EFFECT,
    EXPERT_FILTER,
    FREE_RECOLOUR,
    HAND_COUNT,
    KIND,
    KIND_COINS,
    KIND_NONE,
    KIND_RECOLOUR,
    KIND_TOKENS,
    PAID_COINS,
    PAID_TOKENS,
    PER_COIN,
    PER_TOKEN,
    PUBLICATION,
    REC_COINS_SPENT,
    REC_RECOLOURS_FREE,
    REC_RECOLOURS_PAID,
    REC_TOKENS_SPENT,
    RECOLOUR_FREE,
    RECOLOUR_NO,
    RECOLOUR_PAID,
    RECOLOUR_PRICE,
    RECOLOURED,
    S_ANIMAL_CUBES,
    S_COSTS,
    S_DIE_VALUE,
    SEAT,
    SLOTS,
    SUM_BITS,
    T_ACADEMY,
    T_DIE_COLOUR,
    T_EMBASSY,
    TARGET,
    TYPE_COST,
    TYPE_FROM,
    TYPES,
    UNIVERSITY,
    VALUE,
    WORK,
    WORKS_DISCOUNT,
)
from sim.rules.cells import animal_continent, by_steps, expert_cell, hand_start, record_cell, seat_cell, type_cell
from sim.rules.effects import narrowed_out, top_expert, value_bonus, works
from sim.rules.turn import can_recolour, target_continent

SUM_MASK: Final = (1 << SUM_BITS) - 1


@kernel
def begin_payment(state, tables, record):
    """Recolour if the target needs it, work out the die's value, and ask for what may be paid."""
    seat, action, target = state[ACTOR], state[ACTION], state[TARGET]
    continent = target_continent(tables, action, target)
    state[SEAT] = seat
    state[COLOUR] = tables[at(tables[T_DIE_COLOUR] + state[DIE])]
    state[RECOLOURED] = RECOLOUR_NO
    state[PAID_TOKENS] = 0
    state[PAID_COINS] = 0
    if action == UNIVERSITY:
        state[VALUE] = state[at(tables[S_DIE_VALUE] + state[DIE])]
        if _may_recolour(state, tables):
            state[KIND] = KIND_RECOLOUR
        return
    if action >= ACADEMY and state[COLOUR] != continent:
        recolour(state, tables, record)
    bonus = value_bonus(state, tables, seat, action, continent)
    state[VALUE] = state[at(tables[S_DIE_VALUE] + state[DIE])] + bonus
    if action == EXPEDITION:
        set_expedition_costs(state, tables)
        if state[seat_cell(seat, EXPEDITION_TOKENS)] > 0:
            state[KIND] = KIND_TOKENS
        else:
            ask_coins(state)
    elif action != BANK:
        ask_coins(state)


@rule
def ask_coins(state):
    """Ask for coins if there are any; without them the die has its final value."""
    if state[seat_cell(state[ACTOR], COINS)] > 0:
        state[KIND] = KIND_COINS
    else:
        state[KIND] = KIND_NONE


@kernel
def recolour(state, tables, record):
    """Give the die the target's colour, free of charge if an expert makes it so (4.3)."""
    seat, action = state[ACTOR], state[ACTION]
    continent = target_continent(tables, action, state[TARGET])
    state[COLOUR] = continent
    if (state[seat_cell(seat, FREE_RECOLOUR + action)] >> continent) & 1:
        state[RECOLOURED] = RECOLOUR_FREE
        record[record_cell(seat, REC_RECOLOURS_FREE)] += 1
        return
    state[RECOLOURED] = RECOLOUR_PAID
    state[seat_cell(seat, EXPEDITION_TOKENS)] -= tables[RECOLOUR_PRICE]
    record[record_cell(seat, REC_TOKENS_SPENT)] += tables[RECOLOUR_PRICE]
    record[record_cell(seat, REC_RECOLOURS_PAID)] += 1


@rule
def _may_recolour(state, tables):
    """Say whether there is a choice to recolour for the hired expert's bonus (4.3)."""
    continent = target_continent(tables, UNIVERSITY, state[TARGET])
    return state[COLOUR] != continent and can_recolour(state, tables, state[ACTOR], UNIVERSITY, continent)


@kernel
def apply_recolour(state, tables, record, action):
    """Recolour the die for the university, or leave it."""
    if argument(action):
        recolour(state, tables, record)
    state[KIND] = KIND_NONE


@kernel
def set_expedition_costs(state, tables):
    """Work out what research costs in this expedition: experts' discounts add up, never below 1 (7.2)."""
    seat, continent = state[ACTOR], state[TARGET]
    discounts = works(state, seat, WORKS_DISCOUNT)
    for type_index in range(tables[TYPES]):
        full = tables[type_cell(tables, type_index, TYPE_COST)]
        cost = full
        if discounts:
            cost = max(full - _discount(state, tables, seat, type_index, continent), min(1, full))
        state[at(tables[S_COSTS] + type_index)] = cost


@kernel
def _discount(state, tables, seat, type_index, continent):
    """Add up what a seat's working experts take off the cost of a type in an expedition (7.2)."""
    discount = 0
    for slot in range(tables[SLOTS]):
        expert = top_expert(state, tables, seat, slot)
        if (
            expert >= 0
            and tables[expert_cell(tables, expert, EXPERT_EFFECT)] == EFFECT_DISCOUNT
            and not narrowed_out(tables, expert, continent)
        ):
            only = tables[expert_cell(tables, expert, EXPERT_FILTER)]
            if only < 0 or only == type_index:
                discount += tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
    return discount


@kernel
def _free_spaces_cost(state, tables):
    """Cost of all free cube spaces on the actor's animals of the expedition's continent."""
    seat, total = state[ACTOR], 0
    hand = hand_start(tables, seat)
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        if animal_continent(tables, animal) == state[TARGET]:
            cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
            for type_index in range(tables[TYPES]):
                if not (cubes >> type_index) & 1:
                    total += state[at(tables[S_COSTS] + type_index)]
    return total


@rule
def _add_cost(actions, work, words, cost):
    """Add a cube's cost to every total marked so far: the bits of the work space, moved up by the cost."""
    skip, shift = cost // SUM_BITS, cost % SUM_BITS
    for word in range(words - 1, skip - 1, -1):
        moved = (actions[at(work + word - skip)] << shift) & SUM_MASK
        if word > skip:
            moved |= actions[at(work + word - skip - 1)] >> (SUM_BITS - shift)
        actions[at(work + word)] |= moved


@kernel
def _fill_sums(state, tables, actions, limit):
    """Mark in the work space, a bit a total, what sets of free cube spaces cost, at least up to `limit`."""
    work, seat, words = tables[WORK], state[ACTOR], 1 + limit // SUM_BITS
    for word in range(words):
        actions[at(work + word)] = 0
    actions[at(work)] = 1
    hand = hand_start(tables, seat)
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        if animal_continent(tables, animal) != state[TARGET]:
            continue
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        for type_index in range(tables[TYPES]):
            if not (cubes >> type_index) & 1:
                _add_cost(actions, work, words, state[at(tables[S_COSTS] + type_index)])


@rule
def _some_sum_within(actions, work, limit, value, width):
    """Say whether some total lies above value − width and at most at value."""
    for total in range(max(value - width + 1, 0), min(value, limit) + 1):
        if (actions[at(work + total // SUM_BITS)] >> (total % SUM_BITS)) & 1:
            return True
    return False


@kernel
def _offered(tables, actions, limit, value, tokens, coins):
    """Say whether a payment leaves nothing out without loss (4.4); `value` is the die's with the tokens."""
    work = tables[WORK]
    paid_value = value + coins * tables[PER_COIN]
    if coins > 0 and not _some_sum_within(actions, work, limit, paid_value, tables[PER_COIN]):
        return False
    return tokens == 0 or _some_sum_within(actions, work, limit, paid_value, tables[PER_TOKEN])


@kernel
def _prepare_sums(state, tables, actions, reach):
    """Fill the work space up to the highest value that payments reach; return the limit, -1 if none gains anything."""
    limit = min(_free_spaces_cost(state, tables), reach)
    # Tokens already paid have to show that they mattered, so totals below the value count too.
    if limit <= state[VALUE] and state[PAID_TOKENS] == 0:
        return -1
    _fill_sums(state, tables, actions, limit)
    return limit


@rule
def _most_useful(limit, value, step, means):
    """Most coins (or tokens) of a kind that can matter: beyond, every total is already affordable."""
    if step == 0 or limit <= value:
        return 0
    return min(means, (limit - value + step - 1) // step)


@kernel
def legal_tokens(state, tables, actions):
    """List numbers of tokens that some offered payment of an expedition holds."""
    seat, value = state[ACTOR], state[VALUE]
    coins_held, tokens_held = state[seat_cell(seat, COINS)], state[seat_cell(seat, EXPEDITION_TOKENS)]
    actions[0] = pack(PAY_TOKENS, 0)
    reach = value + coins_held * tables[PER_COIN] + tokens_held * tables[PER_TOKEN]
    limit = _prepare_sums(state, tables, actions, reach)
    if limit < 0:
        return 1
    count = 1
    for tokens in range(1, _most_useful(limit, value, tables[PER_TOKEN], tokens_held) + 1):
        start = value + tokens * tables[PER_TOKEN]
        for coins in range(_most_useful(limit, start, tables[PER_COIN], coins_held) + 1):
            if _offered(tables, actions, limit, start, tokens, coins):
                actions[at(count)] = pack(PAY_TOKENS, tokens)
                count += 1
                break
    return count


@kernel
def apply_tokens(state, tables, record, action):
    """Pay expedition tokens for value; the coins come next."""
    seat, tokens = state[ACTOR], argument(action)
    state[PAID_TOKENS] = tokens
    state[seat_cell(seat, EXPEDITION_TOKENS)] -= tokens
    record[record_cell(seat, REC_TOKENS_SPENT)] += tokens
    state[VALUE] += tokens * tables[PER_TOKEN]
    ask_coins(state)


@kernel
def _legal_expedition_coins(state, tables, actions):
    """List numbers of coins offered together with the tokens already paid."""
    value, coins_held = state[VALUE], state[seat_cell(state[ACTOR], COINS)]
    limit = _prepare_sums(state, tables, actions, value + coins_held * tables[PER_COIN])
    actions[0] = pack(PAY_COINS, 0)
    if limit < 0:
        return 1
    count = 0
    for coins in range(_most_useful(limit, value, tables[PER_COIN], coins_held) + 1):
        if _offered(tables, actions, limit, value, state[PAID_TOKENS], coins):
            actions[at(count)] = pack(PAY_COINS, coins)
            count += 1
    return count


@rule
def possible(state, tables, value):
    """Say what a value makes possible at embassy, academy and publication, as a number that payments compare (4.4)."""
    action = state[ACTION]
    if action == EMBASSY:
        return np.int64(by_steps(tables, tables[T_EMBASSY], tables[EMBASSY_STEPS], value))
    if action == ACADEMY:
        return np.int64(by_steps(tables, tables[T_ACADEMY], tables[ACADEMY_STEPS], value))
    cubes = state[at(tables[S_ANIMAL_CUBES] + state[TARGET])]
    count = 0
    for type_index in range(tables[TYPES]):
        if (cubes >> type_index) & 1 and tables[type_cell(tables, type_index, TYPE_FROM)] <= value:
            count += 1
    return count


@rule
def _highest_useful_value(tables, action):
    """Value above which nothing more becomes possible at embassy, academy and publication."""
    if action == EMBASSY:
        return tables[EMBASSY_STEPS]
    if action == ACADEMY:
        return tables[ACADEMY_STEPS]
    return tables[type_cell(tables, tables[TYPES] - 1, TYPE_FROM)]


@kernel
def legal_coins(state, tables, actions):
    """List numbers of coins that may be paid for value (4.4)."""
    if state[ACTION] == EXPEDITION:
        return _legal_expedition_coins(state, tables, actions)
    seat, value = state[ACTOR], state[VALUE]
    before = possible(state, tables, value)
    count = 0
    # A reference needs a cube on some type the value allows (5.3), so paying nothing may be too little.
    if state[ACTION] != PUBLICATION or before > 0:
        actions[0] = pack(PAY_COINS, 0)
        count = 1
    means = _most_useful(
        _highest_useful_value(tables, state[ACTION]), value, tables[PER_COIN], state[seat_cell(seat, COINS)]
    )
    for coins in range(1, means + 1):
        now = possible(state, tables, value + coins * tables[PER_COIN])
        actions[at(count)] = pack(PAY_COINS, coins)
        count += np.int64(now > before)
        before = now
    return count


@kernel
def apply_coins(state, tables, record, action):
    """Pay coins for value; the die has its final value then."""
    seat, coins = state[ACTOR], argument(action)
    state[PAID_COINS] = coins
    state[seat_cell(seat, COINS)] -= coins
    record[record_cell(seat, REC_COINS_SPENT)] += coins
    state[VALUE] += coins * tables[PER_COIN]
    state[KIND] = KIND_NONE
