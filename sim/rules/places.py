"""Embassy, bank, university and academy (rules 4.6–4.9)."""

from sim.actions import SLOT_OVER, SLOT_UNDER, argument, pack, verb
from sim.jit import at, kernel, rule
from sim.layout import (
    ACADEMY_STEPS,
    ACTOR,
    BANK_COINS,
    CARD_ROUND,
    CARD_SEAT,
    CARD_SOURCE,
    COLOUR,
    CONTINENTS,
    EMBASSY_STEPS,
    EXPERT_CONTINENT,
    EXPERT_COUNT,
    EXPERT_TRIGGER,
    KIND,
    KIND_NONE,
    KIND_SLOT,
    LOG_ACADEMY,
    LOG_UNIVERSITY,
    MATCH_REPUTATION,
    OWNED,
    OWNED_STEP,
    PENDING_EXPERT,
    REC_ANIMALS_TAKEN,
    REC_EXPERTS_HIRED,
    REC_EXPERTS_OVER,
    REC_EXPERTS_UNDER,
    ROUND,
    S_CONTINENT_EXPERTS,
    S_EXPERT_WHERE,
    S_SLOTS,
    SLOTS,
    SOURCE_GIFT,
    SOURCE_PLACE,
    T_ACADEMY,
    T_EMBASSY,
    TARGET,
    TRIGGER_HIRE,
    VALUE,
)
from sim.rules.cards import take_animal, take_expert
from sim.rules.cells import animal_continent, by_steps, expert_cell, expert_record, note, record_cell, seat_cell
from sim.rules.effects import (
    gain_coins,
    gain_reputation,
    gain_tokens,
    push,
    push_action_experts,
    refresh_working,
    top_expert,
)


@kernel
def perform_embassy(state, tables, record):
    """Gain expedition tokens by value (4.6)."""
    push_action_experts(state, tables, -1)
    gain_tokens(state, record, state[ACTOR], by_steps(tables, tables[T_EMBASSY], tables[EMBASSY_STEPS], state[VALUE]))


@kernel
def perform_bank(state, tables, record):
    """Gain coins (4.7)."""
    push_action_experts(state, tables, -1)
    gain_coins(state, record, state[ACTOR], tables[BANK_COINS])


@kernel
def perform_academy(state, tables, record):
    """Take an animal, gain reputation by value (4.9)."""
    seat, animal = state[ACTOR], state[TARGET]
    push_action_experts(state, tables, animal_continent(tables, animal))
    note(record, tables, LOG_ACADEMY, seat, animal, 0, 0)
    take_animal(state, tables, record, seat, animal, SOURCE_PLACE)
    record[record_cell(seat, REC_ANIMALS_TAKEN)] += 1
    gain_reputation(
        state, tables, record, seat, by_steps(tables, tables[T_ACADEMY], tables[ACADEMY_STEPS], state[VALUE])
    )


@kernel
def perform_university(state, tables, record):
    """Hire an expert: bonus for the colour, then the lowest free expert space or a choice (4.8)."""
    seat, expert = state[ACTOR], state[TARGET]
    continent = tables[expert_cell(tables, expert, EXPERT_CONTINENT)]
    push_action_experts(state, tables, continent)
    if tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_HIRE:
        push(state, tables, PENDING_EXPERT, seat, expert)
    if state[COLOUR] == continent:
        gain_reputation(state, tables, record, seat, tables[MATCH_REPUTATION])
    take_expert(state, tables, expert)
    _count_expert(state, tables, record, seat, expert, SOURCE_PLACE)
    record[record_cell(seat, REC_EXPERTS_HIRED)] += 1
    slot = _free_slot(state, tables, seat)
    if slot < 0:
        state[KIND] = KIND_SLOT
        return
    _put_on_top(state, tables, seat, slot, expert)
    note(record, tables, LOG_UNIVERSITY, seat, expert, slot, 0)


@kernel
def give_expert(state, tables, record, seat, expert):
    """Give a seat an expert before the game begins: lowest free space, else on top of the first one.

    A `hire` effect happens as it would when hired.
    """
    slot = max(_free_slot(state, tables, seat), 0)
    _count_expert(state, tables, record, seat, expert, SOURCE_GIFT)
    _put_on_top(state, tables, seat, slot, expert)
    if tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_HIRE:
        push(state, tables, PENDING_EXPERT, seat, expert)


@kernel
def _count_expert(state, tables, record, seat, expert, source):
    """Count a hired expert for its owner and continent."""
    continent = tables[expert_cell(tables, expert, EXPERT_CONTINENT)]
    state[seat_cell(seat, EXPERT_COUNT)] += 1
    state[at(tables[S_CONTINENT_EXPERTS] + seat * tables[CONTINENTS] + continent)] += 1
    record[expert_record(tables, expert, CARD_SEAT)] = seat
    record[expert_record(tables, expert, CARD_ROUND)] = state[ROUND]
    record[expert_record(tables, expert, CARD_SOURCE)] = source


@rule
def _free_slot(state, tables, seat):
    """Lowest free expert space of a seat, -1 if there is none."""
    lowest = -1
    for slot in range(tables[SLOTS] - 1, -1, -1):
        lowest = slot if top_expert(state, tables, seat, slot) < 0 else lowest
    return lowest


@kernel
def _put_on_top(state, tables, seat, slot, expert):
    """Make an expert the working card of a space."""
    state[at(tables[S_SLOTS] + seat * tables[SLOTS] + slot)] = expert
    state[at(tables[S_EXPERT_WHERE] + expert)] = OWNED + seat * OWNED_STEP + slot
    refresh_working(state, tables, seat)


@kernel
def legal_slots(state, tables, actions):
    """List the expert spaces, on top and under (4.8)."""
    for slot in range(tables[SLOTS]):
        actions[at(2 * slot)] = pack(SLOT_OVER, slot)
        actions[at(2 * slot + 1)] = pack(SLOT_UNDER, slot)
    return 2 * tables[SLOTS]


@kernel
def apply_slot(state, tables, record, action):
    """Put the hired expert on top of a space or at its very bottom."""
    seat, expert, slot = state[ACTOR], state[TARGET], argument(action)
    if verb(action) == SLOT_OVER:
        _put_on_top(state, tables, seat, slot, expert)
        record[record_cell(seat, REC_EXPERTS_OVER)] += 1
        note(record, tables, LOG_UNIVERSITY, seat, expert, slot, 1)
    else:
        state[at(tables[S_EXPERT_WHERE] + expert)] = OWNED + seat * OWNED_STEP + slot
        record[record_cell(seat, REC_EXPERTS_UNDER)] += 1
        note(record, tables, LOG_UNIVERSITY, seat, expert, slot, 2)
    state[KIND] = KIND_NONE
