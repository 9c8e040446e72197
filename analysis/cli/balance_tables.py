"""How answers to questions of balance look on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.balance.cardstudy import BAN, GIFT, HOLDER, SHOWN
from analysis.balance.offsets import CONFIRM, SCREEN
from analysis.balance.seats import LINEUP, in_words
from analysis.balance.tokens import CENTRED, PAIRED, RANDOMISED
from analysis.cli.tables import between, p_value, percent, table
from analysis.wording import interval_of

if TYPE_CHECKING:
    from rich.table import Table

    from analysis.balance.answer import Answer

_SHOWN_CARDS = 10


def vp(value: float) -> str:
    """Write VP."""
    return f"{value:.2f}"


def interval(row: dict[str, Any] | None, scale: float = 1.0) -> str:
    """Write a difference and half the width of its interval, which is symmetric."""
    if row is None or row["estimate"] is None:
        return "–"
    half = "" if row["low"] is None else f" ±{scale * (row['high'] - row['low']) / 2:.2f}"
    return f"{scale * row['estimate']:+.2f}{half}"


def pooled(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave out line-ups by themselves, unless there is only one."""
    several = frame.filter(pl.col("group") != LINEUP)
    return frame if several.is_empty() else several


def seat_tables(answer: Answer) -> list[Table]:
    """Tables by seat, one a group of line-ups."""
    tables = []
    for (group, lineup), rows in pooled(answer["results"]).group_by("group", "lineup", maintain_order=True):
        shares, totals = (rows.filter(measure=measure).sort("seat").to_dicts() for measure in ("win_share", "total"))
        cells = [
            [
                str(share["seat"]),
                percent(share["estimate"]),
                between(share["low"], share["high"], percent),
                p_value(share["p_corrected"]),
                vp(total["estimate"]),
                between(total["low"], total["high"], vp),
            ]
            for share, total in zip(shares, totals, strict=True)
        ]
        columns = ["seat", "win share", interval_of(answer.about), "p (fair)", "mean VP", interval_of(answer.about)]
        caption = "p corrected for the number of comparisons"
        tables.append(table(in_words(str(group), lineup), columns, cells, caption=caption))
    return tables


def coin_tables(answer: Answer) -> list[Table]:
    """Tables of the vectors screened and confirmed."""
    tables = []
    for stage, title in ((SCREEN, "Screened, on one fresh luck"), (CONFIRM, "Confirmed, on another")):
        cells = []
        for row in answer["vectors"].filter(stage=stage).iter_rows(named=True):
            seats = answer["shares"].filter(stage=stage, vector=row["vector"], measure="win_share").sort("seat")
            mark = " and ".join(word for word in ("recommended", "current") if row[word])
            chance = row["chance_of_best"]
            cells.append(
                [
                    row["vector"],
                    mark,
                    f"{row['balance']:.3f}",
                    between(row["low"], row["high"], lambda value: f"{value:.3f}"),
                    p_value(row["p_corrected"]),
                    "–" if chance is None else f"{chance:.0%}",
                    " / ".join(f"{100 * share:.1f}" for share in seats["estimate"]),
                    f"{row['games']:,}",
                ]
            )
        columns = [
            "offsets", "", "balance", interval_of(answer.about), "p (equal)", "fairest", "win shares by seat, %",
            "games",
        ]  # fmt: skip
        caption = "p corrected for the number of vectors; fairest: share of resamples in which it is"
        tables.append(table(title, columns, cells, left=2, caption=caption))
    return tables


def token_tables(answer: Answer) -> list[Table]:
    """Table of the tokens over all rounds."""
    rows = pooled(answer["tokens"])
    first = rows.row(0, named=True)
    rows = rows.filter(pl.col("group") == first["group"], pl.col("lineup").eq_missing(first["lineup"]))
    keyed = {(row["id"], row["method"], row["measure"], row["of"]): row for row in rows.iter_rows(named=True)}
    order = rows.filter(method=PAIRED, measure="total", of="seats").sort("estimate", descending=True, nulls_last=True)
    cells = [
        [
            row["name"],
            interval(keyed.get((row["id"], PAIRED, "total", "seats"))),
            interval(keyed.get((row["id"], CENTRED, "total", "seats"))),
            interval(keyed.get((row["id"], RANDOMISED, "total", "seats"))),
            interval(keyed.get((row["id"], RANDOMISED, "spread", "game"))),
            interval(keyed.get((row["id"], RANDOMISED, "win_share", "seat 0")), 100),
        ]
        for row in order.iter_rows(named=True)
    ]
    columns = [
        "token", "VP a seat against blank", "against average: paired", "by lot", "spread, by lot",
        "seat 0 win, pp, by lot",
    ]  # fmt: skip
    caption = "over all rounds; by round, by strategy and by line-up in the frames"
    return [
        table(f"Round tokens, {in_words(first['group'], first['lineup']).lower()}", columns, cells, caption=caption)
    ]


def card_tables(answer: Answer) -> list[Table]:
    """Tables of the strongest and weakest cards of each kind, and of groups."""
    rows = pooled(answer["cards"])
    first = rows.row(0, named=True)
    same = (pl.col("group") == first["group"]) & pl.col("lineup").eq_missing(first["lineup"])
    rows = rows.filter(same, measure="total").filter(pl.col("of").is_in([HOLDER, "seats"]))
    experiments = [name for name in (GIFT, BAN, SHOWN) if name in rows["experiment"].unique().to_list()]
    by = experiments[0]
    rates = {(row["kind"], row["id"], row["rate"]): row for row in answer["association"].iter_rows(named=True)}
    tables = []
    for kind in rows["kind"].unique(maintain_order=True):
        of_kind = rows.filter(kind=kind)
        ordered = of_kind.filter(experiment=by).sort("estimate", descending=True, nulls_last=True)
        shown = _ends(ordered)
        keyed = {(row["id"], row["experiment"]): row for row in of_kind.iter_rows(named=True)}
        cells = [
            [
                row["name"],
                *(interval(keyed.get((row["id"], name))) for name in experiments),
                *(_rate(rates.get((kind, row["id"], rate))) for rate in ("pick", "publish", "win")),
            ]
            for row in shown.iter_rows(named=True)
        ]
        columns = [str(kind), *(_HEADINGS[name] for name in experiments), "picked", "published", "win share with it"]
        caption = "picked, published and win share are association"
        if len(shown) < len(ordered):
            caption = f"the {_SHOWN_CARDS} best and worst of {len(ordered)}; {caption}"
        tables.append(table(f"{str(kind).capitalize()}s", columns, cells, caption=caption))
    return [*tables, _group_table(answer["groups"].filter(same), by)]


_HEADINGS = {
    GIFT: "gift: VP of the holder",
    BAN: "ban: VP a seat",
    SHOWN: "shown: VP a seat",
}


def _ends(ordered: pl.DataFrame) -> pl.DataFrame:
    if len(ordered) <= 2 * _SHOWN_CARDS:
        return ordered
    return pl.concat([ordered.head(_SHOWN_CARDS), ordered.tail(_SHOWN_CARDS)])


def _rate(row: dict[str, Any] | None) -> str:
    return "–" if row is None or row["estimate"] is None else f"{100 * row['estimate']:.0f}%"


def _group_table(groups: pl.DataFrame, by: str) -> Table:
    of = HOLDER if by == GIFT else "seats"
    rows = groups.filter(experiment=by, measure="total", of=of)
    cells = [
        [
            f"{row['kind']}s",
            row["grouping"],
            row["value"],
            str(row["cards"]),
            interval(row),
            "–" if row["above"] is None else f"{row['above']:+.2f}",
            p_value(row["above_p_corrected"]),
        ]
        for row in rows.iter_rows(named=True)
    ]
    columns = ["", "by", "", "cards", _HEADINGS[by], "above its kind", "p"]
    return table("Groups of cards (the average of their cards)", columns, cells, left=3)
