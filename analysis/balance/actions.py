"""Is a part of the game needed, or dominant: how much a strategy loses that has to do without it.

Restricted play (A. Jaffe et al., *Evaluating competitive game balance with restricted play*, AIIDE 2012): one seat's
strategy is barred from something (`strategies.restricted`), all others are plain copies of it. It sits in every seat
once a block, so that without the bar it would win exactly 1/N of the games. What it loses in VP is measured against a
plain copy on the same luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import polars as pl

from analysis.balance.answer import Answer, about_of
from analysis.balance.arrays import in_units, play_units, unit_of
from analysis.balance.correction import with_corrected
from analysis.balance.paired import PairedSums
from analysis.balance.precision import SILENT, Kind, Precision, Progress, carry_out, widest
from analysis.entrants import entrants
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.runs import Executor, LocalExecutor, Plan
from analysis.stats import share_interval, share_p
from analysis.wording import share, vp
from sim.errors import InputError
from sim.record import SEAT_FIELDS
from strategies.restricted import BARS, mask_of, spec_of

ALL: Final = "all"
"""What the rows are called that take all strategies together."""

_BARRED: Final = 0
_MEASURES: Final = ("total", "win_share", "others_total")
_COUNTED: Final = {
    **{name: name for name in ("embassy", "bank", "university", "academy", "expedition", "publication")},
    "coins": "coins_spent",
    "others": "dice_taken",
    "seals": "seals_used",
}
"""Bar → recorded column that says how often what it forbids is done."""


def action_balance(
    plan: Plan,
    precision: Precision | None = None,
    *,
    without: Sequence[str] = tuple(BARS),
    executor: Executor | None = None,
    progress: Progress = SILENT,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Answer what strategies lose that have to do without something.

    Parameters
    ----------
    plan
        What is played (`analysis.tournament.make_plan`); of its line-ups only the seats count, as every strategy plays
        among copies of itself. Its number of games counts, for each strategy and bar, if no precision is asked for.
    precision
        Half the width wanted of every interval of a barred seat's win share (``pp``) or change in VP (``vp``).
    without
        What is forbidden, one after the other: names out of `strategies.restricted.BARS`, or several joined by ``+``.
    executor
        Who plays; threads of this process by default.
    progress
        Told how far it is.
    options
        What else decides the answer and is to be kept with it.

    Returns
    -------
    Answer
        With the frame ``bars``; see `docs/analysis.md`.

    Raises
    ------
    InputError
        If a bar is unknown, or there is one seat only, or a strategy has no spec.

    Examples
    --------
    >>> from analysis.tournament import make_plan
    >>> plan = make_plan(["greedy"], players=2, games=40, seed=1)
    >>> action_balance(plan, without=["publication"])["bars"]["verdict"].to_list()
    ['loses']
    """
    if plan.lineups.players < 2:
        raise InputError("players: found 1; a barred strategy needs at least one other seat to be measured against")
    bars = list(dict.fromkeys(without))
    if not bars:
        raise InputError(f"without: nothing given; allowed: {', '.join(BARS)}")
    for bar in bars:
        mask_of(bar.split("+"))
    study = _Study(plan, bars, executor or LocalExecutor(), progress, None if precision else plan.games)
    extent = carry_out(study, plan.games, precision, progress)
    table = study.table(extent.level)
    about = about_of(study.plain, extent, precision, {"without": bars, **(options or {})})
    about["strategies"] = [player.name for player in plan.strategies]
    return Answer("actions", tuple(_findings(table, plan.lineups.players)), {"bars": table}, about)


class _Study:
    """Every strategy plain and under every bar, on the same luck (`analysis.balance.precision.Study`)."""

    pilot = 1000

    def __init__(
        self,
        base: Plan,
        bars: Sequence[str],
        executor: Executor,
        progress: Progress,
        games: int | None,
    ) -> None:
        players, strategies = base.lineups.players, [player.name for player in base.strategies]
        lineups = Lineups(np.array([[_BARRED] + [1] * (players - 1)], dtype=np.int32))
        self.unit = unit_of(lineups, games)
        self._players, self._strategies, self._bars = players, strategies, bars
        self._executor, self._progress = executor, progress
        self._recolour_price = base.configuration.ruleset.recolour.expedition_tokens

        def plan(strategy: str, bar: str | None) -> Plan:
            pair = entrants([spec_of(strategy, bar.split("+") if bar else ()), strategy], players)
            return in_units(replace(base, strategies=pair, lineups=lineups, record_cards=False), self.unit)

        self._plans = {(name, bar): plan(name, bar) for name in strategies for bar in (None, *bars)}
        self.plain = self._plans[strategies[0], None]
        groups = [*strategies, *([ALL] if len(strategies) > 1 else [])]
        self._sums = {(name, bar): PairedSums(lineups, _MEASURES) for name in groups for bar in bars}
        self._used = {name: PairedSums(lineups, _used_names()) for name in groups}

    def cost(self, games: int) -> int:
        return len(self._plans) * games

    def play(self, first: int, last: int) -> None:
        for unit in range(first, last):
            plain = {name: self._rows(name, None, unit) for name in self._strategies}
            self._add(self._used, plain, plain)
            for bar in self._bars:
                barred = {name: self._rows(name, bar, unit) for name in self._strategies}
                self._add({name: self._sums[name, bar] for name in self._used}, plain, barred)

    def _rows(self, strategy: str, bar: str | None, unit: int) -> pl.DataFrame:
        plan = self._plans[strategy, bar]
        rows = play_units(plan, self.unit, [unit], self._executor, self._progress.advance, _own_rows)
        whole: pl.DataFrame = pl.concat(rows)
        return whole.with_columns(
            tokens=pl.col("expedition_tokens_spent") - self._recolour_price * pl.col("recolours_paid"),
            recolour=pl.col("recolours_paid") + pl.col("recolours_free"),
        )

    def _add(
        self, sums: dict[str, PairedSums], plain: dict[str, pl.DataFrame], barred: dict[str, pl.DataFrame]
    ) -> None:
        for name in self._strategies:
            sums[name].add(plain[name], barred[name])
        if ALL in sums:
            # A block's mean is then over all strategies, which play it on the same luck.
            both = [pl.concat(rows.values()).sort("block", maintain_order=True) for rows in (plain, barred)]
            sums[ALL].add(*both)

    def half_width(self, kind: Kind, level: float) -> float:
        column = "vp" if kind == "vp" else "win_share"
        table = self.table(level)
        return widest((table[f"{column}_high"] - table[f"{column}_low"]) / 2)

    def table(self, level: float) -> pl.DataFrame:
        rows = [self._row(name, bar, level) for name in self._used for bar in self._bars]
        table = pl.DataFrame(rows, schema_overrides={"used": pl.Float64})
        corrected = with_corrected(table, ["strategy"])
        of_vp = with_corrected(table.select("strategy", p="vp_p"), ["strategy"])["p_corrected"]
        corrected.insert_column(corrected.columns.index("vp_p") + 1, of_vp.alias("vp_p_corrected"))
        return corrected.select(pl.exclude("games", "blocks"), _verdict(level), "games", "blocks")

    def _row(self, strategy: str, bar: str, level: float) -> dict[str, object]:
        found = {row["measure"]: row for row in self._sums[strategy, bar].table(level).iter_rows(named=True)}
        used = dict(self._used[strategy].table(level).select("measure", "before").iter_rows())
        total, share, others = (found[name] for name in ("total", "win_share", "others_total"))
        fair, blocks = 1 / self._players, share["blocks"]
        # The plain copy's share is 1/N in every block, so the error of the difference is that of the share.
        error, won = np.array([share["error"] or 0.0]), np.array([share["after"]])
        interval = share_interval(won, error, np.array([blocks - 1]), np.array([blocks]), level)
        return {
            "strategy": strategy,
            "without": bar,
            "meaning": "; ".join(BARS[part] for part in bar.split("+")),
            "used": used.get(_COUNTED.get(bar, bar)),
            "win_share": share["after"],
            "win_share_low": _known(interval.low[0]),
            "win_share_high": _known(interval.high[0]),
            "fair": fair,
            "p": _known(share_p(won, error, np.array([blocks - 1]), np.array([blocks]), fair)[0]),
            "total": total["after"],
            "total_plain": total["before"],
            "vp": total["difference"],
            "vp_low": total["low"],
            "vp_high": total["high"],
            "vp_p": total["p"],
            "others_vp": others["difference"],
            "others_vp_low": others["low"],
            "others_vp_high": others["high"],
            "games": total["games"] // (len(self._strategies) if strategy == ALL else 1),
            "blocks": blocks,
        }


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _verdict(level: float) -> pl.Expr:
    """Say what the barred seat's results show, by p values as strict as the intervals are."""
    share, vp = pl.col("win_share") - pl.col("fair"), pl.col("vp")
    by_share, by_vp = (pl.col(name) <= 1 - level for name in ("p_corrected", "vp_p_corrected"))
    never = (pl.col("used") == 0) & (vp == 0) & (share.abs() < _ROUNDING)
    return (
        pl.when(never)
        .then(pl.lit("never used"))
        .when((by_share & (share < 0)) | (~by_share & by_vp & (vp < 0)))
        .then(pl.lit("loses"))
        .when((by_share & (share > 0)) | (~by_share & by_vp & (vp > 0)))
        .then(pl.lit("gains"))
        .otherwise(pl.lit("not shown to matter"))
        .alias("verdict")
    )


_ROUNDING: Final = 1e-12


def _used_names() -> list[str]:
    return [*_COUNTED.values(), "tokens", "recolour"]


def _own_rows(frames: Frames) -> pl.DataFrame:
    """One row a game: the barred seat's results, how often it does things, and the others' mean VP."""
    own = frames.seats["strategy"].to_physical() == _BARRED
    recorded = {field.name for field in SEAT_FIELDS}
    counted = [name for name in _COUNTED.values() if name in recorded]
    columns = ["total", "win_share", *counted, "expedition_tokens_spent", "recolours_paid", "recolours_free"]
    others = frames.seats.filter(~own).group_by("game", maintain_order=True).agg(others_total=pl.col("total").mean())
    return frames.seats.filter(own).select("game", "block", *columns).with_columns(others["others_total"])


# --- findings -------------------------------------------------------------------------------------------------------


def _findings(table: pl.DataFrame, players: int) -> Iterator[str]:
    names = table["strategy"].unique(maintain_order=True).to_list()
    differing = _differing(table) if ALL in names else {}
    for name in [ALL] if ALL in names else names:
        rows = table.filter(pl.col("strategy") == name)
        who = "Strategies barred from something" if name == ALL else f"{name}, barred from something,"
        yield f"{who} would win {100 / players:.1f}% of games if it did not matter."
        for verdict, words in _IN_WORDS.items():
            part = rows.filter(pl.col("verdict") == verdict, ~pl.col("without").is_in(differing)).sort("win_share")
            if len(part):
                yield f"{words}: {'; '.join(map(_sentence, part.iter_rows(named=True)))}."
    if differing:
        said = "; ".join(f"{bar} ({verdicts})" for bar, verdicts in differing.items())
        yield f"Without these, it depends on who plays: {said}."


def _differing(table: pl.DataFrame) -> dict[str, str]:
    """Bar → what it does to whom, of those that do not do the same to all strategies; their average is no answer."""
    said = {}
    for (bar,), rows in table.filter(pl.col("strategy") != ALL).group_by("without", maintain_order=True):
        by_verdict = rows.group_by("verdict", maintain_order=True).agg("strategy")
        if len(by_verdict) > 1:
            said[str(bar)] = "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in by_verdict.iter_rows())
    return said


_IN_WORDS: Final = {
    "loses": "Loses without",
    "gains": "Is better off without",
    "not shown to matter": "Not shown to matter",
    "never used": "Never used anyway",
}


def _sentence(row: dict[str, Any]) -> str:
    return f"{row['without']} {share(row, 'win_share')} of games, {vp(row, 'vp', 1)}"
