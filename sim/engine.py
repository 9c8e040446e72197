"""The engine: which decision is due, what is legal, what a choice does, a whole game.

A game moves from decision to decision. `advance` lets everything happen that needs no choice, and stops at the next
decision with more than one legal action; `choose` applies one. Neither knows strategies; `play` does.
"""

from typing import Final

import numpy as np

from sim.actions import ALONG, GIVE, RECOLOUR
from sim.calls import call_strategy
from sim.chance import STRATEGY, open_stream
from sim.jit import at, cells, entry, kernel, part_of, rule
from sim.layout import (
    ACADEMY,
    ACTION,
    ACTOR,
    BANK,
    COLOUR,
    EMBASSY,
    EXPEDITION,
    FAULT_INDEX,
    FAULT_NONE,
    KIND,
    KIND_ALONG,
    KIND_COINS,
    KIND_CUBE,
    KIND_DIE,
    KIND_DRAFT,
    KIND_GIVE,
    KIND_NONE,
    KIND_PLACE,
    KIND_RECOLOUR,
    KIND_SEAL,
    KIND_SLOT,
    KIND_TARGET,
    KIND_TOKENS,
    LEADER,
    LOG_PAYMENT,
    LOG_VALUE,
    PAID_COINS,
    PAID_TOKENS,
    PENDING_COUNT,
    PENDING_PAYMENT,
    PHASE,
    PHASE_DRAFT,
    PHASE_OVER,
    PHASE_PLACE,
    PHASE_ROUND,
    PHASE_SEAL,
    PHASE_TURN,
    PLAYERS,
    REC_EMBASSY,
    REC_FAULT,
    REC_FAULT_SEAT,
    REC_LEAD_CHANGES,
    REC_PLIES,
    RECOLOURED,
    ROUND,
    ROUNDS,
    S_PENDING,
    SEAT,
    STEP,
    UNIVERSITY,
    VALUE,
    VP,
)
from sim.rules.cells import note, record_cell, seat_cell
from sim.rules.effects import pending_code, resolve
from sim.rules.expedition import perform_expedition
from sim.rules.payment import (
    apply_coins,
    apply_recolour,
    apply_tokens,
    begin_payment,
    legal_coins,
    legal_tokens,
)
from sim.rules.places import apply_slot, legal_slots, perform_academy, perform_bank, perform_embassy, perform_university
from sim.rules.publication import apply_along, apply_give, legal_yes_no, perform_publication
from sim.rules.research import apply_cube, legal_cubes
from sim.rules.rounds import apply_place, begin_round, discard_hands, end_round, legal_places, next_placing, roll_dice
from sim.rules.scoring import score_game
from sim.rules.seals import apply_seal, legal_seals, next_seal
from sim.rules.setup import apply_pick, legal_picks, next_pick, set_up, starting_goods
from sim.rules.turn import apply_die, apply_target, legal_dice, legal_targets, next_turn


@kernel
def legal_actions(state, tables, actions):
    """Write the legal actions of the decision that is due into the buffer; return how many there are.

    Parameters
    ----------
    state, tables : int32[::1]
        The game and its rules (`sim.layout`).
    actions : int32[::1]
        Buffer of at least ``tables[ACTION_LIMIT]`` cells.
    """
    kind = state[KIND]
    if kind == KIND_TARGET:
        return np.int64(legal_targets(state, tables, actions))
    if kind == KIND_DIE:
        return np.int64(legal_dice(state, tables, actions))
    if kind == KIND_COINS:
        return np.int64(legal_coins(state, tables, actions))
    if kind == KIND_CUBE:
        return np.int64(legal_cubes(state, tables, actions))
    if kind == KIND_PLACE:
        return np.int64(legal_places(state, tables, actions))
    if kind == KIND_TOKENS:
        return np.int64(legal_tokens(state, tables, actions))
    if kind == KIND_RECOLOUR:
        return np.int64(legal_yes_no(actions, RECOLOUR))
    if kind == KIND_GIVE:
        return np.int64(legal_yes_no(actions, GIVE))
    if kind == KIND_ALONG:
        return np.int64(legal_yes_no(actions, ALONG))
    if kind == KIND_SEAL:
        return np.int64(legal_seals(state, tables, actions))
    if kind == KIND_SLOT:
        return np.int64(legal_slots(state, tables, actions))
    if kind == KIND_DRAFT:
        return np.int64(legal_picks(state, tables, actions))
    return np.int64(0)


@kernel
def choose(state, tables, chance, record, action):
    """Apply a legal action. What follows from it happens in `advance`."""
    kind = state[KIND]
    if kind == KIND_TARGET:
        apply_target(state, tables, action)
    elif kind == KIND_DIE:
        apply_die(state, tables, record, action)
    elif kind == KIND_COINS:
        apply_coins(state, tables, record, action)
        _perform(state, tables, record)
    elif kind == KIND_CUBE:
        apply_cube(state, tables, record, action)
    elif kind == KIND_PLACE:
        apply_place(state, tables, record, action)
    elif kind == KIND_TOKENS:
        apply_tokens(state, tables, record, action)
        if state[KIND] == KIND_NONE:  # no coins left to ask for
            _perform(state, tables, record)
    elif kind == KIND_RECOLOUR:
        apply_recolour(state, tables, record, action)
        _perform(state, tables, record)
    elif kind == KIND_GIVE:
        apply_give(state, tables, record, action)
    elif kind == KIND_ALONG:
        apply_along(state, tables, record, action)
    elif kind == KIND_SEAL:
        apply_seal(state, tables, chance, record, action)
    elif kind == KIND_SLOT:
        apply_slot(state, tables, record, action)
    elif kind == KIND_DRAFT:
        apply_pick(state, tables, record, action)


@kernel
def _perform(state, tables, record):
    """Perform the action whose payments are made (4.12)."""
    action, seat = state[ACTION], state[ACTOR]
    note(record, tables, LOG_PAYMENT, seat, state[RECOLOURED], state[PAID_COINS], state[PAID_TOKENS])
    note(record, tables, LOG_VALUE, seat, state[VALUE], state[COLOUR], action)
    record[record_cell(seat, REC_EMBASSY + action)] += 1
    if action == EMBASSY:
        perform_embassy(state, tables, record)
    elif action == BANK:
        perform_bank(state, tables, record)
    elif action == UNIVERSITY:
        perform_university(state, tables, record)
    elif action == ACADEMY:
        perform_academy(state, tables, record)
    elif action == EXPEDITION:
        perform_expedition(state, tables, record)
    else:
        perform_publication(state, tables, record)


@rule
def _resolve_next(state, tables, chance, record):
    """Take the top entry off the stack and let it happen."""
    state[PENDING_COUNT] -= 1
    pending = state[at(tables[S_PENDING] + state[PENDING_COUNT])]
    if pending_code(pending) != PENDING_PAYMENT:
        resolve(state, tables, chance, record, pending)
        return
    begin_payment(state, tables, record)
    if state[KIND] == KIND_NONE:  # nothing can be paid
        _perform(state, tables, record)


@kernel
def _count_lead_change(state, tables, record):
    """Record when the lead in VP passes from one seat to another; a tie changes nothing."""
    best, leader = state[seat_cell(0, VP)], np.int64(0)
    for seat in range(1, tables[PLAYERS]):
        vp = state[seat_cell(seat, VP)]
        leader = np.int64(-1) if vp == best else leader
        leader = np.int64(seat) if vp > best else leader
        best = max(vp, best)
    if leader >= 0 and leader != state[LEADER]:
        if state[LEADER] >= 0:
            record[REC_LEAD_CHANGES] += 1
        state[LEADER] = leader


@kernel
def _next_step(state, tables, chance, record):
    """Go on when nothing is pending: the next decision of the phase, or the next phase."""
    phase = state[PHASE]
    if phase == PHASE_TURN:
        _count_lead_change(state, tables, record)
        if not next_turn(state, tables):
            state[PHASE] = PHASE_SEAL
            state[STEP] = 0
    elif phase == PHASE_PLACE:
        if not next_placing(state, tables):
            state[PHASE] = PHASE_TURN
            state[STEP] = 0
    elif phase == PHASE_SEAL:
        _count_lead_change(state, tables, record)
        if not next_seal(state, tables, record):
            _end_round(state, tables, chance, record)
    elif phase == PHASE_ROUND:
        roll_dice(state, tables, chance, record)
    elif phase == PHASE_DRAFT and not next_pick(state, tables):
        starting_goods(state, tables, record)
        begin_round(state, tables, chance, record)


@rule
def _end_round(state, tables, chance, record):
    """End the round (3.5); after the last, the game (9)."""
    end_round(state, tables, record)
    if state[ROUND] < tables[ROUNDS]:
        begin_round(state, tables, chance, record)
        return
    discard_hands(state, tables, record)
    score_game(state, tables, record)
    state[PHASE] = PHASE_OVER


@kernel
def advance(state, tables, chance, record, actions):
    """Let happen what needs no choice, up to the next decision with more than one legal action.

    Returns
    -------
    int64
        How many legal actions the buffer holds; 0 when the game is over.
    """
    while True:
        if state[KIND] != KIND_NONE:
            count = legal_actions(state, tables, actions)
            if count > 1:
                return count
            choose(state, tables, chance, record, actions[0])
        elif state[PENDING_COUNT] > 0:
            _resolve_next(state, tables, chance, record)
        elif state[PHASE] == PHASE_OVER:
            return np.int64(0)
        else:
            _next_step(state, tables, chance, record)


BEGIN: Final = -1


@entry
def step(state, tables, chance, record, actions, action, seed, luck):
    """Apply an action (or `BEGIN` a game on a seed and luck) and advance to the next decision, for Python.

    Returns
    -------
    int64
        How many legal actions the buffer holds; 0 when the game is over.
    """
    s, t, c, r = cells(state), cells(tables), cells(chance), cells(record)
    if action == BEGIN:
        set_up(s, t, c, r, seed, luck)
    else:
        choose(s, t, c, r, action)
    return advance(s, t, c, r, cells(actions))


NEXT: Final = -2
GO_ON: Final = 1


@entry
def step_once(state, tables, chance, record, actions, action, seed, luck):
    """As `step`, one thing at a time, so that a log can look at the game in between.

    The body is that of `advance`, once through; as a function of both it would cost random play 3 % of its time.

    Parameters
    ----------
    action : int
        `BEGIN`, a legal action, or `NEXT` for whatever happens next without a choice.

    Returns
    -------
    int64
        `GO_ON` if the game can go on without a choice, else as `step`.
    """
    s, t, c, r, a = cells(state), cells(tables), cells(chance), cells(record), cells(actions)
    if action == BEGIN:
        set_up(s, t, c, r, seed, luck)
    elif action >= 0:
        choose(s, t, c, r, action)
    elif s[KIND] != KIND_NONE:
        count = legal_actions(s, t, a)
        if count > 1:
            return count
        choose(s, t, c, r, a[0])
    elif s[PENDING_COUNT] > 0:
        _resolve_next(s, t, c, r)
    elif s[PHASE] == PHASE_OVER:
        return np.int64(0)
    else:
        _next_step(s, t, c, r)
    return np.int64(GO_ON)


@entry
def ask(address, state, tables, actions, count, random, weights):
    """Ask the strategy at a native address for its choice, for Python."""
    return call_strategy(address, state, tables, actions, count, random, weights)


@entry
def open_strategy_streams(randoms, seed, luck):
    """Begin every seat's random stream as `play` does, for Python."""
    for seat in range(randoms.shape[0]):
        open_stream(randoms[seat], 0, seed, luck, STRATEGY, seat)


@kernel
def play(state, tables, chance, record, actions, randoms, addresses, weights, starts, seating, seed, luck):
    """Play one game to its end, or to the first fault of a strategy.

    Parameters
    ----------
    state, tables, record, actions : int32[::1]
    chance : uint64[::1]
    randoms : uint64[players, 4]
        Room for each seat's random stream.
    addresses : int64[:]
        Native address of every strategy (`sim.calls.address_of`).
    weights : float64[::1]
        The weights of all strategies, one after the other.
    starts : int64[:]
        Where each strategy's begin, and where the last one's end.
    seating : int32[players]
        Which of them sits where.
    seed, luck : int64
        What chance is a function of (rule 11.2).

    Returns
    -------
    int64
        ``FAULT_NONE`` or ``FAULT_INDEX``; the record says whose.
    """
    s, t, c, r, a = cells(state), cells(tables), cells(chance), cells(record), cells(actions)
    set_up(s, t, c, r, seed, luck)
    for seat in range(tables[PLAYERS]):
        open_stream(randoms[seat], 0, seed, luck, STRATEGY, seat)
    while True:
        count = advance(s, t, c, r, a)
        if count == 0:
            return FAULT_NONE
        seat = s[SEAT]
        r[REC_PLIES] += 1
        r[REC_FAULT_SEAT] = seat
        strategy = at(seating[at(seat)])
        own = part_of(weights, starts[strategy], starts[strategy + at(1)])
        index = call_strategy(addresses[strategy], state, tables, actions, count, randoms[at(seat)], own)
        if index < 0 or index >= count:
            r[REC_FAULT] = FAULT_INDEX
            return FAULT_INDEX
        choose(s, t, c, r, a[at(index)])
