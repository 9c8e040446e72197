"""What a publication is worth: the reference, what goes with it, and up to which type a die lets it."""

from sim.jit import at, rule
from sim.layout import COINS, PER_COIN, PUBLICATION_SEALS, S_ANIMAL_CUBES, TYPE_FROM, TYPES
from sim.rules.cells import animal_category, animal_continent, hand_start, seat_cell, type_cell
from strategies.weighing.layout import (
    ALONG,
    BASE,
    CARD,
    CATEGORY,
    COIN,
    COINS_A_PIP,
    GIVEN,
    HELD,
    MOST_CATEGORIES,
    MOST_HAND,
    NEVER,
    PUBLISH_GAIN,
    SEAL,
)


@rule
def prepare_publication(state, tables, space, seat, reference, first):
    """Work out what publishing with a reference brings, by the highest type the value allows (5).

    It is looked for in the hand from position `first` on; where it was found is returned.
    """
    continent = animal_continent(tables, reference)
    cubes = state[at(tables[S_ANIMAL_CUBES] + reference)]
    found = _position_of(state, tables, seat, reference, first)
    held = space[at(HELD + found)]
    card = space[at(CARD + continent)]
    release = card - held
    # What goes with the reference, without itself.
    along = space[at(ALONG + continent)] - max(0.0, release)
    space[BASE] = release + along + tables[PUBLICATION_SEALS] * space[SEAL]
    gain = 0.0
    for type_index in range(tables[TYPES]):
        category = min(animal_category(tables, reference, type_index), MOST_CATEGORIES - 1)
        worth = space[at(CATEGORY + category)]
        has = (cubes >> type_index) & 1
        gain += has * (worth + space[at(GIVEN + category)] - max(0.0, worth + release))
        space[at(PUBLISH_GAIN + type_index)] = gain if has else -NEVER
    return found


@rule
def _position_of(state, tables, seat, animal, position):
    hand = hand_start(tables, seat)
    while position < MOST_HAND - 1 and state[at(hand + position)] != animal:
        position += 1
    return position


@rule
def publication_worth(state, tables, space, seat, value):
    """Say what the publication prepared brings with a die of a value and the coins that are worth paying."""
    best = -NEVER
    reach, pip = 1.0 * state[seat_cell(seat, COINS)] * tables[PER_COIN], space[COIN] * space[COINS_A_PIP]
    for type_index in range(tables[TYPES]):
        needed = max(0.0, tables[type_cell(tables, type_index, TYPE_FROM)] - value)
        worth = space[at(PUBLISH_GAIN + type_index)] - pip * needed
        best = max(best, worth if needed <= reach else -NEVER)
    return space[BASE] + best


@rule
def published_with(tables, space, value):
    """Say what the publication prepared brings at exactly a value."""
    best = 0.0
    for type_index in range(tables[TYPES]):
        if tables[type_cell(tables, type_index, TYPE_FROM)] <= value:
            best = max(best, space[at(PUBLISH_GAIN + type_index)])
    return best
