"""Named positions in the flat arrays: state, tables, record.

Sizes that rulesets and card sets may change are read from the *tables*; everything before them has a fixed
place. All cells of state, tables and record are int32.
"""

# ruff: noqa: E501
from typing import Final

# --- state: the game ------------------------------------------------------------------------------------------------

(
    ROUND,  # 0 before the first round, then 1 …
    PHASE,  # one of the PHASE_ constants
    STEP,  # how far the phase has come: picks, placed dice, turns or seals
    START_SEAT,  # start player of the round
    KIND,  # the decision that is due, one of the KIND_ constants
    SEAT,  # who decides
    SUBJECT,  # what is decided about: the die to place, the animal asked to give or come along
    ANIMAL_FRONT,  # animals dealt from the front of the deck since it was made
    ANIMAL_BACK,  # animals drawn from its back
    ANIMAL_SIZE,  # animals it was made of
    ANIMAL_REMAKES,  # how often it was remade from discards
    EXPERT_FRONT,
    EXPERT_BACK,
    EXPERT_SIZE,
    EXPERT_REMAKES,
    ACADEMY_COUNT,  # animals on display
    UNIVERSITY_COUNT,  # experts on display
    COLOURS,  # bit mask: colours of the dice on player boards
    OPEN_CONTINENTS,  # bit mask: continents with a free expedition space
    ACTOR,  # the action being performed: whose it is
    ACTION,  # embassy … publication, an ACTION_ constant
    TARGET,  # its expert, animal or continent
    DIE,
    COLOUR,  # of the die, as used
    VALUE,  # of the die, with experts and payments
    RECOLOURED,  # 0 no, 1 paid, 2 free
    PAID_TOKENS,  # expedition tokens paid for value
    PAID_COINS,
    BY_SEAL,  # 1 in a seal's action
    POINTS,  # research points left
    RESEARCH_SEAT,  # who researches
    RESEARCH_CONTINENT,  # -1 for any
    PUBLISH_TYPE,  # type being published, 0-based; -1 at rule 5.6
    PUBLISH_INDEX,  # position in the hand that is asked next
    PENDING_COUNT,  # entries on the stack of what is still to happen
    LEADER,  # seat that leads in VP, -1 in a tie
    SEATS,  # first cell of the seats' blocks
) = range(37)

# --- state: one block a seat ------------------------------------------------------------------------------------------

(
    COINS,
    EXPEDITION_TOKENS,
    SEALS,
    REPUTATION,
    VP,
    HAND_COUNT,
    PUBLISHED_COUNT,
    EXPERT_COUNT,
    WORKING,  # bit mask of what the experts on top do: see WORKS_ below
    FREE_RECOLOUR,  # one bit mask of continents for each action: where an expert recolours free
) = range(10)
SEAT_SIZE: Final = FREE_RECOLOUR + 6

# Bits of WORKING: one a trigger, for experts that do something after it; then one an action whose die's value some
# expert adds to; then one for discounts. Most seats have few experts, and a clear bit saves a look at all of them.
WORKS_VALUE: Final = 10  # + action
WORKS_DISCOUNT: Final = 16

# --- tables: header -----------------------------------------------------------------------------------------------------

(
    PLAYERS,
    ROUNDS,
    ROTATES,
    CONTINENTS,
    TYPES,
    CATEGORIES,  # of all types together
    ANIMALS,
    EXPERTS,
    TOKENS,
    DICE,
    DICE_PER_PLAYER,
    SPACES,  # on a player board
    SLOTS,  # expert spaces
    SIDES,
    DISPLAY_ANIMALS,
    DISPLAY_EXPERTS,
    DRAFT,
    START_TOKENS,
    RECOLOUR_PRICE,
    PER_COIN,
    PER_TOKEN,
    BANK_COINS,
    MATCH_REPUTATION,
    PUBLICATION_SEALS,
    ANIMAL_VP,
    SEALS_PER_ROUND,
    SEAL_VP,
    COINS_PER_VP,
    TOKEN_VP,
    TRACK_LENGTH,
    BEYOND_VP,
    EXPEDITION_SPACES,
    EMBASSY_STEPS,  # lengths of the lists by value or count
    ACADEMY_STEPS,
    CATEGORY_STEPS,
    CONTINENT_STEPS,
    STATE_SIZE,
    ACTION_LIMIT,  # cells of the actions buffer: legal actions, then the work space of payments
    WORK,  # where that work space begins
    WORK_SIZE,
    CHANCE_SIZE,
    RECORD_SIZE,
    # tables: where the lists begin
    T_OFFSETS,
    T_EMBASSY,
    T_ACADEMY,
    T_CATEGORY_BONUS,
    T_CONTINENT_BONUS,
    T_EXPEDITION,
    T_SPACES,
    T_TRACK,
    T_TYPES,
    T_CATEGORY_TYPE,
    T_ANIMALS,
    T_EXPERTS,
    T_TOKENS,
    T_DIE_COLOUR,
    T_TURN_POSITION,  # position in the turn order, by dice taken this round
    T_PLACING_POSITION,  # the same, by dice placed
    T_BOARD_OWNER,  # seat, by space of all boards in a row
    T_ANIMAL_START,
    T_EXPERT_START,
    # state: where the parts of changing size begin
    S_ACADEMY,
    S_UNIVERSITY,
    S_ANIMAL_WHERE,
    S_ANIMAL_CUBES,
    S_EXPERT_WHERE,
    S_HANDS,
    S_SLOTS,
    S_CATEGORY_CUBES,
    S_CONTINENT_ANIMALS,
    S_CONTINENT_EXPERTS,
    S_HAND_ANIMALS,  # animals in hand, by seat and continent
    S_HAND_CUBES,  # cubes on animals in hand, by seat and category
    S_BOARDS,
    S_DIE_VALUE,
    S_DIE_WHERE,
    S_DRAWN,  # dice drawn this round, seat by seat
    S_COLOUR_COUNT,
    S_EXPEDITION,
    S_TOKENS,
    S_COSTS,
    S_PENDING,
    PENDING_LIMIT,
    # chance: where the orders begin
    C_ANIMALS,
    C_EXPERTS,
    C_TOKENS,
    C_BAG,
    # record
    R_ANIMALS,
    R_EXPERTS,
    R_VP_BY_ROUND,
    TABLES_HEADER,
) = range(91)

# --- tables: rows -------------------------------------------------------------------------------------------------------

SUM_BITS: Final = 31
"""Totals that one cell of the work space of payments marks: what an int32 holds beside its sign."""

TYPE_COST, TYPE_FROM, TYPE_VP, TYPE_ROW = range(4)
EFFECT, AMOUNT, EFFECT_ROW = range(3)
SCOPE: Final = 2
TOKEN_ROW: Final = 3
(
    EXPERT_CONTINENT,
    EXPERT_TRIGGER,
    EXPERT_TRIGGER_CONTINENT,
    EXPERT_EFFECT,
    EXPERT_AMOUNT,
    EXPERT_FILTER_KIND,
    EXPERT_FILTER,
    EXPERT_ROW,
) = range(8)
FILTER_NONE, FILTER_CONTINENT, FILTER_CATEGORY, FILTER_TYPE, FILTER_NUMBER = range(5)
START_DECK, START_OUT, START_SEAT_0 = 0, 1, 2
"""Where a card begins: in the deck, out of the game, or (from START_SEAT_0) with a seat."""

# --- where cards and dice are ---------------------------------------------------------------------------------------

IN_DECK, ON_DISPLAY, DISCARDED, OUT_OF_GAME = range(4)
IN_HAND: Final = 16  # + seat
PUBLISHING: Final = 32  # + seat, only while the publication lasts
PUBLISHED: Final = 48  # + seat
OWNED: Final = 16  # + seat * OWNED_STEP + expert space
OWNED_STEP: Final = 1024
NOWHERE: Final = -1

DIE_IN_BAG: Final = 0
DIE_IN_AREA: Final = 1  # + action whose area it lies in
DIE_PUBLISHED: Final = 6  # what that gives for a publication: off the board (5.8)
DIE_DRAWN: Final = 8  # + seat, rolled and not yet placed
DIE_ON_BOARD: Final = 32  # + seat * spaces + space

# --- phases, decisions, actions ---------------------------------------------------------------------------------------

PHASE_DRAFT, PHASE_ROUND, PHASE_PLACE, PHASE_TURN, PHASE_SEAL, PHASE_OVER = range(6)

(
    KIND_NONE,
    KIND_DRAFT,
    KIND_PLACE,
    KIND_TARGET,
    KIND_DIE,
    KIND_RECOLOUR,
    KIND_TOKENS,
    KIND_COINS,
    KIND_SLOT,
    KIND_CUBE,
    KIND_GIVE,
    KIND_ALONG,
    KIND_SEAL,
) = range(13)
KIND_NAMES: Final = (
    "none", "draft", "place", "target", "die", "recolour", "tokens", "coins", "slot", "cube", "give", "along", "seal",
)  # fmt: skip

EMBASSY, BANK, UNIVERSITY, ACADEMY, EXPEDITION, PUBLICATION = range(6)

# Codes of triggers and effects: positions in the lists of `sim.vocabulary` (checked by a test).
TRIGGER_HIRE: Final = 0
TRIGGER_ACTION: Final = 1  # + action
TRIGGER_STOLEN: Final = 7
TRIGGER_ROUND_START: Final = 8
TRIGGER_GAME_END: Final = 9
(
    EFFECT_NONE,
    EFFECT_COINS,
    EFFECT_TOKENS,
    EFFECT_REPUTATION,
    EFFECT_VP,
    EFFECT_SEALS,
    EFFECT_ANIMALS,
    EFFECT_RESEARCH,
    EFFECT_VALUE,
    EFFECT_RECOLOUR,
    EFFECT_DISCOUNT,
    EFFECT_PER_PUBLISHED,
    EFFECT_PER_CATEGORY,
    EFFECT_PER_EXPERT,
    EFFECT_PER_SEAL,
    EFFECT_PER_COINS,
    EFFECT_PER_ANIMAL,
    EFFECT_LOSE_COINS,
) = range(18)

RECOLOUR_NO, RECOLOUR_PAID, RECOLOUR_FREE = range(3)

# --- pending: what is still to happen, one packed cell each -----------------------------------------------------------

(
    PENDING_SPACE,  # argument: space of the seat's board
    PENDING_EXPERT,  # expert
    PENDING_TOKEN,  # round token
    PENDING_TRACK,  # space of the reputation track
    PENDING_BEYOND,  # points beyond it
    PENDING_PAYMENT,  # the current action's payments are due
) = range(1, 7)
PENDING_SEAT_BITS: Final = 4
PENDING_ARGUMENT_BITS: Final = 20

# --- record: what is kept of a game -----------------------------------------------------------------------------------

(
    REC_PLIES,  # decisions with more than one legal action
    REC_LEAD_CHANGES,
    REC_ANIMAL_REMAKES,
    REC_EXPERT_REMAKES,
    REC_FAULT,  # 0, or what a strategy did wrong: a FAULT_ constant
    REC_FAULT_SEAT,
    REC_LOG_COUNT,
    REC_SEATS,
) = range(8)
FAULT_NONE, FAULT_INDEX = range(2)
NO_LOG: Final = -1  # in REC_LOG_COUNT of a record without room for a log

SEAT_COLUMNS: Final = (
    "total",
    "rank",
    "win_ties",
    "embassy", "bank", "university", "academy", "expedition", "publication",
    "dice_taken", "dice_lost",
    "recolours_paid", "recolours_free",
    "coins_gained", "coins_spent", "coins_lost", "tokens_gained", "tokens_spent",
    "reputation_gained", "seals_gained", "seals_used",
    "animals_drafted", "animals_taken", "animals_drawn", "animals_published",
    "experts_hired", "experts_over", "experts_under",
    "cubes_researched", "cubes_scored",
    "vp_cubes", "vp_animals", "vp_spaces", "vp_tokens", "vp_track", "vp_experts",
    "vp_categories", "vp_continents", "vp_seals", "vp_coins", "vp_expedition_tokens", "vp_experts_end",
    "categories_used", "categories_bonus", "continents_bonus",
    "coins_left", "tokens_left", "seals_left", "animals_left", "reputation", "experts_owned",
)  # fmt: skip
"""What is recorded of a seat, in this order; `sim.record` documents each."""
(
    REC_TOTAL,
    REC_RANK,
    REC_WIN_TIES,  # seats that share the win, 0 for a seat that does not win
    REC_EMBASSY, REC_BANK, REC_UNIVERSITY, REC_ACADEMY, REC_EXPEDITION, REC_PUBLICATION,
    REC_DICE_TAKEN, REC_DICE_LOST,
    REC_RECOLOURS_PAID, REC_RECOLOURS_FREE,
    REC_COINS_GAINED, REC_COINS_SPENT, REC_COINS_LOST, REC_TOKENS_GAINED, REC_TOKENS_SPENT,
    REC_REPUTATION_GAINED, REC_SEALS_GAINED, REC_SEALS_USED,
    REC_ANIMALS_DRAFTED, REC_ANIMALS_TAKEN, REC_ANIMALS_DRAWN, REC_ANIMALS_PUBLISHED,
    REC_EXPERTS_HIRED, REC_EXPERTS_OVER, REC_EXPERTS_UNDER,
    REC_CUBES_RESEARCHED, REC_CUBES_SCORED,
    REC_VP_CUBES, REC_VP_ANIMALS, REC_VP_SPACES, REC_VP_TOKENS, REC_VP_TRACK, REC_VP_EXPERTS,
    REC_VP_CATEGORIES, REC_VP_CONTINENTS, REC_VP_SEALS, REC_VP_COINS, REC_VP_EXPEDITION_TOKENS, REC_VP_EXPERTS_END,
    REC_CATEGORIES_USED, REC_CATEGORIES_BONUS, REC_CONTINENTS_BONUS,
    REC_COINS_LEFT, REC_TOKENS_LEFT, REC_SEALS_LEFT, REC_ANIMALS_LEFT, REC_REPUTATION, REC_EXPERTS_OWNED,
    REC_SEAT_SIZE,
) = range(52)  # fmt: skip

# One row a card. Rounds count from 1; a card of the set-up has round 0, what never happened is -1.
CARD_SHOWN, CARD_SEAT, CARD_ROUND, CARD_SOURCE, CARD_PUBLISHED, CARD_ROW = range(6)
SOURCE_NONE, SOURCE_DRAFT, SOURCE_PLACE, SOURCE_DRAWN, SOURCE_GIFT = range(5)
SOURCE_NAMES: Final = ("none", "draft", "place", "drawn", "gift")

# --- log: what happened, in order, when a record has room for it --------------------------------------------------------

LOG_ROW: Final = 5  # code, seat, and three numbers
(
    LOG_DEAL_UNIVERSITY,  # expert
    LOG_DEAL_ACADEMY,  # animal
    LOG_REMAKE,  # deck: 0 animals, 1 experts
    LOG_DRAFT,  # animal
    LOG_START,  # coins, tokens
    LOG_ROUND,  # token
    LOG_ROLL,  # die, value
    LOG_PLACE,  # die, space
    LOG_ACTION,  # die, where it came from (its S_DIE_WHERE), value rolled for a seal or 0
    LOG_PAYMENT,  # recoloured, coins, tokens
    LOG_VALUE,  # value and colour as used
    LOG_UNIVERSITY,  # expert, space, 0 free / 1 over / 2 under
    LOG_ACADEMY,  # animal
    LOG_EXPEDITION,  # continent, space
    LOG_PUBLICATION,  # reference
    LOG_GAVE,  # animal, type
    LOG_ALONG,  # animal
    LOG_CUBE,  # animal, type
    LOG_PASS,
    LOG_EFFECT,  # the packed pending entry
    LOG_GAIN,  # effect, amount
    LOG_DREW,  # animal
    LOG_ROUND_END,
) = range(23)
