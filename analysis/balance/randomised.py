"""The deal as a randomised experiment: what it does that one thing, and not another, came up.

Which round token comes in which round is drawn by lot, so that a regression of a game's outcome on token × round is an
unbiased estimate of what a token does there, compared with the average of all tokens. All games of a block have the
same tokens; the block is the unit, and the errors are robust to blocks that vary differently (White's, HC1).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.balance.arrays import FloatArray, IntArray
from analysis.balance.moments import Estimate

_CHUNK: Final = 20_000


def token_effects(
    tokens: IntArray, values: FloatArray, strata: IntArray, games: IntArray, kinds: int
) -> tuple[Estimate, Estimate]:
    """Estimate what every token does in every round, by least squares on token × round.

    Parameters
    ----------
    tokens : int64[blocks, rounds]
        Which token came in each round, 0 … kinds − 1.
    values : float64[blocks, measures]
        Means of the blocks' games; not a number where a block does not count.
    strata : int64[blocks]
        Stratum (line-up) of each block; each has a level of its own.
    games : int64[blocks]
        Games in each block; they are its weight.
    kinds
        How many tokens there are.

    Returns
    -------
    cells : Estimate
        [kinds · rounds · measures], in this order: the outcome with the token in that round less the outcome with the
        average token in it. Where all tokens come in every game, effects are compared with the average round too.
    tokens : Estimate
        [kinds · measures]: the mean over rounds.

    Notes
    -----
    Effects of rounds are taken to add up. Not a number where there are too few blocks for the regression.
    """
    rounds, measures = tokens.shape[1], values.shape[1]
    contrasts = _contrasts(kinds, rounds)
    over_rounds = np.kron(np.eye(kinds), np.full((1, rounds), 1 / rounds))
    cells = _unknown(kinds * rounds, measures)
    means = _unknown(kinds, measures)
    for columns in _alike(values):
        known = ~np.isnan(values[:, columns[0]])
        fit = _regression(
            tokens[known], values[np.ix_(known, columns)], strata[known], games[known].astype(np.float64), contrasts
        )
        if fit is None:
            continue
        coefficients, covariances, freedom = fit
        for store, weights in ((cells, contrasts), (means, over_rounds @ contrasts)):
            store.mean.reshape(-1, measures)[:, columns] = weights @ coefficients
            variances = np.einsum("ij,kjl,il->ik", weights, covariances, weights)
            store.error.reshape(-1, measures)[:, columns] = np.sqrt(np.maximum(variances, 0))
            store.freedom.reshape(-1, measures)[:, columns] = freedom
        of_cells, of_tokens = _occurrences(tokens[known], games[known], kinds)
        for store, (blocks, played) in ((cells, of_cells), (means, of_tokens)):
            store.blocks.reshape(-1, measures)[:, columns] = blocks[:, None]
            store.games.reshape(-1, measures)[:, columns] = played[:, None]
    return cells, means


def _contrasts(kinds: int, rounds: int) -> FloatArray:
    """Effects of all cells from those that are free: they add up to 0 over the tokens of a round.

    Where every token comes in every game, those of a token add up to 0 over rounds as well: nothing tells the rest.

    Returns
    -------
    float64[kinds · rounds, coefficients]
    """
    of_tokens = np.vstack([np.eye(kinds - 1), -np.ones((1, kinds - 1))])
    if kinds > rounds:
        return np.asarray(np.kron(of_tokens, np.eye(rounds)), dtype=np.float64)
    of_rounds = np.vstack([np.eye(rounds - 1), -np.ones((1, rounds - 1))])
    return np.asarray(np.kron(of_tokens, of_rounds), dtype=np.float64)


def _unknown(rows: int, measures: int) -> Estimate:
    size = rows * measures
    nothing = np.full(size, np.nan)
    return Estimate(
        nothing, nothing.copy(), np.zeros(size), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    )


def _alike(values: FloatArray) -> list[NDArray[np.int64]]:
    """Group columns that are known in the same blocks."""
    known = ~np.isnan(values)
    if not len(values):
        return []
    _, kind = np.unique(known, axis=1, return_inverse=True)
    groups = [np.flatnonzero(kind == number) for number in range(kind.max() + 1)]
    return [group for group in groups if known[:, group[0]].any()]


def _regression(
    tokens: IntArray, values: FloatArray, strata: IntArray, weights: FloatArray, contrasts: FloatArray
) -> tuple[FloatArray, FloatArray, float] | None:
    """Weighted least squares within strata.

    Returns
    -------
    coefficients : float64[coefficients, measures]
    covariances : float64[measures, coefficients, coefficients]
        White's, HC1.
    freedom : float
        None in place of all three where there are too few blocks.
    """
    _, strata = np.unique(strata, return_inverse=True)
    levels, size = int(strata.max()) + 1, contrasts.shape[1]
    freedom = len(tokens) - levels - size
    if freedom < 1:
        return None
    rounds = tokens.shape[1]
    places = tokens * rounds + np.arange(rounds)
    total = np.bincount(strata, weights, levels)[:, None]

    def within(rows: FloatArray) -> FloatArray:
        """Weighted mean in each stratum."""
        sums = np.zeros((levels, rows.shape[1]))
        np.add.at(sums, strata, rows * weights[:, None])
        return sums / total

    def design(part: slice) -> FloatArray:
        return np.asarray(contrasts[places[part]].sum(axis=1))

    parts = [slice(start, start + _CHUNK) for start in range(0, len(tokens), _CHUNK)]
    sums = np.zeros((levels, size))
    for part in parts:
        np.add.at(sums, strata[part], design(part) * weights[part, None])
    centre, values = sums / total, values - within(values)[strata]
    square, product = np.zeros((size, size)), np.zeros((size, values.shape[1]))
    for part in parts:
        rows = design(part) - centre[strata[part]]
        weighted = rows * weights[part, None]
        square += weighted.T @ rows
        product += weighted.T @ values[part]
    if np.linalg.matrix_rank(square, hermitian=True) < size:
        return None
    inverse = np.linalg.inv(square)
    coefficients = inverse @ product
    meat = np.zeros((values.shape[1], size, size))
    for part in parts:
        rows = design(part) - centre[strata[part]]
        residuals = (values[part] - rows @ coefficients) * weights[part, None]
        for measure, residual in enumerate(residuals.T):
            scaled = rows * residual[:, None]
            meat[measure] += scaled.T @ scaled
    covariances = inverse @ meat @ inverse * (len(tokens) / freedom)
    return coefficients, covariances, float(freedom)


def _occurrences(
    tokens: IntArray, games: IntArray, kinds: int
) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Blocks and games of every cell, and of every token."""
    rounds = tokens.shape[1]
    places = (tokens * rounds + np.arange(rounds)).ravel()
    blocks = np.bincount(places, minlength=kinds * rounds)
    played = np.bincount(places, np.repeat(games, rounds), kinds * rounds).astype(np.int64)
    by_token = [numbers.reshape(kinds, rounds).sum(axis=1) for numbers in (blocks, played)]
    return (blocks, played), (by_token[0], by_token[1])
