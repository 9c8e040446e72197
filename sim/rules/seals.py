"""Royal seals: one more action at the end of the round (rule 6)."""

from sim.actions import PASS, TAKE, argument, pack, verb
from sim.chance import REROLL, STREAM, SUBINDEX, below, open_purpose
from sim.jit import at, kernel
from sim.layout import (
    BY_SEAL,
    DICE,
    DIE,
    DIE_IN_AREA,
    DIE_IN_BAG,
    DIE_PUBLISHED,
    EXPEDITION,
    KIND,
    KIND_NONE,
    KIND_SEAL,
    KIND_TARGET,
    LOG_ACTION,
    LOG_PASS,
    PLAYERS,
    REC_SEALS_USED,
    ROUND,
    S_DIE_VALUE,
    S_DIE_WHERE,
    SEALS,
    SEALS_PER_ROUND,
    SEAT,
    SIDES,
    STEP,
)
from sim.rules.cells import note, record_cell, seat_cell
from sim.rules.expedition import free_space_of
from sim.rules.rounds import in_turn_order


@kernel
def next_seal(state, tables, record):
    """Ask the next player about a seal, in turn order (6.1); False when all have been asked."""
    while state[STEP] < tables[PLAYERS] * tables[SEALS_PER_ROUND]:
        seat = in_turn_order(state, tables, state[STEP] // tables[SEALS_PER_ROUND])
        if state[seat_cell(seat, SEALS)] > 0:
            state[SEAT] = seat
            state[BY_SEAL] = 1
            state[KIND] = KIND_SEAL
            return True
        _pass(state, tables, record, seat)
    return False


@kernel
def _pass(state, tables, record, seat):
    """Spend no more seals this round; the next player is asked."""
    note(record, tables, LOG_PASS, seat, 0, 0, 0)
    state[STEP] += tables[SEALS_PER_ROUND] - state[STEP] % tables[SEALS_PER_ROUND]


@kernel
def legal_seals(state, tables, actions):
    """List passing, then every die in the board's action areas (6.2)."""
    actions[0] = pack(PASS, 0)
    count = 1
    for die in range(tables[DICE]):
        if DIE_IN_AREA <= state[at(tables[S_DIE_WHERE] + die)] < DIE_PUBLISHED:
            actions[at(count)] = pack(TAKE, die)
            count += 1
    return count


@kernel
def apply_seal(state, tables, chance, record, action):
    """Pass, or spend a seal: take the die, roll it, and ask for an action (6.2)."""
    seat = state[SEAT]
    if verb(action) == PASS:
        _pass(state, tables, record, seat)
        state[KIND] = KIND_NONE
        return
    repetition = state[STEP] % tables[SEALS_PER_ROUND]
    state[STEP] += 1
    die = argument(action)
    state[seat_cell(seat, SEALS)] -= 1
    record[record_cell(seat, REC_SEALS_USED)] += 1
    open_purpose(chance, REROLL, (state[ROUND] * SUBINDEX + seat) * SUBINDEX + repetition)
    value = 1 + below(chance, STREAM, tables[SIDES])
    note(record, tables, LOG_ACTION, seat, die, state[at(tables[S_DIE_WHERE] + die)], value)
    if state[at(tables[S_DIE_WHERE] + die)] == DIE_IN_AREA + EXPEDITION:
        free_space_of(state, tables, die)
    state[at(tables[S_DIE_WHERE] + die)] = DIE_IN_BAG
    state[at(tables[S_DIE_VALUE] + die)] = value
    state[DIE] = die
    state[KIND] = KIND_TARGET
