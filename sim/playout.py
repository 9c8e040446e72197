"""Playouts: a copied state is played to the end on chance of its own (rule 11.1).

Nothing here reads the chance of the game that the state was copied from. Cards and tokens that nobody has seen are put
in a new random order; dice, rerolls and remade decks follow from the playout's own seed and luck. Two playouts with
equal seed and luck share all of that whatever is decided in them, as games do (rule 11.2).
"""

import numpy as np

from sim.calls import call_strategy
from sim.chance import ANIMAL_DECK, EXPERT_DECK, LUCK, SEED, STRATEGY, TOKEN_DECK, open_purpose, open_stream, shuffle
from sim.engine import advance, choose
from sim.jit import at, cells, kernel
from sim.layout import (
    ANIMAL_FRONT,
    ANIMALS,
    C_ANIMALS,
    C_EXPERTS,
    C_TOKENS,
    EXPERT_FRONT,
    EXPERTS,
    IN_DECK,
    PLAYERS,
    ROUND,
    S_ANIMAL_WHERE,
    S_EXPERT_WHERE,
    S_TOKENS,
    SEAT,
    TOKENS,
)


@kernel
def copy_cells(source, target, count):
    """Copy the first `count` cells of a bare pointer or array to another."""
    for cell in range(count):
        target[at(cell)] = source[at(cell)]


@kernel
def _shuffle_unseen(state, chance, where, cards, start):
    """Put the cards that are in the deck at `start`, in random order.

    The deck holds exactly these cards between the fronts that its counters say, so the counters stay right.
    """
    count = 0
    for card in range(cards):
        if state[at(where + card)] == IN_DECK:
            chance[at(start + count)] = np.uint64(card)
            count += 1
    shuffle(chance, start, count)


@kernel
def _shuffle_tokens(state, tables, chance):
    """Put the round tokens that no round has revealed behind those that one has, in random order."""
    start, revealed, count = tables[C_TOKENS], state[ROUND], 0
    for token in range(tables[TOKENS]):
        seen = False
        for number in range(revealed):
            if state[at(tables[S_TOKENS] + number)] == token:
                seen = True
        if not seen:
            chance[at(start + revealed + count)] = np.uint64(token)
            count += 1
    shuffle(chance, start + revealed, count)


@kernel
def renew_chance(state, tables, chance, seed, luck):
    """Fill a chance array with a future that a state allows, each as likely as the next (rule 11.1).

    Parameters
    ----------
    state, tables : int32
        Bare pointers (`sim.jit.cells`) or arrays of the game.
    chance : uint64
        The same of ``tables[CHANCE_SIZE]`` cells; nothing of what they held is read.
    seed, luck
        What the future is a function of, beside the state.
    """
    chance[SEED] = np.uint64(seed)
    chance[LUCK] = np.uint64(luck)
    open_purpose(chance, ANIMAL_DECK, 0)
    _shuffle_unseen(state, chance, tables[S_ANIMAL_WHERE], tables[ANIMALS], tables[C_ANIMALS] + state[ANIMAL_FRONT])
    open_purpose(chance, EXPERT_DECK, 0)
    _shuffle_unseen(state, chance, tables[S_EXPERT_WHERE], tables[EXPERTS], tables[C_EXPERTS] + state[EXPERT_FRONT])
    open_purpose(chance, TOKEN_DECK, 0)
    _shuffle_tokens(state, tables, chance)


@kernel
def open_playout_streams(randoms, tables, seed, luck):
    """Begin the random stream of every seat of a playout."""
    for seat in range(tables[PLAYERS]):
        open_stream(randoms[seat], 0, seed, luck, STRATEGY, seat)


@kernel
def play_out(state, tables, chance, record, actions, randoms, address, weights):
    """Play a game from wherever it is to its end, one strategy in all seats.

    Parameters
    ----------
    state, tables, record, actions : int32[::1]
        The state is played on in place; the record needs ``REC_LOG_COUNT`` set to ``NO_LOG``.
    chance : uint64[::1]
        Filled by `renew_chance`.
    randoms : uint64[players, 4]
        Each seat's random stream.
    address : int64
        Native address of the strategy.
    weights : float64[::1]
        Its weights.

    Returns
    -------
    bool
        False if the strategy returned an index that is no legal action; the game is not over then.
    """
    s, t, c, r, a = cells(state), cells(tables), cells(chance), cells(record), cells(actions)
    while True:
        count = advance(s, t, c, r, a)
        if count == 0:
            return True
        index = call_strategy(address, state, tables, actions, count, randoms[s[SEAT]], weights)
        if index < 0 or index >= count:
            return False
        choose(s, t, c, r, a[at(index)])
