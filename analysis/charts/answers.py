"""Which charts go with which answer.

Every chart has a title that says what it shows and a caption that says how to read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import polars as pl

from analysis.balance.answer import Answer
from analysis.charts import balance, game, players
from analysis.charts.marks import (
    ENDS,
    Axis,
    Colour,
    Picture,
    points,
    pooled,
)


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


_MOST_POINTS: Final = 4000


_MENUS: Final = ("measure", "group", "kind", "stage")


_COLOURED: Final = ("method", "seat")


_NOT_KEYS: Final = frozenset(
    {*ENDS, "error", "p", "p_corrected", "games", "blocks", "meaning", "id", "freedom_1", "freedom_2", "statistic"}
)


def any_intervals(name: str, frame: pl.DataFrame) -> Iterator[Picture]:
    """Draw any frame that has estimates with intervals: menus for what it is divided by, a row for each key."""
    if not set(ENDS) <= set(frame.columns) or frame.is_empty():
        return
    if {"group", "lineup"} <= set(frame.columns):
        frame = pooled(frame)
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
        points(shown, "row", ENDS, Axis("estimate"), colour=Colour(colour) if colour else None, menus=menus),
    )


def _is_key(series: pl.Series) -> bool:
    return not series.dtype.is_float()


_BY_QUESTION: Final[Mapping[str, Callable[[Answer], Iterator[Picture]]]] = {
    "health": game.of_health,
    "compare": game.of_compare,
    "actions": players.of_actions,
    "strategies": players.of_strategies,
    "ladder": players.of_ladder,
    "tournament": game.of_tournament,
    "seats": balance.of_seats,
    "coins": balance.of_coins,
    "tokens": balance.of_tokens,
    "cards": balance.of_cards,
}
