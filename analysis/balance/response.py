"""How win shares answer to coins: a model of them, fitted to several vectors of offsets played on the same luck.

Each seat has a strength that grows with its own coins, and wins in proportion to it (R. D. Luce, *Individual Choice
Behavior*, 1959): the win share of seat s is ``exp(a_s + b_s x_s) / Σ_t exp(a_t + b_t x_t)``, x being the offsets. The
parameters are fitted by quasi-maximum likelihood (fractional win shares are no harm: L. E. Papke and J. M. Wooldridge,
*Econometric methods for fractional response variables*, J. Applied Econometrics 11, 1996), and their covariance is
the sandwich over blocks, summed over vectors first: vectors that share their luck are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from analysis.balance.arrays import FloatArray, IntArray

Vector = tuple[int, ...]

_LEAST_SLOPE: Final = 1e-3
"""A coin that is worth less is worth nothing: no number of coins would make up for a seat."""
_RIDGE: Final = 1e-6


@dataclass(frozen=True)
class Played:
    """Win shares by block of one vector.

    Attributes
    ----------
    shares : float64[blocks, seats]
        Means of each block's games.
    totals : float64[blocks, seats]
        Likewise VP.
    weights : float64[blocks]
        Weight of each block; they add up to 1.
    strata : int64[blocks]
        Line-up or kind of line-up of each block.
    """

    shares: FloatArray
    totals: FloatArray
    weights: FloatArray
    strata: IntArray


@dataclass(frozen=True)
class Response:
    """A fitted model.

    Attributes
    ----------
    levels, slopes : float64[seats]
        a and b; a of seat 0 is 0.
    covariance : float64[2 · seats, 2 · seats]
        Of both, one behind the other.
    """

    levels: FloatArray
    slopes: FloatArray
    covariance: FloatArray

    def shares(self, vectors: Sequence[Vector] | FloatArray) -> FloatArray:
        """Win shares that the model expects; float64[vectors, seats]."""
        return _shares(self.levels, self.slopes, np.asarray(vectors, dtype=np.float64))

    def fair(self, least: float) -> FloatArray:
        """Offsets (not whole numbers) that make all seats equal, the least of them being `least`; float64[seats]."""
        return _fair(self.levels, self.slopes, least)

    def draws(self, count: int, seed: int = 0) -> list[Response]:
        """Models as they might be as well: draws from the normal distribution of the parameters."""
        seats = len(self.levels)
        random = np.random.default_rng(seed)
        centre = np.concatenate([self.levels, self.slopes])
        values, vectors = np.linalg.eigh(self.covariance)
        steps = random.standard_normal((count, len(centre))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
        return [Response(each[:seats], each[seats:], self.covariance) for each in centre + steps]


def _shares(levels: FloatArray, slopes: FloatArray, offsets: FloatArray) -> FloatArray:
    strengths = levels + slopes * offsets
    return np.asarray(np.exp(strengths - logsumexp(strengths, axis=1, keepdims=True)))


def _fair(levels: FloatArray, slopes: FloatArray, least: float) -> FloatArray:
    slopes = np.maximum(slopes, _LEAST_SLOPE)
    return np.asarray(((levels + slopes * least).max() - levels) / slopes)


def fit(vectors: Sequence[Vector], played: Sequence[Played]) -> Response:
    """Fit the model to vectors that were played on the same luck.

    Parameters
    ----------
    vectors
        Offsets by seat.
    played
        What came of each; the same blocks in all.

    Returns
    -------
    Response

    Examples
    --------
    >>> even, blocks = np.ones(100) / 100, np.zeros(100, dtype=np.int64)
    >>> def of(share):
    ...     shares = np.tile([share, 1 - share], (100, 1))
    ...     return Played(shares, shares, even, blocks)
    >>> model = fit([(2, 2), (2, 4), (4, 2)], [of(0.6), of(0.5), of(0.7)])
    >>> model.fair(2).round(1).tolist()
    [2.0, 4.0]
    """
    offsets = np.array(vectors, dtype=np.float64)
    centre = offsets.mean(axis=0)
    seats = offsets.shape[1]
    means = np.stack([each.weights @ each.shares for each in played])
    moved = offsets - centre

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        levels, slopes = _apart(parameters, seats)
        strengths = levels + slopes * moved
        expected = _shares(levels, slopes, moved)
        value = -(means * (strengths - logsumexp(strengths, axis=1, keepdims=True))).sum()
        residuals = means - expected
        gradient = -np.concatenate([residuals.sum(axis=0)[1:], (residuals * moved).sum(axis=0)])
        return value + _RIDGE * (slopes**2).sum(), gradient + _RIDGE * np.concatenate([np.zeros(seats - 1), 2 * slopes])

    found = minimize(loss, np.zeros(2 * seats - 1), jac=True, method="BFGS", options={"gtol": 1e-9})
    levels, slopes = _apart(np.asarray(found.x), seats)
    inner = _covariance(levels, slopes, moved, played)
    # From levels at the centre of the vectors to levels at no coins, and back to seat 0 having 0.
    turn = np.zeros((2 * seats, 2 * seats - 1))
    turn[1:seats, : seats - 1] = np.eye(seats - 1)
    turn[:seats, seats - 1 :] = -np.diag(centre)
    turn[:seats, seats - 1] += centre[0]
    turn[seats:, seats - 1 :] = np.eye(seats)
    levels = levels - slopes * centre
    return Response(levels - levels[0], slopes, turn @ inner @ turn.T)


def _apart(parameters: FloatArray, seats: int) -> tuple[FloatArray, FloatArray]:
    return np.concatenate([[0.0], parameters[: seats - 1]]), parameters[seats - 1 :]


def _covariance(levels: FloatArray, slopes: FloatArray, moved: FloatArray, played: Sequence[Played]) -> FloatArray:
    """Sandwich covariance of the free parameters."""
    seats = len(levels)
    expected = _shares(levels, slopes, moved)
    curvature = np.zeros((2 * seats - 1, 2 * seats - 1))
    scores = np.zeros((len(played[0].weights), 2 * seats - 1))
    for offsets, shares, each in zip(moved, expected, played, strict=True):
        design = np.hstack([np.eye(seats)[:, 1:], np.diag(offsets)])
        spread = np.diag(shares) - np.outer(shares, shares)
        curvature += design.T @ spread @ design
        scores += (each.shares - shares) @ design
    inverse = np.linalg.pinv(curvature, hermitian=True)
    weighted = within(scores, played[0].strata) * played[0].weights[:, None]
    return np.asarray(inverse @ weighted.T @ weighted @ inverse)


def within(values: FloatArray, strata: IntArray) -> FloatArray:
    """Values less the mean of their stratum, drawn out to make up for it having been estimated.

    Parameters
    ----------
    values : float64[blocks, columns]
    strata : int64[blocks]
    """
    _, codes, counts = np.unique(strata, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, codes, values)
    stretch = np.sqrt(counts / np.maximum(counts - 1, 1))
    return np.asarray((values - (sums / counts[:, None])[codes]) * stretch[codes][:, None])
