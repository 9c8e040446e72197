"""What taking a die costs, which dice an action could have, and where to place own ones."""

# ruff: noqa: D103
import numpy as np

from sim.jit import at, rule
from sim.layout import (
    BY_SEAL,
    CONTINENTS,
    DICE_PER_PLAYER,
    DIE,
    DIE_ON_BOARD,
    EXPERT_AMOUNT,
    EXPERT_EFFECT,
    EXPERT_TRIGGER,
    FREE_RECOLOUR,
    PLAYERS,
    S_BOARDS,
    S_DIE_VALUE,
    S_DIE_WHERE,
    S_DRAWN,
    SIDES,
    SLOTS,
    SPACES,
    STEP,
    T_BOARD_OWNER,
    T_DIE_COLOUR,
    TRIGGER_STOLEN,
)
from sim.rules.cells import expert_cell, hand_animals, seat_cell
from sim.rules.effects import top_expert, works
from strategies.weighing.layout import (
    LISTED,
    LISTED_PAY,
    LOW,
    LOW_ANY,
    LOW_ANY_COST,
    LOW_COST,
    MOST_DICE,
    NEVER,
    NOTHING,
    OTHERS_ANIMALS,
    PIP,
    RECOLOUR_COST,
    SPACE_PAY,
    STOLEN,
    TOP,
    TOP_ANY,
    TOP_ANY_COST,
    TOP_COST,
    W_BAIT,
    W_DENY,
    W_GIFT,
    W_KEEP,
    W_OWN,
    WANTED,
)
from strategies.weighing.prices import effect_value


@rule
def survey_wanted(state, tables, weights, space, seat):
    """Say by colour how much a die is wanted: to be kept for oneself, less what others would do with it."""
    for colour in range(tables[CONTINENTS]):
        kept = weights[W_KEEP] * state[hand_animals(tables, seat, colour)]
        space[at(WANTED + colour)] = kept - weights[W_DENY] * space[at(OTHERS_ANIMALS + colour)]


@rule
def _pay(weights, space, seat, owner, number):
    """Say what it means that a die pays its owner when it is taken."""
    liking = weights[W_OWN] if owner == seat else weights[W_GIFT]
    return liking * (space[at(SPACE_PAY + number)] + space[at(STOLEN + owner)])


@rule
def _cost(space, pay, colour, value):
    """Say what taking a die costs, whatever it is used for: what it pays its owner, who else wants it."""
    return pay + space[at(WANTED + colour)] * value * space[PIP]


@rule
def survey_stolen(state, tables, space):
    """Add up, by seat, what its experts bring it when another player takes one of its dice (7.1)."""
    for owner in range(tables[PLAYERS]):
        some = works(state, owner, TRIGGER_STOLEN)
        space[at(STOLEN + owner)] = _stolen_pay(state, tables, space, owner) if some else 0.0


@rule
def _stolen_pay(state, tables, space, owner):
    pay = 0.0
    for slot in range(tables[SLOTS]):
        expert = top_expert(state, tables, owner, slot)
        if expert >= 0 and tables[expert_cell(tables, expert, EXPERT_TRIGGER)] == TRIGGER_STOLEN:
            effect = tables[expert_cell(tables, expert, EXPERT_EFFECT)]
            pay += effect_value(space, effect, tables[expert_cell(tables, expert, EXPERT_AMOUNT)])
    return pay


@rule
def prepare_values(tables, space):
    """Get ready to say how high a die's value is, without dividing each time."""
    space[PIP] = 1.0 / tables[SIDES]


@rule
def die_cost(state, tables, weights, space, seat, die):
    """Say what taking a die from a board costs."""
    place = state[at(tables[S_DIE_WHERE] + die)] - DIE_ON_BOARD
    owner = tables[at(tables[T_BOARD_OWNER] + place)]
    pay = _pay(weights, space, seat, owner, place - owner * tables[SPACES])
    return _cost(space, pay, tables[at(tables[T_DIE_COLOUR] + die)], state[at(tables[S_DIE_VALUE] + die)])


@rule
def survey_dice(state, tables, weights, space, seat):
    """Find, by colour and over all, the die of the highest value and the one that costs least."""
    for colour in range(tables[CONTINENTS]):
        space[at(TOP + colour)] = NOTHING
        space[at(TOP_COST + colour)] = NEVER
        space[at(LOW + colour)] = NOTHING
        space[at(LOW_COST + colour)] = NEVER
    if state[BY_SEAL]:
        die = state[DIE]
        _enter(space, tables[at(tables[T_DIE_COLOUR] + die)], 1.0 * state[at(tables[S_DIE_VALUE] + die)], 0.0)
    else:
        _enter_boards(state, tables, weights, space, seat)
    _survey_colours(tables, space)


@rule
def _enter_boards(state, tables, weights, space, seat):
    """Enter all dice on the boards: first they are listed, since a branch for every space is a coin toss."""
    count, cell = 0, tables[S_BOARDS]
    for owner in range(tables[PLAYERS]):
        for number in range(tables[SPACES]):
            die = state[at(cell + number)]
            space[at(LISTED + count)] = die
            space[at(LISTED_PAY + count)] = _pay(weights, space, seat, owner, number)
            count += (die >= 0) & (count < MOST_DICE - 1)
        cell += tables[SPACES]
    for number in range(count):
        die = int(space[at(LISTED + number)])
        colour = tables[at(tables[T_DIE_COLOUR] + die)]
        value = 1.0 * state[at(tables[S_DIE_VALUE] + die)]
        _enter(space, colour, value, _cost(space, space[at(LISTED_PAY + number)], colour, value))


@rule
def _enter(space, colour, value, cost):
    """Enter a die; all is read before anything is written, so that no branch is left."""
    top, top_cost = space[at(TOP + colour)], space[at(TOP_COST + colour)]
    low, low_cost = space[at(LOW + colour)], space[at(LOW_COST + colour)]
    higher = (value > top) | ((value == top) & (cost < top_cost))
    space[at(TOP + colour)] = value if higher else top
    space[at(TOP_COST + colour)] = cost if higher else top_cost
    cheaper = cost < low_cost
    space[at(LOW + colour)] = value if cheaper else low
    space[at(LOW_COST + colour)] = cost if cheaper else low_cost


@rule
def _survey_colours(tables, space):
    """Find the die of the highest value and the cheapest one among those of every colour."""
    top, top_cost, low, low_cost = 0.0, NEVER, 0.0, NEVER
    for colour in range(tables[CONTINENTS]):
        value, cost = space[at(TOP + colour)], space[at(TOP_COST + colour)]
        low_here, low_cost_here = space[at(LOW + colour)], space[at(LOW_COST + colour)]
        higher = (value > top) | ((value == top) & (cost < top_cost))
        top = value if higher else top
        top_cost = cost if higher else top_cost
        cheaper = low_cost_here < low_cost
        low = low_here if cheaper else low
        low_cost = low_cost_here if cheaper else low_cost
    space[TOP_ANY] = top
    space[TOP_ANY_COST] = top_cost
    space[LOW_ANY] = low
    space[LOW_ANY_COST] = low_cost


# Dice thought of for a target: the highest and the cheapest of its colour, and the same of any colour, recoloured. The
# latter are left out where recolouring cannot be paid: what is legal then is so by a die of the colour.


@rule
def candidate_value(space, continent, cheapest):
    return space[at(LOW + continent)] if cheapest else space[at(TOP + continent)]


@rule
def candidate_cost(space, continent, cheapest):
    return space[at(LOW_COST + continent)] if cheapest else space[at(TOP_COST + continent)]


@rule
def recoloured_value(space, cheapest):
    return space[LOW_ANY] if cheapest else space[TOP_ANY]


@rule
def recoloured_cost(space, recolour, cheapest):
    return recolour + (space[LOW_ANY_COST] if cheapest else space[TOP_ANY_COST])


@rule
def recolour_cost(state, space, seat, action, continent):
    """Say what turning a die's colour costs: nothing if an expert does it, NEVER if it cannot be paid (4.3)."""
    free = (state[seat_cell(seat, FREE_RECOLOUR + action)] >> continent) & 1
    return 0.0 if free else space[RECOLOUR_COST]


@rule
def _lure(state, tables, weights, space, seat, die):
    """Say how likely others are to take a die before its owner does, on no scale in particular."""
    colour = tables[at(tables[T_DIE_COLOUR] + die)]
    own = state[hand_animals(tables, seat, colour)]
    wanted = 0.5 + weights[W_BAIT] * space[at(OTHERS_ANIMALS + colour)] - own
    return wanted * state[at(tables[S_DIE_VALUE] + die)]


@rule
def lure_rank(state, tables, weights, space, seat, die):
    """Count the seat's dice yet to be placed that lure others more than this one."""
    mine = _lure(state, tables, weights, space, seat, die)
    rank, first = 0, tables[S_DRAWN] + seat * tables[DICE_PER_PLAYER]
    for number in range(state[STEP] % tables[DICE_PER_PLAYER] + 1, tables[DICE_PER_PLAYER]):
        rank += np.int64(_lure(state, tables, weights, space, seat, state[at(first + number)]) > mine)
    return rank


@rule
def pay_rank(state, tables, space, seat, number):
    """Count the seat's free spaces that pay more than this one."""
    rank, pay, board = 0, space[at(SPACE_PAY + number)], tables[S_BOARDS] + seat * tables[SPACES]
    for other in range(tables[SPACES]):
        better = space[at(SPACE_PAY + other)]
        more = (better > pay) | ((better == pay) & (other < number))
        rank += np.int64(more & (state[at(board + other)] < 0))
    return rank
