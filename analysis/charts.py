"""Charts of answers: which picture goes with which frame, as Altair charts.

Every chart has a title that says what it shows and a caption that says how to read it. Intervals are drawn wherever
the frame has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import polars as pl

from analysis.balance.answer import Answer

WIDTH: Final = 620
_ROW: Final = 22
_SIGNIFICANT: Final = 0.05

# Okabe and Ito's colours, which stay apart for the colour-blind.
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#7F7F7F", "#B8A800")

Frames = Mapping[str, pl.DataFrame]
Drawn = Any
"""A chart of Altair's: layered, single or of several."""


@dataclass(frozen=True)
class Picture:
    """One chart of a page.

    Attributes
    ----------
    title
        What it shows.
    caption
        How to read it.
    chart
        The chart.
    """

    title: str
    caption: str
    chart: Drawn


def pictures_of(answer: Answer) -> list[Picture]:
    """Draw the charts of an answer.

    Parameters
    ----------
    answer
        To any question; one that is not known here gets a chart for each frame with intervals.

    Returns
    -------
    list
        The most important first.
    """
    own = _BY_QUESTION.get(answer.question)
    if own is not None:
        return list(own(answer))
    return [picture for name, frame in answer.frames.items() for picture in any_intervals(name, frame)]


# --- parts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """What a number is and how it is written.

    Attributes
    ----------
    title
        Of the axis.
    share
        Whether it is a share, to be written as a percentage.
    null
        Where a rule is drawn: what it would be if there were nothing to see.
    zero
        Whether the axis begins at 0.
    """

    title: str
    share: bool = False
    null: float | None = None
    zero: bool = False

    @property
    def format(self) -> str:
        """Format of numbers, for Vega."""
        return ".1%" if self.share else ".2f"


@dataclass(frozen=True)
class Colour:
    """What tells points of one row apart.

    Attributes
    ----------
    column
        Its column.
    beside
        Whether points of one row stand below one another; needed where a row has several.
    title
        Of the legend; the column's name by default.
    """

    column: str
    beside: bool = True
    title: str = ""


def points(
    frame: pl.DataFrame,
    label: str,
    names: tuple[str, str, str],
    axis: Axis,
    *,
    colour: Colour | None = None,
    menus: Sequence[str] = (),
    extra: Mapping[str, str] | None = None,
) -> Drawn:
    """Draw points with intervals, one row a label, in the order of the frame.

    Parameters
    ----------
    frame
        One row a point.
    label
        Column of the labels.
    names
        Columns of estimate, lower and upper end.
    axis
        What the estimate is.
    colour
        What tells points of one label apart.
    menus
        Columns of which one value is shown at a time, chosen from a menu; the first value to begin with.
    extra
        Further columns to show when a point is pointed at: column → format.
    """
    value, low, high = names
    words = [label, *menus, *([colour.column] if colour else [])]
    frame = _kept(frame, words, [*names, *(extra or {})])
    chosen = [_choice(frame, menu) for menu in menus]
    tooltip = [alt.Tooltip(f"{name}:N") for name in (label, *([colour.column] if colour else []))]
    tooltip += [alt.Tooltip(f"{name}:Q", format=axis.format) for name in names]
    tooltip += [alt.Tooltip(f"{name}:Q", format=style) for name, style in (extra or {}).items()]
    y = alt.Y(f"{label}:N", title=None, sort=None, axis=alt.Axis(labelLimit=_LONGEST_LABEL))
    base = alt.Chart(frame).encode(y=y, tooltip=tooltip, **_paint(frame, colour))
    for parameter in chosen:
        base = base.transform_filter(parameter)
    scale = alt.Scale(zero=axis.zero)
    from_to = base.mark_rule(strokeWidth=2).encode(x=alt.X(f"{low}:Q", title=axis.title, scale=scale), x2=f"{high}:Q")
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X(f"{value}:Q", title=axis.title, scale=scale, axis=alt.Axis(format=_axis_format(axis)))
    )
    layers = [*_null(axis, "x"), from_to, dots.add_params(*chosen) if chosen else dots]
    return alt.layer(*layers).properties(width=_width(frame, label), height=_height(frame, label, menus, colour))


_LONGEST_LABEL: Final = 300
_LETTER: Final = 6.2


def _paint(frame: pl.DataFrame, colour: Colour | None) -> dict[str, Any]:
    """Encode colour and place."""
    if colour is None:
        return {"color": alt.value(COLOURS[0])}
    values = frame[colour.column].unique(maintain_order=True).to_list()
    scale = _scale(len(values))
    title = colour.title or colour.column
    paint = {"color": alt.Color(f"{colour.column}:N", title=title, scale=scale, sort=values)}
    return paint | ({"yOffset": alt.YOffset(f"{colour.column}:N", sort=values)} if colour.beside else {})


def _null(axis: Axis, along: str) -> list[alt.Chart]:
    """Draw a rule where there would be nothing to see."""
    if axis.null is None:
        return []
    rule = alt.Chart(pl.DataFrame({"null": [axis.null]})).mark_rule(strokeDash=[4, 4], color="#888")
    return [rule.encode(**{along: "null:Q"})]


def _width(frame: pl.DataFrame, label: str) -> int:
    """Leave room for long labels."""
    longest = max(map(len, frame[label]), default=0)
    return WIDTH - max(int(min(longest * _LETTER, _LONGEST_LABEL)) - 120, 0)


def _height(frame: pl.DataFrame, label: str, menus: Sequence[str], colour: Colour | None) -> int:
    """Height for the most rows that are shown at a time."""
    rows = _most_rows(frame, label, menus)
    groups = frame[colour.column].n_unique() if colour is not None and colour.beside else 1
    return rows * ((_ROW if rows <= _MANY else 15) if groups == 1 else 12 * groups + 8)


_MANY: Final = 20


def _most_rows(frame: pl.DataFrame, label: str, menus: Sequence[str]) -> int:
    """Count the labels of the largest part that a choice from menus shows."""
    if not menus:
        return frame[label].n_unique()
    return max(part[label].n_unique() for _, part in frame.group_by(menus))


def lines(frame: pl.DataFrame, x: str, names: tuple[str, str, str], axis: Axis, colour: str, x_title: str) -> Drawn:
    """Draw lines with bands over whole numbers, one for each colour; a click in the legend brings one forward."""
    value, low, high = names
    frame = _kept(frame, [x, colour], names)
    chosen = alt.selection_point(fields=[colour], bind="legend")
    base = alt.Chart(frame).encode(
        x=alt.X(f"{x}:O", title=x_title, axis=alt.Axis(labelAngle=0)),
        color=alt.Color(f"{colour}:N", title=None, scale=_scale(frame[colour].n_unique()), sort=None),
        opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.15)),
    )
    tooltip = [f"{x}:O", f"{colour}:N", *(alt.Tooltip(f"{name}:Q", format=axis.format) for name in names)]
    y = alt.Y(f"{value}:Q", title=axis.title, scale=alt.Scale(zero=axis.zero), axis=alt.Axis(format=_axis_format(axis)))
    bars = base.mark_errorbar(thickness=1.5).encode(y=alt.Y(f"{low}:Q", title=axis.title), y2=f"{high}:Q")
    line = base.mark_line(point=alt.OverlayMarkDef(size=45), strokeWidth=2).encode(y=y, tooltip=tooltip)
    return alt.layer(*_null(axis, "y"), bars, line.add_params(chosen)).properties(width=WIDTH, height=260)


def stacked(frame: pl.DataFrame, label: str, part: str, value: str, title: str) -> Drawn:
    """Draw shares of a whole as stacked bars, one a label; a click in the legend brings a part forward."""
    chosen = alt.selection_point(fields=[part], bind="legend")
    ends = [name for name in (f"{value}_low", f"{value}_high") if name in frame.columns]
    shown = _kept(frame, [label, part], [value, *ends]).filter(pl.col(value) > 0)
    return (
        alt.Chart(shown)
        .mark_bar()
        .encode(
            y=alt.Y(f"{label}:N", title=None, sort=None, axis=alt.Axis(labelLimit=320)),
            x=alt.X(f"{value}:Q", title=title, stack="zero", axis=alt.Axis(format="%"), scale=alt.Scale(domainMax=1.0)),
            color=alt.Color(f"{part}:N", title=None, sort=None, scale=alt.Scale(scheme="tableau20")),
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.2)),
            order=alt.Order("place:Q"),
            tooltip=[label, part, *(alt.Tooltip(f"{name}:Q", format=".1%") for name in (value, *ends))],
        )
        .add_params(chosen)
        .transform_window(place="row_number()")
        .properties(width=WIDTH - 60, height=max(frame[label].n_unique(), 1) * 28)
    )


def grid(frame: pl.DataFrame, row: str, column: str, value: str, *, middle: float | None, share: bool) -> Drawn:
    """Draw a table of numbers as coloured cells.

    Parameters
    ----------
    frame
        One row a cell.
    row, column, value
        Its columns; columns of the table stand in the order of the rows where they are the same, else sorted.
    middle
        What is neither much nor little; None if more is more.
    share
        Whether the values are shares.
    """
    across = frame[column].unique().sort().cast(pl.String).to_list()
    ends = [name for name in (f"{value}_low", f"{value}_high") if name in frame.columns]
    frame = _kept(frame, [row, column], [value, *ends])
    order = frame[row].unique(maintain_order=True).to_list()
    if set(across) <= set(order):
        across = [name for name in order if name in across]
    style = ".1%" if share else ".1f"
    base = alt.Chart(frame).encode(
        y=alt.Y(f"{row}:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        x=alt.X(f"{column}:N", sort=across, title=None, axis=_heads(across)),
        tooltip=[row, column, *(alt.Tooltip(f"{name}:Q", format=style) for name in (value, *ends))],
    )
    scale = _shades(frame[value], middle, share)
    cells = base.mark_rect(stroke="white").encode(color=alt.Color(f"{value}:Q", scale=scale, legend=None))
    words = base.mark_text(fontSize=11).encode(
        text=alt.Text(f"{value}:Q", format=".0%" if share else ".1f"), color=_readable(value, middle, share)
    )
    width = min(WIDTH, max(60 * len(across), 120))
    return alt.layer(cells, words).properties(width=width, height=30 * len(order))


def _heads(names: Sequence[str]) -> alt.Axis:
    """Heads of a table's columns; long ones aslant."""
    return alt.Axis(labelAngle=-40 if max(map(len, names)) > 4 else 0, labelLimit=200, orient="top")


def _shades(values: pl.Series, middle: float | None, share: bool) -> alt.Scale:
    """Shades of a table's cells, pale enough for dark letters where these are dark."""
    if middle is not None and share:
        return alt.Scale(scheme="purplegreen", domainMid=middle, domain=[0, 1])
    known = values.drop_nulls()
    if middle is None:
        return alt.Scale(scheme="blues", domain=[0, 2 * max(known, default=1.0)])
    reach = 1.7 * max((known - middle).abs(), default=1.0)
    return alt.Scale(scheme="purplegreen", domainMid=middle, domain=[middle - reach, middle + reach])


def _readable(value: str, middle: float | None, share: bool) -> Any:
    """Dark letters on pale cells, white ones on dark cells."""
    if middle is None or not share:
        return alt.value("#222")
    dark = f"abs(datum['{value}'] - {middle}) > 0.35"
    return alt.condition(dark, alt.value("white"), alt.value("#222"))


def _scale(count: int) -> alt.Scale:
    return alt.Scale(range=list(COLOURS)) if count <= len(COLOURS) else alt.Scale(scheme="tableau20")


def _axis_format(axis: Axis) -> str | Any:
    return "%" if axis.share else alt.Undefined


def _kept(frame: pl.DataFrame, words: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Keep what a chart needs, with no more digits than can be seen: its data are part of the page."""
    return frame.select(
        *(pl.col(name).cast(pl.String) for name in dict.fromkeys(words)),
        *(pl.col(name).cast(pl.Float64).round_sig_figs(_DIGITS) for name in dict.fromkeys(numbers)),
    )


_DIGITS: Final = 5


def _choice(frame: pl.DataFrame, column: str) -> alt.Parameter:
    """Make a menu of a column's values, the first of them chosen; what is not chosen is not drawn."""
    values = frame[column].unique(maintain_order=True).to_list()
    menu = alt.binding_select(options=values, name=f"{column.replace('_', ' ')}: ")
    return alt.selection_point(fields=[column], bind=menu, value=[{column: values[0]}])


def _long(frame: pl.DataFrame, keys: Sequence[str], names: Mapping[str, str]) -> pl.DataFrame:
    """Stack wide columns with their ends: ``what``, ``estimate``, ``low``, ``high``."""
    parts = [
        frame.select(*keys, what=pl.lit(words), estimate=name, low=f"{name}_low", high=f"{name}_high")
        for name, words in names.items()
    ]
    return pl.concat(parts)


_ENDS: Final = ("estimate", "low", "high")


# --- health ---------------------------------------------------------------------------------------------------------


def _health(answer: Answer) -> Iterator[Picture]:
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
            _long(rounds, ["round"], shares), "round", _ENDS, Axis("share of games", True, fair, True), "what", "round"
        ),
    )
    yield Picture(
        "How far the eventual winner is behind",
        "VP behind the leader at the end of each round (drama): 0 would mean that who wins led all along.",
        lines(
            _long(rounds, ["round"], {"winner_behind": "VP behind the leader"}),
            "round", _ENDS, Axis("VP", zero=True), "what", "round",
        ),
    )  # fmt: skip
    parts = frames["parts"].with_columns(part=_words("part")).sort("share", descending=True)
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
            effects.with_columns(name=_words("name")), "name", names, Axis("share of seats", True, zero=True),
            menus=["kind"], extra={"mean": ".2f"},
        ),
    )  # fmt: skip


def _by_lineup(metrics: pl.DataFrame) -> Iterator[Picture]:
    single = metrics.filter(pl.col("lineup") != "all")
    if single.is_empty():
        return
    frame = _total_first(single.select("lineup", "metric", *_ENDS))
    yield Picture(
        "By line-up",
        "A metric of every line-up by itself: what holds for one pool of players need not hold for another.",
        points(frame, "lineup", _ENDS, Axis("estimate"), menus=["metric"]),
    )


def _total_first(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the rows of mean VP first, so that a menu begins with them."""
    return frame.sort(pl.col("metric") != "total", maintain_order=True)


def _words(column: str) -> pl.Expr:
    """Names of columns as words."""
    return pl.col(column).str.replace("^vp_", "").str.replace_all("_", " ")


# --- compare --------------------------------------------------------------------------------------------------------


def _compare(answer: Answer) -> Iterator[Picture]:
    metrics = answer["metrics"].with_columns(
        shown=pl.when(pl.col("p_corrected") <= _SIGNIFICANT).then(pl.lit("shown")).otherwise(pl.lit("not shown")),
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
        frame = _total_first(answer["lineups"].select("lineup", "metric", *names))
        yield Picture(
            "By line-up",
            "The change in every line-up by itself.",
            points(frame, "lineup", names, Axis("change, B less A", null=0.0), menus=["metric"]),
        )


_SHOWN: Final = Colour("shown", beside=False, title="a change is")


# --- actions --------------------------------------------------------------------------------------------------------


def _actions(answer: Answer) -> Iterator[Picture]:
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


# --- strategies and ladder ------------------------------------------------------------------------------------------


def _strategies(answer: Answer) -> Iterator[Picture]:
    strengths = answer["strengths"]
    yield Picture(
        "Strength",
        "Plackett–Luce strengths in points: 400 more mean odds of 10 to 1. The average is 0.",
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


def _ladder(answer: Answer) -> Iterator[Picture]:
    yield from _strategies(answer)
    order = {name: place for place, name in enumerate(answer["strengths"]["strategy"])}
    profiles = answer["profiles"].sort(
        pl.col("strategy").replace_strict(order, return_dtype=pl.Int64), maintain_order=True
    )
    for kind, title in (("action", "What they do"), ("score", "What they score with")):
        frame = profiles.filter(kind=kind).with_columns(part=_words("part"))
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
        .properties(width=WIDTH, height=_ROW * len(speeds)),
    )


def _ordered(frame: pl.DataFrame, order: Mapping[str, int]) -> pl.DataFrame:
    """Sort pairs by the places of both."""
    places = [
        pl.col(name).cast(pl.String).replace_strict(order, return_dtype=pl.Int64) for name in ("strategy", "other")
    ]
    return frame.sort(*places)


# --- tournament -----------------------------------------------------------------------------------------------------


def _tournament(answer: Answer) -> Iterator[Picture]:
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
                "strategy:N", scale=_scale(answer["histogram"]["strategy"].n_unique()), title=None, sort=None
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


# --- seats, coins, tokens and cards -----------------------------------------------------------------------------------


def _pooled(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave the widest group of line-ups: all of them."""
    first = frame.row(0, named=True)
    return frame.filter(pl.col("group") == first["group"], pl.col("lineup").eq_missing(first["lineup"]))


def _seats(answer: Answer) -> Iterator[Picture]:
    results = answer["results"].with_columns(seat=pl.format("seat {}", pl.col("seat")))
    groups = results.filter(pl.col("lineup").is_null()) if results["lineup"].null_count() else results
    colour = Colour("group", title="line-ups") if groups["group"].n_unique() > 1 else None
    fair = 1 / results["seat"].n_unique()
    for measure, title, caption, axis in (
        ("win_share", "Win share by seat", "The dashed line is a fair share.", Axis("win share", True, fair, True)),
        ("total", "VP by seat", "Mean final VP of every seat.", Axis("VP")),
    ):
        yield Picture(title, caption, points(groups.filter(measure=measure), "seat", _ENDS, axis, colour=colour))
    single = results.filter(pl.col("lineup").is_not_null(), measure="win_share")
    if single["lineup"].n_unique() > 1:
        yield Picture(
            "Win share by seat and line-up",
            "Every line-up by itself; the menu changes the line-up.",
            points(single, "seat", _ENDS, Axis("win share", True, fair, True), menus=["lineup"]),
        )


def _coins(answer: Answer) -> Iterator[Picture]:
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
        points(shares, "seat", _ENDS, Axis("win share", True, 1 / shares["seat"].n_unique()), colour=Colour("vector")),
    )
    model = answer["model"].with_columns(seat=pl.format("seat {}", pl.col("seat")))
    yield Picture(
        "Coins at which seats would be equal",
        "By the model; a wide interval means that coins change that seat's win share little.",
        points(model, "seat", ("optimum", "optimum_low", "optimum_high"), Axis("coins")),
    )


def _tokens(answer: Answer) -> Iterator[Picture]:
    compared = {
        "paired": "to a blank, paired",
        "paired_centred": "to the average, paired",
        "randomised": "to the average, by lot",
    }
    tokens = _pooled(answer["tokens"]).with_columns(
        what=pl.format(
            "{}, {}",
            pl.col("measure").cast(pl.String).replace("total", "VP").replace("win_share", "win share"),
            pl.col("of"),
        ),
        compared=pl.col("method").cast(pl.String).replace(compared),
    )
    yield Picture(
        "What every token does",
        "Change that a token makes, over all rounds, compared with another in its place; the menu changes what is measured.",
        points(tokens, "name", _ENDS, Axis("change", null=0.0), colour=Colour("compared"), menus=["what"]),
    )
    rounds = _pooled(answer["rounds"]).filter(measure="total", of="seats", method="paired")
    if len(rounds):
        yield Picture(
            "VP of a seat, by round",
            "Change against a blank token when the token comes in a round (paired).",
            grid(
                rounds.rename({"estimate": "vp", "low": "vp_low", "high": "vp_high"}),
                "name", "round", "vp", middle=0.0, share=False,
            ),
        )  # fmt: skip


def _cards(answer: Answer) -> Iterator[Picture]:
    cards = _pooled(answer["cards"]).filter(pl.col("of").is_in(["holder", "seats"]), measure="total")
    cards = cards.filter(pl.col("estimate").is_not_null())
    experiments = {"gift": 0, "ban": 1, "shown": 2}
    place = pl.col("experiment").cast(pl.String).replace_strict(experiments, default=3, return_dtype=pl.Int64)
    yield Picture(
        "What every card is worth",
        "VP: of a gift to its holder, of a ban or an appearance to a seat. The menus change kind and experiment.",
        points(
            cards.sort(place, "kind", -pl.col("estimate")), "name", _ENDS, Axis("VP", null=0.0),
            menus=["kind", "experiment"],
        ),
    )  # fmt: skip
    groups = _pooled(answer["groups"]).filter(pl.col("of").is_in(["holder", "seats"]), measure="total")
    groups = groups.filter(pl.col("estimate").is_not_null()).with_columns(
        row=pl.format("{} {}", pl.col("grouping"), pl.col("value"))
    )
    yield Picture(
        "Groups of cards",
        "The same for categories, continents and effects: the average of their cards.",
        points(
            groups.sort(place, maintain_order=True), "row", _ENDS, Axis("VP", null=0.0), menus=["kind", "experiment"]
        ),
    )
    yield _picks_and_wins(answer["association"])


def _picks_and_wins(association: pl.DataFrame) -> Picture:
    """Draw how often cards are picked against how often those who have them win."""
    wide = association.with_columns(pl.col("rate").cast(pl.String)).pivot(
        "rate", index=["kind", "id", "name"], values="estimate"
    )
    chart = (
        alt.Chart(_kept(wide, ["kind", "name"], ["pick", "win"]))
        .mark_point(filled=True, size=50, opacity=0.8)
        .encode(
            x=alt.X("pick:Q", title="share of times it was picked", axis=alt.Axis(format="%")),
            y=alt.Y("win:Q", title="win share of who has it", axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)),
            color=alt.Color("kind:N", title=None, scale=_scale(2)),
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


# --- any other ------------------------------------------------------------------------------------------------------

_MOST_POINTS: Final = 4000
_MENUS: Final = ("measure", "group", "kind", "stage")
_COLOURED: Final = ("method", "seat")
_NOT_KEYS: Final = frozenset(
    {*_ENDS, "error", "p", "p_corrected", "games", "blocks", "meaning", "id", "freedom_1", "freedom_2", "statistic"}
)


def any_intervals(name: str, frame: pl.DataFrame) -> Iterator[Picture]:
    """Draw any frame that has estimates with intervals: menus for what it is divided by, a row for each key."""
    if not set(_ENDS) <= set(frame.columns) or frame.is_empty():
        return
    if {"group", "lineup"} <= set(frame.columns):
        frame = _pooled(frame)
    before = frame.columns[: frame.columns.index("estimate")]
    keys = [key for key in before if key not in _NOT_KEYS and frame[key].n_unique() > 1 and _is_key(frame[key])]
    menus = [key for key in _MENUS if key in keys]
    rest = [key for key in keys if key not in menus]
    colour = next((key for key in _COLOURED if key in rest and len(rest) > 1), None)
    labels = [key for key in rest if key != colour]
    texts = pl.col([*menus, *([colour] if colour else [])]).cast(pl.String).fill_null("–")
    row = pl.concat_str([pl.col(key).cast(pl.String) for key in labels], separator=" · ", ignore_nulls=True)
    shown = frame.with_columns(texts, row=row if labels else pl.lit(name))
    if len(shown) > _MOST_POINTS:
        return
    yield Picture(
        name.replace("_", " ").capitalize(),
        "Estimates with their intervals.",
        points(shown, "row", _ENDS, Axis("estimate"), colour=Colour(colour) if colour else None, menus=menus),
    )


def _is_key(series: pl.Series) -> bool:
    return not series.dtype.is_float()


_BY_QUESTION: Final[Mapping[str, Callable[[Answer], Iterator[Picture]]]] = {
    "health": _health,
    "compare": _compare,
    "actions": _actions,
    "strategies": _strategies,
    "ladder": _ladder,
    "tournament": _tournament,
    "seats": _seats,
    "coins": _coins,
    "tokens": _tokens,
    "cards": _cards,
}
