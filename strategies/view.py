"""The state in plain terms: what a bot may ask, each question one small compiled function.

All of them are for use inside compiled strategies, cost a few nanoseconds, and change nothing.
``state`` (int32[n]) is the game, ``tables`` (int32[m]) its rules and cards; both are handed to every strategy.
Seats, animals, experts, dice, continents, spaces and types are whole numbers from 0:

========== ==============================================================================================
seat       0 … players − 1, clockwise from the first round's start player
animal     row of the animal in the card set, 0 … ``tables[ANIMALS]`` − 1
expert     row of the expert in the card set
die        0 … ``tables[DICE]`` − 1; every die keeps its colour
colour     continent of a die, an animal or an expert, 0 … ``tables[CONTINENTS]`` − 1
type       0 … ``tables[TYPES]`` − 1: class, diet, habitat, climate in the standard cards (type 1 of the rules is 0)
category   counted through all types, 0 … ``tables[CATEGORIES]`` − 1
space      of a player board, 0 … ``tables[SPACES]`` − 1
slot       expert space, 0 … ``tables[SLOTS]`` − 1
action     one of EMBASSY, BANK, UNIVERSITY, ACADEMY, EXPEDITION, PUBLICATION (`sim.layout`)
========== ==============================================================================================

The decision that is due is ``state[KIND]`` (a ``KIND_`` constant of `sim.layout`); the six kinds of a turn's actions,
the effects and everything else that has a name are imported from there too. What an option is, say `verb_of` and
`argument_of`: `sim.actions` lists the verbs and what the argument of each means.
"""

# ruff: noqa: D401 - the first line of a function says what it returns
from sim.actions import CUBE_STEP, argument, verb
from sim.jit import at, kernel, rule
from sim.layout import (
    ACADEMY_COUNT,
    ACTION,
    AMOUNT,
    CATEGORIES,
    CATEGORY_STEPS,
    COINS,
    CONTINENT_STEPS,
    CONTINENTS,
    DICE_PER_PLAYER,
    DIE,
    DIE_ON_BOARD,
    EFFECT,
    EFFECT_ROW,
    EXPEDITION_SPACES,
    EXPEDITION_TOKENS,
    EXPERT_AMOUNT,
    EXPERT_CONTINENT,
    EXPERT_COUNT,
    EXPERT_EFFECT,
    EXPERT_TRIGGER,
    FREE_RECOLOUR,
    HAND_COUNT,
    KIND,
    PER_COIN,
    PHASE,
    PHASE_DRAFT,
    PHASE_SEAL,
    PHASE_TURN,
    PLAYERS,
    POINTS,
    PUBLISHED_COUNT,
    RECOLOUR_PRICE,
    REPUTATION,
    ROUND,
    ROUNDS,
    S_ACADEMY,
    S_ANIMAL_CUBES,
    S_BOARDS,
    S_CATEGORY_CUBES,
    S_COLOUR_COUNT,
    S_CONTINENT_ANIMALS,
    S_CONTINENT_EXPERTS,
    S_DIE_VALUE,
    S_DIE_WHERE,
    S_EXPEDITION,
    S_UNIVERSITY,
    SEALS,
    SEAT,
    SLOTS,
    SPACES,
    START_SEAT,
    STEP,
    SUBJECT,
    T_CATEGORY_BONUS,
    T_CONTINENT_BONUS,
    T_DIE_COLOUR,
    T_EXPEDITION,
    T_SPACES,
    TARGET,
    TYPE_COST,
    TYPE_FROM,
    TYPE_VP,
    TYPES,
    UNIVERSITY_COUNT,
    VALUE,
    VP,
)
from sim.rules.cells import (
    animal_category,
    animal_continent,
    by_steps,
    expert_cell,
    hand_animals,
    hand_cubes,
    hand_start,
    seat_cell,
    type_cell,
)
from sim.rules.effects import top_expert
from sim.rules.scoring import final_score

# --- who, when --------------------------------------------------------------------------------------------------------


@rule
def my_seat(state):
    """Seat that decides: you."""
    return state[SEAT]


@rule
def decision(state):
    """Kind of the decision that is due, a KIND_ constant of `sim.layout`."""
    return state[KIND]


@rule
def players(tables):
    """How many seats the game has."""
    return tables[PLAYERS]


@rule
def round_number(state):
    """Round that is played, from 1; 0 during the draft."""
    return state[ROUND]


@rule
def rounds_left(state, tables):
    """Rounds still to come after this one."""
    return tables[ROUNDS] - state[ROUND]


@rule
def place_in_order(state, tables, seat):
    """Where a seat stands in this round's turn order, 0 for the start player."""
    return (seat - state[START_SEAT] + tables[PLAYERS]) % tables[PLAYERS]


@rule
def turns_left_in_round(state, tables, seat):
    """Turns a seat still has in this round; one under way counts until its die is taken."""
    phase = state[PHASE]
    if phase in (PHASE_DRAFT, PHASE_SEAL):
        return 0
    if phase != PHASE_TURN:
        return tables[DICE_PER_PLAYER]
    position = place_in_order(state, tables, seat)
    return tables[DICE_PER_PLAYER] - (state[STEP] + tables[PLAYERS] - 1 - position) // tables[PLAYERS]


@rule
def turns_left(state, tables, seat):
    """Turns a seat still has in the game; one under way counts until its die is taken."""
    return turns_left_in_round(state, tables, seat) + rounds_left(state, tables) * tables[DICE_PER_PLAYER]


@rule
def my_action(state):
    """Return the action of the turn under way (EMBASSY … PUBLICATION), once it is chosen."""
    return state[ACTION]


@rule
def my_target(state):
    """Return what the action under way aims at: an expert, an animal or a continent."""
    return state[TARGET]


@rule
def asked_animal(state):
    """Return the animal that a KIND_GIVE or KIND_ALONG decision is about."""
    return state[SUBJECT]


@rule
def asked_die(state):
    """Return the die that a KIND_PLACE decision is about."""
    return state[SUBJECT]


@rule
def die_under_way(state):
    """Return the die of the action under way, once it is taken."""
    return state[DIE]


@rule
def value_under_way(state):
    """Return the value of the die of the action under way, with experts and what was paid so far."""
    return state[VALUE]


@rule
def points_left(state):
    """Return the research points left in a KIND_CUBE decision."""
    return state[POINTS]


# --- what a seat has --------------------------------------------------------------------------------------------------


@rule
def coins(state, seat):
    """Coins of a seat."""
    return state[seat_cell(seat, COINS)]


@rule
def expedition_tokens(state, seat):
    """Expedition tokens of a seat."""
    return state[seat_cell(seat, EXPEDITION_TOKENS)]


@rule
def seals(state, seat):
    """Royal seals of a seat."""
    return state[seat_cell(seat, SEALS)]


@rule
def reputation(state, seat):
    """Space of a seat's marker on the reputation track."""
    return state[seat_cell(seat, REPUTATION)]


@rule
def vp(state, seat):
    """VP a seat has scored so far, without what the end of the game adds."""
    return state[seat_cell(seat, VP)]


@kernel
def score_now(state, tables, seat):
    """Total VP a seat would have if the game ended now."""
    return final_score(state, tables, seat)


@rule
def hand_count(state, seat):
    """Unpublished animals of a seat."""
    return state[seat_cell(seat, HAND_COUNT)]


@rule
def hand_animal(state, tables, seat, number):
    """Unpublished animal of a seat: the `number`-th it got, 0 … hand_count − 1."""
    return state[at(hand_start(tables, seat) + number)]


@rule
def animals_in_hand(state, tables, seat, continent):
    """How many unpublished animals of a continent a seat has."""
    return state[hand_animals(tables, seat, continent)]


@rule
def cubes_in_hand(state, tables, seat, category):
    """How many cubes of a category lie on a seat's unpublished animals."""
    return state[hand_cubes(tables, seat, category)]


@rule
def published_count(state, seat):
    """Animals a seat has published."""
    return state[seat_cell(seat, PUBLISHED_COUNT)]


@rule
def expert_count(state, seat):
    """Experts a seat owns, covered ones too."""
    return state[seat_cell(seat, EXPERT_COUNT)]


@rule
def expert_in_slot(state, tables, seat, slot):
    """Expert that works in a seat's expert space, -1 for none."""
    return top_expert(state, tables, seat, slot)


@rule
def has_free_slot(state, tables, seat):
    """Whether a seat has an empty expert space."""
    for slot in range(tables[SLOTS]):  # noqa: SIM110 - compiled
        if top_expert(state, tables, seat, slot) < 0:
            return True
    return False


@rule
def category_cubes(state, tables, seat, category):
    """Cubes of a seat on a category space of the board."""
    return state[at(tables[S_CATEGORY_CUBES] + seat * tables[CATEGORIES] + category)]


@rule
def continent_cards(state, tables, seat, continent):
    """Published animals and experts of a seat that count for a continent's bonus."""
    cell = seat * tables[CONTINENTS] + continent
    return state[at(tables[S_CONTINENT_ANIMALS] + cell)] + state[at(tables[S_CONTINENT_EXPERTS] + cell)]


@rule
def category_bonus_for(tables, cubes):
    """VP that so many cubes on one category space bring at the end."""
    return by_steps(tables, tables[T_CATEGORY_BONUS], tables[CATEGORY_STEPS], cubes)


@rule
def continent_bonus_for(tables, cards):
    """VP that so many published animals and experts of one continent bring at the end."""
    return by_steps(tables, tables[T_CONTINENT_BONUS], tables[CONTINENT_STEPS], cards)


# --- animals and types ------------------------------------------------------------------------------------------------


@rule
def continent_of(tables, animal):
    """Continent of an animal."""
    return animal_continent(tables, animal)


@rule
def category_of(tables, animal, type_index):
    """Category of an animal in a type, counted through all types."""
    return animal_category(tables, animal, type_index)


@rule
def has_cube(state, tables, animal, type_index):
    """Whether an unpublished animal has a cube on a type."""
    return (state[at(tables[S_ANIMAL_CUBES] + animal)] >> type_index) & 1 == 1


@rule
def cubes_on(state, tables, animal):
    """How many cubes lie on an unpublished animal."""
    count = 0
    for type_index in range(tables[TYPES]):
        count += (state[at(tables[S_ANIMAL_CUBES] + animal)] >> type_index) & 1
    return count


@rule
def types(tables):
    """How many types there are."""
    return tables[TYPES]


@rule
def cost_of_type(tables, type_index):
    """Research points for a cube of a type, before experts make it cheaper."""
    return tables[type_cell(tables, type_index, TYPE_COST)]


@rule
def value_to_publish(tables, type_index):
    """Lowest value of a die that publishes a type."""
    return tables[type_cell(tables, type_index, TYPE_FROM)]


@rule
def vp_of_type(tables, type_index):
    """VP of a published cube of a type."""
    return tables[type_cell(tables, type_index, TYPE_VP)]


@rule
def cubes_vp(state, tables, animal, value):
    """VP of the cubes on an animal that a die of a value publishes."""
    total = 0
    for type_index in range(tables[TYPES]):
        if has_cube(state, tables, animal, type_index) and value_to_publish(tables, type_index) <= value:
            total += vp_of_type(tables, type_index)
    return total


# --- displays and the board -------------------------------------------------------------------------------------------


@rule
def display_animals(state):
    """How many animals lie in the academy."""
    return state[ACADEMY_COUNT]


@rule
def display_animal(state, tables, position):
    """Animal in the academy, position 0 … display_animals − 1."""
    return state[at(tables[S_ACADEMY] + position)]


@rule
def display_experts(state):
    """How many experts stand in the university."""
    return state[UNIVERSITY_COUNT]


@rule
def display_expert(state, tables, position):
    """Expert in the university, position 0 … display_experts − 1."""
    return state[at(tables[S_UNIVERSITY] + position)]


@rule
def expert_continent(tables, expert):
    """Continent of an expert."""
    return tables[expert_cell(tables, expert, EXPERT_CONTINENT)]


@rule
def expert_trigger(tables, expert):
    """When an expert works, a TRIGGER_ constant; TRIGGER_ACTION + action for the actions."""
    return tables[expert_cell(tables, expert, EXPERT_TRIGGER)]


@rule
def expert_effect(tables, expert):
    """What an expert does, an EFFECT_ constant."""
    return tables[expert_cell(tables, expert, EXPERT_EFFECT)]


@rule
def expert_amount(tables, expert):
    """How much of it."""
    return tables[expert_cell(tables, expert, EXPERT_AMOUNT)]


@rule
def expedition_space(state, tables, continent):
    """Space the next expedition to a continent goes to, -1 where the continent is closed."""
    for space in range(tables[EXPEDITION_SPACES]):
        if state[at(tables[S_EXPEDITION] + continent * tables[EXPEDITION_SPACES] + space)] < 0:
            return space
    return -1


@rule
def expedition_reputation(state, tables, continent):
    """Reputation the next expedition to a continent brings, 0 where it is closed."""
    space = expedition_space(state, tables, continent)
    if space < 0:
        return 0
    return tables[at(tables[T_EXPEDITION] + space)]


# --- dice -------------------------------------------------------------------------------------------------------------


@rule
def die_value(state, tables, die):
    """Value a die shows."""
    return state[at(tables[S_DIE_VALUE] + die)]


@rule
def die_colour(tables, die):
    """Colour of a die: a continent."""
    return tables[at(tables[T_DIE_COLOUR] + die)]


@rule
def dice_left(state, tables, colour):
    """Dice of a colour that lie on player boards."""
    return state[at(tables[S_COLOUR_COUNT] + colour)]


@rule
def die_on_board(state, tables, seat, space):
    """Die on a space of a player board, -1 for none."""
    return state[at(tables[S_BOARDS] + seat * tables[SPACES] + space)]


@rule
def die_owner(state, tables, die):
    """Seat on whose board a die lies, -1 for none."""
    place = state[at(tables[S_DIE_WHERE] + die)] - DIE_ON_BOARD
    if place < 0:
        return -1
    return place // tables[SPACES]


@rule
def die_space(state, tables, die):
    """Space of its owner's board that a die lies on, -1 for a die that lies on no board."""
    place = state[at(tables[S_DIE_WHERE] + die)] - DIE_ON_BOARD
    if place < 0:
        return -1
    return place % tables[SPACES]


@rule
def space_effect(tables, space):
    """What a space of a board gives its owner when another player takes the die on it, an EFFECT_ constant."""
    return tables[at(tables[T_SPACES] + space * EFFECT_ROW + EFFECT)]


@rule
def space_amount(tables, space):
    """How much of it."""
    return tables[at(tables[T_SPACES] + space * EFFECT_ROW + AMOUNT)]


@rule
def coins_to_reach(tables, value, wanted):
    """Coins that raise a die's value to what is wanted; 0 if it is there already, -1 if coins add nothing."""
    if value >= wanted:
        return 0
    if tables[PER_COIN] == 0:
        return -1
    return (wanted - value + tables[PER_COIN] - 1) // tables[PER_COIN]


@rule
def recolour_price(state, tables, seat, action, die, continent):
    """Expedition tokens that give a die a continent's colour: 0 if it has it or an expert does it, -1 if unpayable."""
    if die_colour(tables, die) == continent or (state[seat_cell(seat, FREE_RECOLOUR + action)] >> continent) & 1:
        return 0
    if state[seat_cell(seat, EXPEDITION_TOKENS)] < tables[RECOLOUR_PRICE]:
        return -1
    return tables[RECOLOUR_PRICE]


# --- options ----------------------------------------------------------------------------------------------------------


@rule
def verb_of(option):
    """What an option does, a constant of `sim.actions` (TO_BANK, TAKE, CUBE …)."""
    return verb(option)


@rule
def argument_of(option):
    """What it does it with: an animal, a die, a number …, as `sim.actions` says beside each verb."""
    return argument(option)


@rule
def cube_animal(option):
    """Animal of a CUBE option."""
    return argument(option) // CUBE_STEP


@rule
def cube_type(option):
    """Type of a CUBE option."""
    return argument(option) % CUBE_STEP
