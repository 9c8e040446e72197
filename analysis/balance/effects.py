"""What an effect is measured by: VP, spread, win share by seat and by strategy, as one number a game each."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import polars as pl

from analysis.balance.arrays import FloatArray, GameArrays, seatings_of
from analysis.balance.precision import Kind
from analysis.runs import Plan
from analysis.stats import mean_among_others

SEATS: Final = "seats"
GAME: Final = "game"
KINDS: Final[dict[str, Kind]] = {"total": "vp", "spread": "vp", "win_share": "pp"}
MEASURES: Final = pl.Enum(list(KINDS))


class Measure(NamedTuple):
    """A number that a game has.

    Attributes
    ----------
    name
        ``total`` (VP), ``spread`` (VP of the first above the last) or ``win_share``.
    of
        ``seats`` (mean of all seats), ``game``, ``seat 0`` and so on, or a strategy's name.
    """

    name: str
    of: str


class Effects:
    """The measures of a plan's games.

    Parameters
    ----------
    plan
        Whose games they are.

    Attributes
    ----------
    measures
        In the order of the columns of `values`.
    """

    def __init__(self, plan: Plan) -> None:
        self._lineups = plan.lineups
        names = [player.name for player in plan.strategies]
        self._strategies = len(names) if self._lineups.is_mixed.any() else 0
        of_strategies = names[: self._strategies]
        self.measures = [
            Measure("total", SEATS),
            Measure("spread", GAME),
            *(Measure("win_share", f"seat {seat}") for seat in range(plan.lineups.players)),
            *(Measure("total", name) for name in of_strategies),
            *(Measure("win_share", name) for name in of_strategies),
        ]
        watched = {f"seat {seat}" for seat in range(1, plan.lineups.players)}
        self.watched: dict[Kind, list[int]] = {
            "vp": [0],
            "pp": [
                column
                for column, measure in enumerate(self.measures)
                if measure.name == "win_share" and measure.of not in watched
            ],
        }
        """Kind of precision → columns whose intervals are to be narrow: VP of all seats, win share of seat 0 and of
        every strategy."""

    def values(self, games: GameArrays) -> FloatArray:
        """Measure games.

        Returns
        -------
        float64[n, measures]
            Not a number for a strategy that does not play, or only plays itself.
        """
        totals, shares = games.totals, games.shares
        columns = [totals.mean(axis=1), totals.max(axis=1) - totals.min(axis=1), *shares.T]
        if self._strategies:
            seatings = seatings_of(self._lineups, games.games)
            sits = [seatings == strategy for strategy in range(self._strategies)]
            columns += [mean_among_others(values, seats) for values in (totals, shares) for seats in sits]
        return np.column_stack(columns)

    def keys(self) -> pl.DataFrame:
        """Return ``measure`` and ``of`` of every column."""
        return pl.DataFrame(
            {"measure": [each.name for each in self.measures], "of": [each.of for each in self.measures]},
            schema={"measure": MEASURES, "of": pl.String},
        )
