"""Random numbers by purpose (rule 11).

Chance is a pure function of (seed, luck, purpose, index): every purpose is a stream of its own, so what one
decision draws never moves what another will. A stream is SFC64 with the four words
``(seed, luck, purpose << 32 | index, 1)``, warmed up by twelve rounds as numpy's own does; numpy's
``SFC64`` set to the same words gives the same numbers, which is how it is tested.

A *chance* array is one game's luck, kept apart from the state and never given to a strategy:
seed, luck, a stream to work with, then the orders of the two decks, the tokens and the bag.
"""

from typing import Final

import numpy as np

from sim.jit import at, kernel, rule

SEED, LUCK, STREAM = range(3)
STREAM_SIZE: Final = 4
ORDERS: Final = STREAM + STREAM_SIZE

ANIMAL_DECK, EXPERT_DECK, TOKEN_DECK, BAG, ROLL, REROLL, ANIMAL_REMAKE, EXPERT_REMAKE, STRATEGY = range(1, 10)
"""Purposes. Their numbers are part of what a seed means: add at the end, never reorder."""

SUBINDEX: Final = 64
"""Seats and repetitions within an index are packed in steps of this."""

_U1: Final = np.uint64(1)
_U3: Final = np.uint64(3)
_U11: Final = np.uint64(11)
_U24: Final = np.uint64(24)
_U32: Final = np.uint64(32)
_U40: Final = np.uint64(40)
_LOW: Final = np.uint64(0xFFFFFFFF)
_WARM_UP: Final = 12


@rule
def next_word(stream, base):
    """Next 64 random bits of the stream at `base` (SFC64, Doty-Humphrey)."""
    a, b, c, counter = stream[at(base)], stream[at(base + 1)], stream[at(base + 2)], stream[at(base + 3)]
    word = a + b + counter
    stream[at(base + 3)] = counter + _U1
    stream[at(base)] = b ^ (b >> _U11)
    stream[at(base + 1)] = c + (c << _U3)
    stream[at(base + 2)] = ((c << _U24) | (c >> _U40)) + word
    return word


@kernel
def open_stream(stream, base, seed, luck, purpose, index):
    """Begin the stream of a purpose at `base`."""
    stream[at(base)] = np.uint64(seed)
    stream[at(base + 1)] = np.uint64(luck)
    stream[at(base + 2)] = (np.uint64(purpose) << _U32) | np.uint64(index)
    stream[at(base + 3)] = _U1
    for _ in range(_WARM_UP):
        next_word(stream, base)


@rule
def below(stream, base, bound):
    """Uniform whole number in 0 … bound − 1 (Lemire's multiplication with rejection, unbiased)."""
    limit = np.uint64(bound)
    product = (next_word(stream, base) >> _U32) * limit
    if (product & _LOW) < limit:
        threshold = ((_LOW - limit) + _U1) % limit
        while (product & _LOW) < threshold:
            product = (next_word(stream, base) >> _U32) * limit
    return np.int64(product >> _U32)


@rule
def draw(random, bound):
    """Uniform whole number in 0 … bound − 1 from a strategy's own random stream.

    Parameters
    ----------
    random : uint64[4]
        The stream a strategy is called with; it moves on.
    bound : int
        How many numbers to choose from, 1 … 2³² − 1.
    """
    return below(random, 0, bound)


@rule
def draw_unit(random):
    """Uniform float64 in [0, 1) from a strategy's own random stream."""
    return np.float64(next_word(random, 0) >> _U11) * (1.0 / 9007199254740992.0)


@rule
def open_purpose(chance, purpose, index):
    """Set the chance array's working stream to a purpose."""
    open_stream(chance, STREAM, chance[SEED], chance[LUCK], purpose, index)


@kernel
def shuffle(chance, base, count):
    """Put `count` cells of the chance array at `base` in random order (Fisher–Yates, working stream)."""
    for last in range(count - 1, 0, -1):
        other = below(chance, STREAM, last + 1)
        kept = chance[at(base + last)]
        chance[at(base + last)] = chance[at(base + other)]
        chance[at(base + other)] = kept
