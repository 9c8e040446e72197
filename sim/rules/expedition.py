"""Expedition: a space of a continent, reputation, research points (rule 4.10)."""

from sim.jit import at, kernel, rule
from sim.layout import (
    ACTOR,
    CONTINENTS,
    DIE,
    EXPEDITION_SPACES,
    KIND,
    KIND_CUBE,
    LOG_EXPEDITION,
    NOWHERE,
    OPEN_CONTINENTS,
    POINTS,
    RESEARCH_CONTINENT,
    RESEARCH_SEAT,
    S_EXPEDITION,
    T_EXPEDITION,
    TARGET,
    VALUE,
)
from sim.rules.cells import note
from sim.rules.effects import gain_reputation, push_action_experts


@kernel
def perform_expedition(state, tables, record):
    """Put the die on the leftmost free space, gain its reputation, research with the value."""
    seat, continent = state[ACTOR], state[TARGET]
    start = tables[S_EXPEDITION] + continent * tables[EXPEDITION_SPACES]
    space = 0
    while state[at(start + space)] >= 0:
        space += 1
    state[at(start + space)] = state[DIE]
    if _is_full(state, tables, continent):
        state[OPEN_CONTINENTS] &= ~(1 << continent)
    push_action_experts(state, tables, continent)
    note(record, tables, LOG_EXPEDITION, seat, continent, space, 0)
    gain_reputation(state, tables, record, seat, tables[at(tables[T_EXPEDITION] + space)])
    # Costs were worked out when the payments were due, from the experts that worked then.
    state[POINTS] = state[VALUE]
    state[RESEARCH_SEAT] = seat
    state[RESEARCH_CONTINENT] = continent
    state[KIND] = KIND_CUBE


@rule
def _is_full(state, tables, continent):
    """Say whether a continent is closed to further expeditions."""
    start = tables[S_EXPEDITION] + continent * tables[EXPEDITION_SPACES]
    for space in range(tables[EXPEDITION_SPACES]):
        if state[at(start + space)] < 0:
            return False
    return True


@kernel
def free_space_of(state, tables, die):
    """Take a die off the expedition space it lies on (6.2)."""
    spaces = tables[EXPEDITION_SPACES]
    for number in range(tables[CONTINENTS] * spaces):
        if state[at(tables[S_EXPEDITION] + number)] == die:
            state[at(tables[S_EXPEDITION] + number)] = NOWHERE
            state[OPEN_CONTINENTS] |= 1 << (number // spaces)
