"""Luck against skill: how much of a result comes from who plays, where one sits, and what is dealt.

A block plays one luck in all rotations of a line-up, so every place of the line-up meets every seat once: a Latin
square. Repeated over many lucks, it tells apart what the strategy does, what the seat does, what the deal gives to
everybody, to a seat or to a strategy, and what is left (analysis of variance of replicated Latin squares; G. Casella,
*Statistical Design*, 2008, ch. 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.lineups import Lineups
from analysis.stats import LEVEL

FloatArray = NDArray[np.float64]

MEASURED: Final = ("win_share", "total")
COMPONENTS: Final = {
    "strategy": "skill: the strategies' average results differ",
    "seat": "the seats' average results differ",
    "deal": "luck: a deal is rich or poor for everybody",
    "deal × seat": "luck: a deal favours a seat, whoever sits there",
    "deal × strategy": "a deal suits a strategy, wherever it sits",
    "residual": "what neighbours and the course of the single game add",
}
_MOST_UNITS: Final = 1000
_RESAMPLES: Final = 400


class ComponentSums:
    """Variance components in the making, fed piece by piece.

    Parameters
    ----------
    lineups
        The line-ups that play; those that do not repeat themselves count, the others hold no Latin squares.
    """

    def __init__(self, lineups: Lineups) -> None:
        self._lineups = lineups
        self._parts: dict[tuple[str, int], list[FloatArray]] = {}

    def add(self, seats: pl.DataFrame) -> None:
        """Take in rows of the seats table: whole blocks, games in order."""
        players = self._lineups.players
        lineup = seats["lineup"].to_numpy()[::players].astype(np.int64)
        whole = self._lineups.periods[lineup] == players
        for measure in MEASURED:
            values = seats[measure].to_numpy().astype(np.float64).reshape(-1, players)
            for number in np.unique(lineup[whole]):
                squares = values[lineup == number].reshape(-1, players, players)
                self._parts.setdefault((measure, int(number)), []).append(_statistics(squares))

    def table(self, level: float = LEVEL, seed: int = 0) -> pl.DataFrame:
        """Estimate the components.

        Parameters
        ----------
        level
            Probability that an interval holds the true value.
        seed
            Of the bootstrap over blocks.

        Returns
        -------
        polars.DataFrame
            One row a measure and component: ``measure`` (``win_share`` or ``total``), ``component``, ``variance``
            (of one seat's result) and ``share`` of the sum, each with ``…_low`` and ``…_high`` (block bootstrap),
            and ``meaning``. Empty where no line-up has as many rotations as seats. With two players the residual
            cannot be told from the deal's part, and is not given.
        """
        rows = [row for measure in MEASURED for row in self._rows(measure, level, seed)]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")

    def _rows(self, measure: str, level: float, seed: int) -> list[tuple[object, ...]]:
        parts = [np.concatenate(found) for (name, _), found in sorted(self._parts.items()) if name == measure]
        parts = [part for part in parts if len(part) >= 2]
        if not parts:
            return []
        players = self._lineups.players
        sums = [part.sum(axis=0) for part in parts]
        estimate = _estimate(np.array(sums)[None], np.array([len(part) for part in parts]), players)[0]
        random = np.random.default_rng(seed)
        drawn = [_resampled(part, random) for part in parts]
        resampled = _estimate(np.stack(drawn, axis=1), np.array([len(part) for part in parts]), players)
        tail = (1 - level) / 2

        def ends(values: FloatArray) -> tuple[FloatArray, FloatArray]:
            return np.quantile(values, tail, axis=0), np.quantile(values, 1 - tail, axis=0)

        with np.errstate(invalid="ignore", divide="ignore"):
            share = estimate / estimate.sum()
            shares = resampled / resampled.sum(axis=1, keepdims=True)
        (low, high), (share_low, share_high) = ends(resampled), ends(shares)
        return [
            (
                measure, name, float(estimate[row]), float(low[row]), float(high[row]),
                float(share[row]), float(share_low[row]), float(share_high[row]), meaning,
            )
            for row, (name, meaning) in enumerate(list(COMPONENTS.items())[: len(estimate)])
        ]  # fmt: skip


_SCHEMA: Final = {
    "measure": pl.String,
    "component": pl.String,
    "variance": pl.Float64,
    "variance_low": pl.Float64,
    "variance_high": pl.Float64,
    "share": pl.Float64,
    "share_low": pl.Float64,
    "share_high": pl.Float64,
    "meaning": pl.String,
}


def _statistics(squares: FloatArray) -> FloatArray:
    """Sum up of a block what everything is computed from.

    Parameters
    ----------
    squares : float64[blocks, players, players]
        By block, rotation and seat.

    Returns
    -------
    float64[blocks, 6 + 2 * players]
        Block mean, its square, sums of squares of seats', places' and rotations' deviations and of all values' from
        the block mean, then the seats' and the places' deviations.
    """
    players = squares.shape[1]
    mean = squares.mean(axis=(1, 2))
    centred = squares - mean[:, None, None]
    seats, games = centred.mean(axis=1), centred.mean(axis=2)
    # In rotation g, the seat s holds place (s + g) mod players.
    place = (np.arange(players)[None, :] + np.arange(players)[:, None]) % players
    places = np.stack([centred[:, place == number].mean(axis=1) for number in range(players)], axis=1)
    squared = [(values**2).sum(axis=1) for values in (seats, places, games)]
    return np.column_stack([mean, mean**2, *squared, (centred**2).sum(axis=(1, 2)), seats, places])


def _resampled(part: FloatArray, random: np.random.Generator) -> FloatArray:
    """Sum up resampled blocks of one line-up; float64[resamples, statistics]."""
    units = min(len(part), _MOST_UNITS)
    # Blocks are put in bags of about equal size: a bag is as independent of another as a block.
    bags = np.add.reduceat(part, np.arange(units) * len(part) // units, axis=0)
    sizes = np.diff(np.append(np.arange(units) * len(part) // units, len(part)))
    counts = random.multinomial(units, np.full(units, 1 / units), size=_RESAMPLES)
    return np.asarray((counts @ bags) * (len(part) / (counts @ sizes))[:, None])


def _estimate(sums: FloatArray, blocks: NDArray[np.int64], players: int) -> FloatArray:
    """Parts of the variance of a seat's result within a line-up; what would be negative is 0.

    A mean over n results of a block still holds 1/n of the residual variance; that is taken out of the parts that
    rest on such means, and left in the residual.

    Parameters
    ----------
    sums : float64[samples, lineups, statistics]
        See `_statistics`.
    blocks : int64[lineups]

    Returns
    -------
    float64[samples, len(COMPONENTS)]
        With two players there is one column less: two seats, two places and two games leave no residual to tell.
    """
    weights = blocks / blocks.sum()
    means = sums / blocks[None, :, None]
    mean, mean_square, seat_square, place_square, game_square, whole = np.moveaxis(means[..., :6], -1, 0)
    seats, places = means[..., 6 : 6 + players], means[..., 6 + players :]

    def between(square: FloatArray, of_means: FloatArray) -> FloatArray:
        """Variance between a line-up's blocks, averaged over line-ups."""
        return np.asarray(((square - of_means) * blocks).sum(axis=1) / (blocks - 1).sum())

    seat_blocks = between(seat_square, (seats**2).sum(axis=-1)) / players
    place_blocks = between(place_square, (places**2).sum(axis=-1)) / players
    deal_blocks = between(mean_square, mean**2)
    left = ((whole - players * (seat_square + place_square + game_square)) * weights).sum(axis=1)
    error = left / ((players - 1) * (players - 2)) if players > 2 else np.zeros(len(sums))
    noise = error * (players - 1) / players**2

    overall = (seats * weights[:, None]).sum(axis=1)
    parts = np.column_stack(
        [
            ((places**2).sum(axis=-1) * weights).sum(axis=1) / players - place_blocks * len(blocks) / blocks.sum(),
            (overall**2).mean(axis=-1) - seat_blocks / blocks.sum(),
            deal_blocks - error / players**2,
            seat_blocks - noise,
            place_blocks - noise,
        ]
    )
    parts = np.maximum(parts, 0.0)
    if players == 2:
        return np.asarray(parts)
    variance = (whole * weights).sum(axis=1) / players**2 + deal_blocks
    return np.asarray(np.column_stack([parts, np.maximum(variance - parts.sum(axis=1), 0.0)]))


def summary_of(components: pl.DataFrame, measure: str = "win_share", parts: Sequence[str] = ("strategy",)) -> float:
    """Share of a measure's variance that some components make up together."""
    chosen = components.filter((pl.col("measure") == measure) & pl.col("component").is_in(list(parts)))
    return float(chosen["share"].sum())
