"""How strategies finish, gathered piece by piece: strengths, win shares, match-ups, with intervals."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from analysis.balance.arrays import block_means
from analysis.balance.correction import with_corrected
from analysis.balance.dominance import alpha_rank
from analysis.balance.metrics import SeatGrid
from analysis.balance.moments import BlockMoments, Strata
from analysis.balance.plackettluce import log_strengths, untied
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.stats import LEVEL

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ELO: Final = 400 / np.log(10)
"""Points a unit of log strength is worth on the scale that chess ratings have made familiar."""
_RESAMPLES: Final = 400
_MOST_UNITS: Final = 2000
_SIGNIFICANT: Final = 0.05


@dataclass(frozen=True)
class Meetings:
    """What is kept of some games: who sat where, ranks, VP and win shares by seat."""

    games: IntArray
    blocks: IntArray
    strategies: IntArray
    ranks: IntArray
    totals: FloatArray
    shares: FloatArray


def met(frames: Frames) -> Meetings:
    """Keep of a shard's frames what strengths and match-ups need, as a task for an executor."""
    players = len(frames.seats) // max(len(frames.games), 1)
    grid = SeatGrid(frames, players)
    codes = frames.seats["strategy"].to_physical().to_numpy().astype(np.int64).reshape(-1, players)
    return Meetings(
        frames.games["game"].to_numpy().astype(np.int64),
        frames.games["block"].to_numpy().astype(np.int64),
        codes,
        grid["rank"].astype(np.int64),
        grid["total"],
        grid["win_share"],
    )


class StandingSums:
    """Standings in the making, fed piece by piece.

    Parameters
    ----------
    strategies, lineups
        Who plays.
    """

    def __init__(self, strategies: Sequence[str], lineups: Lineups) -> None:
        self._names, self._lineups = list(strategies), lineups
        self._strata = Strata(lineups)
        size = len(self._names)
        self._moments = BlockMoments(len(self._strata), 2 * size + 2 * size * size)
        self._parts: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []

    def add(self, part: Meetings) -> None:
        """Take in whole blocks."""
        size = len(self._names)
        sits = [part.strategies == number for number in range(size)]
        values = [
            *(_mean_where(part.shares, seats) for seats in sits),
            *(_mean_where(part.totals, seats) for seats in sits),
        ]
        ahead, gaps = _pairwise(part, size)
        means = block_means(part.blocks, np.column_stack([*values, ahead, gaps]))
        strata = self._strata.of_games(part.games[means.first])
        self._moments.add(strata, means)
        rows, orders, weights = untied(part.strategies, part.ranks)
        block = np.repeat(np.arange(len(means.first)), means.games)[rows]
        kept = (orders != orders[:, :1]).any(axis=1)
        self._parts.append((part.blocks[means.first][block[kept]], strata[block[kept]], orders[kept], weights[kept]))

    def half_width(self, measure: str, level: float) -> float:
        """Half the width of the widest interval of the strategies' ``win_share`` or ``total``."""
        size = len(self._names)
        found = self._moments.estimate(self._mixed())[
            slice(0, size) if measure == "win_share" else slice(size, 2 * size)
        ]
        return float(np.max(found.half_width(level)))

    def _mixed(self) -> NDArray[np.bool_] | None:
        return self._strata.mixed if self._strata.mixed.any() else None

    def frames(self, level: float = LEVEL) -> dict[str, pl.DataFrame]:
        """Make the tables of what has been taken in: ``strengths`` and ``matchups``."""
        return {"strengths": self._strengths(level), "matchups": self._matchups(level)}

    def _strengths(self, level: float) -> pl.DataFrame:
        size = len(self._names)
        fitted, resampled = self._fit()
        tail = (1 - level) / 2
        low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
        dwelt, dwelt_low, dwelt_high = self._alpha_rank(tail)
        found = self._moments.estimate(self._mixed())
        share, total = found[slice(0, size)], found[slice(size, 2 * size)]
        of_share, of_total = share.interval(level, share=True), total.interval(level)
        return (
            pl.DataFrame(
                {
                    "strategy": self._names,
                    "strength": fitted, "strength_low": low, "strength_high": high,
                    "rating": ELO * fitted, "rating_low": ELO * low, "rating_high": ELO * high,
                    "win_share": share.mean, "win_share_low": of_share.low, "win_share_high": of_share.high,
                    "fair": np.full(size, 1 / self._lineups.players),
                    "total": total.mean, "total_low": of_total.low, "total_high": of_total.high,
                    "alpha_rank": dwelt, "alpha_rank_low": dwelt_low, "alpha_rank_high": dwelt_high,
                    "games": share.games, "blocks": share.blocks,
                }
            )
            .sort("strength", descending=True, maintain_order=True)
            .with_columns(pl.col(pl.Float64).fill_nan(None))
            .with_row_index("rank", offset=1)
            .select("strategy", "rank", pl.exclude("strategy", "rank"))
        )  # fmt: skip

    def _fit(self) -> tuple[FloatArray, FloatArray]:
        """Log strengths, and those of resampled blocks; float64[strategies], float64[resamples, strategies]."""
        size, players = len(self._names), self._lineups.players
        blocks, strata, orders, weights = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        codes = orders @ (size ** np.arange(players)[::-1])
        unique, first, place = np.unique(codes, return_index=True, return_inverse=True)
        kinds = orders[first]
        ones, block = np.unique(blocks, return_inverse=True)
        stratum = np.zeros(len(ones), dtype=np.int64)
        stratum[block] = strata
        counted = csr_matrix((weights, (block, place)), shape=(len(ones), len(unique)))
        fitted = log_strengths(kinds, np.asarray(counted.sum(axis=0)).ravel(), size)
        random = np.random.default_rng(0)
        drawn = _resampled_counts(counted, stratum, random)
        return fitted, np.array([log_strengths(kinds, counts, size, fitted) for counts in drawn])

    def _matchups(self, level: float) -> pl.DataFrame:
        size = len(self._names)
        found = self._moments.estimate()
        first = 2 * size
        ahead, gap = found[slice(first, first + size * size)], found[slice(first + size * size, None)]
        of_ahead, of_gap = ahead.interval(level, share=True), gap.interval(level)
        pairs = [(one, other) for one in range(size) for other in range(size)]
        table = pl.DataFrame(
            {
                "strategy": [self._names[one] for one, _ in pairs],
                "against": [self._names[other] for _, other in pairs],
                "ahead": ahead.mean, "ahead_low": of_ahead.low, "ahead_high": of_ahead.high,
                "vp": gap.mean, "vp_low": of_gap.low, "vp_high": of_gap.high,
                "p": ahead.p(0.5), "games": ahead.games, "blocks": ahead.blocks,
            }
        )  # fmt: skip
        table = table.filter((pl.col("strategy") != pl.col("against")) & (pl.col("blocks") > 0))
        table = with_corrected(table.with_columns(pl.col(pl.Float64).fill_nan(None)))
        shown = pl.col("p_corrected") <= _SIGNIFICANT
        verdict = (
            pl.when(shown & (pl.col("ahead") > 0.5))
            .then(pl.lit("ahead"))
            .when(shown & (pl.col("ahead") < 0.5))
            .then(pl.lit("behind"))
            .otherwise(pl.lit("even"))
        )
        return table.select(pl.exclude("games", "blocks"), verdict.alias("shown"), "games", "blocks")

    def _alpha_rank(self, tail: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """α-Rank of the match-ups, and its quantiles when they are drawn anew within their errors."""
        size = len(self._names)
        ahead = self._moments.estimate()[slice(2 * size, 2 * size + size * size)]
        known = ahead.blocks.reshape(size, size) > 0
        payoffs = np.where(known, ahead.mean.reshape(size, size), 0.5)
        error = np.where(known, np.nan_to_num(ahead.error).reshape(size, size), 0.0)
        random = np.random.default_rng(0)
        drawn = []
        for _ in range(_RESAMPLES):
            # What one strategy wins the other loses: one draw a pair.
            shift = np.triu(random.normal(size=(size, size)) * error, 1)
            drawn.append(alpha_rank(np.clip(payoffs + shift - shift.T, 0, 1)))
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
        return alpha_rank(payoffs), low, high


def _mean_where(values: FloatArray, seats: NDArray[np.bool_]) -> FloatArray:
    """Mean over a strategy's seats, in games in which it meets others; not a number elsewhere."""
    count = seats.sum(axis=1)
    met_others = (count > 0) & (count < seats.shape[1])
    return np.where(met_others, (values * seats).sum(axis=1) / np.maximum(count, 1), np.nan)


def _pairwise(part: Meetings, size: int) -> tuple[FloatArray, FloatArray]:
    """By ordered pair of strategies, share of meetings of their seats won and mean gap in VP; float64[games, size²]."""
    games, players = part.ranks.shape
    count, ahead, gap = (np.zeros((games, size * size)) for _ in range(3))
    rows = np.arange(games)
    for one, other in itertools.permutations(range(players), 2):
        pair = part.strategies[:, one] * size + part.strategies[:, other]
        difference = part.ranks[:, other] - part.ranks[:, one]
        count[rows, pair] += 1
        ahead[rows, pair] += (1 + np.sign(difference)) / 2
        gap[rows, pair] += part.totals[:, one] - part.totals[:, other]
    with np.errstate(invalid="ignore"):
        known = np.where(count > 0, count, np.nan)
        return ahead / known, gap / known


def _resampled_counts(counted: csr_matrix, stratum: IntArray, random: np.random.Generator) -> FloatArray:
    """Count rankings in resampled blocks, line-up by line-up; float64[resamples, rankings]."""
    total = np.zeros((_RESAMPLES, counted.shape[1]))
    strata = np.unique(stratum)
    for number in strata:
        rows = np.flatnonzero(stratum == number)
        units = min(len(rows), max(_MOST_UNITS // len(strata), 2))
        # Blocks are put in bags of about equal size: a bag is as independent of another as a block.
        bag = np.arange(len(rows)) * units // len(rows)
        gather = csr_matrix((np.ones(len(rows)), (bag, rows)), shape=(units, counted.shape[0]))
        drawn = random.multinomial(units, np.full(units, 1 / units), size=_RESAMPLES)
        total += np.asarray(csr_matrix(drawn) @ (gather @ counted).toarray())
    return total
