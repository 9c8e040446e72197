"""What happened to every card of every game, and what its appearance is worth.

Which cards come up is drawn by lot: every round the displays are filled from the front of a shuffled deck. So the
outcome of games in which a card was shown less that of games in which it was not is an unbiased estimate of what its
appearance does, whoever took it or left it (intention to treat). Who takes a card is no lot, and what goes with
taking it is association.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.arrays import FloatArray, GameArrays, IntArray, compact
from analysis.balance.moments import Estimate
from analysis.frames import Frames
from sim.cardset import CardSet

NOBODY: Final = -1
_CHUNK: Final = 20_000
_PICKED: Final = ("draft", "place")


@dataclass(frozen=True)
class CardArrays:
    """What happened to every card of consecutive games; animals first, then experts, in the order of the card set.

    Attributes
    ----------
    games
        The games.
    shown, picked, published : bool[n, cards]
        Whether it was ever on display; chosen from there, in the draft or by an action; published.
    holder : int8[n, cards]
        Seat that got it, however it did; `NOBODY`.
    """

    games: GameArrays
    shown: NDArray[np.bool_]
    picked: NDArray[np.bool_]
    published: NDArray[np.bool_]
    holder: NDArray[np.int8]

    @staticmethod
    def joined(parts: list[CardArrays]) -> CardArrays:
        """Put consecutive games one after the other."""
        return CardArrays(
            GameArrays.joined([part.games for part in parts]),
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("shown", "picked", "published", "holder")
            ),
        )


class CardTask:
    """Make card arrays of a shard's frames, where it was played.

    Parameters
    ----------
    cards
        The card set.
    """

    def __init__(self, cards: CardSet) -> None:
        self._animals = np.array([card.id for card in cards.animals])
        self._experts = np.array([card.id for card in cards.experts])

    def __call__(self, frames: Frames) -> CardArrays:
        """Make the arrays."""
        games = compact(frames)
        cards = frames.cards
        shape = (len(games), len(self._animals) + len(self._experts))
        rows = np.searchsorted(games.games, cards["game"].to_numpy().astype(np.int64))
        places = rows * shape[1] + self._columns(cards)

        def scattered(known: pl.Series) -> NDArray[np.bool_]:
            flags = np.zeros(shape[0] * shape[1], dtype=np.bool_)
            flags[places[known.to_numpy()]] = True
            return flags.reshape(shape)

        holder = np.full(shape[0] * shape[1], NOBODY, dtype=np.int8)
        holder[places] = cards["seat"].cast(pl.Int8).fill_null(NOBODY).to_numpy()
        return CardArrays(
            games,
            scattered(cards["shown"].is_not_null()),
            scattered(cards["how"].is_in(_PICKED).fill_null(False)),
            scattered(cards["published"].is_not_null()),
            holder.reshape(shape),
        )

    def _columns(self, cards: pl.DataFrame) -> IntArray:
        """Column of each row's card."""
        identities = cards["id"].to_numpy()
        experts = (cards["kind"] == "expert").to_numpy()
        columns = np.zeros(len(cards), dtype=np.int64)
        columns[~experts] = _rows_of(identities[~experts], self._animals)
        columns[experts] = len(self._animals) + _rows_of(identities[experts], self._experts)
        return columns


def _rows_of(identities: NDArray[np.integer], known: IntArray) -> IntArray:
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(known, identities, sorter=order)], dtype=np.int64)


def appearance_effects(
    shown: NDArray[np.bool_], values: FloatArray, strata: IntArray, games: IntArray, items: FloatArray
) -> Estimate:
    """Estimate what the appearance of cards does: outcomes where a card was shown less those where it was not.

    Parameters
    ----------
    shown : bool[blocks, cards]
    values : float64[blocks, measures]
        Means of the blocks' games; not a number where a block does not count.
    strata : int64[blocks]
        Stratum (line-up) of each block; outcomes are compared within strata, which count by the games they played.
    games : int64[blocks]
    items : float64[cards, items]
        Weights of the cards in what is asked for: a card by itself, the average of some.

    Returns
    -------
    Estimate
        [items · measures]. The standard error is that of a difference of two means of blocks, for several cards
        computed from what each block adds to it. Not a number for items with a card that was never, or always, shown.
    """
    _, codes = np.unique(strata, return_inverse=True)
    levels, cards, measures = int(codes.max(initial=-1)) + 1, shown.shape[1], values.shape[1]
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    weight = np.bincount(codes, games, levels)
    counts, sums = (np.zeros((2, levels, cards, measures)) for _ in range(2))
    for level in range(levels):
        rows = codes == level
        seen = shown[rows].astype(np.float64)
        for side, flags in enumerate((1 - seen, seen)):
            counts[side, level] = flags.T @ known[rows]
            sums[side, level] = flags.T @ filled[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums / counts
        both = (counts > 0).all(axis=0)
        share = np.where(both, weight[:, None, None], 0.0)
        share = np.nan_to_num(share / share.sum(axis=0))
        effects = (share * np.where(both, means[1] - means[0], 0.0)).sum(axis=0)
        scale = np.where(both, share / counts * np.sqrt(np.where(counts > 1, counts / (counts - 1), 1.0)), 0.0)
    squares = _squares(shown, filled, known, codes, np.nan_to_num(means), scale, items)
    observed = counts.sum(axis=1)
    lacking = (observed < 2).any(axis=0)
    unknown = (items != 0).T.astype(np.float64) @ lacking > 0
    mean = np.where(unknown, np.nan, items.T @ np.where(lacking, 0.0, effects))
    blocks = (items != 0).T @ observed[1] / np.maximum((items != 0).sum(axis=0), 1)[:, None]
    played = np.zeros((cards, measures))
    for start in range(0, len(codes), _CHUNK):
        part = slice(start, start + _CHUNK)
        played += (shown[part] * games[part, None]).T.astype(np.float64) @ known[part]
    played = (items != 0).T @ played / np.maximum((items != 0).sum(axis=0), 1)[:, None]
    return Estimate(
        mean.ravel(),
        np.where(unknown, np.nan, np.sqrt(squares)).ravel(),
        np.where(unknown, 0.0, max(len(codes) - 2 * levels, 1)).ravel(),
        blocks.round().astype(np.int64).ravel(),
        played.round().astype(np.int64).ravel(),
    )


def _squares(
    shown: NDArray[np.bool_],
    values: FloatArray,
    known: NDArray[np.bool_],
    codes: IntArray,
    means: FloatArray,
    scale: FloatArray,
    items: FloatArray,
) -> FloatArray:
    """Sum of squares of what each block adds; float64[items, measures]."""
    measures = values.shape[1]
    squares = np.zeros((items.shape[1], measures))
    for start in range(0, len(codes), _CHUNK):
        part = slice(start, start + _CHUNK)
        seen, level = shown[part], codes[part]
        for measure in range(measures):
            side = np.where(seen, means[1, level, :, measure], means[0, level, :, measure])
            size = np.where(seen, scale[1, level, :, measure], -scale[0, level, :, measure])
            added = np.where(known[part, measure, None], (values[part, measure, None] - side) * size, 0.0)
            squares[:, measure] += ((added @ items) ** 2).sum(axis=0)
    return squares


def estimable(shown: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which cards were shown in some blocks and not in others; bool[cards]."""
    seen = shown.sum(axis=0)
    return np.asarray((seen >= 2) & (seen <= len(shown) - 2))


class Ratios:
    """Ratios of two block sums, such as picks to showings, gathered piece by piece.

    Parameters
    ----------
    columns
        How many there are.

    Examples
    --------
    >>> ratios = Ratios(1)
    >>> ratios.add(np.array([[1.0], [2.0]]), np.array([[2.0], [2.0]]), np.array([2, 2]))
    >>> ratios.estimate().mean.tolist()
    [0.75]
    """

    def __init__(self, columns: int) -> None:
        self._sums = np.zeros((5, columns))
        self._blocks = np.zeros(columns, dtype=np.int64)
        self._games = np.zeros(columns, dtype=np.int64)

    def add(self, above: FloatArray, below: FloatArray, games: IntArray) -> None:
        """Take in blocks: sums over their games; float64[blocks, columns]."""
        self._sums += [
            above.sum(axis=0),
            below.sum(axis=0),
            (above * above).sum(axis=0),
            (above * below).sum(axis=0),
            (below * below).sum(axis=0),
        ]
        there = below > 0
        self._blocks += there.sum(axis=0)
        self._games += (there * games[:, None]).sum(axis=0)

    def estimate(self) -> Estimate:
        """Estimate the ratios; standard errors by linearisation (Cochran, Sampling Techniques, 6.4)."""
        above, below, square, product, other = self._sums
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = above / below
            scatter = np.maximum(square - 2 * mean * product + mean**2 * other, 0)
            stretch = self._blocks / np.maximum(self._blocks - 1, 1)
            error = np.sqrt(scatter * stretch) / below
        unknown = self._blocks < 2
        return Estimate(
            mean,
            np.where(unknown, np.nan, error),
            np.where(unknown, 0.0, self._blocks - 1.0),
            self._blocks.copy(),
            self._games.copy(),
        )
