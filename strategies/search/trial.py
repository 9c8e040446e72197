"""One trial of an option: the state is copied, the option taken, the game finished, and what came of it valued."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.engine import choose
from sim.jit import cells, kernel
from sim.layout import PLAYERS, STATE_SIZE
from sim.playout import copy_cells, open_playout_streams, play_out, renew_chance
from sim.rules.scoring import final_score

MARGIN: Final = 25.0
"""VP of a lead that is worth 0.88; three times as much, and more, is worth 1."""


class Sandbox(NamedTuple):
    """Arrays that playouts are played in; what is in them is left over from the last one.

    Attributes
    ----------
    state, record, actions : int32[::1]
    chance : uint64[::1]
    randoms : uint64[players, 4]
    """

    state: NDArray[np.int32]
    chance: NDArray[np.uint64]
    record: NDArray[np.int32]
    actions: NDArray[np.int32]
    randoms: NDArray[np.uint64]


class Base(NamedTuple):
    """The strategy that finishes games, in all seats.

    Attributes
    ----------
    address
        Its native address.
    weights : float64[::1]
        Its weights.
    """

    address: np.int64
    weights: NDArray[np.float64]


def worth_of_lead(lead: Any, margin: float) -> Any:
    """Press leads in VP into 0 … 1; none is worth ½.

    Parameters
    ----------
    lead : float64[n]
        Leads over the best other seat; compiled code has a kernel of the same function for one.
    margin
        VP of a lead that is worth 0.88.

    Examples
    --------
    >>> worth_of_lead(np.array([0.0, 25.0, -25.0]), margin=25.0).round(2).tolist()
    [0.5, 0.88, 0.12]
    """
    return 1.0 / (1.0 + np.exp(-2.0 * lead / margin))


_worth_of_lead = kernel(worth_of_lead)


@kernel
def value_of_end(state, tables, seat, margin):
    """Value of a finished game for a seat: what its lead over the best other is worth (`worth_of_lead`)."""
    own, best = 0, -(1 << 30)
    for other in range(tables[PLAYERS]):
        total = final_score(state, tables, other)
        if other == seat:
            own = total
        else:
            best = max(best, total)
    return _worth_of_lead(own - best, margin)


@kernel
def lead_worth(value, margin):
    """Lead in VP that is worth a value: the other way round than `worth_of_lead`."""
    value = min(max(value, 1e-9), 1.0 - 1e-9)
    return 0.5 * margin * math.log(value / (1.0 - value))


@kernel
def try_option(state, tables, option, seat, sandbox, base, seed, luck, margin):
    """Take an option in a copy of the state, finish the game, and return its value for the seat.

    Parameters
    ----------
    state, tables : int32[::1]
        The game; they stay as they are.
    option
        A legal action.
    seat
        Whose value.
    sandbox, base
        Where, and by whom, the game is finished.
    seed, luck
        What the playout's chance is a function of: equal for two options that are to be compared.
    margin
        See `worth_of_lead`.

    Returns
    -------
    float64
        -1 if the base breaks the contract of strategies.
    """
    s, t, c, r = cells(sandbox.state), cells(tables), cells(sandbox.chance), cells(sandbox.record)
    copy_cells(cells(state), s, tables[STATE_SIZE])
    renew_chance(s, t, c, seed, luck)
    open_playout_streams(sandbox.randoms, tables, seed, luck)
    choose(s, t, c, r, option)
    if not play_out(
        sandbox.state,
        tables,
        sandbox.chance,
        sandbox.record,
        sandbox.actions,
        sandbox.randoms,
        base.address,
        base.weights,
    ):
        return -1.0
    return value_of_end(s, t, seat, margin)
