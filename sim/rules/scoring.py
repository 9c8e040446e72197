"""The end of the game: bonuses and winners (rule 9)."""

import numpy as np

from sim.jit import at, kernel, rule
from sim.layout import (
    ANIMALS,
    CATEGORIES,
    CATEGORY_STEPS,
    COINS,
    COINS_PER_VP,
    CONTINENT_STEPS,
    CONTINENTS,
    EFFECT_PER_CATEGORY,
    EFFECT_PER_COINS,
    EFFECT_PER_EXPERT,
    EFFECT_PER_PUBLISHED,
    EFFECT_PER_SEAL,
    EXPEDITION_TOKENS,
    EXPERT_AMOUNT,
    EXPERT_COUNT,
    EXPERT_EFFECT,
    EXPERT_FILTER,
    EXPERT_FILTER_KIND,
    EXPERT_TRIGGER,
    FILTER_CONTINENT,
    FILTER_NONE,
    PLAYERS,
    PUBLISHED,
    PUBLISHED_COUNT,
    REC_CATEGORIES_BONUS,
    REC_CATEGORIES_USED,
    REC_COINS_LEFT,
    REC_CONTINENTS_BONUS,
    REC_EXPERTS_OWNED,
    REC_RANK,
    REC_REPUTATION,
    REC_SEALS_LEFT,
    REC_TOKENS_LEFT,
    REC_TOTAL,
    REC_VP_CATEGORIES,
    REC_VP_COINS,
    REC_VP_CONTINENTS,
    REC_VP_EXPEDITION_TOKENS,
    REC_VP_EXPERTS_END,
    REC_VP_SEALS,
    REC_WIN_TIES,
    REPUTATION,
    S_ANIMAL_WHERE,
    S_CATEGORY_CUBES,
    S_CONTINENT_ANIMALS,
    S_CONTINENT_EXPERTS,
    SEAL_VP,
    SEALS,
    SLOTS,
    T_CATEGORY_BONUS,
    T_CATEGORY_TYPE,
    T_CONTINENT_BONUS,
    TOKEN_VP,
    TRIGGER_GAME_END,
    VP,
)
from sim.rules.cells import animal_category, by_steps, expert_cell, record_cell, seat_cell
from sim.rules.effects import top_expert


@kernel
def _published_count(state, tables, seat, filter_kind, wanted):
    """Count a seat's published animals: all, of a continent or of a category (7.3)."""
    if filter_kind == FILTER_NONE:
        return state[seat_cell(seat, PUBLISHED_COUNT)]
    if filter_kind == FILTER_CONTINENT:
        return state[at(tables[S_CONTINENT_ANIMALS] + seat * tables[CONTINENTS] + wanted)]
    count = 0
    type_index = tables[at(tables[T_CATEGORY_TYPE] + wanted)]
    for animal in range(tables[ANIMALS]):
        if (
            state[at(tables[S_ANIMAL_WHERE] + animal)] == PUBLISHED + seat
            and animal_category(tables, animal, type_index) == wanted
        ):
            count += 1
    return count


@kernel
def categories_with_cubes(state, tables, seat):
    """Count category spaces that hold at least one of a seat's cubes."""
    count = 0
    for category in range(tables[CATEGORIES]):
        if state[at(tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES] + category)] > 0:
            count += 1
    return count


@kernel
def expert_vp(state, tables, seat, expert):
    """VP of a `game_end` expert (7.3)."""
    amount = tables[expert_cell(tables, expert, EXPERT_AMOUNT)]
    effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
    wanted = tables[expert_cell(tables, expert, EXPERT_FILTER)]
    if effect == EFFECT_PER_PUBLISHED:
        kind = tables[expert_cell(tables, expert, EXPERT_FILTER_KIND)]
        return amount * _published_count(state, tables, seat, kind, wanted)
    if effect == EFFECT_PER_CATEGORY:
        return amount * categories_with_cubes(state, tables, seat)
    if effect == EFFECT_PER_EXPERT:
        return amount * state[seat_cell(seat, EXPERT_COUNT)]
    if effect == EFFECT_PER_SEAL:
        return amount * state[seat_cell(seat, SEALS)]
    if effect == EFFECT_PER_COINS:
        return amount * (state[seat_cell(seat, COINS)] // wanted)
    return np.int64(amount)


@kernel
def category_bonus(state, tables, seat):
    """VP of a seat for category spaces with enough own cubes (9.2)."""
    total = 0
    for category in range(tables[CATEGORIES]):
        cubes = state[at(tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES] + category)]
        total += by_steps(tables, tables[T_CATEGORY_BONUS], tables[CATEGORY_STEPS], cubes)
    return total


@rule
def continent_cards(state, tables, seat, continent):
    """Count a seat's published animals and experts, covered ones too, of a continent (9.3)."""
    cell = seat * tables[CONTINENTS] + continent
    return state[at(tables[S_CONTINENT_ANIMALS] + cell)] + state[at(tables[S_CONTINENT_EXPERTS] + cell)]


@kernel
def continent_bonus(state, tables, seat):
    """VP of a seat for continents with enough cards (9.3)."""
    total = 0
    for continent in range(tables[CONTINENTS]):
        cards = continent_cards(state, tables, seat, continent)
        total += by_steps(tables, tables[T_CONTINENT_BONUS], tables[CONTINENT_STEPS], cards)
    return total


@kernel
def goods_vp(tables, seals, coins, tokens):
    """VP for what is left: seals, every few coins, expedition tokens (9.4)."""
    return seals * tables[SEAL_VP] + coins // tables[COINS_PER_VP] + tokens * tables[TOKEN_VP]


@kernel
def experts_vp(state, tables, seat):
    """VP of a seat's working `game_end` experts (9.4)."""
    total = 0
    for slot in range(tables[SLOTS]):
        expert = top_expert(state, tables, seat, slot)
        if expert >= 0 and tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_GAME_END:
            total += expert_vp(state, tables, seat, expert)
    return total


@kernel
def _count_bonuses(state, tables, record, seat):
    """Record how many categories and continents are in use and pay a bonus."""
    for category in range(tables[CATEGORIES]):
        cubes = state[at(tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES] + category)]
        if by_steps(tables, tables[T_CATEGORY_BONUS], tables[CATEGORY_STEPS], cubes) > 0:
            record[record_cell(seat, REC_CATEGORIES_BONUS)] += 1
    for continent in range(tables[CONTINENTS]):
        cards = continent_cards(state, tables, seat, continent)
        if by_steps(tables, tables[T_CONTINENT_BONUS], tables[CONTINENT_STEPS], cards) > 0:
            record[record_cell(seat, REC_CONTINENTS_BONUS)] += 1
    record[record_cell(seat, REC_CATEGORIES_USED)] = categories_with_cubes(state, tables, seat)


@kernel
def _score_seat(state, tables, record, seat):
    """Record every part of a seat's final score."""
    coins, tokens = state[seat_cell(seat, COINS)], state[seat_cell(seat, EXPEDITION_TOKENS)]
    seals = state[seat_cell(seat, SEALS)]
    record[record_cell(seat, REC_VP_CATEGORIES)] = category_bonus(state, tables, seat)
    record[record_cell(seat, REC_VP_CONTINENTS)] = continent_bonus(state, tables, seat)
    record[record_cell(seat, REC_VP_SEALS)] = goods_vp(tables, seals, 0, 0)
    record[record_cell(seat, REC_VP_COINS)] = goods_vp(tables, 0, coins, 0)
    record[record_cell(seat, REC_VP_EXPEDITION_TOKENS)] = goods_vp(tables, 0, 0, tokens)
    record[record_cell(seat, REC_VP_EXPERTS_END)] = experts_vp(state, tables, seat)
    record[record_cell(seat, REC_COINS_LEFT)] = coins
    record[record_cell(seat, REC_TOKENS_LEFT)] = tokens
    record[record_cell(seat, REC_SEALS_LEFT)] = seals
    record[record_cell(seat, REC_REPUTATION)] = state[seat_cell(seat, REPUTATION)]
    record[record_cell(seat, REC_EXPERTS_OWNED)] = state[seat_cell(seat, EXPERT_COUNT)]
    record[record_cell(seat, REC_TOTAL)] = final_score(state, tables, seat)
    _count_bonuses(state, tables, record, seat)


@kernel
def final_score(state, tables, seat):
    """Total VP of a seat if the game ended now (9.2–9.4)."""
    return (
        state[seat_cell(seat, VP)]
        + category_bonus(state, tables, seat)
        + continent_bonus(state, tables, seat)
        + goods_vp(
            tables,
            state[seat_cell(seat, SEALS)],
            state[seat_cell(seat, COINS)],
            state[seat_cell(seat, EXPEDITION_TOKENS)],
        )
        + experts_vp(state, tables, seat)
    )


@kernel
def score_game(state, tables, record):
    """Record scores, ranks and who shares the win (9.5)."""
    players = tables[PLAYERS]
    for seat in range(players):
        _score_seat(state, tables, record, seat)
    for seat in range(players):
        better, equal = 0, 0
        for other in range(players):
            difference = record[record_cell(other, REC_TOTAL)] - record[record_cell(seat, REC_TOTAL)]
            if difference > 0:
                better += 1
            elif difference == 0:
                equal += 1
        record[record_cell(seat, REC_RANK)] = better + 1
        record[record_cell(seat, REC_WIN_TIES)] = equal if better == 0 else 0
