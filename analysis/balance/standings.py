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
from analysis.balance.plackett_luce import Comparisons, log_strengths, untied
from analysis.balance.precision import widest
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.resampling import bags_of, resampled_weights
from analysis.stats import LEVEL, mean_among_others

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ELO: Final = 400 / np.log(10)
"""Points a unit of log strength is worth on the scale that chess ratings have made familiar."""
_RESAMPLES: Final = 400


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
        held = lineups.held(size)
        meetings = (held[:, :, None] * held[:, None, :]).reshape(len(lineups), -1)
        # Every seat counts alike, and every meeting of two seats.
        self._counted = np.hstack([held, held, meetings, meetings])
        with np.errstate(divide="ignore"):
            won = self._strata.largest(np.where(held > 0, 1 / held, np.nan))
        no_share = np.full((len(won), size * size), np.nan)
        self._most = np.hstack([won, no_share[:, :size], np.ones_like(no_share), no_share])
        self._parts: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []

    def add(self, part: Meetings) -> None:
        """Take in whole blocks."""
        size = len(self._names)
        sits = [part.strategies == number for number in range(size)]
        values = [mean_among_others(each, seats) for each in (part.shares, part.totals) for seats in sits]
        ahead, gaps = _pairwise(part, size)
        means = block_means(part.blocks, np.column_stack([*values, ahead, gaps]))
        strata = self._strata.of_games(part.games[means.first])
        counted = self._counted[self._lineups.of_games(part.games[means.first])]
        self._moments.add(strata, means, means.games[:, None] * counted)
        rows, orders, weights = untied(part.strategies, part.ranks)
        block = np.repeat(np.arange(len(means.first)), means.games)[rows]
        kept = (orders != orders[:, :1]).any(axis=1)
        self._parts.append((part.blocks[means.first][block[kept]], strata[block[kept]], orders[kept], weights[kept]))

    def half_width(self, measure: str, level: float) -> float:
        """Half the width of the widest interval of the strategies' ``win_share`` or ``total``."""
        size = len(self._names)
        found = self._moments.estimate(self._mixed(), self._most)
        if measure == "win_share":
            return widest(found[slice(0, size)].half_width(level, share=True))
        return widest(found[slice(size, 2 * size)].half_width(level))

    def _mixed(self) -> NDArray[np.bool_] | None:
        return self._strata.mixed if self._strata.mixed.any() else None

    def frames(self, level: float = LEVEL) -> dict[str, pl.DataFrame]:
        """Make the tables of what has been taken in: ``strengths`` and ``matchups``."""
        return {"strengths": self._strengths(level), "matchups": self._matchups(level)}

    def _strengths(self, level: float) -> pl.DataFrame:
        size = len(self._names)
        tail = (1 - level) / 2
        order, fitted, low, high = self._fit(tail)
        dwelt, dwelt_low, dwelt_high = self._alpha_rank(tail)
        found = self._moments.estimate(self._mixed(), self._most)
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
            .with_columns(pl.col(pl.Float64).fill_nan(None))[np.argsort(-order, kind="stable")]
            .with_row_index("rank", offset=1)
            .select("strategy", "rank", pl.exclude("strategy", "rank"))
        )  # fmt: skip

    def _fit(self, tail: float) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Fit log strengths; float64[strategies] each.

        Returns
        -------
        order
            What to order the strategies by, where their strengths are unknown too.
        strengths, low, high
            Those that are known are 0 on average: of the core (`analysis.balance.plackett_luce.Sides`), with two finite
            ends; not a number where a strength, or an end of its interval, has no finite value.
        """
        size, players = len(self._names), self._lineups.players
        blocks, strata, orders, weights = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        codes = orders @ (size ** np.arange(players)[::-1])
        unique, first, place = np.unique(codes, return_index=True, return_inverse=True)
        kinds = orders[first]
        ones, block = np.unique(blocks, return_inverse=True)
        stratum = np.zeros(len(ones), dtype=np.int64)
        stratum[block] = strata
        counted = csr_matrix((weights, (block, place)), shape=(len(ones), len(unique)))
        counts = np.asarray(counted.sum(axis=0)).ravel()
        compared = Comparisons(kinds, size)
        fitted = log_strengths(kinds, counts, size)
        sides = compared.sides(counts, fitted)
        drawn = np.array([_drawn(compared, kinds, each, fitted) for each in _resampled_counts(counted, stratum)])
        cut = [round(tail * (_RESAMPLES - 1)), round((1 - tail) * (_RESAMPLES - 1))]
        # Who is in the core of too few draws has no strength that is known on both sides, and would move the average of
        # all others from draw to draw.
        known = sides.core & np.isfinite(np.sort(drawn, axis=0)[cut]).all(axis=0)
        known = known if known.any() else sides.core
        fitted = fitted - fitted[known].mean()
        drawn = drawn - np.mean(drawn, axis=1, where=known & np.isfinite(drawn), keepdims=True)
        # The ends themselves, for between a number and infinity there is nothing.
        ends = np.sort(drawn, axis=0)[cut]
        low, high = np.where(np.isfinite(ends), ends, np.nan)
        bounds = compared.bounds(counts, fitted, sides, counts.sum() / len(ones), tail)
        low, high = (np.where(sides.core, end, bound) for end, bound in zip((low, high), bounds, strict=True))
        return fitted, np.where(known, fitted, np.nan), low, high

    def _matchups(self, level: float) -> pl.DataFrame:
        size = len(self._names)
        found = self._moments.estimate(most=self._most)
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
                "p": ahead.p(0.5, share=True), "games": ahead.games, "blocks": ahead.blocks,
            }
        )  # fmt: skip
        table = table.filter((pl.col("strategy") != pl.col("against")) & (pl.col("blocks") > 0))
        table = with_corrected(table.with_columns(pl.col(pl.Float64).fill_nan(None)))
        shown = pl.col("p_corrected") <= 1 - level
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
        ahead = self._moments.estimate(most=self._most)[slice(2 * size, 2 * size + size * size)]
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


def _resampled_counts(counted: csr_matrix, stratum: IntArray) -> FloatArray:
    """Count rankings in blocks drawn anew, line-up by line-up; float64[resamples, rankings]."""
    bag, stratum_of_bag = bags_of(stratum)
    gather = csr_matrix((np.ones(len(bag)), (bag, np.arange(len(bag)))), shape=(len(stratum_of_bag), len(bag)))
    return np.asarray(resampled_weights(stratum_of_bag, _RESAMPLES) @ (gather @ counted).toarray())


def _drawn(compared: Comparisons, kinds: IntArray, counts: FloatArray, start: FloatArray) -> FloatArray:
    """Log strengths from rankings drawn anew, infinite where these have no finite ones."""
    strengths = log_strengths(kinds, counts, len(start), start)
    sides = compared.sides(counts, strengths)
    return np.where(sides.core, strengths, np.where(sides.above, np.inf, -np.inf))
