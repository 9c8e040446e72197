"""A turn: which action, with which die, and taking it (rules 3.4, 4.1–4.3)."""

import numpy as np

from sim.actions import (
    TAKE,
    TO_ACADEMY,
    TO_BANK,
    TO_EMBASSY,
    TO_EXPEDITION,
    TO_PUBLICATION,
    TO_UNIVERSITY,
    argument,
    pack,
    verb,
)
from sim.jit import at, kernel, lowest_bit, rule
from sim.layout import (
    ACADEMY,
    ACADEMY_COUNT,
    ACTION,
    ACTOR,
    BY_SEAL,
    COINS,
    COLOURS,
    CONTINENTS,
    DICE_PER_PLAYER,
    DIE,
    DIE_IN_AREA,
    DIE_ON_BOARD,
    EFFECT,
    EFFECT_NONE,
    EFFECT_ROW,
    EXPEDITION,
    EXPEDITION_TOKENS,
    EXPERT_CONTINENT,
    FREE_RECOLOUR,
    HAND_COUNT,
    KIND,
    KIND_DIE,
    KIND_NONE,
    KIND_TARGET,
    LOG_ACTION,
    NOWHERE,
    OPEN_CONTINENTS,
    PENDING_PAYMENT,
    PENDING_SPACE,
    PER_COIN,
    PLAYERS,
    PUBLICATION,
    REC_DICE_LOST,
    REC_DICE_TAKEN,
    RECOLOUR_PRICE,
    S_ACADEMY,
    S_ANIMAL_CUBES,
    S_BOARDS,
    S_COLOUR_COUNT,
    S_DIE_VALUE,
    S_DIE_WHERE,
    S_UNIVERSITY,
    SEAT,
    SPACES,
    STEP,
    T_ANIMALS,
    T_BOARD_OWNER,
    T_DIE_COLOUR,
    T_SPACES,
    T_TURN_POSITION,
    TARGET,
    TRIGGER_STOLEN,
    TYPE_FROM,
    TYPES,
    UNIVERSITY,
    UNIVERSITY_COUNT,
)
from sim.rules.cells import animal_continent, expert_cell, hand_start, note, record_cell, seat_cell, type_cell
from sim.rules.effects import push, push_experts, value_bonus
from sim.rules.rounds import in_turn_order


@kernel
def next_turn(state, tables):
    """Ask the next player for an action (3.4); False when every die has been taken."""
    if state[STEP] == tables[PLAYERS] * tables[DICE_PER_PLAYER]:
        return False
    state[SEAT] = in_turn_order(state, tables, tables[at(tables[T_TURN_POSITION] + state[STEP])])
    state[BY_SEAL] = 0
    state[KIND] = KIND_TARGET
    return True


@rule
def usable_colours(state, tables, seat, action, colours):
    """Bit mask of colours that dice of `colours` can have in an action, recoloured or not (4.3)."""
    if state[seat_cell(seat, EXPEDITION_TOKENS)] >= tables[RECOLOUR_PRICE]:
        return (1 << tables[CONTINENTS]) - 1
    return colours | state[seat_cell(seat, FREE_RECOLOUR + action)]


@rule
def die_suits(state, tables, die, continent, recolourable, least):
    """Say whether a die has, or can be given, a colour, and shows at least a value."""
    return state[at(tables[S_DIE_VALUE] + die)] >= least and (
        recolourable or tables[at(tables[T_DIE_COLOUR] + die)] == continent
    )


@rule
def can_recolour(state, tables, seat, action, continent):
    """Say whether a seat can turn a die of any colour into a continent's, paid or free (4.3)."""
    return (
        state[seat_cell(seat, EXPEDITION_TOKENS)] >= tables[RECOLOUR_PRICE]
        or (state[seat_cell(seat, FREE_RECOLOUR + action)] >> continent) & 1 == 1
    )


@rule
def _least_paid(state, tables, animal, paid):
    """Lowest value of a die that publishes an animal with so much added; some number if it has no cube (5.2, 5.3)."""
    type_index = lowest_bit(max(state[at(tables[S_ANIMAL_CUBES] + animal)], 1))
    return tables[type_cell(tables, type_index, TYPE_FROM)] - paid


@kernel
def least_value(state, tables, seat, animal):
    """Lowest value of a die that a seat can publish an animal with, all its coins spent (5.2, 5.3)."""
    bonus = value_bonus(state, tables, seat, PUBLICATION, animal_continent(tables, animal))
    return _least_paid(state, tables, animal, bonus + state[seat_cell(seat, COINS)] * tables[PER_COIN])


@kernel
def _some_die_suits(state, tables, continent, recolourable, least):
    """Say whether the rolled die of a seal, or some die on the boards, suits."""
    if state[BY_SEAL]:
        return die_suits(state, tables, state[DIE], continent, recolourable, least)
    for cell in range(tables[S_BOARDS], tables[S_BOARDS] + tables[PLAYERS] * tables[SPACES]):
        die = state[at(cell)]
        if die >= 0 and die_suits(state, tables, die, continent, recolourable, least):
            return True
    return False


@kernel
def _is_reached(state, tables, seat, animal):
    """Say whether some available die reaches the value that an animal needs."""
    least = least_value(state, tables, seat, animal)
    if least <= 1:
        return True
    continent = animal_continent(tables, animal)
    recolourable = can_recolour(state, tables, seat, PUBLICATION, continent)
    return _some_die_suits(state, tables, continent, recolourable, least)


@rule
def _publishable(state, tables, seat, animal, colours, coins):
    """Say whether some available die makes an animal the reference of a publication, by what coins add to it.

    That an animal has cubes and a die its colour is as likely as not, so it is no branch.
    """
    fits = (colours >> animal_continent(tables, animal)) & (state[at(tables[S_ANIMAL_CUBES] + animal)] != 0)
    if fits & (_least_paid(state, tables, animal, coins) > 1):
        return _is_reached(state, tables, seat, animal)
    return fits & 1 == 1


@rule
def _add_animals(state, tables, actions, colours, count):
    """Add the animals on display that can be taken with a die of some colours."""
    # The compiler cannot know that writing actions leaves the tables alone; it would read these again every time.
    display, rows, row = tables[S_ACADEMY], tables[T_ANIMALS], 1 + tables[TYPES]
    for position in range(state[ACADEMY_COUNT]):
        animal = state[at(display + position)]
        actions[at(count)] = pack(TO_ACADEMY, animal)
        count += (colours >> tables[at(rows + animal * row)]) & 1
    return count


@kernel
def legal_targets(state, tables, actions):
    """List the actions some available die makes possible, each with what it aims at (4.2)."""
    seat = state[SEAT]
    available = state[COLOURS]
    if state[BY_SEAL]:
        available = 1 << tables[at(tables[T_DIE_COLOUR] + state[DIE])]
    actions[0] = pack(TO_EMBASSY, 0)
    actions[1] = pack(TO_BANK, 0)
    count = 2
    display = tables[S_UNIVERSITY]
    for position in range(state[UNIVERSITY_COUNT]):
        actions[at(count)] = pack(TO_UNIVERSITY, state[at(display + position)])
        count += 1
    count = _add_animals(state, tables, actions, usable_colours(state, tables, seat, ACADEMY, available), count)
    colours = usable_colours(state, tables, seat, EXPEDITION, available) & state[OPEN_CONTINENTS]
    for continent in range(tables[CONTINENTS]):
        actions[at(count)] = pack(TO_EXPEDITION, continent)
        count += (colours >> continent) & 1
    colours = usable_colours(state, tables, seat, PUBLICATION, available)
    hand, coins = hand_start(tables, seat), state[seat_cell(seat, COINS)] * tables[PER_COIN]
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        actions[at(count)] = pack(TO_PUBLICATION, animal)
        count += np.int64(_publishable(state, tables, seat, animal, colours, coins))
    return count


@rule
def target_continent(tables, action, target):
    """Continent that an action's target belongs to, -1 for embassy and bank (4.5)."""
    if action == UNIVERSITY:
        return np.int64(tables[expert_cell(tables, target, EXPERT_CONTINENT)])
    if action in (ACADEMY, PUBLICATION):
        return np.int64(animal_continent(tables, target))
    if action == EXPEDITION:
        return np.int64(target)
    return np.int64(-1)


@kernel
def apply_target(state, tables, action):
    """Keep the action and its target; a turn then asks for the die, a seal has its own."""
    state[ACTOR] = state[SEAT]
    state[ACTION] = verb(action) - TO_EMBASSY
    state[TARGET] = argument(action)
    state[KIND] = KIND_NONE if state[BY_SEAL] else KIND_DIE
    if state[BY_SEAL]:
        begin_action(state, tables)


@kernel
def legal_dice(state, tables, actions):
    """List the dice on the boards that make the target possible."""
    action, target, seat = state[ACTION], state[TARGET], state[SEAT]
    continent = target_continent(tables, action, target)
    recolourable = action < ACADEMY or can_recolour(state, tables, seat, action, continent)
    least = least_value(state, tables, seat, target) if action == PUBLICATION else 1
    values, colours = tables[S_DIE_VALUE], tables[T_DIE_COLOUR]
    count = 0
    for cell in range(tables[S_BOARDS], tables[S_BOARDS] + tables[PLAYERS] * tables[SPACES]):
        die = state[at(cell)]
        there = max(die, 0)
        suits = (
            (die >= 0)
            & (recolourable | (tables[at(colours + there)] == continent))
            & (state[at(values + there)] >= least)
        )
        actions[at(count)] = pack(TAKE, there)
        count += np.int64(suits)
    return count


@kernel
def apply_die(state, tables, record, action):
    """Take a die from a board; another player whose die it was gains from the space and `stolen` experts (4.1)."""
    die, seat = argument(action), state[SEAT]
    place = state[at(tables[S_DIE_WHERE] + die)] - DIE_ON_BOARD
    owner = tables[at(tables[T_BOARD_OWNER] + place)]
    space = place - owner * tables[SPACES]
    state[at(tables[S_BOARDS] + place)] = NOWHERE
    colour = tables[at(tables[T_DIE_COLOUR] + die)]
    state[at(tables[S_COLOUR_COUNT] + colour)] -= 1
    state[COLOURS] &= ~(np.int64(state[at(tables[S_COLOUR_COUNT] + colour)] == 0) << colour)
    note(record, tables, LOG_ACTION, seat, die, DIE_ON_BOARD + place, 0)
    state[DIE] = die
    state[STEP] += 1
    state[KIND] = KIND_NONE
    begin_action(state, tables)
    if owner != seat:
        record[record_cell(seat, REC_DICE_TAKEN)] += 1
        record[record_cell(owner, REC_DICE_LOST)] += 1
        push_experts(state, tables, owner, TRIGGER_STOLEN, NOWHERE)
        if tables[at(tables[T_SPACES] + space * EFFECT_ROW + EFFECT)] != EFFECT_NONE:
            push(state, tables, PENDING_SPACE, owner, space)


@rule
def begin_action(state, tables):
    """Put the die in the action's area and the payments on the stack (4.12).

    The experts that work now are those that are looked at until the action is performed: nothing before that
    changes what lies on top of the actor's spaces, and a hired card is put down after the others were noted.
    """
    state[at(tables[S_DIE_WHERE] + state[DIE])] = DIE_IN_AREA + state[ACTION]
    push(state, tables, PENDING_PAYMENT, state[ACTOR], 0)
