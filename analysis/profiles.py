"""How strategies play: what each does and scores with, and how far two of them are apart.

A profile is what a seat of a strategy does, action by action, and scores, part by part, on average over all seats that
it holds. Two profiles are compared by their total variation distance: the share of one that would have to be of other
kinds to be the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.metrics import MEANINGS, SeatGrid
from analysis.balance.moments import Strata
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.resampling import BlockBags
from analysis.stats import LEVEL, Interval, mean_interval, share_interval
from sim.record import SCORE_FIELDS
from sim.vocabulary import ACTIONS

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

KINDS: Final = {"action": ACTIONS, "score": SCORE_FIELDS}
"""What a profile is made of."""
_PARTS: Final = tuple(itertools.chain.from_iterable(KINDS.values()))
_RESAMPLES: Final = 2000
_SETTLED: Final = 3.0
"""Standard errors from 0 beyond which the sign of a difference is taken as known."""


class Distance(NamedTuple):
    """Total variation distance of two profiles, with its interval."""

    estimate: float
    low: float
    high: float


def distance(apart: FloatArray, draws: FloatArray, level: float = LEVEL) -> Distance:
    """Total variation distance of two profiles, half the sum of |differences|, with an interval that holds at 0 too.

    Where two profiles hardly differ, noise alone makes |differences|, and resampling adds noise to noise. So draws are
    used for errors only, as the distance's derivative carries them over: a part whose sign is known adds its error, one
    whose sign is not known may have added all of its error (Z. Fang and A. Santos, *Inference on directionally
    differentiable functions*, Review of Economic Studies 86, 2019). The estimate errs upwards, never downwards on
    average, so that the upper end takes all signs as they are found.

    Parameters
    ----------
    apart : float64[parts]
        Differences of the shares.
    draws : float64[resamples, parts]
        The same from blocks drawn anew.
    level
        Probability that the interval holds the true value.

    Examples
    --------
    >>> noise = np.random.default_rng(1).normal(size=(1000, 2)) * 0.01
    >>> far = distance(np.array([0.2, -0.2]), noise + [0.2, -0.2])
    >>> near = distance(np.array([0.01, -0.01]), noise + [0.01, -0.01])
    >>> round(far.estimate, 2), round(far.low, 2), round(far.high, 2), near.low
    (0.2, 0.19, 0.21, 0.0)
    """
    errors = draws - apart
    signed = np.sign(apart) * errors
    settled = np.abs(apart) > _SETTLED * errors.std(axis=0)
    tail = (1 - level) / 2
    most_above = np.quantile(np.where(settled, signed, np.abs(errors)).sum(axis=1) / 2, 1 - tail)
    most_below = np.quantile(-signed.sum(axis=1) / 2, 1 - tail)
    found = float(np.abs(apart).sum() / 2)
    # A part may be negative (coins lost to round tokens), and a distance above 1 then.
    return Distance(found, max(found - float(most_above), 0.0), min(found + float(most_below), max(found, 1.0)))


def profiled(frames: Frames) -> FloatArray:
    """Sum every part over the seats of each strategy, and count its seats, as a task for an executor.

    Returns
    -------
    float64[games, strategies * (parts + 1)]
        For each strategy its parts, then its seats.
    """
    players = len(frames.seats) // max(len(frames.games), 1)
    grid = SeatGrid(frames, players)
    values = np.stack([*(grid[part] for part in _PARTS), np.ones((len(frames.games), players))])
    return np.concatenate([(values * sits).sum(axis=2) for sits in grid.players()]).T


class ProfileSums:
    """Profiles in the making, fed piece by piece.

    Parameters
    ----------
    strategies, lineups
        Who plays.
    """

    def __init__(self, strategies: Sequence[str], lineups: Lineups) -> None:
        self._names = list(strategies)
        self._strata = Strata(lineups)
        self._bags = BlockBags(len(self._strata), len(self._names) * (len(_PARTS) + 1))
        self._blocks = np.zeros((len(self._strata), len(self._names)), dtype=np.int64)

    def add(self, games: IntArray, blocks: IntArray, values: FloatArray) -> None:
        """Take in whole blocks.

        Parameters
        ----------
        games, blocks : int64[games]
            Numbers of the games and of their blocks.
        values : float64[games, strategies * (parts + 1)]
            See `profiled`.
        """
        first = np.flatnonzero(np.concatenate([[True], blocks[1:] != blocks[:-1]]))
        sums = np.add.reduceat(values, first, axis=0)
        strata = self._strata.of_games(games[first])
        self._bags.add(strata, sums)
        seats = self._by_strategy(sums)[:, :, -1]
        np.add.at(self._blocks, strata, seats > 0)

    def tables(self, level: float = LEVEL) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Make the tables of profiles and distances (`docs/analysis.md`)."""
        draws = self._by_strategy(self._bags.resampled(_RESAMPLES))
        found = self._by_strategy(self._bags.sums()[None])
        shares, drawn = ({kind: _shares(sums, kind) for kind in KINDS} for sums in (found, draws))
        profiles = pl.concat(
            self._profile(number, kind, found, draws, shares[kind][0, number], drawn[kind][:, number], level)
            for number in range(len(self._names))
            for kind in KINDS
        )
        return profiles, self._distances(shares, drawn, level)

    def _by_strategy(self, sums: FloatArray) -> FloatArray:
        return sums.reshape(len(sums), len(self._names), len(_PARTS) + 1)

    def _profile(
        self,
        number: int,
        kind: str,
        found: FloatArray,
        draws: FloatArray,
        share: FloatArray,
        shares_drawn: FloatArray,
        level: float,
    ) -> pl.DataFrame:
        """Make a strategy's rows of one kind."""
        parts = _columns(kind)
        mean, drawn = (sums[:, number, parts] / sums[:, number, -1:] for sums in (found, draws))
        blocks = self._blocks[:, number]
        freedom = np.full(len(share), float(np.maximum(blocks - 1, 0).sum()))
        of_mean = mean_interval(mean[0], drawn.std(axis=0), freedom, level)
        of_share = _share_interval(share, shares_drawn.std(axis=0), freedom, int(blocks.sum()), level)
        columns = {
            "mean": mean[0], "mean_low": of_mean.low, "mean_high": of_mean.high,
            "share": share, "share_low": of_share.low, "share_high": of_share.high,
        }  # fmt: skip
        names = list(KINDS[kind])
        return pl.DataFrame(
            [
                pl.Series("strategy", [self._names[number]] * len(names)),
                pl.Series("kind", [kind] * len(names)),
                pl.Series("part", names),
                *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
                pl.Series("meaning", [MEANINGS[name] for name in names]),
            ]
        )

    def _distances(self, shares: dict[str, FloatArray], drawn: dict[str, FloatArray], level: float) -> pl.DataFrame:
        """Total variation distance of the profiles of every pair."""
        rows = []
        for one, other in itertools.combinations(range(len(self._names)), 2):
            row: dict[str, object] = {"strategy": self._names[one], "other": self._names[other]}
            for kind, column in zip(KINDS, ("actions", "score"), strict=True):
                apart, draws = (each[kind][:, one] - each[kind][:, other] for each in (shares, drawn))
                found = distance(apart[0], draws, level)
                row |= {column: found.estimate, f"{column}_low": found.low, f"{column}_high": found.high}
            rows.append(row)
        return pl.DataFrame(rows)


def _columns(kind: str) -> slice:
    first = _PARTS.index(KINDS[kind][0])
    return slice(first, first + len(KINDS[kind]))


def _shares(sums: FloatArray, kind: str) -> FloatArray:
    """Share of each part of a kind; float64[draws, strategies, parts]."""
    parts = sums[:, :, _columns(kind)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(parts / parts.sum(axis=2, keepdims=True))


def _share_interval(share: FloatArray, error: FloatArray, freedom: FloatArray, blocks: int, level: float) -> Interval:
    """Interval of shares of a whole; a part that can be negative is no proportion."""
    inside = (share >= 0) & (share <= 1)
    proportion = share_interval(np.where(inside, share, 0.0), error, freedom, np.full(len(share), blocks), level)
    other = mean_interval(share, error, freedom, level)
    return Interval(np.where(inside, proportion.low, other.low), np.where(inside, proportion.high, other.high))
