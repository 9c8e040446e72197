"""Which strategy is strongest, which beats which, and do they go round in circles.

All of it comes from how the seats of a game are ranked: strengths by the Plackett–Luce model, fitted to all games at
once (so that their order cannot matter), the match-up table of who finishes ahead of whom, and α-Rank for cycles.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import block_means, in_units, play_units, unit_of
from analysis.balance.correction import with_corrected
from analysis.balance.metrics import SeatGrid
from analysis.balance.moments import BlockMoments, Strata
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import LEVEL
from analysis.wording import estimate, share
from sim.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ELO: Final = 400 / np.log(10)
"""Points a unit of log strength is worth on the scale that chess ratings have made familiar."""

_RESAMPLES: Final = 400
_MOST_UNITS: Final = 2000
_PRIOR_GAMES: Final = 1.0
_MOST_TIED: Final = 4
_ALPHA: Final = 100.0
_POPULATION: Final = 50
_SIGNIFICANT: Final = 0.05


# --- Plackett–Luce --------------------------------------------------------------------------------------------------


def log_strengths(orders: IntArray, counts: FloatArray, strategies: int, start: FloatArray | None = None) -> FloatArray:
    """Fit the Plackett–Luce model by maximum likelihood.

    The first of a ranking is drawn with probabilities in proportion to the strengths of all, the second likewise among
    the rest, and so on (R. Plackett, *The analysis of permutations*, 1975; R. D. Luce, *Individual choice behavior*,
    1959). A strategy may be in a ranking several times. Each strategy is given one more game, won and lost by halves,
    against a strategy of average strength, so that one that never wins has a finite strength too.

    Parameters
    ----------
    orders : int64[n, players]
        Rankings, best first: index of the strategy.
    counts : float64[n]
        How often each occurred.
    strategies
        How many there are.
    start : float64[strategies], optional
        Where to begin the search.

    Returns
    -------
    float64[strategies]
        Logarithms of the strengths; their mean is 0.

    Examples
    --------
    >>> fitted = log_strengths(np.array([[0, 1], [1, 0]]), np.array([3000.0, 1000.0]), 2)
    >>> round(float(np.exp(fitted[0] - fitted[1])), 2)
    3.0
    """
    strength = np.zeros(strategies) if start is None else start.copy()
    value = -np.inf
    for _ in range(_MOST_STEPS):
        found, gradient, curvature = _likelihood(strength, orders, counts)
        if abs(found - value) <= 1e-10 * (1 + abs(found)) and np.abs(gradient).max() <= 1e-6 * (1 + counts.sum()):
            break
        step = np.linalg.solve(curvature, gradient)
        # Newton's step; halved where the likelihood would fall.
        scale = min(1.0, _LONGEST_STEP / max(np.abs(step).max(), 1e-300))
        while scale > 1e-6 and _likelihood(strength + scale * step, orders, counts)[0] < found:
            scale /= 2
        strength, value = strength + scale * step, found
    return np.asarray(strength - strength.mean())


_MOST_STEPS: Final = 60
_LONGEST_STEP: Final = 2.0


def _likelihood(strength: FloatArray, orders: IntArray, counts: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Log likelihood with the prior games, its gradient, and the negative of its second derivatives."""
    size = len(strength)
    ranked = strength[orders]
    value, gradient, curvature = 0.0, np.zeros(size), np.zeros((size, size))
    for place in range(orders.shape[1] - 1):
        rest, who = ranked[:, place:], orders[:, place:]
        top = rest.max(axis=1, keepdims=True)
        weights = np.exp(rest - top)
        chances = weights / weights.sum(axis=1, keepdims=True)
        value += float(counts @ (rest[:, 0] - top[:, 0] - np.log(weights.sum(axis=1))))
        np.add.at(gradient, who[:, 0], counts)
        np.add.at(gradient, who, -counts[:, None] * chances)
        spread = np.zeros((len(orders), size))
        np.add.at(spread, (np.arange(len(orders))[:, None], who), chances)
        curvature += np.diag(counts @ spread) - (spread * counts[:, None]).T @ spread
    chance = 1 / (1 + np.exp(-strength))
    value += _PRIOR_GAMES / 2 * float(np.log(chance * (1 - chance)).sum())
    gradient += _PRIOR_GAMES * (0.5 - chance)
    curvature += np.diag(_PRIOR_GAMES * chance * (1 - chance))
    return value, gradient, curvature


def untied(strategies: IntArray, ranks: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Turn ranks with ties into rankings: each order of the tied counts equally.

    Parameters
    ----------
    strategies, ranks : int64[games, players]
        Who sits in each seat, and which rank the seat has; tied seats share the better rank.

    Returns
    -------
    rows : int64[n]
        Game of each ranking.
    orders : int64[n, players]
        Rankings, best first.
    weights : float64[n]
        They add up to 1 in every game.

    Examples
    --------
    >>> untied(np.array([[7, 8, 9]]), np.array([[2, 1, 2]]))[1].tolist()
    [[8, 7, 9], [8, 9, 7]]
    """
    by_rank = np.argsort(ranks, axis=1, kind="stable")
    sorted_ranks = np.take_along_axis(ranks, by_rank, axis=1)
    orders = np.take_along_axis(strategies, by_rank, axis=1)
    tied = (sorted_ranks[:, 1:] == sorted_ranks[:, :-1]).any(axis=1)
    plain = np.flatnonzero(~tied)
    rows, ranked, weights = [plain], [orders[plain]], [np.ones(len(plain))]
    for row in np.flatnonzero(tied):
        ways = list(_orders_of_tied(orders[row], sorted_ranks[row]))
        rows.append(np.full(len(ways), row))
        ranked.append(np.array(ways, dtype=np.int64))
        weights.append(np.full(len(ways), 1 / len(ways)))
    return np.concatenate(rows), np.concatenate(ranked), np.concatenate(weights)


def _orders_of_tied(order: IntArray, ranks: IntArray) -> Iterator[list[int]]:
    """Orders in which a ranking with ties could be read."""
    groups = [[int(who) for who in order[ranks == rank]] for rank in np.unique(ranks)]
    for parts in itertools.product(*map(_ways, groups)):
        yield [who for part in parts for who in part]


def _ways(group: list[int]) -> list[tuple[int, ...]]:
    """Orders of some tied strategies: all of them, or for many the rotations of one order and of its reverse."""
    if len(group) <= _MOST_TIED:
        return list(itertools.permutations(group))
    turns = range(len(group))
    return [(*way[turn:], *way[:turn]) for way in (tuple(group), tuple(reversed(group))) for turn in turns]


# --- cycles ---------------------------------------------------------------------------------------------------------


def alpha_rank(payoffs: FloatArray, alpha: float = _ALPHA, population: int = _POPULATION) -> FloatArray:
    """Rank strategies by how long evolution dwells on them, which is defined where strengths go in circles.

    Parameters
    ----------
    payoffs : float64[n, n]
        What a strategy (row) gets against another (column), between 0 and 1.
    alpha
        How strongly a better payoff is preferred.
    population
        Players among which a mutant must prevail.

    Returns
    -------
    float64[n]
        Stationary distribution of the chain of dominating strategies; it adds up to 1 (S. Omidshafiei et al.,
        *α-Rank: multi-agent evaluation by evolution*, Scientific Reports 9, 2019, for one population).

    Examples
    --------
    >>> stone_paper_scissors = np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]])
    >>> alpha_rank(stone_paper_scissors).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    size = len(payoffs)
    if size == 1:
        return np.ones(1)
    # A mutant (column) invades a resident (row) by what it wins against it above what it loses to it.
    advantage = alpha * (payoffs.T - payoffs)
    even = np.abs(advantage) < 1e-9
    safe = np.where(even, 1.0, np.clip(advantage, -_LARGEST / population, _LARGEST))
    fixed = np.where(even, 1 / population, np.expm1(-safe) / np.expm1(-population * safe))
    # However hopeless a mutant, some chance is left to it: the chain stays connected.
    chain = np.maximum(fixed, _LEAST_CHANCE) / (size - 1)
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    equations = np.vstack([chain.T - np.eye(size), np.ones(size)])
    solution = np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0]
    return np.asarray(np.maximum(solution, 0) / np.maximum(solution, 0).sum())


_LARGEST: Final = 500.0
_LEAST_CHANCE: Final = 1e-9


def cycles(beats: NDArray[np.bool_]) -> list[list[int]]:
    """List the shortest circles of strategies each of which beats the next.

    Parameters
    ----------
    beats : bool[n, n]
        Whether the row's strategy is shown to beat the column's.

    Returns
    -------
    list
        Circles of three, each from its lowest number; a tournament graph with any circle has one of three.

    Examples
    --------
    >>> cycles(np.array([[False, True, False], [False, False, True], [True, False, False]]))
    [[0, 1, 2]]
    """
    size = len(beats)
    found: list[list[int]] = []
    for first, second, third in itertools.combinations(range(size), 3):
        found += [
            list(circle)
            for circle in ((first, second, third), (first, third, second))
            if all(beats[circle[place], circle[(place + 1) % 3]] for place in range(3))
        ]
    return found


def dominated(table: pl.DataFrame) -> list[tuple[str, str]]:
    """List pairs (better, worse): the better one beats the worse, and does at least as well against every third.

    Parameters
    ----------
    table
        Match-ups (`strategy_balance`). "At least as well" is meant of the estimates, "beats" of what is shown.
    """
    ahead = {(row["strategy"], row["against"]): row for row in table.iter_rows(named=True)}
    names = table["strategy"].unique(maintain_order=True).to_list()
    found = []
    for better, worse in itertools.permutations(names, 2):
        direct = ahead.get((better, worse))
        thirds = [name for name in names if name not in (better, worse)]
        pairs = [(ahead.get((better, name)), ahead.get((worse, name))) for name in thirds]
        if (
            direct is not None
            and direct["shown"] == "ahead"
            and all(one is not None and two is not None and one["ahead"] >= two["ahead"] for one, two in pairs)
        ):
            found.append((better, worse))
    return found


# --- standings ------------------------------------------------------------------------------------------------------


def strategy_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer which strategy is strongest, and which beats which.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`, best with ``lineups="mixed"``: where a strategy meets itself
        alone nothing is learnt). Its number of games counts if no precision is asked for.
    precision
        Half the width wanted of the interval of every strategy's win share (``pp``) or mean VP (``vp``).
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``strengths`` and ``matchups``; see `docs/analysis.md`.

    Raises
    ------
    InputError
        If no two strategies meet.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> plan = make_plan(["greedy", "random"], players=2, games=100, seed=1, lineups="mixed")
    >>> strategy_balance(plan)["strengths"]["strategy"].to_list()
    ['greedy', 'random']
    """
    check_meeting(plan)
    study = _Study(plan, executor or LocalExecutor(), progress, None if precision else plan.games)
    extent = carry_out(study, plan.games, precision, progress)
    frames = study.sums.frames(extent.level)
    findings = tuple(findings_of(frames, plan.lineups.players))
    return Answer("strategies", findings, frames, about_of(plan, extent, precision, options))


def check_meeting(plan: Plan) -> None:
    """Make sure that some strategies meet.

    Raises
    ------
    InputError
        If none do.
    """
    if not plan.lineups.is_mixed.any():
        count = len(plan.strategies)
        raise InputError(f"strategies: {count} given, and no two of them meet; which is stronger takes at least two")


def circles_of(strengths: pl.DataFrame, matchups: pl.DataFrame) -> list[list[str]]:
    """List circles of three strategies, each of which is shown to finish ahead of the next.

    Parameters
    ----------
    strengths, matchups
        See `strategy_balance`.
    """
    names = strengths["strategy"].to_list()
    place = {name: number for number, name in enumerate(names)}
    beats = np.zeros((len(names), len(names)), dtype=np.bool_)
    for row in matchups.filter(pl.col("shown") == "ahead").iter_rows(named=True):
        beats[place[row["strategy"]], place[row["against"]]] = True
    return [[names[number] for number in circle] for circle in cycles(beats)]


class _Study:
    """A tournament (`analysis.balance.precision.Study`)."""

    pilot = 4000

    def __init__(self, plan: Plan, executor: Executor, progress: Progress, games: int | None) -> None:
        self.unit = unit_of(plan.lineups, games)
        self.sums = StandingSums([player.name for player in plan.strategies], plan.lineups)
        self._plan = in_units(plan, self.unit)
        self._executor, self._progress = executor, progress

    def cost(self, games: int) -> int:
        return games

    def play(self, first: int, last: int) -> None:
        for unit in range(first, last):
            for part in play_units(self._plan, self.unit, [unit], self._executor, self._progress.advance, met):
                self.sums.add(part)

    def half_width(self, kind: Kind, level: float) -> float:
        return self.sums.half_width("total" if kind == "vp" else "win_share", level)


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


# --- findings -------------------------------------------------------------------------------------------------------


def findings_of(frames: Mapping[str, pl.DataFrame], players: int) -> Iterator[str]:
    """Say in words what was found; `frames` as of `strategy_balance`."""
    strengths, matchups = frames["strengths"], frames["matchups"]
    rows = strengths.rows(named=True)
    order = ", ".join(f"{row['strategy']} {estimate(row, 'rating', 0, sign='+')}" for row in rows)
    yield f"Strengths in points of 400 for odds of 10, the average being 0: {order}."
    yield _best(rows[0], players)
    circles = circles_of(strengths, matchups)
    for circle in circles:
        yield f"In a circle, each shown to finish ahead of the next: {' > '.join([*circle, circle[0]])}."
    if not circles:
        yield "No circles are shown: no three strategies each of which finishes ahead of the next."
    yield from _of_dominance(dominated(matchups))


def _of_dominance(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    if pairs:
        worse = {name: [better for better, other in pairs if other == name] for _, name in pairs}
        said = "; ".join(f"{name} by {', '.join(betters)}" for name, betters in worse.items())
        yield f"Dominated (beaten, and no better against any other): {said}."


def _best(row: dict[str, Any], players: int) -> str:
    return (
        f"The strongest, {row['strategy']}, wins {share(row, 'win_share')} of its games with others; "
        f"{100 / players:.1f}% would be its fair share."
    )
