"""Resampling of blocks: how much any function of sums over blocks may vary.

Blocks are drawn anew within every stratum, so that what strategies, columns and line-ups share is shared in the draws
too. So that memory stays bounded, the blocks of a stratum are put in bags by turns: a bag is as independent of another
as a block is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MOST_BAGS: Final = 2000


def resampled_weights(strata: IntArray, resamples: int, seed: int = 0) -> FloatArray:
    """Draw units anew within strata.

    Of n units of a stratum n − 1 are drawn, with replacement, and each counts n/(n − 1) times, so that sums vary as
    much as the stratified variance says however few units there are (J. Rao and C. Wu, *Resampling inference with
    complex survey data*, Journal of the American Statistical Association 83, 1988). Strata of one unit are taken
    together.

    Parameters
    ----------
    strata : int64[units]
        Stratum of each unit.
    resamples
        How many draws.
    seed
        Of the draws.

    Returns
    -------
    float64[resamples, units]
        How often each unit counts; 1 on average.

    Examples
    --------
    >>> weights = resampled_weights(np.array([0, 0, 0, 1, 1]), resamples=4)
    >>> weights[:, :3].sum(axis=1).tolist(), weights[:, 3:].sum(axis=1).tolist()
    ([3.0, 3.0, 3.0, 3.0], [2.0, 2.0, 2.0, 2.0])
    """
    random = np.random.default_rng(seed)
    _, stratum, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    stratum = np.where(sizes[stratum] == 1, -1, stratum)
    weights = np.ones((resamples, len(strata)))
    for number in np.unique(stratum):
        units = np.flatnonzero(stratum == number)
        count = len(units)
        if count > 1:
            drawn = random.multinomial(count - 1, np.full(count, 1 / count), size=resamples)
            weights[:, units] = drawn * (count / (count - 1))
    return weights


def bags_of(strata: IntArray) -> tuple[IntArray, IntArray]:
    """Put blocks in bags by turns, stratum by stratum.

    Parameters
    ----------
    strata : int64[blocks]
        Stratum of each.

    Returns
    -------
    bag : int64[blocks]
        Number of the bag that each is in, from 0.
    stratum : int64[bags]
        Number of each bag's stratum, from 0.

    Examples
    --------
    >>> bags_of(np.array([5, 5, 9, 5]))[0].tolist(), bags_of(np.array([5, 5, 9, 5]))[1].tolist()
    ([0, 1, 3, 2], [0, 0, 0, 1])
    """
    found, stratum = np.unique(strata, return_inverse=True)
    size = _bags_each(len(found))
    turn = np.zeros(len(strata), dtype=np.int64)
    for number in range(len(found)):
        rows = np.flatnonzero(stratum == number)
        turn[rows] = np.arange(len(rows)) % size
    used, bag = np.unique(stratum * size + turn, return_inverse=True)
    return bag, used // size


def _bags_each(strata: int) -> int:
    """Bags that the blocks of a stratum are put in."""
    return max(MOST_BAGS // strata, 2)


class BlockBags:
    """Sums of block values in bags, gathered piece by piece.

    Parameters
    ----------
    strata, columns
        How many there are.

    Examples
    --------
    >>> bags = BlockBags(strata=1, columns=1)
    >>> bags.add(np.zeros(3, dtype=np.int64), np.array([[1.0], [2.0], [6.0]]))
    >>> bags.sums().tolist(), bags.resampled(5).shape
    ([9.0], (5, 1))
    """

    def __init__(self, strata: int, columns: int) -> None:
        self._sums = np.zeros((strata, _bags_each(strata), columns))
        self._blocks = np.zeros(strata, dtype=np.int64)

    def add(self, strata: IntArray, values: FloatArray) -> None:
        """Take in blocks.

        Parameters
        ----------
        strata : int64[blocks]
            Stratum of each.
        values : float64[blocks, columns]
            Sums over its games.
        """
        for number in np.unique(strata):
            rows = np.flatnonzero(strata == number)
            bags = (self._blocks[number] + np.arange(len(rows))) % self._sums.shape[1]
            np.add.at(self._sums[number], bags, values[rows])
            self._blocks[number] += len(rows)

    @property
    def blocks(self) -> IntArray:
        """Blocks of each stratum; int64[strata]."""
        return self._blocks

    def sums(self) -> FloatArray:
        """Return sums over all blocks; float64[columns]."""
        return np.asarray(self._sums.sum(axis=(0, 1)))

    def resampled(self, resamples: int, seed: int = 0) -> FloatArray:
        """Return sums over blocks drawn anew; float64[resamples, columns]."""
        used = np.arange(self._sums.shape[1]) < self._blocks[:, None]
        return resampled_weights(np.nonzero(used)[0], resamples, seed) @ self._sums[used]
