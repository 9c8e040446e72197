"""The health of games, gathered piece by piece: metrics, course, parts of the score, occurrences, components."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.answer import MOST_LINEUPS, lineup_name
from analysis.balance.arrays import block_means
from analysis.balance.components import ComponentSums
from analysis.balance.metrics import (
    GROUPS,
    MEANINGS,
    Metric,
    SeatGrid,
    measure,
    metrics_of,
    seats_counted,
    shape_of,
    won_at_most,
)
from analysis.balance.moments import BlockMoments, Estimate, Strata
from analysis.balance.occurrences import count_occurrences, occurrences_of
from analysis.balance.precision import widest
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.stats import LEVEL, mean_interval, share_interval
from sim.config import Configuration
from sim.record import SCORE_FIELDS

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """What is kept of some games: their metrics, what occurred in them, and results by seat."""

    games: NDArray[np.int64]
    blocks: NDArray[np.int64]
    values: FloatArray
    seats: pl.DataFrame


@dataclass(frozen=True)
class Measuring:
    """Measures a shard's games, as a task for an executor.

    Attributes
    ----------
    configuration
        Says what cards do and where the reputation track pays.
    """

    configuration: Configuration

    def __call__(self, frames: Frames) -> Part:
        """Measure the games of some frames."""
        measured = measure(frames)
        columns = [measured.drop("game", "block", "lineup").to_numpy(), _trajectories(frames)]
        columns += [_with_total(measured), count_occurrences(frames, self.configuration)]
        return Part(
            frames.games["game"].to_numpy().astype(np.int64),
            frames.games["block"].to_numpy().astype(np.int64),
            np.column_stack(columns),
            frames.seats.select("game", "block", "lineup", "win_share", "total"),
        )


class HealthSums:
    """The health of a run in the making, fed piece by piece.

    Parameters
    ----------
    configuration, strategies, lineups
        What is played.
    """

    def __init__(self, configuration: Configuration, strategies: Sequence[str], lineups: Lineups) -> None:
        self._configuration, self._lineups = configuration, lineups
        rounds = configuration.ruleset.rounds
        self._metrics = metrics_of(lineups.players, rounds, strategies)
        self._names = [
            *(metric.name for metric in self._metrics),
            *(f"{kind}_{row + 1}" for kind in _TRAJECTORIES for row in range(rounds)),
            *(f"{name}+total" for name in SCORE_FIELDS),
            *(f"{kind}:{name}:{what}" for kind, name, _ in occurrences_of(configuration) for what in _WHAT),
        ]
        self._places = {name: place for place, name in enumerate(self._names)}
        self._strata = Strata(lineups)
        self._moments = BlockMoments(len(self._strata), len(self._names))
        self._counted = seats_counted(lineups, strategies, self._names)
        self._most = self._strata.largest(won_at_most(lineups, self._names, self._counted))
        self._components = ComponentSums(lineups)
        self._lineup_names = [lineup_name(lineups, row, strategies) for row in range(len(lineups))]

    def add(self, part: Part) -> None:
        """Take in whole blocks."""
        means = block_means(part.blocks, part.values)
        games = part.games[means.first]
        counted = self._counted[self._lineups.of_games(games)]
        self._moments.add(self._strata.of_games(games), means, means.games[:, None] * counted)
        self._components.add(part.seats)

    def half_width(self, begins: str, level: float) -> float:
        """Half the width of the widest interval of the metrics whose names begin in some way and can be known."""
        found = self._moments.estimate(most=self._most)
        # A strategy that meets no other has no win share among others, however many games it plays.
        can_be_known = self._counted.sum(axis=0) > 0
        places = [
            self._places[metric.name]
            for metric in self._metrics
            if metric.name == begins or (begins.endswith("_") and metric.name.startswith(begins))
        ]
        wanted = np.array([place for place in places if can_be_known[place]])
        return widest(found[wanted].half_width(level, share=begins.startswith("win_share")))

    def frames(self, level: float = LEVEL) -> dict[str, pl.DataFrame]:
        """Make the tables of what has been taken in; that of categories is empty."""
        found = self._moments.estimate(most=self._most)
        return {
            "metrics": self._metric_table(level),
            "rounds": self._round_table(found, level),
            "parts": self._part_table(found, level),
            "effects": self._effect_table(found, level),
            "categories": pl.DataFrame(schema=_CATEGORY_SCHEMA),
            "components": self._components.table(level),
        }

    def _metric_table(self, level: float) -> pl.DataFrame:
        parts = [_described(self._moments.estimate(most=self._most), "all", self._metrics, level)]
        if self._strata.single and 1 < len(self._lineups) <= MOST_LINEUPS:
            parts += [
                _described(self._moments.estimate(self._strata.of == number, self._most), name, self._metrics, level)
                for number, name in enumerate(self._lineup_names)
            ]
        return pl.concat(parts)

    def _columns(
        self, found: Estimate, names: Iterable[str], level: float, key: str, *, share: bool
    ) -> list[pl.Series]:
        """Estimate, low and high of some columns as three series."""
        part = found[np.array([self._places[name] for name in names], dtype=np.int64)]
        interval = part.interval(level, share=share)
        columns = {key: part.mean, f"{key}_low": interval.low, f"{key}_high": interval.high}
        return [pl.Series(name, values, dtype=pl.Float64).fill_nan(None) for name, values in columns.items()]

    def _round_table(self, found: Estimate, level: float) -> pl.DataFrame:
        rounds = range(1, self._configuration.ruleset.rounds + 1)
        columns = [pl.Series("round", list(rounds), dtype=pl.Int32)]
        for name, is_share in (("leader_wins", True), *_TRAJECTORIES.items()):
            columns += self._columns(found, [f"{name}_{row}" for row in rounds], level, name, share=is_share)
        return pl.DataFrame(columns)

    def _part_table(self, found: Estimate, level: float) -> pl.DataFrame:
        share = self._shares_of_total(found, level)
        return pl.DataFrame(
            [
                pl.Series("part", SCORE_FIELDS),
                *self._columns(found, SCORE_FIELDS, level, "vp", share=False),
                *(pl.Series(name, values).fill_nan(None) for name, values in share.items()),
                pl.Series("meaning", [MEANINGS[name] for name in SCORE_FIELDS]),
            ]
        )

    def _shares_of_total(self, found: Estimate, level: float) -> dict[str, FloatArray]:
        """Share of each part in all VP: a ratio of means, its error by linearisation (Cochran, 2.11)."""
        parts = found[np.array([self._places[name] for name in SCORE_FIELDS])]
        both = found[np.array([self._places[f"{name}+total"] for name in SCORE_FIELDS])]
        total = found[np.full(len(SCORE_FIELDS), self._places["total"])]
        return ratio(parts, total, both, level)

    def _effect_table(self, found: Estimate, level: float) -> pl.DataFrame:
        listed = occurrences_of(self._configuration)
        keys = [f"{kind}:{name}" for kind, name, _ in listed]
        return pl.DataFrame(
            [
                pl.Series("kind", [kind for kind, _, _ in listed]),
                pl.Series("name", [name for _, name, _ in listed]),
                *self._columns(found, [f"{key}:mean" for key in keys], level, "mean", share=False),
                *self._columns(found, [f"{key}:seats" for key in keys], level, "seats", share=True),
                pl.Series("meaning", [meaning for _, _, meaning in listed]),
            ]
        )


_CATEGORY_SCHEMA: Final = {
    "type": pl.String,
    "category": pl.String,
    **{
        f"{name}{end}": pl.Float64
        for name in ("cubes", "used", "bonus")
        for end in ("", "_low", "_high")
    },
    "most": pl.Int64,
    "games": pl.Int64,
}  # fmt: skip


def _described(found: Estimate, lineup: str, metrics: Sequence[Metric], level: float) -> pl.DataFrame:
    """Put metrics with their intervals in rows, with what each is."""
    own = found[slice(0, len(metrics))]
    plain, share = own.interval(level), own.interval(level, share=True)
    is_share = np.array([metric.unit == "share" for metric in metrics])
    columns = {
        "estimate": own.mean,
        "low": np.where(is_share, share.low, plain.low),
        "high": np.where(is_share, share.high, plain.high),
        "error": own.error,
    }
    return pl.DataFrame(
        [
            pl.Series("lineup", [lineup] * len(metrics)),
            pl.Series("group", [metric.group for metric in metrics], dtype=pl.Enum(GROUPS)),
            pl.Series("metric", [metric.name for metric in metrics]),
            pl.Series("unit", [metric.unit for metric in metrics]),
            *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
            pl.Series("games", own.games),
            pl.Series("blocks", own.blocks),
            pl.Series("meaning", [metric.meaning for metric in metrics]),
        ]
    ).filter(pl.col("estimate").is_not_null())


def ratio(parts: Estimate, whole: Estimate, both: Estimate, level: float = LEVEL) -> dict[str, FloatArray]:
    """Share that parts have in a whole: ratios of means, with errors by linearisation.

    Parameters
    ----------
    parts, whole, both
        Estimates of the parts, of the whole, and of the sum of each part and the whole, from the same blocks: the
        covariance that the error of a ratio needs is half of what the variance of the sum is more than both variances.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    dict
        ``share``, ``share_low``, ``share_high``: float64[n].
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = parts.mean / whole.mean
        covariance = (both.error**2 - parts.error**2 - whole.error**2) / 2
        variance = parts.error**2 - 2 * share * covariance + share**2 * whole.error**2
        error = np.sqrt(np.maximum(variance, 0.0)) / np.abs(whole.mean)
    inside = (share >= 0) & (share <= 1)
    interval = share_interval(np.where(inside, share, 0.0), error, parts.freedom, parts.blocks, level)
    # A part can be negative (coins lost to round tokens): no proportion then.
    plain = mean_interval(share, error, parts.freedom, level)
    low, high = np.where(inside, interval.low, plain.low), np.where(inside, interval.high, plain.high)
    return {"share": share, "share_low": low, "share_high": high}


_TRAJECTORIES: Final = {"vp": False, "winner_leads": True, "winner_behind": False, "decided": True}
"""What is measured at every end of a round, and whether it is a share."""
_WHAT: Final = ("mean", "seats")


def _trajectories(frames: Frames) -> FloatArray:
    """Columns for `_TRAJECTORIES`, by round; float64[games, len(_TRAJECTORIES) * rounds]."""
    players, rounds = shape_of(frames)
    seats = SeatGrid(frames, players)
    wins = seats["win_share"]
    vp = np.stack([seats[f"vp_round_{row + 1}"] for row in range(rounds)])
    behind = vp.max(axis=2, keepdims=True) - vp
    leads = behind == 0
    led_since = np.logical_and.accumulate(leads[::-1], axis=0)[::-1]
    columns = [vp.mean(axis=2), (leads * wins).sum(axis=2), (behind * wins).sum(axis=2), (led_since * wins).sum(axis=2)]
    return np.concatenate(columns).T


def _with_total(measured: pl.DataFrame) -> FloatArray:
    """Each part of the score added to the total, for the errors of shares."""
    return measured.select(pl.col(SCORE_FIELDS) + pl.col("total")).to_numpy()
