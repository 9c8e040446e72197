"""What is a card worth? Its appearance (by lot), a gift and a ban of it (paired), and what goes with taking it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from scipy.special import ndtr

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import (
    FloatArray,
)
from analysis.balance.cardgroups import ANIMAL, EXPERT
from analysis.balance.cardstudy import (
    DEAD,
    EXPERIMENTS,
    GIFT,
    HOLDER,
    LIMITS,
    MUST_TAKE,
    PAIRED_EVERY,
    PAIRED_EXPERIMENTS,
    RATES,
    SHOWN,
    VERDICTS,
    CardStudy,
)
from analysis.balance.correction import with_corrected
from analysis.balance.effects import MEASURES
from analysis.balance.moments import Estimate
from analysis.balance.precision import SILENT, Extent, Precision, Progress, carry_out
from analysis.balance.seats import GROUPS
from analysis.runs import Executor, Plan
from analysis.wording import vp
from sim.errors import InputError


def card_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    experiments: Sequence[str] = PAIRED_EXPERIMENTS,
    paired_every: int = PAIRED_EVERY,
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer what every animal and expert is worth.

    Three experiments stand beside each other. *Shown*: which cards come up is drawn by lot, and games in which a card
    was shown are compared with games in which it was not. *Gift*: the same game with the card in a seat's possession
    from the start (each seat in turn). *Ban*: the same game without it. Beside them, rates of being picked, published
    and winning with it, which are association: who takes a card is no lot.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`). Its number of games counts if no precision is asked for.
    precision
        Half the width wanted of every card's gift, for the seat that gets it: ``vp`` or ``pp``.
    experiments
        Which of ``gift`` and ``ban`` to play.
    paired_every
        One of so many games is played again with each card given, and with each card banned.
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With frames ``cards``, ``groups``, ``association`` and ``verdicts``; see `docs/balance.md`.

    Raises
    ------
    InputError, RunError
        If an experiment is unknown, the precision cannot be reached, or a strategy breaks its contract.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> plan = make_plan(["random"], players=2, games=400, seed=1)
    >>> answer = card_balance(plan, experiments=[])
    >>> len(answer["association"].filter(rate="pick", kind="animal"))
    75
    """
    for experiment in experiments:
        if experiment not in PAIRED_EXPERIMENTS:
            raise InputError(f"experiment {experiment!r}: allowed: {', '.join(PAIRED_EXPERIMENTS)}")
    if precision is not None and GIFT not in experiments:
        raise InputError(f"precision {precision}: it is that of the gifts, which are not played")
    games = None if precision else plan.games
    study = CardStudy(plan, games, experiments, paired_every, executor, progress)
    extent = carry_out(study, plan.games, precision, progress)
    cards, groups = _effects_frames(study, extent)
    association = _association(study, extent)
    verdicts = _verdicts(study, cards, association, extent.level)
    frames = {"cards": cards, "groups": groups, "association": association, "verdicts": verdicts}
    about = about_of(
        study.plan,
        extent,
        precision,
        {"paired every": paired_every, "experiments": list(experiments), **(options or {})},
    )
    return Answer("cards", tuple(_findings(study, frames, extent.level)), frames, about)


def _effects_frames(study: CardStudy, extent: Extent) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of all groups of line-ups, experiments, cards or groups of cards, and measures."""
    keys = study.items.keys()
    parts: tuple[list[pl.DataFrame], list[pl.DataFrame]] = ([], [])
    for group in study.groups:
        for experiment, measures, found in study.estimates(group):
            table = _beside_average(found, len(study.items), len(measures), extent.level)
            named = pl.DataFrame(
                {"measure": [each.name for each in measures], "of": [each.of for each in measures]},
                schema={"measure": MEASURES, "of": pl.String},
            )
            cut = len(study.items.cards) * len(measures)
            for place, rows in enumerate((table[:cut], table[cut:])):
                prefix = (
                    keys[place]
                    .join(named, how="cross")
                    .with_columns(
                        pl.lit(group.kind, GROUPS).alias("group"),
                        pl.lit(group.lineup, pl.String).alias("lineup"),
                        pl.lit(experiment, EXPERIMENTS).alias("experiment"),
                    )
                )
                parts[place].append(prefix.hstack(rows))
    cards, groups = (_tidied(pl.concat(tables)) for tables in parts)
    return cards, groups


def _beside_average(found: Estimate, items: int, measures: int, level: float) -> pl.DataFrame:
    """Rows of effects, and behind them how far they are above the average card of their kind."""
    half = items * measures
    plain, above = found[slice(0, half)].table(level), found[slice(half, 2 * half)].table(level)
    renamed = above.select(
        pl.col("estimate").alias("above"),
        pl.col("low").alias("above_low"),
        pl.col("high").alias("above_high"),
        pl.col("p").alias("above_p"),
    )
    return plain.hstack(renamed)


def _tidied(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the group first, correct p, and leave out strategies that a group of line-ups says nothing about."""
    families = ["group", "lineup", "experiment", "measure", "of"]
    frame = frame.filter(pl.col("estimate").is_not_null().any().over(families))
    frame = with_corrected(frame.select("group", "lineup", "experiment", pl.exclude(families[:3])), [*families, "kind"])
    above = with_corrected(frame.select(*families, "kind", p=pl.col("above_p")), [*families, "kind"])
    added = above["p_corrected"].alias("above_p_corrected")
    return frame.select(pl.exclude("games", "blocks"), added, "games", "blocks")


def _association(study: CardStudy, extent: Extent) -> pl.DataFrame:
    """Rows of cards and rates."""
    cards, _ = study.items.keys()
    parts = []
    for rate, ratios in study.rates.items():
        found = ratios.estimate()[slice(0, len(cards))]
        table = found.table(extent.level, share=rate != "vp", null=None).drop("p")
        parts.append(cards.with_columns(pl.lit(rate, RATES).alias("rate")).hstack(table))
    return pl.concat(parts).filter((pl.col("rate") != "publish") | (pl.col("kind") == ANIMAL))


def _verdicts(study: CardStudy, cards: pl.DataFrame, association: pl.DataFrame, level: float) -> pl.DataFrame:
    """Name dead cards and must-takes: those that are beyond a limit by a one-sided test, corrected for all cards."""
    keys = ["kind", "id", "name"]
    columns = [*keys, "estimate", "low", "high"]
    picks = association.filter(rate="pick")
    parts = []
    for verdict in VERDICTS:
        limit, below = LIMITS[verdict, "pick"], verdict == DEAD
        p = _p_of_rate(picks, limit, below=below)
        parts.append(_verdict_rows(picks.select(columns), verdict, "pick", np.full(len(picks), limit), p))
    if GIFT in study.experiments:
        first = study.groups[0]
        gifts = cards.filter(
            pl.col("group") == first.kind, pl.col("lineup").eq_missing(first.lineup),
            experiment=GIFT, measure="total", of=HOLDER,
        )  # fmt: skip
        average = (gifts["estimate"] - gifts["above"]).to_numpy()
        found, measures = study.paired(GIFT, first), len(study.gift_measures)
        start = 2 * len(study.items) * measures
        size = len(study.items.cards) * measures
        for number, verdict in enumerate(VERDICTS):
            against = found[slice(start + number * size, start + (number + 1) * size)][slice(0, None, measures)]
            p = _one_sided(against, below=verdict == DEAD)
            # Times an average that is not positive says nothing.
            p = np.where(average > 0, p, np.nan)
            parts.append(_verdict_rows(gifts.select(columns), verdict, "gift", LIMITS[verdict, "gift"] * average, p))
    frame = with_corrected(pl.concat(parts), ["verdict", "by"])
    # One end of an interval of the level is missed as often as the test may be wrong.
    return frame.with_columns(found=(pl.col("p_corrected") <= (1 - level) / 2).fill_null(False))


def _verdict_rows(rows: pl.DataFrame, verdict: str, by: str, limit: FloatArray, p: FloatArray) -> pl.DataFrame:
    return rows.with_columns(
        pl.lit(verdict, pl.Enum(VERDICTS)).alias("verdict"),
        pl.lit(by, pl.Enum(["pick", "gift"])).alias("by"),
        pl.Series("limit", limit),
        pl.Series("p", p).fill_nan(None),
    )


def _one_sided(found: Estimate, *, below: bool) -> FloatArray:
    """P of means that are not below (or above) 0."""
    p, right = found.p(), (found.mean < 0) == below
    return np.where(found.mean == 0, 1.0, np.where(right, p / 2, 1 - p / 2))


def _p_of_rate(rates: pl.DataFrame, limit: float, *, below: bool) -> FloatArray:
    """P of rates that are not below (or above) a limit, by the score test with as many games as they are known like."""
    rate, error = (rates[name].cast(pl.Float64).to_numpy() for name in ("estimate", "error"))
    blocks = rates["blocks"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(error > 0, rate * (1 - rate) / error**2, blocks)
        ratio = (rate - limit) * np.sqrt(size / (limit * (1 - limit)))
    return np.asarray(ndtr(ratio if below else -ratio))


_NAMED: Final = 3


def _findings(study: CardStudy, frames: Mapping[str, pl.DataFrame], level: float) -> Iterator[str]:
    """Say in words which cards and groups stand out."""
    first = study.groups[0]
    of_group = (pl.col("group") == first.kind) & pl.col("lineup").eq_missing(first.lineup)
    cards, groups = frames["cards"].filter(of_group), frames["groups"].filter(of_group)
    for kind in (ANIMAL, EXPERT):
        gifts = cards.filter(experiment=GIFT, measure="total", of=HOLDER, kind=kind).drop_nulls("estimate")
        if len(gifts):
            ordered, named = gifts.sort("estimate", descending=True), min(_NAMED, len(gifts) // 2)
            average = groups.filter(experiment=GIFT, measure="total", of=HOLDER, kind=kind, grouping="kind")
            yield (
                f"A gift of an {kind} is worth {vp(average.row(0, named=True), digits=1)} to its holder on average; "
                f"most: {_listed(ordered.head(named))}; least: {_listed(ordered.tail(named).reverse())}."
            )
    for verdict, words in ((MUST_TAKE, "Must-takes"), (DEAD, "Dead cards")):
        yield f"{words} ({_rule(verdict, study)}): {_verdict_list(frames['verdicts'].filter(verdict=verdict))}."
    experiment, of = (GIFT, HOLDER) if GIFT in study.experiments else (SHOWN, "seats")
    rows = groups.filter(experiment=experiment, measure="total", of=of)
    clear = rows.filter(pl.col("above_p_corrected") <= 1 - level, pl.col("grouping") != "kind")
    if clear.is_empty():
        yield "No continent, category, trigger or effect stands out from its kind, as far as these games show."
    else:
        ordered = clear.sort(pl.col("above").abs(), descending=True)
        words = "; ".join(
            f"{row['kind']}s of {row['grouping']} {row['value']} {vp(row, 'above', 1)}"
            for row in ordered.head(2 * _NAMED).iter_rows(named=True)
        )
        yield f"Groups above or below the average of their kind, as {_EXPERIMENT_WORDS[experiment]}: {words}."
    shown = cards.filter(experiment=SHOWN, measure="total", of="seats").filter(pl.col("above_p_corrected") <= 1 - level)
    ordered = shown.sort(pl.col("above").abs(), descending=True).head(_NAMED)
    words = "; ".join(f"{row['name']} {row['above']:+.2f} VP a seat" for row in ordered.iter_rows(named=True))
    words = words or "none, as far as these games show"
    yield f"Cards whose mere appearance changes the game's VP more than another's would: {words}."
    yield "Rates of picking, publishing and winning with a card are association: strong players pick well."


_EXPERIMENT_WORDS: Final = {GIFT: "gifts", SHOWN: "shown in the display"}


def _rule(verdict: str, study: CardStudy) -> str:
    side, valued = ("less", "less") if verdict == DEAD else ("more", "more")
    rule = f"picked {side} than {LIMITS[verdict, 'pick']:.0%} of the times they are shown"
    if GIFT in study.experiments:
        rule += f", or worth {valued} than {LIMITS[verdict, 'gift']:g} times the average card of their kind as a gift"
    return rule


def _verdict_list(rows: pl.DataFrame) -> str:
    parts = []
    for _, card in rows.group_by("kind", "id", maintain_order=True):
        if card["found"].any():
            numbers = {row["by"]: row["estimate"] for row in card.iter_rows(named=True)}
            gift = f", gift {numbers['gift']:+.1f} VP" if "gift" in numbers else ""
            parts.append(f"{card['name'][0]} (picked {numbers['pick']:.0%}{gift})")
    return "; ".join(parts) or "none, as far as these games show"


def _listed(rows: pl.DataFrame) -> str:
    return "; ".join(f"{row['name']} {vp(row, digits=1)}" for row in rows.iter_rows(named=True))
