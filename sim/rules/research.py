"""Research: spending points on cubes (rules 4.10, 7.2)."""

import numpy as np

from sim.actions import CUBE, CUBE_STEP, STOP, argument, pack, verb
from sim.jit import at, kernel
from sim.layout import (
    HAND_COUNT,
    KIND,
    KIND_NONE,
    LOG_CUBE,
    POINTS,
    REC_CUBES_RESEARCHED,
    RESEARCH_CONTINENT,
    RESEARCH_SEAT,
    S_ANIMAL_CUBES,
    S_COSTS,
    TYPES,
)
from sim.rules.cells import animal_category, animal_continent, hand_cubes, hand_start, note, record_cell, seat_cell


@kernel
def legal_cubes(state, tables, actions):
    """List the cubes the points can buy; stopping comes first."""
    seat, points, wanted = state[RESEARCH_SEAT], state[POINTS], state[RESEARCH_CONTINENT]
    actions[0] = pack(STOP, 0)
    costs, types = tables[S_COSTS], tables[TYPES]
    count = 1
    hand = hand_start(tables, seat)
    for position in range(state[seat_cell(seat, HAND_COUNT)]):
        animal = state[at(hand + position)]
        if wanted >= 0 and animal_continent(tables, animal) != wanted:
            continue
        cubes = state[at(tables[S_ANIMAL_CUBES] + animal)]
        for type_index in range(types):
            free = ((cubes >> type_index) & 1) == 0
            actions[at(count)] = pack(CUBE, animal * CUBE_STEP + type_index)
            count += np.int64(free & (state[at(costs + type_index)] <= points))
    return count


@kernel
def apply_cube(state, tables, record, action):
    """Put a cube on an animal's type space, or stop; unspent points are lost."""
    if verb(action) == STOP:
        state[POINTS] = 0
        state[KIND] = KIND_NONE
        return
    animal, type_index = argument(action) // CUBE_STEP, argument(action) % CUBE_STEP
    state[at(tables[S_ANIMAL_CUBES] + animal)] |= 1 << type_index
    state[hand_cubes(tables, state[RESEARCH_SEAT], animal_category(tables, animal, type_index))] += 1
    state[POINTS] -= state[at(tables[S_COSTS] + type_index)]
    record[record_cell(state[RESEARCH_SEAT], REC_CUBES_RESEARCHED)] += 1
    note(record, tables, LOG_CUBE, state[RESEARCH_SEAT], animal, type_index, 0)
