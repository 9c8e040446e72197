"""Two configurations against each other: what changing one number of the rules or cards does to the game.

Both play the same line-ups on the same luck (common random numbers), and every health metric
(`analysis.balance.metrics`) is compared game by game. An interval is Student's t on differences of block means.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from analysis.balance.answer import MOST_LINEUPS, Answer, about_of, lineup_names
from analysis.balance.arrays import in_units, play_units, unit_of
from analysis.balance.metrics import COURSE, EXCITEMENT, GROUPS, SCORE, Metric, measure, metrics_of, seats_counted
from analysis.balance.paired import PairedSums, check_pair
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out, widest
from analysis.frames import Frames
from analysis.lineups import Kind as LineupKind
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import LEVEL
from analysis.tournament import make_plan
from analysis.wording import estimate, points
from sim.batch import Player
from sim.config import STANDARD, Configuration, content_hash, load_configuration
from sim.errors import InputError

STRATEGIES: Final = ("greedy", "random")
"""Who plays unless others are asked for."""
GAMES: Final = 8000

_BY_LINEUP: Final = ("total", "winner_total", "margin", "drama", "lead_changes", "plies")


def parse_side(text: str, ruleset: str = STANDARD) -> tuple[str, list[str]]:
    """Take apart what one side of a comparison is: a ruleset and changes to rules or cards.

    Parameters
    ----------
    text
        Words: a ruleset's name or path, changes such as ``bank.coins=6``, or both. Quote what holds spaces.
    ruleset
        What the changes are made to where the text names no ruleset.

    Returns
    -------
    tuple
        Ruleset and changes.

    Raises
    ------
    InputError
        If there is nothing, or more than one ruleset.

    Examples
    --------
    >>> parse_side("bank.coins=6 coins.offsets=2,3,3,5")
    ('standard', ['bank.coins=6', 'coins.offsets=2,3,3,5'])
    """
    try:
        words = [text] if text.strip() and Path(text).exists() else shlex.split(text)
    except ValueError as error:
        raise InputError(f"configuration {text!r}: {error}") from None
    names = [word for word in words if "=" not in word or Path(word).exists()]
    if len(names) > 1 or not words:
        raise InputError(
            f"configuration {text!r}: a ruleset's name or path, changes such as bank.coins=6, or both are wanted"
            + (f"; found {len(names)} rulesets: {', '.join(names)}" if names else "")
        )
    return (names[0] if names else ruleset), [word for word in words if word not in names]


def pair_of(
    a: str,
    b: str,
    strategies: Sequence[str | Player] = STRATEGIES,
    players: int = 4,
    games: int = GAMES,
    seed: int = 0,
    *,
    lineups: LineupKind = "all",
    ruleset: str = STANDARD,
    cards_a: str | Path | None = None,
    cards_b: str | Path | None = None,
    overrides: Sequence[str] = (),
) -> tuple[Plan, Plan]:
    """Plan the games of two configurations as they are typed.

    Parameters
    ----------
    a, b
        See `parse_side`.
    strategies, players, games, seed, lineups
        Who plays, and on what luck: the same for both (`analysis.tournament.make_plan`).
    ruleset
        What changes are made to where a side names no ruleset.
    cards_a, cards_b
        Card sets; by default those that come with the rulesets (`sim.config.cards_of`).
    overrides
        Changes made to both, before their own.

    Raises
    ------
    InputError
        If anything given cannot be used.

    Examples
    --------
    >>> one, other = pair_of("standard", "bank.coins=6", ["random"], players=2, games=10)
    >>> one.configuration.ruleset.bank.coins, other.configuration.ruleset.bank.coins
    (5, 6)
    """
    one, other = (configuration_of(*side, overrides, ruleset) for side in ((a, cards_a), (b, cards_b)))
    plan = make_plan(strategies, players, games, seed, lineups=lineups, configuration=one, record_cards=False)
    return plan, with_configuration(plan, other)


def configuration_of(
    text: str, cards: str | Path | None = None, overrides: Sequence[str] = (), ruleset: str = STANDARD
) -> Configuration:
    """Load one side of a comparison.

    Parameters
    ----------
    text
        See `parse_side`.
    cards
        Card set; by default that which comes with the ruleset.
    overrides
        Changes made before those of the text.
    ruleset
        What changes are made to where the text names none.
    """
    name, own = parse_side(text, ruleset)
    return load_configuration(name, cards, [*overrides, *own])


def with_configuration(plan: Plan, configuration: Configuration) -> Plan:
    """Return a plan of the same games under another configuration.

    Raises
    ------
    InputError
        If the configuration does not allow as many players.
    """
    allowed, players = configuration.ruleset.players, plan.lineups.players
    if not allowed.fewest <= players <= allowed.most:
        name = configuration.ruleset.name
        raise InputError(f"players: found {players}; ruleset {name!r} allows {allowed.fewest} to {allowed.most}")
    return replace(plan, configuration=configuration)


def compare(
    before: Plan,
    after: Plan,
    precision: Precision | None = None,
    *,
    names: tuple[str, str] = ("A", "B"),
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer what differs between two configurations, on common random numbers.

    Parameters
    ----------
    before, after
        Plans with the same seed, strategies and line-ups (`pair_of`); what else differs is what is compared. The
        first's number of games counts, for each, if no precision is asked for.
    precision
        Half the width wanted of the interval of the difference in mean VP (``vp``), or of every seat's and strategy's
        difference in win share (``pp``).
    names
        What tables call the two.
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``metrics`` and ``lineups``; see `docs/analysis.md`.

    Raises
    ------
    InputError
        If the two do not play the same games.

    Examples
    --------
    >>> answer = compare(*pair_of("standard", "bank.coins=12", ["random"], players=2, games=200, seed=1))
    >>> answer["metrics"].filter(metric="coins_gained")["low"].item() > 0
    True
    """
    check_pair(before, after)
    study = _Study((before, after), executor or LocalExecutor(), progress, None if precision else before.games)
    extent = carry_out(study, before.games, precision, progress)
    frames = study.frames(extent.level)
    about = about_of(before, extent, precision, options)
    about |= {"A": names[0], "B": names[1]}
    for kind in ("ruleset", "cards"):
        about[f"{kind} hash of B"] = content_hash(getattr(after.configuration, kind))
    return Answer("compare", tuple(findings_of(frames["metrics"], names, extent.level)), frames, about)


class _Study:
    """The games of both configurations (`analysis.balance.precision.Study`)."""

    pilot = 4000

    def __init__(self, plans: Sequence[Plan], executor: Executor, progress: Progress, games: int | None) -> None:
        lineups = plans[0].lineups
        self.unit = unit_of(lineups, games)
        self._plans = [in_units(plan, self.unit) for plan in plans]
        self._executor, self._progress = executor, progress
        self._metrics = _common_metrics(plans)
        names = [metric.name for metric in self._metrics]
        strategies = [player.name for player in plans[0].strategies]
        self._sums = PairedSums(lineups, names, counted=seats_counted(lineups, strategies, names))
        self._lineup_names = lineup_names(plans[0])
        self._by_lineup = PairedSums(lineups, _BY_LINEUP, ["lineup"]) if len(lineups) <= MOST_LINEUPS else None
        self._task = _Measuring(tuple(names))

    def cost(self, games: int) -> int:
        return len(self._plans) * games

    def play(self, first: int, last: int) -> None:
        for unit in range(first, last):
            before, after = (
                pl.concat(play_units(plan, self.unit, [unit], self._executor, self._progress.advance, self._task))
                for plan in self._plans
            )
            self._sums.add(before, after)
            if self._by_lineup is not None:
                self._by_lineup.add(before, after)

    def half_width(self, kind: Kind, level: float) -> float:
        wanted = pl.col("measure") == "total"
        if kind == "pp":
            wanted = pl.col("measure").str.starts_with("win_share_")
        widths = self._sums.table(level).filter(wanted).select((pl.col("high") - pl.col("low")) / 2).to_series()
        return widest(widths)

    def frames(self, level: float) -> dict[str, pl.DataFrame]:
        lineups = pl.DataFrame(schema=_LINEUP_SCHEMA)
        if self._by_lineup is not None:
            found = _without_rounding(self._by_lineup.table(level).rename({"measure": "metric"}))
            named = pl.col("lineup").replace_strict(dict(enumerate(self._lineup_names)), return_dtype=pl.String)
            lineups = found.with_columns(named)
        return {"metrics": self._described(level), "lineups": lineups}

    def _described(self, level: float) -> pl.DataFrame:
        """Put to every metric what it is."""
        described = pl.DataFrame(
            [(metric.group, metric.name, metric.unit, metric.meaning) for metric in self._metrics],
            schema={"group": pl.Enum(GROUPS), "metric": pl.String, "unit": pl.String, "meaning": pl.String},
            orient="row",
        )
        found = _without_rounding(self._sums.table(level).rename({"measure": "metric"}))
        joined = described.join(found, on="metric", how="left", maintain_order="left")
        return joined.select(pl.exclude("meaning"), "meaning")


def _without_rounding(table: pl.DataFrame) -> pl.DataFrame:
    """Call equal what differs by the rounding of sums only: a share that is 1/N whatever happens."""
    equal = pl.max_horizontal(pl.col("difference").abs(), pl.col("error").fill_null(1.0)) < _ROUNDING
    zeros = [pl.when(equal).then(0.0).otherwise(name).alias(name) for name in ("difference", "low", "high", "error")]
    ones = [pl.when(equal).then(1.0).otherwise(name).alias(name) for name in ("p", "p_corrected")]
    return table.with_columns(*zeros, *ones, variance_saved=pl.when(~equal).then("variance_saved"))


_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class _Measuring:
    """Some metrics of a shard's games, as a task for an executor."""

    names: tuple[str, ...]

    def __call__(self, frames: Frames) -> pl.DataFrame:
        return measure(frames).select("game", "block", "lineup", *self.names)


_LINEUP_SCHEMA: Final = {
    "lineup": pl.String, "metric": pl.String, "before": pl.Float64, "after": pl.Float64, "difference": pl.Float64,
    "low": pl.Float64, "high": pl.Float64, "error": pl.Float64, "p": pl.Float64, "p_corrected": pl.Float64,
    "variance_saved": pl.Float64, "games": pl.Int64, "blocks": pl.Int64,
}  # fmt: skip


def _common_metrics(plans: Sequence[Plan]) -> list[Metric]:
    """List the metrics that both have: one may have more rounds."""
    rounds = min(plan.configuration.ruleset.rounds for plan in plans)
    names = [player.name for player in plans[0].strategies]
    held = plans[0].lineups.held(len(names)).sum(axis=0)
    mixed = [name for name, seats in zip(names, held, strict=True) if seats]
    return metrics_of(plans[0].lineups.players, rounds, mixed)


# --- findings -------------------------------------------------------------------------------------------------------

_MOST_NAMED: Final = 6


def findings_of(metrics: pl.DataFrame, names: tuple[str, str] = ("A", "B"), level: float = LEVEL) -> Iterator[str]:
    """Say in words what differs; `metrics` as of `compare`, `level` that of their intervals."""
    if names != ("A", "B"):
        yield f"A is {names[0]}, B is {names[1]}."
    total = metrics.row(by_predicate=pl.col("metric") == "total", named=True)
    yield f"Mean VP of a seat: {total['before']:.2f} with A, {total['after']:.2f} with B: {_change(total)}."
    yield from _of_shares(metrics, level)
    yield from _of_others(metrics, level)
    saved = total["variance_saved"]
    if saved is not None:
        yield (
            f"Pairing saved a factor of {saved:.1f}: independent runs would need {saved:.1f} times as many games for "
            "the same interval on mean VP."
        )


def _of_shares(metrics: pl.DataFrame, level: float) -> list[str]:
    """Say which seats and strategies win more or less often."""
    shares = metrics.filter(pl.col("metric").str.starts_with("win_share_"))
    found = shares.filter(pl.col("p_corrected") <= 1 - level)
    if found.is_empty():
        half = shares.select(((pl.col("high") - pl.col("low")) / 2).max()).item()
        about = "" if half is None else f" (intervals of ±{100 * half:.2f} pp or narrower)"
        return [f"No seat's and no strategy's win share is shown to change{about}."]
    return [
        f"{_named(row['metric'])} {100 * row['before']:.2f}% of games with A, {100 * row['after']:.2f}% with B: "
        f"{_change(row)}."
        for row in found.iter_rows(named=True)
    ]


def _of_others(metrics: pl.DataFrame, level: float) -> list[str]:
    """Name the metrics that change most, measured by their errors."""
    others = metrics.filter(
        pl.col("group").cast(pl.String).is_in([EXCITEMENT, SCORE, COURSE])
        & (pl.col("metric") != "total")
        & (pl.col("p_corrected") <= 1 - level)
    )
    clearest = others.sort((pl.col("difference") / pl.col("error")).abs(), descending=True, maintain_order=True)
    # Some columns count the same thing, such as academy actions and animals taken there: one of them is enough.
    clearest = clearest.unique(["before", "after", "difference"], keep="first", maintain_order=True)
    lines = [
        f"{row['meaning'][0].upper()}{row['meaning'][1:]}: {_number(row, 'before')} with A, "
        f"{_number(row, 'after')} with B: {_change(row)}."
        for row in clearest.head(_MOST_NAMED).iter_rows(named=True)
    ]
    if len(clearest) > _MOST_NAMED:
        lines.append(f"{len(clearest) - _MOST_NAMED} further metrics change; the table has them all.")
    return lines or ["No other metric is shown to change."]


def _named(metric: str) -> str:
    """Begin a sentence about a win share."""
    who = metric.removeprefix("win_share_")
    return f"Seat {who.removeprefix('seat_')} wins" if who.startswith("seat_") else f"{who} wins"


def _number(row: dict[str, Any], column: str) -> str:
    return f"{100 * row[column]:.2f}%" if row["unit"] == "share" else f"{row[column]:.2f}"


def _change(row: dict[str, Any]) -> str:
    """Say a difference with its interval."""
    if row["unit"] == "share":
        difference = points(row, "difference")
    else:
        difference = estimate(row, "difference", 2, sign="+", unit=" VP" if row["unit"] == "VP" else "")
    return difference if row["low"] is not None else f"{difference} (too few blocks for an interval)"
