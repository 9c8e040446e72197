"""Is the game healthy: exciting, decided by skill, with bonuses that are reached and space that is used.

One run of some line-ups answers it: trajectories of VP by round (excitement), parts of the score, how often every
bonus and effect occurs, how full the category spaces get, and luck against skill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.balance.answer import MOST_LINEUPS, Answer, about_of, lineup_name
from analysis.balance.arrays import block_means, in_units, play_units, unit_of
from analysis.balance.components import ComponentSums
from analysis.balance.filling import filling
from analysis.balance.metrics import (
    COUNT_FIELDS,
    GROUPS,
    MEANINGS,
    Metric,
    SeatGrid,
    measure,
    metrics_of,
    shape_of,
)
from analysis.balance.moments import BlockMoments, Estimate, Strata
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out
from analysis.balance.trace import skill_trace
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import LEVEL, share_interval
from analysis.wording import estimate, share
from sim.config import Configuration
from sim.record import SCORE_FIELDS

FloatArray = NDArray[np.float64]

LOOKED_AT: Final = 1000
"""Games that are played again to look at the category spaces."""


def health_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    looked_at: int = LOOKED_AT,
    trace: Sequence[str] = (),
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer how healthy the game is.

    Parameters
    ----------
    plan
        What is played, cards recorded (`analysis.tournament.make_plan`). Its number of games counts if no precision
        is asked for.
    precision
        Half the width wanted of the interval of mean VP (``vp``), or of every seat's and strategy's win share (``pp``).
    looked_at
        Games that are played again to count cubes on the category spaces; 0 for none.
    trace
        Strategies whose win share against the first of the plan's traces how far skill reaches
        (`analysis.balance.trace`).
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``metrics``, ``rounds``, ``parts``, ``effects``, ``categories``, ``components`` and ``trace``; see
        `docs/analysis.md`.

    Raises
    ------
    InputError, RunError
        If the precision cannot be reached, or a strategy breaks its contract.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> answer = health_balance(make_plan(["random"], players=2, games=64, seed=1), looked_at=0)
    >>> 0 <= answer["metrics"].filter(metric="behind", lineup="all")["estimate"].item() <= 1
    True
    """
    plan, executor = replace(plan, record_cards=True), executor or LocalExecutor()
    study = _Study(plan, executor, progress, None if precision else plan.games)
    extent = carry_out(study, plan.games, precision, progress)
    frames = study.sums.frames(extent.level)
    if looked_at:
        again = min(plan.lineups.rounded_up(looked_at), extent.games)
        frames["categories"] = filling(plan, again, extent.level)
    frames["trace"] = skill_trace(plan, trace, extent.games, executor, progress, extent.level)
    findings = tuple(findings_of(frames, plan.lineups.players))
    return Answer("health", findings, frames, about_of(plan, extent, precision, options))


class _Study:
    """A run that is measured (`analysis.balance.precision.Study`)."""

    pilot = 4000

    def __init__(self, plan: Plan, executor: Executor, progress: Progress, games: int | None) -> None:
        self.unit = unit_of(plan.lineups, games)
        self.sums = HealthSums(plan.configuration, [player.name for player in plan.strategies], plan.lineups)
        self._plan = in_units(plan, self.unit)
        self._executor, self._progress = executor, progress

    def cost(self, games: int) -> int:
        return games

    def play(self, first: int, last: int) -> None:
        task = Measuring(self._plan.configuration)
        for unit in range(first, last):
            for part in play_units(self._plan, self.unit, [unit], self._executor, self._progress.advance, task):
                self.sums.add(part)

    def half_width(self, kind: Kind, level: float) -> float:
        return self.sums.half_width("total" if kind == "vp" else "win_share_", level)


@dataclass(frozen=True)
class Part:
    """What is kept of some games: their metrics, what occurred in them, and results by seat."""

    games: NDArray[np.int64]
    blocks: NDArray[np.int64]
    values: FloatArray
    seats: pl.DataFrame


@dataclass(frozen=True)
class Measuring:
    """Measures a shard's games, as a task for an executor.

    Attributes
    ----------
    configuration
        Says what cards do and where the reputation track pays.
    """

    configuration: Configuration

    def __call__(self, frames: Frames) -> Part:
        """Measure the games of some frames."""
        measured = measure(frames)
        columns = [measured.drop("game", "block", "lineup").to_numpy(), _trajectories(frames)]
        columns += [_with_total(measured), _occurrences(frames, self.configuration)]
        return Part(
            frames.games["game"].to_numpy().astype(np.int64),
            frames.games["block"].to_numpy().astype(np.int64),
            np.column_stack(columns),
            frames.seats.select("game", "block", "lineup", "win_share", "total"),
        )


class HealthSums:
    """The health of a run in the making, fed piece by piece.

    Parameters
    ----------
    configuration, strategies, lineups
        What is played.
    """

    def __init__(self, configuration: Configuration, strategies: Sequence[str], lineups: Lineups) -> None:
        self._configuration, self._lineups = configuration, lineups
        rounds = configuration.ruleset.rounds
        self._metrics = metrics_of(lineups.players, rounds, strategies)
        self._names = [
            *(metric.name for metric in self._metrics),
            *(f"{kind}_{row + 1}" for kind in _TRAJECTORIES for row in range(rounds)),
            *(f"{name}+total" for name in SCORE_FIELDS),
            *(f"{kind}:{name}:{what}" for kind, name, _ in occurrences_of(configuration) for what in _WHAT),
        ]
        self._places = {name: place for place, name in enumerate(self._names)}
        self._strata = Strata(lineups)
        self._moments = BlockMoments(len(self._strata), len(self._names))
        self._components = ComponentSums(lineups)
        self._lineup_names = [lineup_name(lineups, row, strategies) for row in range(len(lineups))]

    def add(self, part: Part) -> None:
        """Take in whole blocks."""
        means = block_means(part.blocks, part.values)
        self._moments.add(self._strata.of_games(part.games[means.first]), means)
        self._components.add(part.seats)

    def half_width(self, begins: str, level: float) -> float:
        """Half the width of the widest interval of the metrics whose names begin in some way and are known."""
        found = self._moments.estimate()
        widths = [
            found.half_width(level)[self._places[metric.name]]
            for metric in self._metrics
            if metric.name == begins or (begins.endswith("_") and metric.name.startswith(begins))
        ]
        known = [width for width in widths if not np.isnan(width)]
        return float(max(known, default=np.nan))

    def frames(self, level: float = LEVEL) -> dict[str, pl.DataFrame]:
        """Make the tables of what has been taken in; that of categories is empty."""
        found = self._moments.estimate()
        return {
            "metrics": self._metric_table(level),
            "rounds": self._round_table(found, level),
            "parts": self._part_table(found, level),
            "effects": self._effect_table(found, level),
            "categories": pl.DataFrame(schema=_CATEGORY_SCHEMA),
            "components": self._components.table(),
        }

    def _metric_table(self, level: float) -> pl.DataFrame:
        parts = [_described(self._moments.estimate(), "all", self._metrics, level)]
        if self._strata.single and 1 < len(self._lineups) <= MOST_LINEUPS:
            parts += [
                _described(self._moments.estimate(self._strata.of == number), name, self._metrics, level)
                for number, name in enumerate(self._lineup_names)
            ]
        return pl.concat(parts)

    def _columns(
        self, found: Estimate, names: Iterable[str], level: float, key: str, *, share: bool
    ) -> list[pl.Series]:
        """Estimate, low and high of some columns as three series."""
        part = found[np.array([self._places[name] for name in names], dtype=np.int64)]
        interval = part.interval(level, share=share)
        columns = {key: part.mean, f"{key}_low": interval.low, f"{key}_high": interval.high}
        return [pl.Series(name, values, dtype=pl.Float64).fill_nan(None) for name, values in columns.items()]

    def _round_table(self, found: Estimate, level: float) -> pl.DataFrame:
        rounds = range(1, self._configuration.ruleset.rounds + 1)
        columns = [pl.Series("round", list(rounds), dtype=pl.Int32)]
        for name, is_share in (("leader_wins", True), *_TRAJECTORIES.items()):
            columns += self._columns(found, [f"{name}_{row}" for row in rounds], level, name, share=is_share)
        return pl.DataFrame(columns)

    def _part_table(self, found: Estimate, level: float) -> pl.DataFrame:
        share = self._shares_of_total(found, level)
        return pl.DataFrame(
            [
                pl.Series("part", SCORE_FIELDS),
                *self._columns(found, SCORE_FIELDS, level, "vp", share=False),
                *(pl.Series(name, values).fill_nan(None) for name, values in share.items()),
                pl.Series("meaning", [MEANINGS[name] for name in SCORE_FIELDS]),
            ]
        )

    def _shares_of_total(self, found: Estimate, level: float) -> dict[str, FloatArray]:
        """Share of each part in all VP: a ratio of means, its error by linearisation (Cochran, 2.11)."""
        parts = found[np.array([self._places[name] for name in SCORE_FIELDS])]
        both = found[np.array([self._places[f"{name}+total"] for name in SCORE_FIELDS])]
        total = found[np.full(len(SCORE_FIELDS), self._places["total"])]
        return ratio(parts, total, both, level)

    def _effect_table(self, found: Estimate, level: float) -> pl.DataFrame:
        listed = occurrences_of(self._configuration)
        keys = [f"{kind}:{name}" for kind, name, _ in listed]
        return pl.DataFrame(
            [
                pl.Series("kind", [kind for kind, _, _ in listed]),
                pl.Series("name", [name for _, name, _ in listed]),
                *self._columns(found, [f"{key}:mean" for key in keys], level, "mean", share=False),
                *self._columns(found, [f"{key}:seats" for key in keys], level, "seats", share=True),
                pl.Series("meaning", [meaning for _, _, meaning in listed]),
            ]
        )


_CATEGORY_SCHEMA: Final = {
    "type": pl.String,
    "category": pl.String,
    **{
        f"{name}{end}": pl.Float64
        for name in ("cubes", "used", "bonus")
        for end in ("", "_low", "_high")
    },
    "most": pl.Int64,
    "games": pl.Int64,
}  # fmt: skip


def _described(found: Estimate, lineup: str, metrics: Sequence[Metric], level: float) -> pl.DataFrame:
    """Put metrics with their intervals in rows, with what each is."""
    own = found[slice(0, len(metrics))]
    plain, share = own.interval(level), own.interval(level, share=True)
    is_share = np.array([metric.unit == "share" for metric in metrics])
    columns = {
        "estimate": own.mean,
        "low": np.where(is_share, share.low, plain.low),
        "high": np.where(is_share, share.high, plain.high),
        "error": own.error,
    }
    return pl.DataFrame(
        [
            pl.Series("lineup", [lineup] * len(metrics)),
            pl.Series("group", [metric.group for metric in metrics], dtype=pl.Enum(GROUPS)),
            pl.Series("metric", [metric.name for metric in metrics]),
            pl.Series("unit", [metric.unit for metric in metrics]),
            *(pl.Series(name, values).fill_nan(None) for name, values in columns.items()),
            pl.Series("games", own.games),
            pl.Series("blocks", own.blocks),
            pl.Series("meaning", [metric.meaning for metric in metrics]),
        ]
    ).filter(pl.col("estimate").is_not_null())


def ratio(parts: Estimate, whole: Estimate, both: Estimate, level: float = LEVEL) -> dict[str, FloatArray]:
    """Share that parts have in a whole: ratios of means, with errors by linearisation.

    Parameters
    ----------
    parts, whole, both
        Estimates of the parts, of the whole, and of the sum of each part and the whole, from the same blocks: the
        covariance that the error of a ratio needs is half of what the variance of the sum is more than both variances.
    level
        Probability that an interval holds the true value.

    Returns
    -------
    dict
        ``share``, ``share_low``, ``share_high``: float64[n].
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = parts.mean / whole.mean
        covariance = (both.error**2 - parts.error**2 - whole.error**2) / 2
        variance = parts.error**2 - 2 * share * covariance + share**2 * whole.error**2
        error = np.sqrt(np.maximum(variance, 0.0)) / np.abs(whole.mean)
    inside = (share >= 0) & (share <= 1)
    interval = share_interval(np.where(inside, share, 0.0), error, parts.freedom, parts.blocks, level)
    # A part can be negative (coins lost to round tokens): no proportion then.
    low, high = np.where(inside, interval.low, share - 2 * error), np.where(inside, interval.high, share + 2 * error)
    return {"share": share, "share_low": low, "share_high": high}


# --- trajectories and occurrences -----------------------------------------------------------------------------------

_TRAJECTORIES: Final = {"vp": False, "winner_leads": True, "winner_behind": False, "decided": True}
"""What is measured at every end of a round, and whether it is a share."""
_WHAT: Final = ("mean", "seats")


def _trajectories(frames: Frames) -> FloatArray:
    """Columns for `_TRAJECTORIES`, by round; float64[games, len(_TRAJECTORIES) * rounds]."""
    players, rounds = shape_of(frames)
    seats = SeatGrid(frames, players)
    wins = seats["win_share"]
    vp = np.stack([seats[f"vp_round_{row + 1}"] for row in range(rounds)])
    behind = vp.max(axis=2, keepdims=True) - vp
    leads = behind == 0
    led_since = np.logical_and.accumulate(leads[::-1], axis=0)[::-1]
    columns = [vp.mean(axis=2), (leads * wins).sum(axis=2), (behind * wins).sum(axis=2), (led_since * wins).sum(axis=2)]
    return np.concatenate(columns).T


def _with_total(measured: pl.DataFrame) -> FloatArray:
    """Each part of the score added to the total, for the errors of shares."""
    return measured.select(pl.col(SCORE_FIELDS) + pl.col("total")).to_numpy()


def occurrences_of(configuration: Configuration) -> list[tuple[str, str, str]]:
    """List what can happen in a game and is counted: kind, name and meaning.

    Parameters
    ----------
    configuration
        Its cards and track decide what there is.

    Examples
    --------
    >>> from sim.config import load_configuration
    >>> [name for kind, name, _ in occurrences_of(load_configuration()) if kind == "track"][:3]
    ['4', '8', '12']
    """
    track = configuration.ruleset.reputation.track
    return [
        *(("recorded", name, MEANINGS[name]) for name in COUNT_FIELDS),
        *(("track", str(space), f"reached: {paid.amount} {paid.effect}") for space, paid in track.items()),
        *(
            ("expert", f"{trigger}: {effect}", f"hired or owned: experts that give {effect} on {trigger}")
            for trigger, effect in _pairs(configuration)
        ),
        *(
            ("token", token.name, f"revealed: {token.amount} {token.effect}, {token.scope}")
            for token in _tokens(configuration)
        ),
    ]


def _pairs(configuration: Configuration) -> list[tuple[str, str]]:
    """Triggers and effects that some expert of the card set has."""
    return list(dict.fromkeys((expert.trigger, expert.effect) for expert in configuration.cards.experts))


def _tokens(configuration: Configuration) -> list[Any]:
    """Round tokens, each name once."""
    return list({token.name: token for token in configuration.cards.tokens}.values())


def _occurrences(frames: Frames, configuration: Configuration) -> FloatArray:
    """Columns mean and seats for each of `occurrences_of`; float64[games, 2 * n]."""
    players, rounds = shape_of(frames)
    seats = SeatGrid(frames, players)
    columns = []
    for name in COUNT_FIELDS:
        values = seats[name]
        columns += [values.mean(axis=1), (values > 0).mean(axis=1)]
    reputation = seats["reputation"]
    for space in configuration.ruleset.reputation.track:
        columns += [(reputation >= space).mean(axis=1)] * 2
    columns += _experts(frames, configuration, players)
    columns += _revealed(frames, configuration, rounds)
    return np.column_stack(columns)


def _experts(frames: Frames, configuration: Configuration, players: int) -> list[FloatArray]:
    """How many experts of each trigger and effect a seat came to own, and share of seats that owned any."""
    pairs, experts = _pairs(configuration), configuration.cards.experts
    kind_of = {expert.id: pairs.index((expert.trigger, expert.effect)) for expert in experts}
    owned = frames.cards.filter((pl.col("kind") == "expert") & pl.col("seat").is_not_null())
    games = frames.games["game"].to_numpy()
    rows = np.searchsorted(games, owned["game"].to_numpy())
    kinds = np.array([kind_of[card] for card in owned["id"].to_list()], dtype=np.int64)
    shape = (len(games), players, len(pairs))
    places = np.ravel_multi_index((rows, owned["seat"].to_numpy().astype(np.int64), kinds), shape)
    counted = np.bincount(places, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    means = (counted.mean(axis=1), (counted > 0).mean(axis=1))
    return [values[:, number] for number in range(len(pairs)) for values in means]


def _revealed(frames: Frames, configuration: Configuration, rounds: int) -> list[FloatArray]:
    """How often each round token was revealed; it is revealed to every seat."""
    shown = frames.games.select(f"token_{row + 1}" for row in range(rounds)).to_numpy()
    columns = []
    for token in _tokens(configuration):
        ids = [each.id for each in configuration.cards.tokens if each.name == token.name]
        times = np.isin(shown, ids).sum(axis=1).astype(np.float64)
        columns += [times, (times > 0).astype(np.float64)]
    return columns


# --- findings -------------------------------------------------------------------------------------------------------

_SELDOM: Final = 0.05


def findings_of(frames: Mapping[str, pl.DataFrame], players: int) -> Iterator[str]:
    """Say in words what was found.

    Parameters
    ----------
    frames
        See `health_balance`.
    players
        Seats.
    """
    yield from _of_excitement(frames["metrics"].filter(lineup="all"), frames["rounds"], players)
    yield from _of_luck(frames["components"])
    yield from _of_parts(frames["parts"])
    yield from _of_effects(frames["effects"], frames["categories"])


def _of_excitement(metrics: pl.DataFrame, rounds: pl.DataFrame, players: int) -> Iterator[str]:
    found = {row["metric"]: row for row in metrics.iter_rows(named=True)}
    half = rounds.row(max(len(rounds) // 2 - 1, 0), named=True)
    yield (
        f"A game has {estimate(found['lead_changes'])} lead changes and is won by "
        f"{estimate(found['margin'], unit=' VP')}."
    )
    behind = estimate(found["drama"], unit=" VP")
    yield f"At ends of rounds the eventual winner is behind by {behind} on average (drama)."
    yield (
        f"Who leads after round {half['round']} wins {share(half, 'leader_wins')} of games; by chance it would be "
        f"{100 / players:.1f}%."
    )
    yield f"{share(found['decided_at_end'])} of games are decided by the final scoring alone."


def _of_luck(components: pl.DataFrame) -> Iterator[str]:
    rows = {row["component"]: row for row in components.filter(measure="win_share").iter_rows(named=True)}
    if rows:
        parts = ", ".join(f"{name} {share(row, 'share')}" for name, row in rows.items() if row["share"] > 0)
        yield f"What decides who wins, as parts of the variance of win shares: {parts}."


def _of_parts(parts: pl.DataFrame) -> Iterator[str]:
    ordered = parts.sort("share", descending=True)
    *most, least = (f"{_part_in_words(row['part'])} {share(row, 'share')}" for row in ordered.iter_rows(named=True))
    yield f"Largest parts of the score: {', '.join(most[:3])}; the least: {least}."


def _part_in_words(part: str) -> str:
    return part.removeprefix("vp_").replace("_", " ").replace("experts end", "experts at the end")


def _of_effects(effects: pl.DataFrame, categories: pl.DataFrame) -> Iterator[str]:
    seldom = effects.filter(pl.col("kind").is_in(["recorded", "track"]) & (pl.col("seats_high") < _SELDOM))
    names = [
        f"reputation space {row['name']}" if row["kind"] == "track" else row["name"].replace("_", " ")
        for row in seldom.iter_rows(named=True)
    ]
    if names:
        yield f"Happen to fewer than {100 * _SELDOM:.0f}% of seats: {', '.join(names)}."
    if len(categories):
        full = categories.sort("bonus", descending=True)
        first, last = full.row(0, named=True), full.row(-1, named=True)
        yield (
            f"The category space that pays a bonus most often is {first['category']} ({share(first, 'bonus')} of "
            f"seats), the one that does least often {last['category']} ({share(last, 'bonus')})."
        )
