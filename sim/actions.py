"""What a choice is: one int32, a verb above sixteen bits of argument.

Every legal action of a decision is such a number. `verb` and `argument` take it apart in compiled code;
`in_words` says it in the words of the card set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sim.jit import rule

if TYPE_CHECKING:
    from sim.config import Configuration

(
    PICK,  # draft: animal
    PUT,  # place: board space
    TO_EMBASSY,
    TO_BANK,
    TO_UNIVERSITY,  # expert
    TO_ACADEMY,  # animal
    TO_EXPEDITION,  # continent
    TO_PUBLICATION,  # reference animal
    TAKE,  # die
    RECOLOUR,  # 0 or 1
    PAY_TOKENS,  # how many
    PAY_COINS,  # how many
    SLOT_OVER,  # expert space
    SLOT_UNDER,
    CUBE,  # animal * CUBE_STEP + type
    STOP,
    GIVE,  # 0 or 1
    ALONG,  # 0 or 1
    PASS,
) = range(19)

ARGUMENT_BITS: Final = 16
ARGUMENT_MASK: Final = (1 << ARGUMENT_BITS) - 1
CUBE_STEP: Final = 16
MOST_TYPES: Final = CUBE_STEP
MOST_ANIMALS: Final = (1 << ARGUMENT_BITS) // CUBE_STEP
"""What the packing has room for; tables are refused beyond it."""


@rule
def pack(verb_code, argument_value):
    """Make an action of a verb and its argument."""
    return (verb_code << ARGUMENT_BITS) | argument_value


@rule
def verb(action):
    """Verb of an action."""
    return action >> ARGUMENT_BITS


@rule
def argument(action):
    """Argument of an action."""
    return action & ARGUMENT_MASK


def in_words(action: int, subject: int, publish_type: int, configuration: Configuration) -> tuple[object, ...]:
    """Say an action in words: ids and names of the card set, spaces and types from 1.

    Parameters
    ----------
    action : int
        One cell of the actions buffer.
    subject, publish_type : int
        The state's ``SUBJECT`` and ``PUBLISH_TYPE``, which `GIVE` and `ALONG` speak of.
    configuration : Configuration
        Ruleset and card set of the game.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> in_words(TO_EXPEDITION << ARGUMENT_BITS, 0, 0, load_configuration())
    ('expedition', 'Africa')
    """
    code, value = action >> ARGUMENT_BITS, action & ARGUMENT_MASK
    cards = configuration.cards
    match code:
        case _ if code in (PICK, TO_ACADEMY, TO_PUBLICATION):
            name = {PICK: "animal", TO_ACADEMY: "academy", TO_PUBLICATION: "publication"}[code]
            return (name, cards.animals[value].id)
        case _ if code in (TO_EMBASSY, TO_BANK, STOP, PASS):
            return ({TO_EMBASSY: "embassy", TO_BANK: "bank", STOP: "stop", PASS: "pass"}[code],)
        case _ if code in (SLOT_OVER, SLOT_UNDER):
            return ("slot", value + 1, "over" if code == SLOT_OVER else "under")
        case _ if code == PUT:
            return ("space", value + 1)
        case _ if code == TO_UNIVERSITY:
            return ("university", cards.experts[value].id)
        case _ if code == TO_EXPEDITION:
            return ("expedition", configuration.ruleset.continents.names[value])
        case _ if code == TAKE:
            return ("die", value)
        case _ if code == RECOLOUR:
            return ("recolour", bool(value))
        case _ if code in (PAY_TOKENS, PAY_COINS):
            return ("tokens" if code == PAY_TOKENS else "coins", value)
        case _ if code == CUBE:
            return ("cube", cards.animals[value // CUBE_STEP].id, value % CUBE_STEP + 1)
        case _ if code == GIVE:
            return ("give", cards.animals[subject].id, publish_type + 1, bool(value))
        case _ if code == ALONG:
            return ("along", cards.animals[subject].id, bool(value))
    raise ValueError(f"no such action: {action}")
