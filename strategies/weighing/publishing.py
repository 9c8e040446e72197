"""What a publication is worth: the reference, what goes with it, and up to which type a die lets it."""

# ruff: noqa: D103
from sim.jit import at, rule
from sim.layout import (
    COINS,
    HAND_COUNT,
    PER_COIN,
    PUBLICATION_SEALS,
    S_ANIMAL_CUBES,
    TYPE_FROM,
    TYPES,
)
from sim.rules.cells import animal_category, animal_continent, hand_start, seat_cell, type_cell
from strategies.weighing.hands import card_worth, cube_worth
from strategies.weighing.layout import (
    BASE,
    COIN,
    COINS_A_PIP,
    HELD,
    MOST_HAND,
    NEVER,
    PUBLISH_GAIN,
    RELEASE,
    SEAL,
)


@rule
def prepare_publication(state, tables, space, seat, reference):  # type: ignore[no-untyped-def]
    """Work out what publishing with a reference brings, by the highest type the value allows (5)."""
    continent = animal_continent(tables, reference)
    cubes = state[at(tables[S_ANIMAL_CUBES] + reference)]
    hand, count = hand_start(tables, seat), min(state[seat_cell(seat, HAND_COUNT)], MOST_HAND)
    base = card_worth(state, tables, space, seat, continent) + tables[PUBLICATION_SEALS] * space[SEAL]
    for position in range(count):
        animal = state[at(hand + position)]
        if animal == reference:
            base -= space[at(HELD + position)]
        elif animal_continent(tables, animal) == continent:
            base += max(0.0, space[at(RELEASE + position)])
    space[BASE] = base
    gain = 0.0
    for type_index in range(tables[TYPES]):
        space[at(PUBLISH_GAIN + type_index)] = -1.0
        if (cubes >> type_index) & 1:
            category = animal_category(tables, reference, type_index)
            worth = cube_worth(state, tables, space, seat, reference, type_index)
            gain += worth
            for position in range(count):
                animal = state[at(hand + position)]
                if (
                    (state[at(tables[S_ANIMAL_CUBES] + animal)] >> type_index) & 1
                    and animal_category(tables, animal, type_index) == category
                    and animal != reference
                ):
                    gain += max(0.0, worth + space[at(RELEASE + position)])
            space[at(PUBLISH_GAIN + type_index)] = gain


@rule
def publication_worth(state, tables, space, seat, value):  # type: ignore[no-untyped-def]
    """Say what the publication prepared brings with a die of a value and the coins that are worth paying."""
    best = -NEVER
    reach, pip = 1.0 * state[seat_cell(seat, COINS)] * tables[PER_COIN], space[COIN] * space[COINS_A_PIP]
    for type_index in range(tables[TYPES]):
        gain = space[at(PUBLISH_GAIN + type_index)]
        if gain < 0.0:
            continue
        needed = max(0.0, tables[type_cell(tables, type_index, TYPE_FROM)] - value)
        if needed > reach:
            break
        best = max(best, gain - pip * needed)
    return space[BASE] + best


@rule
def published_with(tables, space, value):  # type: ignore[no-untyped-def]
    """Say what the publication prepared brings at exactly a value."""
    best = 0.0
    for type_index in range(tables[TYPES]):
        if tables[type_cell(tables, type_index, TYPE_FROM)] <= value:
            best = max(best, space[at(PUBLISH_GAIN + type_index)])
    return best
