"""Which option does best in playouts: sequential halving of the challengers to a favourite.

Playouts are shared out in rounds, and after each round the worse half of the options is out (Z. Karnin, T. Koren and
O. Somekh, *Almost optimal exploration in multi-armed bandits*, ICML 2013). The base's own choice, the favourite, stays
in to the end: playout number i of every option has the same luck, and what counts is by how much an option does better
than the favourite on the same luck. An option is chosen over the favourite only if that difference is clear of its own
noise, since otherwise the best of many options is the one that luck was kindest to.
"""

import math

from sim.jit import at, kernel
from strategies.search.trial import try_option

BROKEN = -1
"""Returned when the base breaks the contract of strategies."""


@kernel
def _rounds_for(options):
    """Count the rounds until two options are left, the favourite and one challenger, and one round for these."""
    rounds = 1
    while options > 2:
        options = (options + 1) // 2
        rounds += 1
    return rounds


@kernel
def sort_by(values, order, start, stop):
    """Sort ``order[start:stop]`` so that their values fall; equals keep their order."""
    for place in range(start + 1, stop):
        moved, free = order[at(place)], place
        while free > start and values[order[at(free - 1)]] < values[moved]:
            order[at(free)] = order[at(free - 1)]
            free -= 1
        order[at(free)] = moved


@kernel
def _is_clear(total, square, count, doubt):
    """Say whether a mean difference is above `doubt` standard errors."""
    if count < 2:
        return False
    mean = total / count
    variance = max(square / count - mean * mean, 0.0) / (count - 1)
    return mean > doubt * math.sqrt(variance)


@kernel
def best_by_halving(
    state, tables, actions, seat, order, options, gains, squares, budget, sandbox, base, seed, margin, doubt
):
    """Position in `actions` of the option to choose.

    Parameters
    ----------
    state, tables, actions : int32[::1]
        The decision.
    seat
        Who decides.
    order : int64[:]
        Positions of the options, the favourite first; the challengers are sorted as the rounds go by.
    options
        How many of `order` are tried, at least two.
    gains, squares : float64[:]
        Zeros, by position in `actions`; filled with the sums of differences to the favourite and of their squares.
    budget
        Playouts, shared out over all rounds and options; each option gets at least one a round.
    sandbox, base, seed, margin
        See `strategies.search.trial.try_option`.
    doubt
        Standard errors by which an option must do better than the favourite to be chosen.

    Returns
    -------
    int64
        `BROKEN` if the base breaks the contract of strategies.
    """
    played, left = 0, budget
    for remaining in range(_rounds_for(options), 0, -1):
        more = max(left // (remaining * options), 1)
        for luck in range(played, played + more):
            favourite = 0.0
            for place in range(options):
                option = order[at(place)]
                value = try_option(state, tables, actions[at(option)], seat, sandbox, base, seed, luck, margin)
                if value < 0.0:
                    return BROKEN
                if place == 0:
                    favourite = value
                gains[at(option)] += value - favourite
                squares[at(option)] += (value - favourite) ** 2
        played += more
        left -= more * options
        sort_by(gains, order, 1, options)
        options = max((options + 1) // 2, 2)
    challenger = order[1]
    if _is_clear(gains[at(challenger)], squares[at(challenger)], played, doubt):
        return challenger
    return order[0]
