"""Is the seating fair? Win share and VP by seat, with one strategy in all seats and with mixed line-ups."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import f as fisher

from analysis.balance.answer import MOST_LINEUPS, Answer, about_of, lineup_names
from analysis.balance.arrays import FloatArray, GameArrays, block_means, in_units, play_arrays, unit_of
from analysis.balance.correction import with_corrected
from analysis.balance.moments import BlockMoments, Estimate, Strata
from analysis.balance.precision import SILENT, Extent, Kind, Precision, Progress, carry_out, widest
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import LEVEL
from analysis.wording import estimate, p_in_words, share

ALL, MIRROR, MIXED, LINEUP = "all", "mirror", "mixed", "line-up"
GROUPS: Final = pl.Enum([ALL, MIRROR, MIXED, LINEUP])
MEASURES: Final = ("win_share", "total")
_DRAWS: Final = 20_000
_SEED: Final = 1


@dataclass(frozen=True)
class Group:
    """Line-ups that are looked at together.

    Attributes
    ----------
    kind
        One of `GROUPS`.
    lineup
        Its strategies, of a single line-up.
    strata : bool[strata]
        Which strata belong to it.
    """

    kind: str
    lineup: str | None
    strata: NDArray[np.bool_]


def groups_of(plan: Plan, strata: Strata) -> list[Group]:
    """List the groups of line-ups that a question is answered for: all, mirror, mixed, and each if they are few."""
    mixed = strata.mixed
    groups = [Group(ALL, None, np.ones(len(strata), dtype=np.bool_))]
    if mixed.any() and not mixed.all():
        groups += [Group(MIRROR, None, ~mixed), Group(MIXED, None, mixed)]
    elif len(strata) > 1:
        groups[0] = Group(MIXED if mixed.all() else MIRROR, None, groups[0].strata)
    if strata.single and 1 < len(strata) <= MOST_LINEUPS:
        each = np.eye(len(strata), dtype=np.bool_)
        groups += [Group(LINEUP, name, row) for name, row in zip(lineup_names(plan), each, strict=True)]
    elif len(strata) == 1:
        groups = [Group(LINEUP, lineup_names(plan)[0], groups[0].strata)]
    return groups


class SeatSums:
    """What is known of the seats' results, gathered piece by piece.

    Parameters
    ----------
    plan
        Whose games these are.
    """

    def __init__(self, plan: Plan) -> None:
        self.players = plan.lineups.players
        self.strata = Strata(plan.lineups)
        self.pairs = list(itertools.combinations(range(self.players), 2))
        self._moments = BlockMoments(len(self.strata), 3 * self.players + 2 * len(self.pairs))
        self._most = np.full((len(self.strata), 3 * self.players + 2 * len(self.pairs)), np.nan)
        self._most[:, : self.players] = 1.0

    def add(self, games: GameArrays) -> None:
        """Take in games: whole blocks."""
        first, second = (np.array(side) for side in zip(*self.pairs, strict=True))
        centred = games.totals - games.totals.mean(axis=1, keepdims=True)
        values = [games.shares, games.totals, centred]
        values += [each[:, first] - each[:, second] for each in (games.shares, games.totals)]
        means = block_means(games.blocks, np.hstack(values))
        self._moments.add(self.strata.of_games(games.games[means.first]), means)

    def found(self, strata: NDArray[np.bool_] | None = None) -> SeatEstimates:
        """Estimate the seats' results in some strata."""
        found, players, pairs = self._moments.estimate(strata), self.players, len(self.pairs)
        ends = np.cumsum([0, players, players, players, pairs, pairs])
        shares, totals, centred, of_shares, of_totals = (
            found[slice(start, stop)] for start, stop in itertools.pairwise(ends)
        )
        guarded = self._moments.estimate(strata, self._most)[slice(0, players)]
        least = guarded.error**2 - shares.error**2
        return SeatEstimates(guarded, totals, centred, of_shares, of_totals, least)


@dataclass(frozen=True)
class SeatEstimates:
    """Results by seat, and of each pair of seats the difference (in lexicographic order).

    Attributes
    ----------
    shares, totals, centred
        By seat: win share, VP, VP above the mean of the game.
    share_pairs, total_pairs
        Differences of two seats.
    least : float64[seats]
        Part of the variances of `shares` that is assumed, where a seat won all or nothing
        (`analysis.stats.stratified`).
    """

    shares: Estimate
    totals: Estimate
    centred: Estimate
    share_pairs: Estimate
    total_pairs: Estimate
    least: FloatArray

    def covariance(self) -> FloatArray:
        """Covariance of the seats' win shares, from the variances of the shares and of their differences."""
        return self.seen() + np.diag(self.least)

    def seen(self) -> FloatArray:
        """Covariance of the seats' win shares but for what is assumed."""
        single = self.shares.error**2 - self.least
        count = len(single)
        covariance = np.diag(single)
        for (i, j), variance in zip(itertools.combinations(range(count), 2), self.share_pairs.error**2, strict=True):
            covariance[i, j] = covariance[j, i] = (single[i] + single[j] - variance) / 2
        return covariance


@dataclass(frozen=True)
class Fairness:
    """How evenly win shares are spread over seats.

    Attributes
    ----------
    balance, low, high
        Ludii's balance, 1 − the largest difference of two seats' win shares, and its interval.
    statistic, freedom_1, freedom_2, p
        Test of every seat's win share being 1/N.
    """

    balance: float
    low: float
    high: float
    statistic: float
    freedom_1: float
    freedom_2: float
    p: float


def fairness_of(found: SeatEstimates, level: float = LEVEL) -> Fairness:
    """Measure how fair a seating is, and test it.

    The χ² test against 1/N takes games for independent, which those of a block are not. So the statistic is Wald's with
    the covariance of block means (Hotelling's T² over line-ups), referred to the F distribution; for line-ups of one
    strategy, whose blocks have one game, it is the χ² test but for shared wins.

    The interval of the balance comes from simultaneous intervals of all differences of two seats (their largest
    studentised deviation, drawn from the normal distribution with that covariance): the largest true difference is
    at least the largest lower end and at most the largest upper end.

    Parameters
    ----------
    found
        Results by seat.
    level
        Probability that the interval holds the true value.

    Returns
    -------
    Fairness
        Not a number where too few blocks were played.

    References
    ----------
    Balance: E. Piette et al., *Ludii – the ludemic general game system*, ECAI 2020.
    """
    players = len(found.shares.mean)
    differences = np.abs(found.share_pairs.mean)
    balance = 1 - float(differences.max())
    freedom = float(found.shares.freedom.min())
    if freedom < 1 or np.isnan(found.share_pairs.error).any():
        nothing = float("nan")
        return Fairness(balance, nothing, nothing, nothing, players - 1, nothing, nothing)
    covariance = found.covariance()
    errors = np.sqrt(np.maximum(_of_differences(covariance)[np.triu_indices(players, 1)], 0.0))
    half = _largest_deviation(covariance, freedom, level) * errors
    low, high = float(max((differences - half).max(), 0.0)), float(min((differences + half).max(), 1.0))
    deviation = (found.shares.mean - 1 / players)[1:]
    inner = covariance[1:, 1:]
    rank = int(np.linalg.matrix_rank(inner, hermitian=True)) if inner.any() else 0
    if rank == 0 or not found.seen().any():
        # The same in every block: either a win that is always shared, or one seat that won them all.
        blocks = float(found.shares.blocks.min())
        p = 1.0 if np.allclose(deviation, 0) else players ** (1 - blocks)
        return Fairness(balance, 1 - high, 1 - low, float("nan"), 0, freedom, p)
    wald = float(deviation @ np.linalg.pinv(inner, hermitian=True) @ deviation)
    second = freedom - rank + 1
    statistic = wald * second / (rank * freedom)
    p = float(fisher.sf(statistic, rank, second)) if second > 0 else float("nan")
    return Fairness(balance, 1 - high, 1 - low, statistic, rank, second, p)


def _largest_deviation(covariance: FloatArray, freedom: float, level: float) -> float:
    """Quantile of the largest studentised deviation of any difference of two seats."""
    random = np.random.default_rng(_SEED)
    values, vectors = np.linalg.eigh(covariance)
    draws = random.standard_normal((_DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    draws /= np.sqrt(random.chisquare(freedom, size=(_DRAWS, 1)) / freedom)
    largest = np.zeros(_DRAWS)
    for i, j in itertools.combinations(range(len(values)), 2):
        error = np.sqrt(max(_of_differences(covariance)[i, j], 0.0))
        if error > 0:
            np.maximum(largest, np.abs(draws[:, i] - draws[:, j]) / error, out=largest)
    return float(np.quantile(largest, level))


def _of_differences(covariance: FloatArray) -> FloatArray:
    """Variance of the difference of each two."""
    single = np.diag(covariance)
    return np.asarray(single[:, None] + single[None, :] - 2 * covariance)


class SeatStudy:
    """Games of a plan, looked at seat by seat (`analysis.balance.precision`).

    Parameters
    ----------
    plan
        What is played.
    games
        How many games will be asked for; None if a precision decides.
    executor
        Who plays.
    progress
        Told about games played.
    """

    pilot = 4000

    def __init__(
        self,
        plan: Plan,
        games: int | None = None,
        executor: Executor | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.unit = unit_of(plan.lineups, games)
        self.sums = SeatSums(plan)
        self.plan = in_units(plan, self.unit)
        self.groups = groups_of(plan, self.sums.strata)
        self._executor, self._progress = executor or LocalExecutor(), progress

    def cost(self, games: int) -> int:
        """Count the games: these alone."""
        return games

    def play(self, first: int, last: int) -> None:
        """Play units and take in their results."""
        for number in range(first, last):
            self.sums.add(play_arrays(self.plan, self.unit, [number], self._executor, self._progress.advance))

    def half_width(self, kind: Kind, level: float) -> float:
        """Half the width of the widest interval of a seat, of all line-ups, of mirror and of mixed ones."""
        widths = []
        for group in self.groups:
            if group.kind != LINEUP or len(self.groups) == 1:
                found = self.sums.found(group.strata)
                share = kind == "pp"
                widths.append((found.shares if share else found.totals).half_width(level, share=share))
        return widest(*widths)


def seat_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer whether the seating is fair.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`). Its number of games counts if no precision is asked for.
    precision
        Half the width wanted of every seat's interval (`analysis.balance.precision.parse_precision`): ``pp`` of its
        win share, ``vp`` of its mean VP; over all line-ups, mirror ones and mixed ones, not each by itself.
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``results`` (by group of line-ups and seat) and ``fairness`` (by group); see `docs/balance.md`.

    Raises
    ------
    InputError, RunError
        If the precision cannot be reached, or a strategy breaks its contract.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> answer = seat_balance(make_plan(["random"], players=2, games=2000, seed=1))
    >>> answer["results"].filter(measure="win_share")["estimate"].sum()
    1.0
    """
    games = None if precision else plan.games
    study = SeatStudy(plan, games, executor, progress)
    extent = carry_out(study, plan.games, precision, progress)
    frames = {"results": _results(study, extent), "fairness": _fairness(study, extent)}
    findings = tuple(_findings(frames["results"], frames["fairness"], study.sums.players, extent.level))
    return Answer("seats", findings, frames, about_of(study.plan, extent, precision, options))


def _results(study: SeatStudy, extent: Extent) -> pl.DataFrame:
    parts = []
    for group in study.groups:
        found = study.sums.found(group.strata)
        parts += [
            _keys(group, study.sums.players, measure).hstack(_rows(found, measure, extent.level))
            for measure in MEASURES
        ]
    return with_corrected(pl.concat(parts), ["measure"])


def _keys(group: Group, players: int, measure: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "group": [group.kind] * players,
            "lineup": [group.lineup] * players,
            "seat": range(players),
            "measure": [measure] * players,
        },
        schema={"group": GROUPS, "lineup": pl.String, "seat": pl.UInt8, "measure": pl.Enum(MEASURES)},
    )


def _rows(found: SeatEstimates, measure: str, level: float) -> pl.DataFrame:
    if measure == "win_share":
        return found.shares.table(level, share=True, null=1 / len(found.shares.mean))
    # A seat's VP are tested against the mean of all seats in the same games.
    return found.totals.table(level, null=None).with_columns(p=pl.Series(found.centred.p()).fill_nan(None))


def _fairness(study: SeatStudy, extent: Extent) -> pl.DataFrame:
    rows = []
    for group in study.groups:
        found = study.sums.found(group.strata)
        fair = fairness_of(found, extent.level)
        rows.append(
            {
                "group": group.kind,
                "lineup": group.lineup,
                **fair.__dict__,
                "games": int(found.shares.games.max()),
                "blocks": int(found.shares.blocks.max()),
            }
        )
    numbers = ("balance", "low", "high", "statistic", "freedom_1", "freedom_2", "p")
    schema: dict[str, Any] = {"group": GROUPS, "lineup": pl.String} | dict.fromkeys(numbers, pl.Float64)
    table = pl.DataFrame(rows, schema=schema | {"games": pl.Int64, "blocks": pl.Int64}, orient="row")
    return with_corrected(table.with_columns(pl.col(numbers).fill_nan(None)))


def _findings(results: pl.DataFrame, fairness: pl.DataFrame, players: int, level: float) -> Iterator[str]:
    """Say in words what was found, group by group."""
    yield from _differing(results)
    for fair in fairness.iter_rows(named=True):
        if fair["group"] == LINEUP and len(fairness) > 1:
            continue
        where = in_words(fair["group"], fair["lineup"])
        rows = results.filter(pl.col("group") == fair["group"], pl.col("lineup").eq_missing(fair["lineup"]))
        shares = rows.filter(measure="win_share").sort("estimate")
        totals = rows.filter(measure="total").sort("estimate")
        verdict = _verdict(fair, level)
        best, worst = shares.row(-1, named=True), shares.row(0, named=True)
        yield (
            f"{where}: {verdict}. Seat {best['seat']} wins most, {share(best)}, seat {worst['seat']} least, "
            f"{share(worst)}; fair is {100 / players:.1f}% each."
        )
        best, worst = totals.row(-1, named=True), totals.row(0, named=True)
        yield (
            f"{where}: mean VP from {estimate(worst)} in seat {worst['seat']} to {estimate(best)} in seat "
            f"{best['seat']}; balance (1 − the largest difference of two win shares) {estimate(fair, 'balance', 3)}."
        )


def _differing(results: pl.DataFrame) -> Iterator[str]:
    """Say where seats are worth something else to one strategy than to another: their average is then no answer."""
    alone = {
        names.pop(): rows.sort("seat")
        for (lineup,), rows in results.filter(group=LINEUP, measure="win_share").group_by("lineup", maintain_order=True)
        if len(names := set(str(lineup).split(" / "))) == 1
    }
    if len(alone) < 2:
        return
    lows, highs = (pl.DataFrame({name: rows[end] for name, rows in alone.items()}) for end in ("low", "high"))
    if (lows.max_horizontal() > highs.min_horizontal()).any():
        best = {name: rows.sort("estimate").row(-1, named=True) for name, rows in alone.items()}
        said = "; ".join(f"{name} most from seat {row['seat']}, {share(row)}" for name, row in best.items())
        yield f"What a seat is worth depends on who plays. Among copies of itself wins {said}."


def in_words(group: str, lineup: str | None) -> str:
    """Name a group of line-ups in a sentence."""
    if lineup is not None:
        return f"Line-up {lineup}"
    return {ALL: "All line-ups", MIRROR: "One strategy in all seats", MIXED: "Mixed line-ups"}[group]


def _verdict(fair: dict[str, Any], level: float) -> str:
    if fair["p"] is None:
        return "too few games to tell whether the seats are fair"
    if fair["p_corrected"] > 1 - level:
        return f"no seat is better than another as far as these games show (p {p_in_words(fair['p'])})"
    return f"the seats are not fair (p {p_in_words(fair['p'])})"
