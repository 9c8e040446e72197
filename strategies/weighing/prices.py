"""How much time is left, and what one more coin, token, point, seal or step to a bonus is worth now."""

from typing import Final

from sim.jit import at, rule
from sim.layout import (
    AMOUNT,
    ANIMAL_VP,
    BY_SEAL,
    CATEGORIES,
    CATEGORY_STEPS,
    COINS,
    COINS_PER_VP,
    CONTINENT_STEPS,
    CONTINENTS,
    DICE_PER_PLAYER,
    EFFECT,
    EFFECT_ANIMALS,
    EFFECT_COINS,
    EFFECT_DISCOUNT,
    EFFECT_RECOLOUR,
    EFFECT_REPUTATION,
    EFFECT_RESEARCH,
    EFFECT_ROW,
    EFFECT_SEALS,
    EFFECT_TOKENS,
    EFFECT_VP,
    EXPEDITION_TOKENS,
    HAND_COUNT,
    KIND,
    KIND_DIE,
    KIND_TARGET,
    PER_COIN,
    PHASE,
    PHASE_SEAL,
    RECOLOUR_PRICE,
    REPUTATION,
    ROUND,
    ROUNDS,
    S_CATEGORY_CUBES,
    SEAL_VP,
    SEALS,
    SEALS_PER_ROUND,
    SPACES,
    T_CATEGORY_BONUS,
    T_CATEGORY_TYPE,
    T_CONTINENT_BONUS,
    T_SPACES,
    T_TRACK,
    TOKEN_VP,
    TRACK_LENGTH,
    TYPE_COST,
    TYPE_VP,
    TYPES,
)
from sim.rules.cells import hand_animals, hand_cubes, seat_cell, type_cell
from strategies.view import continent_cards, turns_left
from strategies.weighing.layout import (
    ACADEMY_LIKING,
    ACTIONS_LEFT,
    CARD,
    CATEGORY,
    COIN,
    COINS_A_PIP,
    FAME,
    GROW,
    HOLD,
    LEVELS,
    MOST_CATEGORIES,
    MOST_COUNT,
    MOST_EFFECTS,
    MOST_SPACES,
    NEVER,
    NEXT,
    NEXT_CARD,
    NOTHING,
    PRICE,
    RECOLOUR_COST,
    RESEARCH_POINT,
    SEAL,
    SPACE_PAY,
    START,
    STEPS,
    TOKEN,
    TURNS_AFTER,
    W_ACADEMY,
    W_ANIMAL,
    W_CATEGORY,
    W_COIN,
    W_CONTINENT,
    W_EARLY,
    W_HOLD,
    W_PATIENCE,
    W_REPUTATION,
    W_SEAL,
    W_TOKEN,
)

_TRACK_AHEAD: Final = 8  # spaces of the reputation track looked ahead
_STEPS_AHEAD: Final = 4  # cubes or cards looked ahead on the way to a bonus
_SOON: Final = 2  # actions within which what is saved can no longer all be spent
_ENOUGH_COINS: Final = 8.0  # coins and tokens at which one more is worth half as much to spend
_ENOUGH_TOKENS: Final = 4.0


@rule
def effect_value(space, effect, amount):
    """Say what gaining an effect is worth in VP."""
    return space[at(PRICE + effect)] * amount


@rule
def _in_time(actions, weights, waiting):
    """Chance that something is published with so many actions left."""
    if actions <= 0:
        return 0.0
    return weights[W_HOLD] * actions / (actions + waiting)


@rule
def set_time(state, tables, weights, space, seat):
    """Count what is left to do, and how far things can be trusted to be finished."""
    turns = turns_left(state, tables, seat)
    if state[KIND] in (KIND_TARGET, KIND_DIE) and not state[BY_SEAL]:
        turns -= 1
    actions = turns + min(state[seat_cell(seat, SEALS)], _seal_chances(state, tables))
    waiting = weights[W_PATIENCE] * (1 + state[seat_cell(seat, HAND_COUNT)])
    early = 2.0 * actions / (tables[ROUNDS] * tables[DICE_PER_PLAYER]) - 1.0
    space[ACADEMY_LIKING] = weights[W_ACADEMY] * (1.0 + weights[W_EARLY] * early)
    space[TURNS_AFTER] = turns
    space[ACTIONS_LEFT] = actions
    space[HOLD] = _in_time(actions, weights, waiting)
    space[GROW] = _in_time(actions - 1, weights, waiting)
    space[START] = _in_time(actions - 2, weights, waiting)


@rule
def _seal_chances(state, tables):
    """Seals a seat could still spend if it had them, the one asked for now not counted."""
    chances = (tables[ROUNDS] - state[ROUND]) * tables[SEALS_PER_ROUND]
    return chances if state[PHASE] == PHASE_SEAL else chances + tables[SEALS_PER_ROUND]


@rule
def set_prices(state, tables, weights, space, seat):
    """Work out what goods are worth: their score at the end, and more while they can be used."""
    use = min(1.0, space[ACTIONS_LEFT] * (1.0 / _SOON))
    coins, tokens = (state[seat_cell(seat, COINS)], state[seat_cell(seat, EXPEDITION_TOKENS)])
    coin = 1.0 / max(tables[COINS_PER_VP], 1) + weights[W_COIN] * use * _ENOUGH_COINS / (_ENOUGH_COINS + coins)
    token = tables[TOKEN_VP] + weights[W_TOKEN] * use * _ENOUGH_TOKENS / (_ENOUGH_TOKENS + tokens)
    spare = state[seat_cell(seat, SEALS)] >= _seal_chances(state, tables)
    space[COINS_A_PIP] = 1.0 / tables[PER_COIN] if tables[PER_COIN] > 0 else 0.0
    seal = tables[SEAL_VP] + (0.0 if spare else weights[W_SEAL])
    price = token * tables[RECOLOUR_PRICE]
    space[RECOLOUR_COST] = price if tokens >= tables[RECOLOUR_PRICE] else NEVER
    for effect in range(MOST_EFFECTS):
        space[at(PRICE + effect)] = NOTHING
    space[PRICE + EFFECT_COINS] = space[COIN] = coin
    space[PRICE + EFFECT_TOKENS] = space[TOKEN] = token
    space[PRICE + EFFECT_SEALS] = space[SEAL] = seal
    space[PRICE + EFFECT_VP] = 1.0
    space[PRICE + EFFECT_RECOLOUR] = 0.5 * token


@rule
def set_research(state, tables, weights, space, seat):
    """Work out what a free point of research and an animal not yet seen are worth."""
    points, vp = 0.0, 0.0
    for type_index in range(tables[TYPES]):
        points += tables[type_cell(tables, type_index, TYPE_COST)]
        vp += tables[type_cell(tables, type_index, TYPE_VP)]
    any_animal = state[seat_cell(seat, HAND_COUNT)] > 0
    point = space[HOLD] * vp / max(points, 1.0) if any_animal else 0.0
    space[PRICE + EFFECT_RESEARCH] = space[RESEARCH_POINT] = point
    space[PRICE + EFFECT_DISCOUNT] = 0.7 * point
    space[PRICE + EFFECT_ANIMALS] = space[START] * weights[W_ANIMAL] * (tables[ANIMAL_VP] + vp)


@rule
def set_fame(state, tables, weights, space, seat):
    """Average what the next spaces of the reputation track pay (10.1)."""
    total, here = 0.0, state[seat_cell(seat, REPUTATION)]
    for step in range(here + 1, min(here + _TRACK_AHEAD, tables[TRACK_LENGTH]) + 1):
        row = tables[T_TRACK] + step * EFFECT_ROW
        total += effect_value(space, tables[at(row + EFFECT)], tables[at(row + AMOUNT)])
    space[PRICE + EFFECT_REPUTATION] = space[FAME] = weights[W_REPUTATION] * total * (1.0 / _TRACK_AHEAD)


@rule
def level(tables, values, length, count):
    """Read a list by count from 1 as `by_steps` does, but without a branch, for counts that cannot be foreseen."""
    return tables[at(values + max(min(count, length), 1) - 1)] * (count >= 1)


@rule
def bonus_step(tables, values, length, weight, count):
    """Say what the next brings where `count` lie: at once, or as a share of a bonus a few further on (9.2, 9.3)."""
    here = level(tables, values, length, count)
    best = 1.0 * (level(tables, values, length, count + 1) - here)
    for ahead in range(2, _STEPS_AHEAD + 1):
        best = max(best, weight * (level(tables, values, length, count + ahead) - here) * (1.0 / ahead))
    return best


@rule
def _set_steps(tables, space, values, length, weight):
    """List `bonus_step` for every count up to the longest of the list, and return that."""
    last = min(length, MOST_COUNT)
    space[LEVELS] = NOTHING
    for count in range(1, last + _STEPS_AHEAD):
        space[at(LEVELS + count)] = tables[at(values + min(count, length) - 1)]
    for count in range(last):
        here = space[at(LEVELS + count)]
        best = space[at(LEVELS + count + 1)] - here
        for ahead in range(2, _STEPS_AHEAD + 1):
            best = max(best, weight * (space[at(LEVELS + count + ahead)] - here) * (1.0 / ahead))
        space[at(STEPS + count)] = best
    space[at(STEPS + last)] = NOTHING
    return last


@rule
def set_cubes(state, tables, weights, space, seat):
    """Work out what a cube brings in each category: published now, or yet to be researched.

    The latter comes behind those on animals in hand.
    """
    last = _set_steps(tables, space, tables[T_CATEGORY_BONUS], tables[CATEGORY_STEPS], weights[W_CATEGORY])
    first = tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES]
    for category in range(min(tables[CATEGORIES], MOST_CATEGORIES)):
        vp = tables[type_cell(tables, tables[at(tables[T_CATEGORY_TYPE] + category)], TYPE_VP)]
        count = state[at(first + category)]
        waiting = state[hand_cubes(tables, seat, category)]
        space[at(CATEGORY + category)] = vp + space[at(STEPS + min(count, last))]
        space[at(NEXT + category)] = vp + space[at(STEPS + min(count + waiting, last))]


@rule
def set_cards(state, tables, weights, space, seat):
    """Work out what a card of each continent brings whatever its cubes.

    That is an animal published now, or a card added to those in hand.
    """
    last = _set_steps(tables, space, tables[T_CONTINENT_BONUS], tables[CONTINENT_STEPS], weights[W_CONTINENT])
    for continent in range(tables[CONTINENTS]):
        there = continent_cards(state, tables, seat, continent)
        waiting = state[hand_animals(tables, seat, continent)]
        space[at(CARD + continent)] = tables[ANIMAL_VP] + space[at(STEPS + min(there, last))]
        space[at(NEXT_CARD + continent)] = tables[ANIMAL_VP] + space[at(STEPS + min(there + waiting, last))]


@rule
def set_space_pay(tables, space):
    """Work out what each space of a board pays when another player takes its die (4.1)."""
    for number in range(min(tables[SPACES], MOST_SPACES)):
        row = tables[T_SPACES] + number * EFFECT_ROW
        space[at(SPACE_PAY + number)] = effect_value(space, tables[at(row + EFFECT)], tables[at(row + AMOUNT)])
