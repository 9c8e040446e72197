"""How strengths, bars, metrics and comparisons look on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from analysis.cli.tables import p_value, table
from analysis.wording import estimate, interval_of, share, written

if TYPE_CHECKING:
    from rich.table import Table

    from analysis.balance.answer import Answer

_HEALTH_SHOWN: Final = ("excitement", "strategies", "seats")
_ALIKE_SHOWN: Final = 10


# --- restricted play ------------------------------------------------------------------------------------------------


def bar_tables(answer: Answer) -> list[Table]:
    """Table of what strategies lose without something."""
    bars = answer["bars"]
    rows = [
        [
            row["strategy"],
            row["without"],
            "" if row["used"] is None else f"{row['used']:.1f}",
            share(row, "win_share"),
            estimate(row, "vp", 1, sign="+"),
            row["verdict"],
        ]
        for row in bars.iter_rows(named=True)
    ]
    caption = (
        f"used: by a plain copy, a game; VP: against a plain copy; {100 * bars['fair'][0]:.1f}% is the win share if it "
        "did not matter"
    )
    actions = ("embassy", "bank", "university", "academy", "expedition", "publication")
    names = dict(bars.filter(~pl.col("without").is_in(actions)).select("without", "meaning").iter_rows())
    caption += "".join(f"\n{name}: {meaning}" for name, meaning in names.items())
    columns = ["strategy", "without", "used", "win share", "VP", "verdict"]
    return [table("Without it", columns, rows, left=2, caption=caption)]


# --- strategies and ladder ------------------------------------------------------------------------------------------


def strategy_tables(answer: Answer) -> list[Table]:
    """Tables of strengths and match-ups."""
    strengths = answer["strengths"]
    return [strength_table(strengths), matchup_table(answer["matchups"], strengths["strategy"].to_list())]


def ladder_tables(answer: Answer, profile: bool) -> list[Table]:
    """Tables of strengths with speeds, of match-ups and, if wanted, of what each does and scores with."""
    names = answer["strengths"]["strategy"].to_list()
    tables = [strength_table(answer["strengths"], answer["speeds"]), matchup_table(answer["matchups"], names)]
    if profile:
        tables += [
            _profile_table(answer["profiles"], "action", "Share of actions, %", names),
            _profile_table(answer["profiles"], "score", "Share of VP, %", names),
            _distance_table(answer["distances"]),
        ]
    return tables


def strength_table(strengths: pl.DataFrame, speeds: pl.DataFrame | None = None) -> Table:
    """Make the table of strengths, with speeds if they are known."""
    timed = speeds.iter_rows(named=True) if speeds is not None else ()
    speed = {row["strategy"]: f"{row['games_per_second']:,.0f}" for row in timed}
    columns = ["strategy", "points", "win share", "mean VP", "α-Rank", *(["games/s"] if speed else [])]
    rows = [
        [
            row["strategy"],
            estimate(row, "rating", 0, sign="+"),
            share(row, "win_share"),
            estimate(row, "total"),
            estimate(row, "alpha_rank", 2),
            *([speed[row["strategy"]]] if speed else []),
        ]
        for row in strengths.iter_rows(named=True)
    ]
    caption = f"400 points are odds of 10 to 1; a fair win share is {100 * strengths['fair'][0]:.1f}%"
    return table("Strengths", columns, rows, caption=caption)


def matchup_table(matchups: pl.DataFrame, names: Sequence[str]) -> Table:
    """Make the table of who finishes ahead of whom."""
    ahead = {(row["strategy"], row["against"]): row for row in matchups.iter_rows(named=True)}
    marks = {"ahead": "+", "behind": "−", "even": "="}

    def cell(one: str, other: str) -> str:
        row = ahead.get((one, other))
        return "" if row is None else f"{100 * row['ahead']:.1f} {marks[row['shown']]}"

    rows = [[name, *(cell(name, other) for other in names)] for name in names]
    widest = ((matchups["ahead_high"] - matchups["ahead_low"]) / 2).max()
    half = "" if widest is None else f"; every interval is ±{100 * float(widest):.1f} or narrower"  # type: ignore[arg-type]
    return table(
        "Match-ups, % ahead",
        ["", *names],
        rows,
        caption=f"+ shown to be ahead, − behind, = not shown{half}",
    )


def _profile_table(profiles: pl.DataFrame, kind: str, title: str, names: Sequence[str]) -> Table:
    rows = profiles.filter(kind=kind)
    parts = rows["part"].unique(maintain_order=True).to_list()
    shares = {(row["strategy"], row["part"]): row["share"] for row in rows.iter_rows(named=True)}
    cells = [[name, *(f"{100 * shares[name, part]:.1f}" for part in parts)] for name in names]
    heads = [part.removeprefix("vp_").replace("_", " ") for part in parts]
    widest = float(((rows["share_high"] - rows["share_low"]) / 2).max() or 0.0)  # type: ignore[arg-type]
    return table(title, ["strategy", *heads], cells, caption=f"every interval is ±{100 * widest:.1f} or narrower")


def _distance_table(distances: pl.DataFrame) -> Table:
    rows = [
        [row["strategy"], row["other"], share(row, "actions"), share(row, "score")]
        for row in distances.sort("actions").head(_ALIKE_SHOWN).iter_rows(named=True)
    ]
    columns = ["strategy", "other", "actions that differ", "VP that differ"]
    caption = "share that would have to be of other kinds for two profiles to be the same"
    return table("Most alike", columns, rows, left=2, caption=caption)


# --- health ---------------------------------------------------------------------------------------------------------


def health_tables(answer: Answer) -> list[Table]:
    """Tables of the metrics of excitement, strategies and seats, and of the trace of skill."""
    metrics = answer["metrics"]
    wanted = pl.col("group").cast(pl.String).is_in(_HEALTH_SHOWN)
    rows = [_metric(row) for row in metrics.filter(wanted & (pl.col("lineup") == "all")).iter_rows(named=True)]
    caption = "over all line-ups; parts of the score, effects, categories and line-ups are in the frames"
    tables = [_in_words(table("Health", ["metric", "estimate", "meaning"], rows, caption=caption))]
    if len(answer["trace"]):
        cells = [
            [row["strategy"], row["against"], share(row, "win_share"), estimate(row, "vp", 1, sign="+")]
            for row in answer["trace"].iter_rows(named=True)
        ]
        columns = ["strategy", "among copies of", "win share", "VP above the others"]
        tables.append(table("How far skill reaches", columns, cells, left=2))
    return tables


def _metric(row: dict[str, Any]) -> list[str]:
    value = share(row) if row["unit"] == "share" else estimate(row, digits=2)
    return [row["metric"].replace("_", " "), value, row["meaning"]]


def _in_words(made: Table) -> Table:
    """Let the last column, which holds words, be wrapped instead of the first."""
    name, *_, words = made.columns
    name.no_wrap, words.no_wrap, words.justify = True, False, "left"
    return made


# --- comparison -----------------------------------------------------------------------------------------------------


def compare_tables(answer: Answer, every: bool) -> list[Table]:
    """Table of the metrics that differ, or of every metric."""
    metrics = answer["metrics"]
    wins = pl.col("metric").str.starts_with("win_share_")
    changed = (pl.col("p_corrected") <= 1 - answer.about["level of intervals"]) | wins | (pl.col("metric") == "total")
    rows = [_difference(row) for row in (metrics if every else metrics.filter(changed)).iter_rows(named=True)]
    columns = ["metric", "A", "B", "B − A", interval_of(answer.about), "p corrected", "variance saved"]
    caption = (
        "what is counted, is counted of a seat and game; variance saved: times as many games independent runs need"
    )
    title = "Every metric" if every else "What differs"
    return [table(title, columns, rows, caption=caption)]


def _difference(row: dict[str, Any]) -> list[str]:
    scale, unit, step = (100, "%", " pp") if row["unit"] == "share" else (1, "", "")
    low, high = (written(scale * (row[end] or 0.0), 2, "+") for end in ("low", "high"))
    return [
        row["metric"].replace("_", " "),
        written(scale * row["before"], 2) + unit,
        written(scale * row["after"], 2) + unit,
        written(scale * row["difference"], 2, "+") + step,
        "–" if row["low"] is None else f"{low} to {high}",
        p_value(row["p_corrected"]),
        "–" if row["variance_saved"] is None else f"{row['variance_saved']:.1f}",
    ]


# --- Markdown -------------------------------------------------------------------------------------------------------


def as_markdown(made: Table) -> str:
    """Write a table of text as Markdown."""
    cells = [list(column.cells) for column in made.columns]
    rules = ("---" if column.justify == "left" else "---:" for column in made.columns)
    lines = [_line(str(column.header) for column in made.columns), f"|{'|'.join(rules)}|"]
    lines += [_line(map(str, row)) for row in zip(*cells, strict=True)]
    caption = f"\n\n{made.caption}" if made.caption else ""
    return f"**{made.title}**\n\n" + "\n".join(lines) + caption


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"
