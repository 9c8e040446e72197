"""Where the cells of a seat are, and the log: the smallest words of the rules."""

from sim.jit import at, rule
from sim.layout import (
    ANIMALS,
    CARD_ROW,
    CATEGORIES,
    CONTINENTS,
    EXPERT_ROW,
    LOG_ROW,
    R_ANIMALS,
    R_EXPERTS,
    REC_LOG_COUNT,
    REC_SEAT_SIZE,
    REC_SEATS,
    RECORD_SIZE,
    S_HAND_ANIMALS,
    S_HAND_CUBES,
    S_HANDS,
    SEAT_SIZE,
    SEATS,
    T_ANIMALS,
    T_EXPERTS,
    T_TYPES,
    TYPE_ROW,
    TYPES,
)


@rule
def seat_cell(seat, field):
    """Index into the state of a seat's own field."""
    return at(SEATS + seat * SEAT_SIZE + field)


@rule
def record_cell(seat, column):
    """Index into the record of a seat's column."""
    return at(REC_SEATS + seat * REC_SEAT_SIZE + column)


@rule
def hand_start(tables, seat):
    """Index into the state of the first animal of a seat's hand."""
    return tables[S_HANDS] + seat * tables[ANIMALS]


@rule
def hand_animals(tables, seat, continent):
    """Index into the state of how many animals of a continent a seat's hand holds."""
    return at(tables[S_HAND_ANIMALS] + seat * tables[CONTINENTS] + continent)


@rule
def hand_cubes(tables, seat, category):
    """Index into the state of how many cubes of a category lie on the animals of a seat's hand."""
    return at(tables[S_HAND_CUBES] + seat * tables[CATEGORIES] + category)


@rule
def animal_continent(tables, animal):
    """Continent of an animal (its type 0)."""
    return tables[at(tables[T_ANIMALS] + animal * (1 + tables[TYPES]))]


@rule
def animal_category(tables, animal, type_index):
    """Category of an animal in a type, counted through all types."""
    return tables[at(tables[T_ANIMALS] + animal * (1 + tables[TYPES]) + 1 + type_index)]


@rule
def expert_cell(tables, expert, field):
    """Index into the tables of an expert's field."""
    return at(tables[T_EXPERTS] + expert * EXPERT_ROW + field)


@rule
def type_cell(tables, type_index, field):
    """Index into the tables of a type's field."""
    return at(tables[T_TYPES] + type_index * TYPE_ROW + field)


@rule
def animal_record(tables, animal, field):
    """Index into the record of an animal's field."""
    return at(tables[R_ANIMALS] + animal * CARD_ROW + field)


@rule
def expert_record(tables, expert, field):
    """Index into the record of an expert's field."""
    return at(tables[R_EXPERTS] + expert * CARD_ROW + field)


@rule
def by_steps(tables, start, steps, count):
    """Read a list by value or count from 1; its last entry holds for everything higher (4.6, 9.2)."""
    if count < 1:
        return 0
    return tables[at(start + min(count, steps) - 1)]


@rule
def note(record, tables, code, seat, first, second, third):
    """Log what happened, if the record was made with room for a log (its count is not negative)."""
    if record[REC_LOG_COUNT] >= 0:
        row = tables[RECORD_SIZE] + record[REC_LOG_COUNT] * LOG_ROW
        record[at(row)] = code
        record[at(row + 1)] = seat
        record[at(row + 2)] = first
        record[at(row + 3)] = second
        record[at(row + 4)] = third
        record[REC_LOG_COUNT] += 1
