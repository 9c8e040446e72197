"""Named positions: the row of weights, and the work space of one decision."""

from typing import Final

from sim.jit import scratch
from sim.tables import MOST_BOARD_SPACES
from strategies.declare import Weight

WEIGHTS: Final = {
    # how much an action is liked, times what it is worth
    "embassy": Weight(0.8, 0.0, 3.0, "liking of the embassy, times what it is worth"),
    "bank": Weight(1.07, 0.0, 3.0, "liking of the bank"),
    "university": Weight(1.28, 0.0, 3.0, "liking of hiring experts"),
    "academy": Weight(1.02, 0.0, 3.0, "liking of taking animals"),
    "expedition": Weight(1.28, 0.0, 3.0, "liking of expeditions"),
    "publish": Weight(0.94, 0.0, 3.0, "liking of publications"),
    "extra": Weight(1.11, 0.0, 3.0, "liking of spending a seal on one more action"),
    "early": Weight(0.33, -1.0, 1.0, "how much more animals are liked at the beginning than at the end"),
    # what things are worth beyond what they score at the end, in VP
    "coin": Weight(0.61, 0.0, 3.0, "VP a coin is worth to spend, beyond its score at the end"),
    "token": Weight(1.26, 0.0, 4.0, "the same for an expedition token"),
    "reputation": Weight(1.15, 0.0, 4.0, "times what the track pays for a point of reputation"),
    "seal": Weight(0.73, 0.0, 6.0, "VP a seal is worth beyond its score while a round is left to spend it in"),
    # time
    "hold": Weight(0.81, 0.0, 1.2, "trust that what lies on unpublished animals will be published"),
    "patience": Weight(0.2, 0.0, 3.0, "actions set aside for each animal before it is thought safe"),
    # what may come
    "later": Weight(0.07, 0.0, 1.0, "share of an unpublished animal's empty spaces that counts as its worth"),
    "category": Weight(0.71, 0.0, 3.0, "times the bonus a category space is on its way to"),
    "continent": Weight(0.69, 0.0, 3.0, "times the bonus a continent's cards are on their way to"),
    "group": Weight(0.4, -2.0, 4.0, "VP for each animal of the continent in hand, when another is taken"),
    "animal": Weight(0.49, 0.0, 1.5, "share of everything an animal could bring that counts when it is taken"),
    "expert": Weight(0.95, 0.0, 4.0, "times what an expert does while the game lasts"),
    "legacy": Weight(0.93, 0.0, 4.0, "times what an expert scores at the end"),
    # dice
    "own": Weight(0.38, 0.0, 3.0, "times what an own die would pay if another player took it"),
    "gift": Weight(0.4, 0.0, 3.0, "times what another player's die pays its owner"),
    "keep": Weight(0.0, 0.0, 3.0, "VP for leaving a die that own animals want"),
    "deny": Weight(0.0, 0.0, 3.0, "VP for taking a die that others' animals want"),
    "bait": Weight(0.0, -3.0, 3.0, "how much others' wants count, beside own ones, when dice are placed"),
    # anything
    "noise": Weight(0.0, 0.0, 20.0, "VP of random error added to every option"),
}
"""Name → default, bounds and meaning; a strategy's row of weights has them in this order."""

(
    W_EMBASSY, W_BANK, W_UNIVERSITY, W_ACADEMY, W_EXPEDITION, W_PUBLISH, W_EXTRA, W_EARLY,
    W_COIN, W_TOKEN, W_REPUTATION, W_SEAL,
    W_HOLD, W_PATIENCE,
    W_LATER, W_CATEGORY, W_CONTINENT, W_GROUP, W_ANIMAL, W_EXPERT, W_LEGACY,
    W_OWN, W_GIFT, W_KEEP, W_DENY, W_BAIT,
    W_NOISE,
) = range(27)  # fmt: skip

# --- work space of a decision: one number each ------------------------------------------------------------------------

(
    ACTIONS_LEFT,  # own actions still to come after this one, seals included
    TURNS_AFTER,  # own turns still to come after this one
    HOLD,  # chance that what lies on an animal in hand is published
    GROW,  # the same for what is yet to be researched
    START,  # the same for an animal yet to be taken
    COIN,  # VP of one more coin …
    TOKEN,
    FAME,  # … point of reputation
    SEAL,
    RESEARCH_POINT,
    TOP_ANY,  # highest value of a die on the boards, and what taking it costs
    TOP_ANY_COST,
    LOW_ANY,  # value of the die that costs least to take
    LOW_ANY_COST,
    RECOLOUR_COST,  # VP of recolouring a die, NEVER if it cannot be paid
    BASE,  # what the publication looked at brings whatever its die
    ALL_VALUE,  # of all free cube spaces that the research under way can reach: VP …
    ALL_COST,  # … and points
    CHEAPEST,  # … and points of the cheapest
    PIP,  # 1 / sides of a die
    COINS_A_PIP,  # 1 / what a coin adds to a die; 0 if it adds nothing
    DIE_BONUS,  # what own experts add to the die of the chosen action
    COVERED,  # value of the working expert that a new one would best cover
    ACADEMY_LIKING,  # liking of taking animals at this point of the game
    NEW_WORK,  # value of the expert that is being put somewhere
    NARROW,  # bit mask of the actions for which an expert works on one continent only
) = range(26)

# --- lists ------------------------------------------------------------------------------------------------------------

MOST_COUNT: Final = 31
"""Further cubes or cards than this are taken to bring no more bonus."""
MOST_CATEGORIES: Final = 256
MOST_COLOURS: Final = 32
MOST_SPACES: Final = MOST_BOARD_SPACES
MOST_KINDS: Final = 16
MOST_HAND: Final = 64
MOST_SEATS: Final = 16
MOST_EFFECTS: Final = 24
MOST_TRIGGERS: Final = 16
MOST_SLOTS: Final = 128
MOST_DICE: Final = MOST_SEATS * MOST_SPACES
"""Room for continents, board spaces, types and seats: as many as the engine's bit masks and packing hold.
Dice on boards from MOST_DICE on are not looked at; animals in hand beyond MOST_HAND are not looked at where they would
only be part of a sum; categories from MOST_CATEGORIES on count as the last one before."""
ACTION_KINDS: Final = 8

STEPS: Final = 32  # VP that the next cube or card brings towards a bonus where n lie already
CATEGORY: Final = STEPS + MOST_COUNT + 1  # by category: VP of publishing one more cube
NEXT: Final = CATEGORY + MOST_CATEGORIES  # … and of one more beyond those that lie on animals in hand
GIVEN: Final = NEXT + MOST_CATEGORIES  # by category: VP of the cubes that go with a reference's
SPACE_PAY: Final = GIVEN + MOST_CATEGORIES  # by board space: VP of what it pays
COLOUR: Final = SPACE_PAY + MOST_SPACES
(
    CARD,  # by colour: VP of publishing one more animal, whatever its cubes
    NEXT_CARD,  # … beyond the animals in hand
    ALONG,  # … and of the animals without a cube that go with one of their continent
    FREE_VALUE,  # by colour: VP of all free cube spaces of own animals
    FREE_COST,  # … and what they cost
    OTHERS_ANIMALS,  # by colour: other players' unpublished animals, on average
    TOP,  # highest value of a die of the colour, and what taking it costs
    TOP_COST,
    LOW,  # value of the cheapest die to take, and its cost
    LOW_COST,
    ACADEMY_FAME,  # best of reputation less cost of the die, for an animal of the colour
    ACTION_OF,  # the best that a seal's die of the colour could do
    WANTED,  # VP for leaving a die of the colour where it is, a die of the highest value
) = (COLOUR + MOST_COLOURS * number for number in range(13))
PUBLISH_GAIN: Final = COLOUR + MOST_COLOURS * 13  # by type: VP of a publication up to it, -NEVER where it has no cube
BY_ACTION: Final = PUBLISH_GAIN + MOST_KINDS
(
    VALUE_PRICE,  # by action: VP that one more on its die is worth
    EXPERT_GAIN,  # by action: VP that own experts add to it …
    EXPERT_VALUE,  # … and what they add to the die
) = (BY_ACTION + ACTION_KINDS * number for number in range(3))
PRICE: Final = BY_ACTION + ACTION_KINDS * 3  # by effect: VP of one of what it gives
USES: Final = PRICE + MOST_EFFECTS  # by trigger: how often an expert will still work
HELD: Final = USES + MOST_TRIGGERS  # by position in hand: what the animal is worth where it lies
STOLEN: Final = HELD + MOST_HAND  # by seat: VP its experts bring it when another player takes one of its dice
SLOT_WORK: Final = STOLEN + MOST_SEATS  # by expert space: value of the expert on top
LISTED: Final = SLOT_WORK + MOST_SLOTS  # dice on boards, in the order of the boards …
LISTED_PAY: Final = LISTED + MOST_DICE  # … and VP of what taking each pays its owner
LEVELS: Final = LISTED_PAY + MOST_DICE  # by count: bonus of so many cubes or cards; a few more than STEPS
SPACE_SIZE: Final = LEVELS + 2 * MOST_COUNT

NOTHING: Final = -0.0
"""Zero to begin a sum with. A loop that sets cells to 0.0 is compiled to a call of memset, slow for so few."""
NEVER: Final = 1e6
"""Cost of what cannot be done."""

work_space = scratch(SPACE_SIZE)
"""float64[SPACE_SIZE] on the stack."""

BLOCK: Final = 128
"""Options that are scored in one go."""
score_space = scratch(BLOCK)
"""float64[BLOCK] on the stack."""
