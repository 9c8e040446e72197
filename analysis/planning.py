"""What a run will take before it is begun: games, shards, bytes, time, and the precision it will give."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Final

from scipy.special import ndtri

from analysis.pace import sample, shard_games
from analysis.parquet import encoded_again
from analysis.runs import Plan
from analysis.shards import encode
from analysis.stats import LEVEL
from analysis.tournament import Summary, Summing

_SECONDS: Final = 1.0
_SAMPLE: Final = 4096
_FEW: Final = 30
"""Blocks below which a standard error is not trusted."""


@dataclass(frozen=True)
class Forecast:
    """What a run will take.

    Attributes
    ----------
    games, shards
        To be played.
    bytes_per_game
        On disk, by table.
    seconds_per_game
        Of one core, with recording, joining shards and making tables.
    half_widths
        Strategy → half the width of its win share's interval that the planned games will give.
    sampled
        Games played to find out.
    """

    games: int
    shards: int
    bytes_per_game: dict[str, float]
    seconds_per_game: float
    half_widths: dict[str, float]
    sampled: int

    @property
    def bytes(self) -> float:
        """Of the results on disk."""
        return self.games * sum(self.bytes_per_game.values())

    @property
    def peak_bytes(self) -> float:
        """On disk while shards are being joined."""
        return 2 * self.bytes

    @property
    def core_seconds(self) -> float:
        """Of one core."""
        return self.games * self.seconds_per_game

    def games_for(self, half_width: float) -> int:
        """Games after which every strategy's win share is known to within a half-width (precision goes with the root).

        Parameters
        ----------
        half_width
            Wanted half the width of the interval, as a share: 0.005 for half a percentage point.
        """
        widest = max(self.half_widths.values())
        return max(int(self.games * (widest / half_width) ** 2), 1)


def forecast(plan: Plan, seconds: float = _SECONDS) -> Forecast:
    """Play a few of a plan's games and say what the whole will take.

    Parameters
    ----------
    plan
        What is to be run.
    seconds
        How long to play.

    Returns
    -------
    Forecast
        Times hold for cores of this machine that do nothing else.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> forecast(make_plan(["random"], players=2, games=1000), seconds=0.1).games
    1000
    """
    results, spent = sample(plan, seconds, _SAMPLE)
    games = sum(len(part.schedule) for part in results)
    begun = time.process_time()
    frames = plan.framer.frames(results)
    shard = encode(frames)
    played = spent + time.process_time() - begun
    sizes = {table: len(encoded_again(data)) / games for table, data in shard.items()}
    summing = Summing(plan.lineups)
    summing.add(frames.seats)
    spent += time.process_time() - begun
    whole = replace(plan, shard_games=shard_games(games / played))
    return Forecast(plan.games, whole.shards, sizes, spent / games, _half_widths(summing.summary(), plan, games), games)


def _half_widths(summary: Summary, plan: Plan, sampled: int) -> dict[str, float]:
    """Scale the sample's standard errors to the whole run; where they are not known, take independent games'."""
    quantile = float(ndtri(0.5 + LEVEL / 2))
    fair = 1 / plan.lineups.players
    widths = {}
    for row in summary.by_strategy.iter_rows(named=True):
        independent = (fair * (1 - fair) / max(row["games"], 1)) ** 0.5
        error = row["win_share_error"] if row["blocks"] >= _FEW else None
        error = independent if error is None else error
        widths[str(row["strategy"])] = quantile * error * (sampled / plan.games) ** 0.5
    return widths
