"""Setup: decks, first displays, draft, starting goods (rule 2)."""

import numpy as np

from sim.actions import PICK, argument, pack
from sim.chance import ANIMAL_DECK, EXPERT_DECK, LUCK, SEED, TOKEN_DECK, open_purpose, shuffle
from sim.jit import at, kernel
from sim.layout import (
    ACADEMY_COUNT,
    ANIMAL_SIZE,
    ANIMALS,
    C_ANIMALS,
    C_EXPERTS,
    C_TOKENS,
    CARD_PUBLISHED,
    CARD_ROUND,
    CARD_ROW,
    CARD_SEAT,
    CARD_SHOWN,
    DRAFT,
    EXPERT_SIZE,
    EXPERTS,
    KIND,
    KIND_DRAFT,
    KIND_NONE,
    LEADER,
    LOG_DRAFT,
    LOG_START,
    NOWHERE,
    OUT_OF_GAME,
    PHASE,
    PHASE_DRAFT,
    PLAYERS,
    R_ANIMALS,
    REC_ANIMALS_DRAFTED,
    REC_LOG_COUNT,
    RECORD_SIZE,
    S_ACADEMY,
    S_ANIMAL_WHERE,
    S_BOARDS,
    S_CATEGORY_CUBES,
    S_COSTS,
    S_DIE_VALUE,
    S_EXPEDITION,
    S_EXPERT_WHERE,
    S_HANDS,
    SEAT,
    SOURCE_DRAFT,
    SOURCE_GIFT,
    START_DECK,
    START_OUT,
    START_SEAT_0,
    START_TOKENS,
    STATE_SIZE,
    STEP,
    T_ANIMAL_START,
    T_EXPERT_START,
    T_OFFSETS,
    TOKENS,
)
from sim.rules.cards import refill_academy, refill_university, take_animal, to_hand
from sim.rules.cells import note, record_cell
from sim.rules.effects import gain_coins, gain_tokens
from sim.rules.places import give_expert


@kernel
def _make_decks(state, tables, chance):
    """Shuffle every card; those that do not begin in the deck are passed over.

    The whole set is shuffled, so that taking one card out leaves the order of the others (rule 11.2).
    """
    open_purpose(chance, ANIMAL_DECK, 0)
    for animal in range(tables[ANIMALS]):
        chance[at(tables[C_ANIMALS] + animal)] = np.uint64(animal)
    shuffle(chance, tables[C_ANIMALS], tables[ANIMALS])
    open_purpose(chance, EXPERT_DECK, 0)
    for expert in range(tables[EXPERTS]):
        chance[at(tables[C_EXPERTS] + expert)] = np.uint64(expert)
    shuffle(chance, tables[C_EXPERTS], tables[EXPERTS])
    open_purpose(chance, TOKEN_DECK, 0)
    for token in range(tables[TOKENS]):
        chance[at(tables[C_TOKENS] + token)] = np.uint64(token)
    shuffle(chance, tables[C_TOKENS], tables[TOKENS])
    state[ANIMAL_SIZE] = _keep_in_deck(chance, tables, tables[C_ANIMALS], tables[ANIMALS], tables[T_ANIMAL_START])
    state[EXPERT_SIZE] = _keep_in_deck(chance, tables, tables[C_EXPERTS], tables[EXPERTS], tables[T_EXPERT_START])


@kernel
def _keep_in_deck(chance, tables, order, count, start):
    """Close the gaps of the cards that begin elsewhere; return how many are in the deck."""
    kept = 0
    for position in range(count):
        card = chance[at(order + position)]
        if tables[at(start + np.int64(card))] == START_DECK:
            chance[at(order + kept)] = card
            kept += 1
    return kept


@kernel
def _clear(state, tables, record):
    """Set every cell to what it is before anything happened."""
    for cell in range(tables[STATE_SIZE]):
        state[at(cell)] = 0
    log = min(record[REC_LOG_COUNT], 0)
    for cell in range(tables[RECORD_SIZE]):
        record[at(cell)] = 0
    record[REC_LOG_COUNT] = log
    for card in range(tables[ANIMALS] + tables[EXPERTS]):
        row = tables[R_ANIMALS] + card * CARD_ROW
        record[at(row + CARD_SHOWN)] = -1
        record[at(row + CARD_SEAT)] = -1
        record[at(row + CARD_ROUND)] = -1
        record[at(row + CARD_PUBLISHED)] = -1
    for cell in range(tables[S_ACADEMY], tables[S_ANIMAL_WHERE]):
        state[at(cell)] = NOWHERE
    for cell in range(tables[S_HANDS], tables[S_CATEGORY_CUBES]):
        state[at(cell)] = NOWHERE
    for cell in range(tables[S_BOARDS], tables[S_DIE_VALUE]):
        state[at(cell)] = NOWHERE
    for cell in range(tables[S_EXPEDITION], tables[S_COSTS]):
        state[at(cell)] = NOWHERE
    state[LEADER] = NOWHERE


@kernel
def _give_gifts(state, tables, record):
    """Hand out the cards that begin with a seat (an experiment's gift; none in the standard game)."""
    for animal in range(tables[ANIMALS]):
        start = tables[at(tables[T_ANIMAL_START] + animal)]
        if start == START_OUT:
            state[at(tables[S_ANIMAL_WHERE] + animal)] = OUT_OF_GAME
        elif start >= START_SEAT_0:
            to_hand(state, tables, record, start - START_SEAT_0, animal, SOURCE_GIFT)
    for expert in range(tables[EXPERTS]):
        start = tables[at(tables[T_EXPERT_START] + expert)]
        if start == START_OUT:
            state[at(tables[S_EXPERT_WHERE] + expert)] = OUT_OF_GAME
        elif start >= START_SEAT_0:
            give_expert(state, tables, record, start - START_SEAT_0, expert)


@kernel
def set_up(state, tables, chance, record, seed, luck):
    """Begin a game up to its first decision: decks, displays, and the draft's first pick (2.1–2.3)."""
    _clear(state, tables, record)
    chance[SEED] = np.uint64(seed)
    chance[LUCK] = np.uint64(luck)
    _make_decks(state, tables, chance)
    refill_university(state, tables, chance, record)
    refill_academy(state, tables, chance, record)
    _give_gifts(state, tables, record)
    state[PHASE] = PHASE_DRAFT


@kernel
def next_pick(state, tables):
    """Ask for the next pick of the draft, last seat first (2.3); False when all have picked or no animal is left."""
    if state[STEP] == tables[PLAYERS] * tables[DRAFT] or state[ACADEMY_COUNT] == 0:
        return False
    state[SEAT] = tables[PLAYERS] - 1 - state[STEP] // tables[DRAFT]
    state[KIND] = KIND_DRAFT
    return True


@kernel
def legal_picks(state, tables, actions):
    """List the animals on display."""
    for position in range(state[ACADEMY_COUNT]):
        actions[at(position)] = pack(PICK, state[at(tables[S_ACADEMY] + position)])
    return state[ACADEMY_COUNT]


@kernel
def apply_pick(state, tables, record, action):
    """Take a drafted animal."""
    seat = state[SEAT]
    take_animal(state, tables, record, seat, argument(action), SOURCE_DRAFT)
    record[record_cell(seat, REC_ANIMALS_DRAFTED)] += 1
    note(record, tables, LOG_DRAFT, seat, argument(action), 0, 0)
    state[STEP] += 1
    state[KIND] = KIND_NONE


@kernel
def starting_goods(state, tables, record):
    """Give every seat its coins and expedition tokens (2.4)."""
    for seat in range(tables[PLAYERS]):
        coins = tables[at(tables[T_OFFSETS] + seat)]
        gain_coins(state, record, seat, coins)
        gain_tokens(state, record, seat, tables[START_TOKENS])
        note(record, tables, LOG_START, seat, coins, tables[START_TOKENS], 0)
