"""Charts of what is dealt: seats, coins, tokens, cards."""

from __future__ import annotations

from collections.abc import Iterator

import altair as alt
import polars as pl

from analysis.balance.answer import Answer
from analysis.charts.marks import (
    ENDS,
    WIDTH,
    Axis,
    Colour,
    Picture,
    grid,
    kept,
    points,
    pooled,
    scale_of,
)


def of_seats(answer: Answer) -> Iterator[Picture]:
    """Draw win shares and VP by seat."""
    results = answer["results"].with_columns(seat=pl.format("seat {}", pl.col("seat")))
    groups = results.filter(pl.col("lineup").is_null()) if results["lineup"].null_count() else results
    colour = Colour("group", title="line-ups") if groups["group"].n_unique() > 1 else None
    fair = 1 / results["seat"].n_unique()
    for measure, title, caption, axis in (
        ("win_share", "Win share by seat", "The dashed line is a fair share.", Axis("win share", True, fair, True)),
        ("total", "VP by seat", "Mean final VP of every seat.", Axis("VP")),
    ):
        yield Picture(title, caption, points(groups.filter(measure=measure), "seat", ENDS, axis, colour=colour))
    single = results.filter(pl.col("lineup").is_not_null(), measure="win_share")
    if single["lineup"].n_unique() > 1:
        yield Picture(
            "Win share by seat and line-up",
            "Every line-up by itself; the menu changes the line-up.",
            points(single, "seat", ENDS, Axis("win share", True, fair, True), menus=["lineup"]),
        )


def of_coins(answer: Answer) -> Iterator[Picture]:
    """Draw vectors of offsets."""
    vectors = answer["vectors"].filter(pl.col("stage").cast(pl.String).is_in(["screen", "confirm"]))
    mark = pl.when("recommended").then(pl.lit(" (recommended)")).when("current").then(pl.lit(" (current)"))
    named = vectors.with_columns(vector=pl.col("vector") + mark.otherwise(pl.lit("")))
    yield Picture(
        "How fair each vector of offsets is",
        "Balance: 1 less the largest difference of two seats' win shares; 1 is fair. Confirmed on fresh luck.",
        points(named, "vector", ("balance", "low", "high"), Axis("balance", null=1.0), colour=Colour("stage")),
    )
    shares = answer["shares"].filter(pl.col("stage").cast(pl.String) == "confirm", measure="win_share")
    shares = shares.with_columns(seat=pl.format("seat {}", pl.col("seat")))
    yield Picture(
        "Win share by seat, confirmed",
        "The recommended and the current vector on the same fresh luck; the dashed line is a fair share.",
        points(shares, "seat", ENDS, Axis("win share", True, 1 / shares["seat"].n_unique()), colour=Colour("vector")),
    )
    model = answer["model"].with_columns(seat=pl.format("seat {}", pl.col("seat")))
    yield Picture(
        "Coins at which seats would be equal",
        "By the model; a wide interval means that coins change that seat's win share little.",
        points(model, "seat", ("optimum", "optimum_low", "optimum_high"), Axis("coins")),
    )


def of_tokens(answer: Answer) -> Iterator[Picture]:
    """Draw round tokens."""
    compared = {
        "paired": "to a blank, paired",
        "paired_centred": "to the average, paired",
        "randomised": "to the average, by lot",
    }
    tokens = pooled(answer["tokens"]).with_columns(
        what=pl.format(
            "{}, {}",
            pl.col("measure").cast(pl.String).replace("total", "VP").replace("win_share", "win share"),
            pl.col("of"),
        ),
        compared=pl.col("method").cast(pl.String).replace(compared),
    )
    yield Picture(
        "What every token does",
        "Change that a token makes, over all rounds, against another in its place; the menu changes what is measured.",
        points(tokens, "name", ENDS, Axis("change", null=0.0), colour=Colour("compared"), menus=["what"]),
    )
    rounds = pooled(answer["rounds"]).filter(measure="total", of="seats", method="paired")
    if len(rounds):
        yield Picture(
            "VP of a seat, by round",
            "Change against a blank token when the token comes in a round (paired).",
            grid(
                rounds.rename({"estimate": "vp", "low": "vp_low", "high": "vp_high"}),
                "name", "round", "vp", middle=0.0, share=False,
            ),
        )  # fmt: skip


def of_cards(answer: Answer) -> Iterator[Picture]:
    """Draw cards and groups of cards."""
    cards = pooled(answer["cards"]).filter(pl.col("of").is_in(["holder", "seats"]), measure="total")
    cards = cards.filter(pl.col("estimate").is_not_null())
    experiments = {"gift": 0, "ban": 1, "shown": 2}
    place = pl.col("experiment").cast(pl.String).replace_strict(experiments, default=3, return_dtype=pl.Int64)
    yield Picture(
        "What every card is worth",
        "VP: of a gift to its holder, of a ban or an appearance to a seat. The menus change kind and experiment.",
        points(
            cards.sort(place, "kind", -pl.col("estimate")), "name", ENDS, Axis("VP", null=0.0),
            menus=["kind", "experiment"],
        ),
    )  # fmt: skip
    groups = pooled(answer["groups"]).filter(pl.col("of").is_in(["holder", "seats"]), measure="total")
    groups = groups.filter(pl.col("estimate").is_not_null()).with_columns(
        row=pl.format("{} {}", pl.col("grouping"), pl.col("value"))
    )
    yield Picture(
        "Groups of cards",
        "The same for categories, continents and effects: the average of their cards.",
        points(
            groups.sort(place, maintain_order=True), "row", ENDS, Axis("VP", null=0.0), menus=["kind", "experiment"]
        ),
    )
    yield _picks_and_wins(answer["association"])


def _picks_and_wins(association: pl.DataFrame) -> Picture:
    """Draw how often cards are picked against how often those who have them win."""
    wide = association.with_columns(pl.col("rate").cast(pl.String)).pivot(
        "rate", index=["kind", "id", "name"], values="estimate"
    )
    chart = (
        alt.Chart(kept(wide, ["kind", "name"], ["pick", "win"]))
        .mark_point(filled=True, size=50, opacity=0.8)
        .encode(
            x=alt.X("pick:Q", title="share of times it was picked", axis=alt.Axis(format="%")),
            y=alt.Y("win:Q", title="win share of who has it", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)),
            color=alt.Color("kind:N", title=None, scale=scale_of(2)),
            tooltip=["name", "kind", alt.Tooltip("pick:Q", format=".1%"), alt.Tooltip("win:Q", format=".1%")],
        )
        .properties(width=WIDTH, height=320)
        .interactive()
    )
    return Picture(
        "Picked and won with",
        "Association only: good players pick well, and what they pick wins for other reasons too. Scroll to zoom.",
        chart,
    )
