"""Decks and displays: dealing, drawing, remaking (rules 2.2, 3.1, 3.5, 11.2)."""

import numpy as np

from sim.chance import ANIMAL_REMAKE, EXPERT_REMAKE, open_purpose, shuffle
from sim.jit import at, kernel, rule
from sim.layout import (
    ACADEMY_COUNT,
    ANIMAL_BACK,
    ANIMAL_FRONT,
    ANIMAL_REMAKES,
    ANIMAL_SIZE,
    ANIMALS,
    C_ANIMALS,
    C_EXPERTS,
    CARD_ROUND,
    CARD_SEAT,
    CARD_SHOWN,
    CARD_SOURCE,
    DISCARDED,
    DISPLAY_ANIMALS,
    DISPLAY_EXPERTS,
    EXPERT_BACK,
    EXPERT_FRONT,
    EXPERT_REMAKES,
    EXPERT_SIZE,
    EXPERTS,
    HAND_COUNT,
    IN_DECK,
    IN_HAND,
    LOG_DEAL_ACADEMY,
    LOG_DEAL_UNIVERSITY,
    LOG_DREW,
    LOG_REMAKE,
    NOWHERE,
    ON_DISPLAY,
    REC_ANIMAL_REMAKES,
    REC_ANIMALS_DRAWN,
    REC_EXPERT_REMAKES,
    ROUND,
    S_ACADEMY,
    S_ANIMAL_WHERE,
    S_EXPERT_WHERE,
    S_UNIVERSITY,
    SOURCE_DRAWN,
    UNIVERSITY_COUNT,
)
from sim.rules.cells import (
    animal_continent,
    animal_record,
    expert_record,
    hand_animals,
    hand_start,
    note,
    record_cell,
    seat_cell,
)


@kernel
def _remake_animals(state, tables, chance, record):
    """Make the animal deck anew from its discards, if there are any."""
    count = 0
    for animal in range(tables[ANIMALS]):
        if state[at(tables[S_ANIMAL_WHERE] + animal)] == DISCARDED:
            state[at(tables[S_ANIMAL_WHERE] + animal)] = IN_DECK
            chance[at(tables[C_ANIMALS] + count)] = np.uint64(animal)
            count += 1
    if count == 0:
        return
    open_purpose(chance, ANIMAL_REMAKE, state[ANIMAL_REMAKES])
    shuffle(chance, tables[C_ANIMALS], count)
    state[ANIMAL_FRONT] = 0
    state[ANIMAL_BACK] = 0
    state[ANIMAL_SIZE] = count
    state[ANIMAL_REMAKES] += 1
    record[REC_ANIMAL_REMAKES] += 1
    note(record, tables, LOG_REMAKE, 0, 0, 0, 0)


@kernel
def _remake_experts(state, tables, chance, record):
    """Make the expert deck anew from its discards, if there are any."""
    count = 0
    for expert in range(tables[EXPERTS]):
        if state[at(tables[S_EXPERT_WHERE] + expert)] == DISCARDED:
            state[at(tables[S_EXPERT_WHERE] + expert)] = IN_DECK
            chance[at(tables[C_EXPERTS] + count)] = np.uint64(expert)
            count += 1
    if count == 0:
        return
    open_purpose(chance, EXPERT_REMAKE, state[EXPERT_REMAKES])
    shuffle(chance, tables[C_EXPERTS], count)
    state[EXPERT_FRONT] = 0
    state[EXPERT_BACK] = 0
    state[EXPERT_SIZE] = count
    state[EXPERT_REMAKES] += 1
    record[REC_EXPERT_REMAKES] += 1
    note(record, tables, LOG_REMAKE, 0, 1, 0, 0)


@rule
def _animals_left(state):
    return state[ANIMAL_SIZE] - state[ANIMAL_FRONT] - state[ANIMAL_BACK]


@kernel
def refill_academy(state, tables, chance, record):
    """Deal animals from the front of the deck until the academy is full (3.1)."""
    while state[ACADEMY_COUNT] < tables[DISPLAY_ANIMALS]:
        if _animals_left(state) == 0:
            _remake_animals(state, tables, chance, record)
            if _animals_left(state) == 0:
                return
        animal = np.int64(chance[at(tables[C_ANIMALS] + state[ANIMAL_FRONT])])
        state[ANIMAL_FRONT] += 1
        state[at(tables[S_ACADEMY] + state[ACADEMY_COUNT])] = animal
        state[ACADEMY_COUNT] += 1
        state[at(tables[S_ANIMAL_WHERE] + animal)] = ON_DISPLAY
        if record[animal_record(tables, animal, CARD_SHOWN)] < 0:
            record[animal_record(tables, animal, CARD_SHOWN)] = state[ROUND]
        note(record, tables, LOG_DEAL_ACADEMY, 0, animal, 0, 0)


@kernel
def refill_university(state, tables, chance, record):
    """Deal experts from the front of the deck until the university is full (3.1)."""
    while state[UNIVERSITY_COUNT] < tables[DISPLAY_EXPERTS]:
        if state[EXPERT_SIZE] - state[EXPERT_FRONT] == 0:
            _remake_experts(state, tables, chance, record)
            if state[EXPERT_SIZE] - state[EXPERT_FRONT] == 0:
                return
        expert = np.int64(chance[at(tables[C_EXPERTS] + state[EXPERT_FRONT])])
        state[EXPERT_FRONT] += 1
        state[at(tables[S_UNIVERSITY] + state[UNIVERSITY_COUNT])] = expert
        state[UNIVERSITY_COUNT] += 1
        state[at(tables[S_EXPERT_WHERE] + expert)] = ON_DISPLAY
        if record[expert_record(tables, expert, CARD_SHOWN)] < 0:
            record[expert_record(tables, expert, CARD_SHOWN)] = state[ROUND]
        note(record, tables, LOG_DEAL_UNIVERSITY, 0, expert, 0, 0)


@kernel
def draw_animals(state, tables, chance, record, seat, count):
    """Draw animals from the back of the deck into a seat's hand (7.2)."""
    for _ in range(count):
        if _animals_left(state) == 0:
            _remake_animals(state, tables, chance, record)
            if _animals_left(state) == 0:
                return
        animal = np.int64(chance[at(tables[C_ANIMALS] + state[ANIMAL_SIZE] - 1 - state[ANIMAL_BACK])])
        state[ANIMAL_BACK] += 1
        record[record_cell(seat, REC_ANIMALS_DRAWN)] += 1
        to_hand(state, tables, record, seat, animal, SOURCE_DRAWN)
        note(record, tables, LOG_DREW, seat, animal, 0, 0)


@kernel
def to_hand(state, tables, record, seat, animal, source):
    """Put an animal behind the others in a seat's hand."""
    count = state[seat_cell(seat, HAND_COUNT)]
    state[at(hand_start(tables, seat) + count)] = animal
    state[seat_cell(seat, HAND_COUNT)] = count + 1
    state[hand_animals(tables, seat, animal_continent(tables, animal))] += 1
    state[at(tables[S_ANIMAL_WHERE] + animal)] = IN_HAND + seat
    record[animal_record(tables, animal, CARD_SEAT)] = seat
    record[animal_record(tables, animal, CARD_ROUND)] = state[ROUND]
    record[animal_record(tables, animal, CARD_SOURCE)] = source


@kernel
def _remove(state, start, count, card):
    """Take a card out of a display; the others keep their order."""
    behind = 0
    for position in range(count - 1):
        behind |= np.int64(state[at(start + position)] == card)
        state[at(start + position)] = state[at(start + position + behind)]
    state[at(start + count - 1)] = NOWHERE


@kernel
def take_animal(state, tables, record, seat, animal, source):
    """Take an animal from the academy into a seat's hand."""
    _remove(state, tables[S_ACADEMY], state[ACADEMY_COUNT], animal)
    state[ACADEMY_COUNT] -= 1
    to_hand(state, tables, record, seat, animal, source)


@kernel
def take_expert(state, tables, expert):
    """Take an expert out of the university's display."""
    _remove(state, tables[S_UNIVERSITY], state[UNIVERSITY_COUNT], expert)
    state[UNIVERSITY_COUNT] -= 1


@kernel
def discard_displays(state, tables):
    """Discard every animal and expert left on display (3.5)."""
    for position in range(state[ACADEMY_COUNT]):
        animal = state[at(tables[S_ACADEMY] + position)]
        state[at(tables[S_ANIMAL_WHERE] + animal)] = DISCARDED
        state[at(tables[S_ACADEMY] + position)] = NOWHERE
    for position in range(state[UNIVERSITY_COUNT]):
        expert = state[at(tables[S_UNIVERSITY] + position)]
        state[at(tables[S_EXPERT_WHERE] + expert)] = DISCARDED
        state[at(tables[S_UNIVERSITY] + position)] = NOWHERE
    state[ACADEMY_COUNT] = 0
    state[UNIVERSITY_COUNT] = 0
