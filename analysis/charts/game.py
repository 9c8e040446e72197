"""Charts of what games are like: health, comparisons, tournaments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import altair as alt
import polars as pl

from analysis.balance.answer import Answer
from analysis.charts.marks import (
    ENDS,
    WIDTH,
    Axis,
    Colour,
    Frames,
    Picture,
    lines,
    points,
    scale_of,
    stacked_columns,
    total_first,
    words_of,
)


def of_health(answer: Answer) -> Iterator[Picture]:
    """Draw the health of the game."""
    frames, players = answer.frames, int(answer.about.get("players", 0))
    yield from health_pictures(frames, players)


def health_pictures(frames: Frames, players: int) -> Iterator[Picture]:
    """Draw the charts of a game's health (`analysis.balance.health`)."""
    rounds, fair = frames["rounds"], 1 / players if players else None
    shares = {
        "leader_wins": "the leader goes on to win",
        "winner_leads": "the eventual winner leads",
        "decided": "the winner leads from here on",
    }
    yield Picture(
        "When a game is decided",
        "Share of games at the end of each round. The dashed line is how often a leader would win if the lead meant "
        "nothing.",
        lines(
            stacked_columns(rounds, ["round"], shares),
            "round",
            ENDS,
            Axis("share of games", True, fair, True),
            "what",
            "round",
        ),
    )
    yield Picture(
        "How far the eventual winner is behind",
        "VP behind the leader at the end of each round (drama): 0 would mean that who wins led all along.",
        lines(
            stacked_columns(rounds, ["round"], {"winner_behind": "VP behind the leader"}),
            "round", ENDS, Axis("VP", zero=True), "what", "round",
        ),
    )  # fmt: skip
    parts = frames["parts"].with_columns(part=words_of("part")).sort("share", descending=True)
    yield Picture(
        "Where VP come from",
        "Share of each part in all VP.",
        points(parts, "part", ("share", "share_low", "share_high"), Axis("share of all VP", True, zero=True)),
    )
    if len(frames["components"]):
        named = frames["components"].with_columns(
            measure=pl.col("measure").replace({"win_share": "who wins", "total": "how many VP"})
        )
        yield Picture(
            "Luck and skill",
            "What makes results differ within a line-up, as parts of their variance. What is dealt, and the residual, "
            "are luck; the strategy is skill.",
            points(
                named, "component", ("share", "share_low", "share_high"),
                Axis("share of the variance", True, zero=True), colour=Colour("measure", title="variance of"),
            ),
        )  # fmt: skip
    if len(frames["categories"]):
        yield Picture(
            "How full the category spaces get",
            "Cubes of a seat at the end of the game; point at one to see how often it pays a bonus.",
            points(
                frames["categories"], "category", ("cubes", "cubes_low", "cubes_high"), Axis("cubes", zero=True),
                colour=Colour("type", beside=False), extra={"used": ".1%", "bonus": ".1%", "most": "d"},
            ),
        )  # fmt: skip
    yield _effects(frames["effects"])
    if len(frames.get("trace", ())):
        yield Picture(
            "How far skill reaches",
            "Win share of each strategy, in one seat among copies of one other; the dashed line is a fair share.",
            points(
                frames["trace"], "strategy", ("win_share", "win_share_low", "win_share_high"),
                Axis("win share", True, fair, True), extra={"vp": "+.1f"},
            ),
        )  # fmt: skip
    yield from _by_lineup(frames["metrics"])


def _effects(effects: pl.DataFrame) -> Picture:
    names = ("seats", "seats_low", "seats_high")
    return Picture(
        "What happens, and to how many",
        "Share of seats to which it happens at all in a game; the menu changes what is shown.",
        points(
            effects.with_columns(name=words_of("name")), "name", names, Axis("share of seats", True, zero=True),
            menus=["kind"], extra={"mean": ".2f"},
        ),
    )  # fmt: skip


def _by_lineup(metrics: pl.DataFrame) -> Iterator[Picture]:
    single = metrics.filter(pl.col("lineup") != "all")
    if single.is_empty():
        return
    frame = total_first(single.select("lineup", "metric", *ENDS))
    yield Picture(
        "By line-up",
        "A metric of every line-up by itself: what holds for one pool of players need not hold for another.",
        points(frame, "lineup", ENDS, Axis("estimate"), menus=["metric"]),
    )


def of_compare(answer: Answer) -> Iterator[Picture]:
    """Draw a comparison."""
    clear = pl.col("p_corrected") <= 1 - answer.about["level of intervals"]
    metrics = answer["metrics"].with_columns(
        shown=pl.when(clear).then(pl.lit("shown")).otherwise(pl.lit("not shown")),
        metric=pl.col("metric").str.replace_all("_", " "),
    )
    names = ("difference", "low", "high")
    wins = metrics.filter(pl.col("metric").str.starts_with("win share"))
    yield Picture(
        "Who wins",
        "Change of win shares, B less A, in parts of all games. Colour: whether a change is shown once all comparisons "
        "are taken into account.",
        points(wins, "metric", names, Axis("change of win share", True, 0.0), colour=_SHOWN),
    )
    vp = metrics.filter((pl.col("unit") == "VP") & ~pl.col("metric").is_in(wins["metric"].implode()))
    yield Picture(
        "VP",
        "Change in VP, B less A: of seats and strategies, of the parts of a score, and of margins.",
        points(vp, "metric", names, Axis("change in VP", null=0.0), colour=_SHOWN),
    )
    rest = metrics.filter(
        (pl.col("unit") != "VP") & ~pl.col("metric").str.starts_with("win share") & (pl.col("before") != 0)
    ).with_columns((pl.col(name) / pl.col("before")).alias(name) for name in names)
    yield Picture(
        "Everything else",
        "Change in parts of what it is with A: +10% means a tenth more.",
        points(rest, "metric", names, Axis("change, relative to A", True, 0.0), colour=_SHOWN),
    )
    if len(answer["lineups"]):
        frame = total_first(answer["lineups"].select("lineup", "metric", *names))
        yield Picture(
            "By line-up",
            "The change in every line-up by itself.",
            points(frame, "lineup", names, Axis("change, B less A", null=0.0), menus=["metric"]),
        )


_SHOWN: Final = Colour("shown", beside=False, title="a change is")


def of_tournament(answer: Answer) -> Iterator[Picture]:
    """Draw a tournament."""
    players = int(answer.about.get("players", 0))
    fair = 1 / players if players else None
    names = ("win_share", "win_share_low", "win_share_high")
    yield Picture(
        "Win share by strategy",
        "In line-ups in which a strategy meets others; the dashed line is a fair share.",
        points(answer["strategies"], "strategy", names, Axis("win share", True, fair, True)),
    )
    seats = answer["seats"].with_columns(seat=pl.format("seat {}", pl.col("seat")))
    yield Picture(
        "Win share by seat",
        "Over all games, by turn order of the first round; the dashed line is a fair share.",
        points(seats, "seat", names, Axis("win share", True, fair, True)),
    )
    yield Picture(
        "VP by strategy",
        "Final VP of all its seats.",
        alt.Chart(answer["histogram"])
        .mark_area(opacity=0.45, interpolate="step", line=True)
        .encode(
            x=alt.X("vp:Q", title="final VP"),
            y=alt.Y("share:Q", stack=None, title="share of seats", axis=alt.Axis(format="%")),
            color=alt.Color(
                "strategy:N", scale=scale_of(answer["histogram"]["strategy"].n_unique()), title=None, sort=None
            ),
            tooltip=["strategy", "vp", alt.Tooltip("share:Q", format=".2%")],
        )
        .properties(width=WIDTH, height=240),
    )
    course = answer["course"]
    yield Picture(
        "VP by round",
        "Mean VP of a strategy's seats at the end of each round, before the final scoring.",
        lines(course, "round", ("vp", "vp_low", "vp_high"), Axis("VP", zero=True), "strategy", "round"),
    )
    if {"rounds", "parts", "components", "categories", "effects", "metrics"} <= answer.frames.keys():
        yield from health_pictures(answer.frames, players)
