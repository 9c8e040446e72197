"""What charts are made of: points with intervals, lines, shares that add up, grids.

Intervals are drawn wherever a frame has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import polars as pl

WIDTH: Final = 620
ROW: Final = 22

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
    frame = kept(frame, words, [*names, *(extra or {})])
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
    scale = scale_of(len(values))
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
    return rows * ((ROW if rows <= _MANY else 15) if groups == 1 else 12 * groups + 8)


_MANY: Final = 20


def _most_rows(frame: pl.DataFrame, label: str, menus: Sequence[str]) -> int:
    """Count the labels of the largest part that a choice from menus shows."""
    if not menus:
        return frame[label].n_unique()
    return max(part[label].n_unique() for _, part in frame.group_by(menus))


def lines(frame: pl.DataFrame, x: str, names: tuple[str, str, str], axis: Axis, colour: str, x_title: str) -> Drawn:
    """Draw lines with bands over whole numbers, one for each colour; a click in the legend brings one forward."""
    value, low, high = names
    frame = kept(frame, [x, colour], names)
    chosen = alt.selection_point(fields=[colour], bind="legend")
    base = alt.Chart(frame).encode(
        x=alt.X(f"{x}:O", title=x_title, axis=alt.Axis(labelAngle=0)),
        color=alt.Color(f"{colour}:N", title=None, scale=scale_of(frame[colour].n_unique()), sort=None),
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
    shown = kept(frame, [label, part], [value, *ends]).filter(pl.col(value) > 0)
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
    frame = kept(frame, [row, column], [value, *ends])
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


def scale_of(count: int) -> alt.Scale:
    """Choose colours for so many things."""
    return alt.Scale(range=list(COLOURS)) if count <= len(COLOURS) else alt.Scale(scheme="tableau20")


def _axis_format(axis: Axis) -> str | Any:
    return "%" if axis.share else alt.Undefined


def kept(frame: pl.DataFrame, words: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
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


def stacked_columns(frame: pl.DataFrame, keys: Sequence[str], names: Mapping[str, str]) -> pl.DataFrame:
    """Stack wide columns with their ends: ``what``, ``estimate``, ``low``, ``high``."""
    parts = [
        frame.select(*keys, what=pl.lit(words), estimate=name, low=f"{name}_low", high=f"{name}_high")
        for name, words in names.items()
    ]
    return pl.concat(parts)


ENDS: Final = ("estimate", "low", "high")
"""Columns of an estimate and the ends of its interval."""


def pooled(frame: pl.DataFrame) -> pl.DataFrame:
    """Leave the widest group of line-ups: all of them."""
    first = frame.row(0, named=True)
    return frame.filter(pl.col("group") == first["group"], pl.col("lineup").eq_missing(first["lineup"]))


def total_first(frame: pl.DataFrame) -> pl.DataFrame:
    """Put the rows of mean VP first, so that a menu begins with them."""
    return frame.sort(pl.col("metric") != "total", maintain_order=True)


def words_of(column: str) -> pl.Expr:
    """Names of columns as words."""
    return pl.col(column).str.replace("^vp_", "").str.replace_all("_", " ")
