"""Expedition: a space of a continent, reputation, research points (rule 4.10)."""

from sim.jit import at, kernel
from sim.layout import (
    ACTOR,
    CONTINENTS,
    DIE,
    EXPEDITION_SPACES,
    KIND,
    KIND_CUBE,
    LOG_EXPEDITION,
    NOWHERE,
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
    push_action_experts(state, tables, continent)
    note(record, tables, LOG_EXPEDITION, seat, continent, space, 0)
    gain_reputation(state, tables, record, seat, tables[at(tables[T_EXPEDITION] + space)])
    # Costs were worked out when the payments were due, from the experts that worked then.
    state[POINTS] = state[VALUE]
    state[RESEARCH_SEAT] = seat
    state[RESEARCH_CONTINENT] = continent
    state[KIND] = KIND_CUBE


@kernel
def free_space_of(state, tables, die):
    """Take a die off the expedition space it lies on (6.2)."""
    for cell in range(tables[S_EXPEDITION], tables[S_EXPEDITION] + tables[CONTINENTS] * tables[EXPEDITION_SPACES]):
        if state[at(cell)] == die:
            state[at(cell)] = NOWHERE
