"""`restricted`: another strategy that is never shown some of its legal actions.

``restricted:base=(balanced:publish=1.5),without=bank+seals`` plays as `balanced` with that weight would if the bank
and seals did not exist for it (restricted play: A. Jaffe et al., *Evaluating competitive game balance with restricted
play*, AIIDE 2012). Everybody else at the table may do what the rules allow. Where every legal action is forbidden,
none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from sim.actions import ALONG, GIVE, PAY_COINS, PAY_TOKENS, RECOLOUR, TAKE, TO_EMBASSY, TO_PUBLICATION, argument, verb
from sim.calls import call_strategy
from sim.errors import InputError
from sim.faults import one_of
from sim.jit import at, kernel, rule
from sim.layout import (
    ACADEMY,
    ACTION,
    BY_SEAL,
    COINS,
    DIE,
    KIND,
    KIND_DIE,
    KIND_SEAL,
    PER_COIN,
    PLAYERS,
    PUBLICATION,
    S_BOARDS,
    S_DIE_VALUE,
    SEAT,
    SPACES,
    T_DIE_COLOUR,
    TARGET,
)
from sim.rules.cells import seat_cell
from sim.rules.turn import can_recolour, least_value, target_continent
from strategies.declare import strategy
from strategies.view import die_owner

if TYPE_CHECKING:
    from sim.batch import Player

BARS: Final[Mapping[str, str]] = {
    "embassy": "embassy actions (4.6)",
    "bank": "bank actions (4.7)",
    "university": "university actions: no experts (4.8)",
    "academy": "academy actions: no animals but those drafted or drawn (4.9)",
    "expedition": "expeditions (4.10)",
    "publication": "publications (4.11)",
    "coins": "paying coins for value (4.4)",
    "tokens": "paying expedition tokens for value (4.4)",
    "recolour": "using a die as another colour, paid or free (4.3)",
    "others": "taking dice from other seats' boards (4.1)",
    "seals": "spending royal seals (6.1)",
    "give": "moving cubes of other animals than the reference in a publication (5.4)",
    "along": "publishing animals of the reference's continent without a cube (5.6)",
}
"""What can be forbidden; a bar's place in this list is its bit."""
_COINS, _TOKENS, _RECOLOUR, _OTHERS, _SEALS, _GIVE, _ALONG = range(6, 13)
_SUBTLE: Final = 1 << _COINS | 1 << _RECOLOUR | 1 << _OTHERS
"""Bars that decide which dice may serve a target."""

W_BARS, W_ADDRESS, W_INNER = range(3)


def mask_of(bars: Iterable[str]) -> int:
    """Say bars as a bit mask.

    Parameters
    ----------
    bars
        Names out of `BARS`.

    Raises
    ------
    InputError
        If a name is unknown.

    Examples
    --------
    >>> mask_of(["embassy", "university"])
    5
    """
    mask = 0
    for bar in bars:
        if bar not in BARS:
            raise InputError(f"without {bar!r}: {one_of(bar, list(BARS))}")
        mask |= 1 << list(BARS).index(bar)
    return mask


def spec_of(base: str, bars: Iterable[str] = ()) -> str:
    """Write the spec of a strategy without some of its actions; without any bar, of a plain copy.

    Parameters
    ----------
    base
        Spec of the strategy.
    bars
        Names out of `BARS`.

    Examples
    --------
    >>> spec_of("greedy", ["bank", "seals"])
    'restricted:base=(greedy),without=bank+seals'
    """
    return f"restricted:base=({base}),without={'+'.join(bars) or NOTHING}"


NOTHING: Final = "nothing"
"""What ``without`` says for a plain copy."""


def _prepare(row: NDArray[np.float64], texts: Mapping[str, str], players: int) -> tuple[NDArray[np.float64], Player]:
    """Load the inner strategy; its address is exact in a float64, as machine addresses have less than 53 bits."""
    from strategies.api import load  # noqa: PLC0415 - it loads this module in turn

    del row
    without = texts["without"].strip()
    mask = 0 if without == NOTHING else mask_of(part.strip() for part in without.split("+"))
    inner = load(texts["base"], players)
    return np.concatenate([[float(mask), float(inner.address)], inner.weights]), inner


@rule
def _die_serves(state, tables, bars, seat, die, action, continent, least):
    """Say whether a die may be used for a target under the bars."""
    if state[at(tables[S_DIE_VALUE] + die)] < least:
        return False
    if (bars >> _OTHERS) & 1 and not state[BY_SEAL] and die_owner(state, tables, die) != seat:
        return False
    if action < ACADEMY or tables[at(tables[T_DIE_COLOUR] + die)] == continent:
        return True
    return not (bars >> _RECOLOUR) & 1 and can_recolour(state, tables, seat, action, continent)


@kernel
def _least(state, tables, bars, seat, action, target):
    """Lowest value that a die needs for a target; where coins are barred, without the help of coins."""
    if action != PUBLICATION:
        return np.int64(0)
    least = np.int64(least_value(state, tables, seat, target))
    if (bars >> _COINS) & 1:
        least += state[seat_cell(seat, COINS)] * tables[PER_COIN]
    return least


@kernel
def _target_allowed(state, tables, bars, option):
    """Say whether an action may be chosen: not barred itself, and possible with some die under the bars."""
    action, target, seat = verb(option) - TO_EMBASSY, argument(option), state[SEAT]
    if (bars >> action) & 1:
        return False
    if not bars & _SUBTLE:
        return True
    continent = target_continent(tables, action, target)
    least = _least(state, tables, bars, seat, action, target)
    if state[BY_SEAL]:
        return _die_serves(state, tables, bars, seat, state[DIE], action, continent, least)
    for cell in range(tables[S_BOARDS], tables[S_BOARDS] + tables[PLAYERS] * tables[SPACES]):
        die = state[at(cell)]
        if die >= 0 and _die_serves(state, tables, bars, seat, die, action, continent, least):
            return True
    return False


@kernel
def _allowed(state, tables, bars, option):
    """Say whether an option may be chosen under the bars."""
    what, value = verb(option), argument(option)
    if TO_EMBASSY <= what <= TO_PUBLICATION:
        return _target_allowed(state, tables, bars, option)
    if what == TAKE and state[KIND] == KIND_SEAL:
        return not (bars >> _SEALS) & 1
    if what == TAKE and state[KIND] == KIND_DIE:
        action, target, seat = state[ACTION], state[TARGET], state[SEAT]
        least = _least(state, tables, bars, seat, action, target)
        continent = target_continent(tables, action, target)
        return _die_serves(state, tables, bars, seat, value, action, continent, least)
    bar = -1
    if what == PAY_COINS:
        bar = _COINS
    elif what == PAY_TOKENS:
        bar = _TOKENS
    elif what == RECOLOUR:
        bar = _RECOLOUR
    elif what == GIVE:
        bar = _GIVE
    elif what == ALONG:
        bar = _ALONG
    return bar < 0 or value == 0 or not (bars >> bar) & 1


@strategy(
    texts={"base": "greedy", "without": NOTHING},
    prepare=_prepare,
    describe="another strategy (base) without some of its actions (without=bank+seals)",
)
def restricted(state, tables, actions, count, random, weights):
    """Let the inner strategy choose among the legal actions that are not forbidden."""
    bars = np.int64(weights[W_BARS])
    address, inner = np.int64(weights[W_ADDRESS]), weights[W_INNER:]
    kept = 0
    for index in range(count):
        kept += _allowed(state, tables, bars, actions[at(index)])
    if kept in (0, count):
        return call_strategy(address, state, tables, actions, count, random, inner)
    shown = np.empty(count, dtype=np.int32)
    kept = 0
    for index in range(count):
        if _allowed(state, tables, bars, actions[at(index)]):
            shown[at(kept)] = actions[at(index)]
            kept += 1
    chosen = call_strategy(address, state, tables, shown, kept, random, inner)
    if chosen < 0 or chosen >= kept:
        return np.int64(-1)
    index = 0
    while actions[at(index)] != shown[at(chosen)]:
        index += 1
    return np.int64(index)
