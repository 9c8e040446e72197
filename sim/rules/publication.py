"""Publication: cubes to the category spaces, animals beside the board (rule 5)."""

from sim.actions import argument, pack
from sim.jit import at, kernel, rule
from sim.layout import (
    ACTOR,
    ANIMAL_VP,
    CARD_PUBLISHED,
    CATEGORIES,
    CONTINENTS,
    HAND_COUNT,
    IN_HAND,
    KIND,
    KIND_ALONG,
    KIND_GIVE,
    KIND_NONE,
    LOG_ALONG,
    LOG_GAVE,
    LOG_PUBLICATION,
    NOWHERE,
    PUBLICATION_SEALS,
    PUBLISH_INDEX,
    PUBLISH_TYPE,
    PUBLISHED,
    PUBLISHED_COUNT,
    PUBLISHING,
    REC_ANIMALS_PUBLISHED,
    REC_CUBES_SCORED,
    REC_VP_ANIMALS,
    REC_VP_CUBES,
    ROUND,
    S_ANIMAL_CUBES,
    S_ANIMAL_WHERE,
    S_CATEGORY_CUBES,
    S_CONTINENT_ANIMALS,
    SEAT,
    SUBJECT,
    TARGET,
    TYPE_FROM,
    TYPE_VP,
    TYPES,
    VALUE,
)
from sim.rules.cells import (
    animal_category,
    animal_continent,
    animal_record,
    hand_animals,
    hand_cubes,
    hand_start,
    note,
    record_cell,
    seat_cell,
    type_cell,
)
from sim.rules.effects import gain_seals, gain_vp, push_action_experts


@kernel
def perform_publication(state, tables, record):
    """Begin a publication at the highest type the value allows (5.1–5.4)."""
    reference = state[TARGET]
    push_action_experts(state, tables, animal_continent(tables, reference))
    note(record, tables, LOG_PUBLICATION, state[ACTOR], reference, 0, 0)
    state[at(tables[S_ANIMAL_WHERE] + reference)] = PUBLISHING + state[ACTOR]
    highest = tables[TYPES] - 1
    while tables[type_cell(tables, highest, TYPE_FROM)] > state[VALUE]:
        highest -= 1
    state[PUBLISH_TYPE] = highest
    _begin_type(state, tables, record)
    continue_publication(state, tables, record)


@rule
def _has_cube(state, tables, animal, type_index):
    return (state[at(tables[S_ANIMAL_CUBES] + animal)] >> type_index) & 1 == 1


@kernel
def _begin_type(state, tables, record):
    """Move on to the first type from here down on which the reference has a cube, and move that cube."""
    reference = state[TARGET]
    while state[PUBLISH_TYPE] >= 0 and not _has_cube(state, tables, reference, state[PUBLISH_TYPE]):
        state[PUBLISH_TYPE] -= 1
    if state[PUBLISH_TYPE] >= 0:
        _move_cube(state, tables, record, reference)
    state[PUBLISH_INDEX] = 0


@kernel
def _move_cube(state, tables, record, animal):
    """Move an animal's cube of the type in hand to its category space and score it (5.4, 5.5)."""
    seat, type_index = state[ACTOR], state[PUBLISH_TYPE]
    category = animal_category(tables, animal, type_index)
    state[at(tables[S_ANIMAL_CUBES] + animal)] &= ~(1 << type_index)
    state[at(tables[S_ANIMAL_WHERE] + animal)] = PUBLISHING + seat
    state[hand_cubes(tables, seat, category)] -= 1
    state[at(tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES] + category)] += 1
    gain_vp(state, record, seat, tables[type_cell(tables, type_index, TYPE_VP)], REC_VP_CUBES)
    record[record_cell(seat, REC_CUBES_SCORED)] += 1
    note(record, tables, LOG_GAVE, seat, animal, type_index, 0)


@rule
def _may_give(state, tables, animal):
    """Say whether another animal has the reference's category of the type in hand, and a cube there (5.4)."""
    type_index, reference = state[PUBLISH_TYPE], state[TARGET]
    return (
        animal != reference
        and _has_cube(state, tables, animal, type_index)
        and animal_category(tables, animal, type_index) == animal_category(tables, reference, type_index)
    )


@rule
def _may_come_along(state, tables, animal):
    """Say whether an animal of the reference's continent gave no cube (5.6)."""
    return state[at(tables[S_ANIMAL_WHERE] + animal)] == IN_HAND + state[ACTOR] and animal_continent(
        tables, animal
    ) == animal_continent(tables, state[TARGET])


@kernel
def continue_publication(state, tables, record):
    """Ask about the next animal that may give a cube or come along; finish when there is none."""
    seat = state[ACTOR]
    hand, size = hand_start(tables, seat), state[seat_cell(seat, HAND_COUNT)]
    state[SEAT] = seat
    while True:
        while state[PUBLISH_INDEX] < size:
            animal = state[at(hand + state[PUBLISH_INDEX])]
            state[PUBLISH_INDEX] += 1
            if state[PUBLISH_TYPE] >= 0:
                if _may_give(state, tables, animal):
                    state[SUBJECT] = animal
                    state[KIND] = KIND_GIVE
                    return
            elif _may_come_along(state, tables, animal):
                state[SUBJECT] = animal
                state[KIND] = KIND_ALONG
                return
        if state[PUBLISH_TYPE] < 0:
            _finish(state, tables, record)
            return
        state[PUBLISH_TYPE] -= 1
        _begin_type(state, tables, record)


@rule
def legal_yes_no(actions, verb_code):
    """List no and yes."""
    actions[0] = pack(verb_code, 0)
    actions[1] = pack(verb_code, 1)
    return 2


@kernel
def apply_give(state, tables, record, action):
    """Move the asked animal's cube, or leave it."""
    state[KIND] = KIND_NONE
    if argument(action):
        _move_cube(state, tables, record, state[SUBJECT])
    continue_publication(state, tables, record)


@kernel
def apply_along(state, tables, record, action):
    """Publish the asked animal along, or keep it."""
    state[KIND] = KIND_NONE
    if argument(action):
        state[at(tables[S_ANIMAL_WHERE] + state[SUBJECT])] = PUBLISHING + state[ACTOR]
        note(record, tables, LOG_ALONG, state[ACTOR], state[SUBJECT], 0, 0)
    continue_publication(state, tables, record)


@rule
def _return_cubes(state, tables, seat, animal):
    """Give back the cubes that a published animal has not given (5.7)."""
    for type_index in range(tables[TYPES]):
        left = (state[at(tables[S_ANIMAL_CUBES] + animal)] >> type_index) & 1
        state[hand_cubes(tables, seat, animal_category(tables, animal, type_index))] -= left
    state[at(tables[S_ANIMAL_CUBES] + animal)] = 0


@kernel
def _finish(state, tables, record):
    """Put published animals beside the board, score them, gain the seal (5.7, 4.11)."""
    seat = state[ACTOR]
    hand, size = hand_start(tables, seat), state[seat_cell(seat, HAND_COUNT)]
    kept = 0
    for position in range(size):
        animal = state[at(hand + position)]
        if state[at(tables[S_ANIMAL_WHERE] + animal)] != PUBLISHING + seat:
            state[at(hand + kept)] = animal
            kept += 1
            continue
        state[at(tables[S_ANIMAL_WHERE] + animal)] = PUBLISHED + seat
        _return_cubes(state, tables, seat, animal)
        continent = animal_continent(tables, animal)
        state[hand_animals(tables, seat, continent)] -= 1
        state[at(tables[S_CONTINENT_ANIMALS] + seat * tables[CONTINENTS] + continent)] += 1
        record[animal_record(tables, animal, CARD_PUBLISHED)] = state[ROUND]
    for position in range(kept, size):
        state[at(hand + position)] = NOWHERE
    state[seat_cell(seat, HAND_COUNT)] = kept
    state[seat_cell(seat, PUBLISHED_COUNT)] += size - kept
    record[record_cell(seat, REC_ANIMALS_PUBLISHED)] += size - kept
    gain_vp(state, record, seat, (size - kept) * tables[ANIMAL_VP], REC_VP_ANIMALS)
    gain_seals(state, record, seat, tables[PUBLICATION_SEALS])
