"""How far skill reaches: the win share of better and better strategies among copies of one and the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from analysis.balance.arrays import block_means, compact, in_units, play_units, unit_of
from analysis.balance.moments import BlockMoments
from analysis.balance.precision import SILENT, Progress
from analysis.entrants import entrants
from analysis.lineups import Lineups
from analysis.runs import Executor, Plan
from analysis.stats import LEVEL

_SCHEMA: Final = {
    "place": pl.Int32,
    "strategy": pl.String,
    "against": pl.String,
    **{f"{name}{end}": pl.Float64 for name in ("win_share", "vp") for end in ("", "_low", "_high")},
    "fair": pl.Float64,
    "games": pl.Int64,
    "blocks": pl.Int64,
}


def skill_trace(
    plan: Plan,
    specs: Sequence[str],
    games: int,
    executor: Executor,
    progress: Progress = SILENT,
    level: float = LEVEL,
) -> pl.DataFrame:
    """Play strategies, one after the other, in one seat among copies of a plan's first strategy.

    Where the win share no longer rises although the strategy becomes better (a search with a larger budget), luck
    decides the rest.

    Parameters
    ----------
    plan
        What is played, and against whom.
    specs
        The strategies, best from the weakest to the strongest.
    games
        Of each, rounded up to whole blocks.
    executor, progress
        Who plays, and who is told.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    polars.DataFrame
        One row a strategy: ``place`` in the order given, ``strategy``, ``against``, ``win_share`` of its seat and
        ``vp`` (its VP above the mean of the others), each with ``…_low`` and ``…_high``, ``fair`` (1/N), ``games``,
        ``blocks``.
    """
    players = plan.lineups.players
    rows = []
    for place, spec in enumerate(specs):
        # A strategy among copies of itself is where a trace crosses 1/N.
        itself = spec == plan.strategies[0].name
        pair = plan.strategies[:1] if itself else entrants([spec, plan.strategies[0]], players)
        lineups = Lineups(np.array([[0] + [0 if itself else 1] * (players - 1)], dtype=np.int32))
        unit = unit_of(lineups, games)
        traced = in_units(replace(plan, strategies=pair, lineups=lineups, record_cards=False), unit)
        moments = BlockMoments(strata=1, columns=2)
        for number in range(-(-games // unit)):
            for part in play_units(traced, unit, [number], executor, progress.advance, compact):
                # In game g, the line-up's first place sits in the seat that turns it to the front.
                seat = (-part.games) % players
                own = np.arange(len(part)), seat
                others = (part.totals.sum(axis=1) - part.totals[own]) / max(players - 1, 1)
                means = block_means(part.blocks, np.column_stack([part.shares[own], part.totals[own] - others]))
                moments.add(np.zeros(len(means.first), dtype=np.int64), means)
        found = moments.estimate()
        share, gap = found.interval(level, share=True), found.interval(level)
        rows.append(
            {
                "place": place, "strategy": spec, "against": plan.strategies[0].name,
                "win_share": found.mean[0], "win_share_low": share.low[0], "win_share_high": share.high[0],
                "vp": found.mean[1], "vp_low": gap.low[1], "vp_high": gap.high[1],
                "fair": 1 / players, "games": int(found.games[0]), "blocks": int(found.blocks[0]),
            }
        )  # fmt: skip
    return pl.DataFrame(rows, schema=_SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))
