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
    chart: alt.Chart | alt.LayerChart | alt.HConcatChart | alt.VConcatChart


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
) -> alt.LayerChart:
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
    frame = frame.with_columns(pl.col([label, *menus, *([colour.column] if colour else [])]).cast(pl.String))
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
    longest = int(frame[label].str.len_chars().max() or 0)  # type: ignore[call-overload]
    return WIDTH - max(int(min(longest * _LETTER, _LONGEST_LABEL)) - 120, 0)


def _height(frame: pl.DataFrame, label: str, menus: Sequence[str], colour: Colour | None) -> int:
    """Height for the most rows that are shown at a time."""
    count = pl.col(label).n_unique()
    rows = int((frame.group_by(menus).agg(count) if menus else frame.select(count))[label].max() or 1)  # type: ignore[call-overload]
    groups = frame[colour.column].n_unique() if colour is not None and colour.beside else 1
    return rows * ((_ROW if rows <= _MANY else 15) if groups == 1 else 12 * groups + 8)


_MANY: Final = 20


def lines(
    frame: pl.DataFrame, x: str, names: tuple[str, str, str], axis: Axis, colour: str, x_title: str
) -> alt.LayerChart:
    """Draw lines with bands over whole numbers, one for each colour; a click in the legend brings one forward."""
    value, low, high = names
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


def stacked(frame: pl.DataFrame, label: str, part: str, value: str, title: str) -> alt.Chart:
    """Draw shares of a whole as stacked bars, one a label; a click in the legend brings a part forward."""
    chosen = alt.selection_point(fields=[part], bind="legend")
    shown = frame.filter(pl.col(value) > 0)
    ends = [name for name in (f"{value}_low", f"{value}_high") if name in frame.columns]
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


def grid(
    frame: pl.DataFrame, row: str, column: str, value: str, *, middle: float | None, share: bool
) -> alt.LayerChart:
    """Draw a table of numbers as coloured cells."""
    order = frame[row].unique(maintain_order=True).to_list()
    there = set(frame[column])
    across = [name for name in order if name in there] + [name for name in there if name not in order]
    ends = [name for name in (f"{value}_low", f"{value}_high") if name in frame.columns]
    style = ".1%" if share else ".1f"
    if middle is None:
        # Pale enough for dark letters.
        scale = alt.Scale(scheme="blues", domain=[0, 2 * float(frame[value].max() or 1.0)])  # type: ignore[arg-type]
    else:
        scale = alt.Scale(scheme="purplegreen", domainMid=middle, domain=[0, 1] if share else alt.Undefined)
    base = alt.Chart(frame).encode(
        y=alt.Y(f"{row}:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        x=alt.X(f"{column}:N", sort=across, title=None, axis=alt.Axis(labelAngle=-40, labelLimit=200, orient="top")),
        tooltip=[row, column, *(alt.Tooltip(f"{name}:Q", format=style) for name in (value, *ends))],
    )
    cells = base.mark_rect(stroke="white").encode(color=alt.Color(f"{value}:Q", scale=scale, legend=None))
    words = base.mark_text(fontSize=11).encode(
        text=alt.Text(f"{value}:Q", format=".0%" if share else ".0f"), color=_readable(value, middle, share)
    )
    width = min(WIDTH, max(60 * len(across), 120))
    return alt.layer(cells, words).properties(width=width, height=30 * len(order))


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


# --- any other ------------------------------------------------------------------------------------------------------

_MENUS: Final = ("measure", "group", "kind", "stage")
_COLOURED: Final = ("method", "seat")
_NOT_KEYS: Final = frozenset(
    {*_ENDS, "error", "p", "p_corrected", "games", "blocks", "meaning", "id", "freedom_1", "freedom_2", "statistic"}
)


def any_intervals(name: str, frame: pl.DataFrame) -> Iterator[Picture]:
    """Draw any frame that has estimates with intervals: menus for what it is divided by, a row for each key."""
    if not set(_ENDS) <= set(frame.columns) or frame.is_empty():
        return
    before = frame.columns[: frame.columns.index("estimate")]
    keys = [key for key in before if key not in _NOT_KEYS and frame[key].n_unique() > 1 and _is_key(frame[key])]
    menus = [key for key in _MENUS if key in keys]
    rest = [key for key in keys if key not in menus]
    colour = next((key for key in _COLOURED if key in rest and len(rest) > 1), None)
    labels = [key for key in rest if key != colour]
    texts = pl.col([*menus, *([colour] if colour else [])]).cast(pl.String).fill_null("–")
    row = pl.concat_str([pl.col(key).cast(pl.String) for key in labels], separator=" · ", ignore_nulls=True)
    shown = frame.with_columns(texts, row=row if labels else pl.lit(name))
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
}
