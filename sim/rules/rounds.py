"""A round's frame: refill, token, dice and their places, the end (rules 3 and 9.1)."""

import numpy as np

from sim.actions import PUT, argument, pack
from sim.chance import BAG, ROLL, STREAM, SUBINDEX, below, open_purpose, shuffle
from sim.jit import at, kernel, rule
from sim.layout import (
    C_BAG,
    C_TOKENS,
    CATEGORIES,
    COINS,
    COLOURS,
    CONTINENTS,
    DICE,
    DICE_PER_PLAYER,
    DIE_DRAWN,
    DIE_IN_BAG,
    DIE_ON_BOARD,
    DISCARDED,
    EXPEDITION_SPACES,
    HAND_COUNT,
    KIND,
    KIND_NONE,
    KIND_PLACE,
    LOG_PLACE,
    LOG_ROLL,
    LOG_ROUND,
    LOG_ROUND_END,
    NOWHERE,
    OPEN_CONTINENTS,
    PENDING_TOKEN,
    PHASE,
    PHASE_PLACE,
    PHASE_ROUND,
    PLAYERS,
    R_VP_BY_ROUND,
    REC_ANIMALS_LEFT,
    ROTATES,
    ROUND,
    ROUNDS,
    S_ANIMAL_CUBES,
    S_ANIMAL_WHERE,
    S_BOARDS,
    S_COLOUR_COUNT,
    S_DIE_VALUE,
    S_DIE_WHERE,
    S_DRAWN,
    S_EXPEDITION,
    S_TOKENS,
    SCOPE,
    SEAT,
    SIDES,
    SPACES,
    START_SEAT,
    STEP,
    SUBJECT,
    T_DIE_COLOUR,
    T_PLACING_POSITION,
    T_TOKENS,
    TOKEN_ROW,
    TRIGGER_ROUND_START,
    VP,
)
from sim.rules.cards import discard_displays, refill_academy, refill_university
from sim.rules.cells import hand_animals, hand_cubes, hand_start, note, record_cell, seat_cell
from sim.rules.effects import push, push_experts


@rule
def in_turn_order(state, tables, position):
    """Seat at a position of the turn order, from 0 for the start player."""
    seat = state[START_SEAT] + position
    return seat - tables[PLAYERS] if seat >= tables[PLAYERS] else seat


@kernel
def _scope_measure(state, seat, measure):
    """Read what a token's scope compares: VP, unpublished animals or coins, as in `vocabulary.SCOPE_MEASURES`."""
    if measure == 0:
        return state[seat_cell(seat, VP)]
    if measure == 1:
        return state[seat_cell(seat, HAND_COUNT)]
    return state[seat_cell(seat, COINS)]


@kernel
def _seats_in_scope(state, tables, scope):
    """Bit mask of the seats a token applies to; ties all count (8)."""
    everyone = (1 << tables[PLAYERS]) - 1
    if scope == 0:
        return everyone
    measure, sign = (scope - 1) // 2, 1 if scope % 2 == 0 else -1
    best = sign * _scope_measure(state, 0, measure)
    for seat in range(1, tables[PLAYERS]):
        best = max(best, sign * _scope_measure(state, seat, measure))
    mask = 0
    for seat in range(tables[PLAYERS]):
        if sign * _scope_measure(state, seat, measure) == best:
            mask |= 1 << seat
    return mask


@kernel
def begin_round(state, tables, chance, record):
    """Refill, reveal the round's token, and set off its effects and the `round_start` experts (3.1, 3.2)."""
    if tables[ROTATES] and state[ROUND] > 0:
        state[START_SEAT] = (state[START_SEAT] + 1) % tables[PLAYERS]
    state[ROUND] += 1
    state[PHASE] = PHASE_ROUND
    refill_university(state, tables, chance, record)
    refill_academy(state, tables, chance, record)
    token = np.int64(chance[at(tables[C_TOKENS] + state[ROUND] - 1)])
    state[at(tables[S_TOKENS] + state[ROUND] - 1)] = token
    note(record, tables, LOG_ROUND, state[START_SEAT], token, 0, 0)
    for position in range(tables[PLAYERS] - 1, -1, -1):
        push_experts(state, tables, in_turn_order(state, tables, position), TRIGGER_ROUND_START, NOWHERE)
    mask = _seats_in_scope(state, tables, tables[at(tables[T_TOKENS] + token * TOKEN_ROW + SCOPE)])
    for position in range(tables[PLAYERS] - 1, -1, -1):
        seat = in_turn_order(state, tables, position)
        if (mask >> seat) & 1:
            push(state, tables, PENDING_TOKEN, seat, token)


@kernel
def roll_dice(state, tables, chance, record):
    """All dice go back to the bag; every seat draws and rolls its own (3.3).

    Which dice a seat draws and what it rolls depends on seed, luck, round and seat alone (11.2).
    """
    dice, players, each = tables[DICE], tables[PLAYERS], tables[DICE_PER_PLAYER]
    for die in range(dice):
        chance[at(tables[C_BAG] + die)] = np.uint64(die)
        state[at(tables[S_DIE_WHERE] + die)] = DIE_IN_BAG
        state[at(tables[S_DIE_VALUE] + die)] = 0
    for cell in range(tables[S_EXPEDITION], tables[S_EXPEDITION] + tables[CONTINENTS] * tables[EXPEDITION_SPACES]):
        state[at(cell)] = NOWHERE
    state[OPEN_CONTINENTS] = (1 << tables[CONTINENTS]) - 1 if tables[EXPEDITION_SPACES] > 0 else 0
    open_purpose(chance, BAG, state[ROUND])
    shuffle(chance, tables[C_BAG], dice)
    for position in range(players):
        seat = in_turn_order(state, tables, position)
        open_purpose(chance, ROLL, state[ROUND] * SUBINDEX + seat)
        for number in range(each):
            die = np.int64(chance[at(tables[C_BAG] + seat * each + number)])
            value = 1 + below(chance, STREAM, tables[SIDES])
            state[at(tables[S_DRAWN] + seat * each + number)] = die
            state[at(tables[S_DIE_VALUE] + die)] = value
            state[at(tables[S_DIE_WHERE] + die)] = DIE_DRAWN + seat
            note(record, tables, LOG_ROLL, seat, die, value, 0)
    state[PHASE] = PHASE_PLACE
    state[STEP] = 0


@kernel
def next_placing(state, tables):
    """Ask for the next die to be placed, in turn order (3.3); False when all lie on the boards."""
    each = tables[DICE_PER_PLAYER]
    if state[STEP] == tables[PLAYERS] * each:
        return False
    position = tables[at(tables[T_PLACING_POSITION] + state[STEP])]
    seat = in_turn_order(state, tables, position)
    state[SUBJECT] = state[at(tables[S_DRAWN] + (seat - position) * each + state[STEP])]
    state[SEAT] = seat
    state[KIND] = KIND_PLACE
    return True


@kernel
def legal_places(state, tables, actions):
    """List the free spaces of the seat's own board."""
    count, board = 0, tables[S_BOARDS] + state[SEAT] * tables[SPACES]
    for space in range(tables[SPACES]):
        actions[at(count)] = pack(PUT, space)
        count += np.int64(state[at(board + space)] < 0)
    return count


@kernel
def apply_place(state, tables, record, action):
    """Put the die on a space of the seat's own board."""
    seat, space, die = state[SEAT], argument(action), state[SUBJECT]
    state[at(tables[S_BOARDS] + seat * tables[SPACES] + space)] = die
    state[at(tables[S_DIE_WHERE] + die)] = DIE_ON_BOARD + seat * tables[SPACES] + space
    colour = tables[at(tables[T_DIE_COLOUR] + die)]
    state[at(tables[S_COLOUR_COUNT] + colour)] += 1
    state[COLOURS] |= 1 << colour
    note(record, tables, LOG_PLACE, seat, die, space, 0)
    state[STEP] += 1
    state[KIND] = KIND_NONE


@kernel
def end_round(state, tables, record):
    """Discard the displays (3.5) and keep each seat's VP for the record."""
    discard_displays(state, tables)
    for seat in range(tables[PLAYERS]):
        cell = tables[R_VP_BY_ROUND] + seat * tables[ROUNDS] + state[ROUND] - 1
        record[at(cell)] = state[seat_cell(seat, VP)]
    note(record, tables, LOG_ROUND_END, 0, 0, 0, 0)


@kernel
def discard_hands(state, tables, record):
    """Discard unpublished animals and return their cubes (9.1)."""
    for seat in range(tables[PLAYERS]):
        hand = hand_start(tables, seat)
        record[record_cell(seat, REC_ANIMALS_LEFT)] = state[seat_cell(seat, HAND_COUNT)]
        for position in range(state[seat_cell(seat, HAND_COUNT)]):
            animal = state[at(hand + position)]
            state[at(tables[S_ANIMAL_WHERE] + animal)] = DISCARDED
            state[at(tables[S_ANIMAL_CUBES] + animal)] = 0
            state[at(hand + position)] = NOWHERE
        state[seat_cell(seat, HAND_COUNT)] = 0
        for continent in range(tables[CONTINENTS]):
            state[hand_animals(tables, seat, continent)] = 0
        for category in range(tables[CATEGORIES]):
            state[hand_cubes(tables, seat, category)] = 0
