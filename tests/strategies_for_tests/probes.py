"""Compiled probes that let Python look at the random numbers of `sim.chance`."""

from sim.chance import STRATEGY, below, draw, draw_unit, next_word, open_purpose, open_stream, shuffle
from sim.jit import entry


@entry
def fill_words(out, stream, seed, luck, purpose, index):
    """Fill `out` with the first words of a stream."""
    open_stream(stream, 0, seed, luck, purpose, index)
    for number in range(out.shape[0]):
        out[number] = next_word(stream, 0)


@entry
def fill_below(out, stream, seed, luck, purpose, index, bound):
    """Fill `out` with the first whole numbers below a bound."""
    open_stream(stream, 0, seed, luck, purpose, index)
    for number in range(out.shape[0]):
        out[number] = below(stream, 0, bound)


@entry
def fill_draws(out, units, stream, seed, luck, index, bound):
    """Fill `out` and `units` with what a strategy draws, one of each by turns."""
    open_stream(stream, 0, seed, luck, STRATEGY, index)
    for number in range(out.shape[0]):
        out[number] = draw(stream, bound)
        units[number] = draw_unit(stream)


@entry
def fill_first_draws(out, stream, seed, purpose, index, bound):
    """Fill `out` with the first draw of lucks 0, 1, …"""
    for luck in range(out.shape[0]):
        open_stream(stream, 0, seed, luck, purpose, index)
        out[luck] = below(stream, 0, bound)


@entry
def fill_shuffles(out, chance, seed, purpose, index):
    """Fill each row of `out` with 0, 1, … shuffled by lucks 0, 1, …; `chance` has room for one row."""
    base = chance.shape[0] - out.shape[1]
    chance[0] = seed
    for luck in range(out.shape[0]):
        chance[1] = luck
        for position in range(out.shape[1]):
            chance[base + position] = position
        open_purpose(chance, purpose, index)
        shuffle(chance, base, out.shape[1])
        for position in range(out.shape[1]):
            out[luck, position] = chance[base + position]
