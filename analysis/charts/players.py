"""Charts of who plays how well: restricted play, strategies, ladder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import altair as alt
import polars as pl

from analysis.balance.answer import Answer
from analysis.charts.marks import (
    COLOURS,
    ROW,
    WIDTH,
    Axis,
    Colour,
    Picture,
    grid,
    points,
    stacked,
    words_of,
)


def of_actions(answer: Answer) -> Iterator[Picture]:
    """Draw restricted play."""
    bars = answer["bars"]
    fair = float(bars["fair"][0])
    several = Colour("strategy") if bars["strategy"].n_unique() > 1 else None
    yield Picture(
        "Win share without it",
        "Share of games won by a strategy that is barred from something, among plain copies of itself. The dashed line "
        "is what it would win if it did not matter.",
        points(bars, "without", ("win_share", "win_share_low", "win_share_high"), Axis("win share", True, fair, True),
               colour=several),
    )  # fmt: skip
    yield Picture(
        "VP lost without it",
        "VP of the barred strategy less those of a plain copy on the same luck.",
        points(bars, "without", ("vp", "vp_low", "vp_high"), Axis("change in VP", null=0.0), colour=several),
    )


def of_strategies(answer: Answer) -> Iterator[Picture]:
    """Draw strengths and match-ups."""
    strengths = answer["strengths"]
    yield Picture(
        "Strength",
        "Plackett–Luce strengths in points: 400 more mean odds of 10 to 1; the average is 0. Who never finishes ahead "
        "of those with a point has no finite strength, but a bound in the table.",
        points(strengths, "strategy", ("rating", "rating_low", "rating_high"), Axis("points", null=0.0)),
    )
    fair = float(strengths["fair"][0])
    yield Picture(
        "Win share",
        "Share of games won in line-ups with others; the dashed line is a fair share.",
        points(
            strengths, "strategy", ("win_share", "win_share_low", "win_share_high"), Axis("win share", True, fair, True)
        ),
    )
    order = {name: place for place, name in enumerate(strengths["strategy"])}
    matchups = answer["matchups"].sort(
        pl.col("strategy").cast(pl.String).replace_strict(order, return_dtype=pl.Int64),
        pl.col("against").cast(pl.String).replace_strict(order, return_dtype=pl.Int64),
    )
    yield Picture(
        "Who finishes ahead of whom",
        "Share of meetings in which the strategy at the left finishes ahead of the one above.",
        grid(matchups, "strategy", "against", "ahead", middle=0.5, share=True),
    )


def of_ladder(answer: Answer) -> Iterator[Picture]:
    """Draw a ladder."""
    yield from of_strategies(answer)
    order = {name: place for place, name in enumerate(answer["strengths"]["strategy"])}
    profiles = answer["profiles"].sort(
        pl.col("strategy").replace_strict(order, return_dtype=pl.Int64), maintain_order=True
    )
    for kind, title in (("action", "What they do"), ("score", "What they score with")):
        frame = profiles.filter(kind=kind).with_columns(part=words_of("part"))
        yield Picture(
            title,
            f"Share of each {'kind of action in all actions' if kind == 'action' else 'part of the score in all VP'}, "
            "by strategy.",
            stacked(frame, "strategy", "part", "share", "share"),
        )
    distances = answer["distances"]
    both = pl.concat(
        [distances, distances.rename({"strategy": "other", "other": "strategy"}).select(distances.columns)]
    )
    yield Picture(
        "How differently they play",
        "Share of actions that would have to be others for two strategies to have the same profile.",
        grid(_ordered(both, order), "strategy", "other", "actions", middle=None, share=True),
    )
    speeds = answer["speeds"].sort("games_per_second", descending=True)
    yield Picture(
        "Speed",
        "Games a second on one core, the strategy in all seats, as the machine was loaded; the scale is logarithmic.",
        alt.Chart(speeds)
        .mark_point(filled=True, size=70, color=COLOURS[0])
        .encode(
            y=alt.Y("strategy:N", sort=None, title=None, axis=alt.Axis(labelLimit=320)),
            x=alt.X("games_per_second:Q", scale=alt.Scale(type="log"), title="games a second"),
            tooltip=["strategy", alt.Tooltip("games_per_second:Q", format=",.0f")],
        )
        .properties(width=WIDTH, height=ROW * len(speeds)),
    )


def _ordered(frame: pl.DataFrame, order: Mapping[str, int]) -> pl.DataFrame:
    """Sort pairs by the places of both."""
    places = [
        pl.col(name).cast(pl.String).replace_strict(order, return_dtype=pl.Int64) for name in ("strategy", "other")
    ]
    return frame.sort(*places)
