"""A page of any results folder: findings in plain words, charts, tables, and what all of it was computed on.

The page is one HTML file with everything in it, Vega's scripts included, and forbids itself to load anything.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import altair as alt
import jinja2
import numpy as np
import polars as pl
import vl_convert

from analysis.balance.answer import Answer, read
from analysis.balance.gauges import HealthSums, Measuring
from analysis.balance.health import findings_of
from analysis.charts.answers import pictures_of
from analysis.charts.marks import Picture
from analysis.frames import Frames
from analysis.lineups import Lineups
from analysis.results import StoredResults, open_results
from analysis.stats import estimates
from analysis.store import MANIFEST
from analysis.tournament import summarise
from analysis.version import program_version
from analysis.wording import share
from analysis.writing import part_of
from sim.config import Configuration, content_hash, load_configuration
from sim.errors import EncyclopediaError, InputError, RunError

PAGE: Final = "report.html"
_MOST_ROWS: Final = 1000
_FIRST_ROWS: Final = 200
_READ_BLOCKS: Final = 2000
_MOST_MEASURED: Final = 40_000
_TITLES: Final = {
    "tournament": "Tournament",
    "seats": "Seats",
    "coins": "Coin offsets",
    "tokens": "Round tokens",
    "cards": "Cards",
    "actions": "Restricted play",
    "strategies": "Strategies",
    "health": "Health of the game",
    "compare": "Comparison",
    "ladder": "Ladder",
}


def report(folder: str | Path, target: str | Path | None = None) -> Path:
    """Write the page of a results folder.

    Parameters
    ----------
    folder
        Holds the results of a tournament, answers to questions of balance, or both.
    target
        The page; ``report.html`` in the folder by default. One that is there is replaced.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    InputError
        If there are no results in the folder.
    RunError
        If the page cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from analysis.balance.answer import write
    >>> from analysis.compare import compare, pair_of
    >>> with tempfile.TemporaryDirectory() as place:
    ...     answer = compare(*pair_of("standard", "bank.coins=12", ["random"], players=2, games=40))
    ...     files = write(answer, place)
    ...     report(place).name
    'report.html'
    """
    answers = answers_in(folder)
    page = Path(target).expanduser() if target is not None else Path(folder).expanduser() / PAGE
    text = page_of(answers)
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        part = part_of(page)
        part.write_text(text, encoding="utf-8")
        part.replace(page)
    except OSError as error:
        raise RunError(f"{page}: cannot be written: {error.strerror or error}") from error
    return page


def answers_in(folder: str | Path) -> list[Answer]:
    """Read everything in a folder that a page can be made of.

    Parameters
    ----------
    folder
        As given to ``--out``.

    Raises
    ------
    InputError
        If there is nothing, or something is damaged.
    """
    place = Path(folder).expanduser()
    if not place.is_dir():
        raise InputError(f"{place}: no such folder")
    stored = [open_results(place)] if (place / "games.parquet").is_file() else []
    kept = [path for path in sorted(place.glob("*.json")) if path.name != MANIFEST and _is_answer(path)]
    answers = [*map(tournament_answer, stored), *(read(path.stem, place) for path in kept)]
    if not answers:
        raise InputError(
            f"{place}: no results there: neither a tournament (games.parquet) nor answers (such as seats.json)"
        )
    known = list(_TITLES)
    return sorted(answers, key=lambda each: known.index(each.question) if each.question in known else len(known))


def _is_answer(path: Path) -> bool:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(kept, dict) and {"findings", "frames", "about"} <= kept.keys()


# --- tournaments ----------------------------------------------------------------------------------------------------


def tournament_answer(stored: StoredResults) -> Answer:
    """Make of a tournament's tables what a page shows of it.

    Parameters
    ----------
    stored
        Its tables.

    Returns
    -------
    Answer
        Frames ``strategies``, ``seats``, ``lineups``, ``histogram`` (of final VP) and ``course`` (VP by round), and
        those of the game's health if its ruleset and cards can be loaded as they were.
    """
    lineups = _lineups_of(stored)
    names = _strategies_of(stored)
    summary = summarise(stored.seats, lineups)
    frames = {
        "strategies": _plain(summary.by_strategy),
        "seats": summary.by_seat,
        "lineups": _plain(summary.by_lineup),
        "histogram": _histogram(stored.seats),
        "course": _course(stored.seats),
    }
    findings = [*_of_tournament(frames, lineups.players)]
    configuration = _configuration_of(stored.about)
    if configuration is not None and stored.cards is not None:
        games = int(stored.games.select(pl.len()).collect().item())
        first = min(games, _measured_games(lineups))
        measured = _health_frames(stored, configuration, names, lineups, first)
        if first < games:
            findings.append(f"All that follows is measured on the first {first:,} of {games:,} games.")
        findings += findings_of(measured, lineups.players)
        frames |= measured
    return Answer("tournament", tuple(findings), frames, stored.about)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))


def _lineups_of(stored: StoredResults) -> Lineups:
    """Who sat beside whom, from the first seating of every line-up."""
    seats = [name for name in stored.games.collect_schema().names() if name.startswith("strategy_")]
    first = (
        stored.games.filter(pl.col("seating") == 0)
        .group_by("lineup")
        .agg(pl.col(name).first().to_physical() for name in seats)
        .sort("lineup")
        .collect()
    )
    return Lineups(first.select(seats).to_numpy().astype(np.int32))


def _strategies_of(stored: StoredResults) -> list[str]:
    kind = stored.seats.collect_schema()["strategy"]
    assert isinstance(kind, pl.Enum)
    return kind.categories.to_list()


def _histogram(seats: pl.LazyFrame) -> pl.DataFrame:
    """Share of seats by final VP in steps of five, by strategy."""
    step = 5
    counted = (
        seats.select(strategy=pl.col("strategy").cast(pl.String), vp=pl.col("total").floordiv(step) * step)
        .group_by("strategy", "vp")
        .len()
        .sort("strategy", "vp")
        .collect()
    )
    return counted.with_columns(share=pl.col("len") / pl.col("len").sum().over("strategy")).drop("len")


def _course(seats: pl.LazyFrame) -> pl.DataFrame:
    """Mean VP at ends of rounds by strategy, with intervals."""
    rounds = [
        name for name in seats.collect_schema().names() if name.startswith("vp_round_") and name != "vp_round_tokens"
    ]
    found = estimates(seats, ["strategy"], rounds)
    parts = [
        found.select(
            strategy=pl.col("strategy").cast(pl.String),
            round=pl.lit(number, dtype=pl.Int32),
            vp=name,
            vp_low=f"{name}_low",
            vp_high=f"{name}_high",
        )
        for number, name in enumerate(rounds, start=1)
    ]
    return pl.concat(parts)


def _of_tournament(frames: Mapping[str, pl.DataFrame], players: int) -> Iterator[str]:
    ordered = frames["strategies"].sort("win_share", descending=True).rows(named=True)
    by_strategy = ", ".join(f"{row['strategy']} {share(row, 'win_share')}" for row in ordered)
    yield f"Win shares; fair is {100 / players:.1f}%: {by_strategy}."
    by_seat = ", ".join(
        f"seat {row['seat']} {share(row, 'win_share')}" for row in frames["seats"].iter_rows(named=True)
    )
    yield f"By seat: {by_seat}."


def _configuration_of(about: Mapping[str, Any]) -> Configuration | None:
    """Load what was played, if it is still what it was."""
    try:
        found = load_configuration(
            about.get("ruleset", "standard"), about.get("card set", "standard"), about.get("overrides", [])
        )
    except EncyclopediaError:
        return None
    same = content_hash(found.ruleset) == about.get("ruleset hash") and content_hash(found.cards) == about.get(
        "cards hash"
    )
    return found if same else None


def _health_frames(
    stored: StoredResults, configuration: Configuration, names: Sequence[str], lineups: Lineups, games: int
) -> dict[str, pl.DataFrame]:
    """Measure the first of the stored games."""
    assert stored.cards is not None
    sums, task = HealthSums(configuration, names, lineups), Measuring(configuration)
    step = _read_together(lineups)
    for start in range(0, games, step):
        wanted = (pl.col("game") >= start) & (pl.col("game") < start + step)
        frames = Frames(*(table.filter(wanted).collect() for table in (stored.games, stored.seats, stored.cards)))
        sums.add(task(frames))
    return sums.frames()


def _read_together(lineups: Lineups) -> int:
    return max(_READ_BLOCKS // lineups.round_games, 1) * lineups.round_games


def _measured_games(lineups: Lineups) -> int:
    """Most games of a tournament that are measured: whole blocks of every line-up."""
    step = _read_together(lineups)
    return max(_MOST_MEASURED // step, 1) * step


# --- the page -------------------------------------------------------------------------------------------------------


def page_of(answers: Sequence[Answer]) -> str:
    """Make the page of some answers.

    Parameters
    ----------
    answers
        At least one.

    Returns
    -------
    str
        An HTML document that holds everything it needs.
    """
    specs: dict[str, Any] = {}
    parts = [_part(answer, specs) for answer in answers]
    titles = [part["title"] for part in parts]
    template = jinja2.Environment(autoescape=True, trim_blocks=False).from_string(
        files("analysis").joinpath("templates", "report.html").read_text(encoding="utf-8")
    )
    return template.render(
        title="Encyclopedia: " + ", ".join(title[:1].lower() + title[1:] for title in titles),
        subtitle=_subtitle(_common(answers)),
        parts=parts,
        library=_library(),
        # No text in it can end the script element that it stands in.
        specs=json.dumps(specs, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        version=program_version(),
    )


_GLOBALS: Final = "window.vegaEmbed = vegaEmbed;"
"""What the page needs of the scripts."""


@functools.cache
def _library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script."""
    return re.sub("</(?=script)", r"<\\/", vl_convert.javascript_bundle(_GLOBALS), flags=re.IGNORECASE)


def _common(answers: Sequence[Answer]) -> dict[str, Any]:
    """Keep what all answers were computed on."""
    first, *others = (answer.about for answer in answers)
    return {key: value for key, value in first.items() if all(about.get(key) == value for about in others)}


def _subtitle(about: Mapping[str, Any]) -> str:
    strategies = about.get("strategies") or []
    parts = [
        f"{about['players']} players" if "players" in about else "",
        f"{about['games']:,} games" if isinstance(about.get("games"), int) else "",
        f"ruleset {about['ruleset']}" if "ruleset" in about else "",
        f"strategies {', '.join(strategies)}" if strategies else "",
    ]
    return " · ".join(part for part in parts if part)


def _part(answer: Answer, specs: dict[str, Any]) -> dict[str, Any]:
    """Everything the template needs of one answer; charts are added to `specs`."""
    charts = []
    for number, picture in enumerate(pictures_of(answer)):
        anchor = f"chart-{answer.question}-{number}"
        specs[anchor] = _spec(picture)
        charts.append({"anchor": anchor, "title": picture.title, "caption": picture.caption})
    return {
        "anchor": answer.question,
        "title": _TITLES.get(answer.question, answer.question.replace("_", " ").capitalize()),
        "findings": answer.findings,
        "charts": charts,
        "tables": [_table(name, frame) for name, frame in answer.frames.items() if len(frame)],
        "command": answer.about.get("command", ""),
        "about": list(_flat({key: value for key, value in answer.about.items() if key != "command"})),
    }


def _spec(picture: Picture) -> dict[str, Any]:
    """Vega-Lite specification of a chart, its data included."""
    chart = picture.chart.configure(
        font='system-ui, "Segoe UI", Roboto, Arial, sans-serif',
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            gridColor="#e8edf2", domainColor="#9aa7b4", tickColor="#9aa7b4", labelFontSize=12, titleFontSize=12
        ),
        legend=alt.LegendConfig(labelFontSize=12, labelLimit=260, titleFontSize=12),
    )
    with alt.data_transformers.enable("default", max_rows=None):
        return dict(chart.to_dict())


# --- tables ---------------------------------------------------------------------------------------------------------


def _table(name: str, frame: pl.DataFrame) -> dict[str, Any]:
    """Rows of a frame as cells; estimates with their intervals in one cell."""
    columns = list(_columns(frame))
    count = f"{len(frame):,} rows"
    if len(frame) > _MOST_ROWS:
        count = f"the first {_FIRST_ROWS} of {count}"
        frame = frame.head(_FIRST_ROWS)
    rows = [[_cell(row, column) for column in columns] for row in frame.iter_rows(named=True)]
    heads = [{"name": column.replace("_", " "), "number": frame.schema[column].is_numeric()} for column, *_ in columns]
    return {"title": name.replace("_", " "), "count": count, "columns": heads, "rows": rows}


def _columns(frame: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Columns to show, each with those of its lower and upper end, if it has any."""
    names = set(frame.columns)
    for name in frame.columns:
        if name.endswith(("_low", "_high", "_error")) or name in ("low", "high", "error"):
            continue
        if {f"{name}_low", f"{name}_high"} <= names:
            yield name, f"{name}_low", f"{name}_high"
        elif name in ("estimate", "difference", "balance") and {"low", "high"} <= names:
            yield name, "low", "high"
        else:
            yield name, "", ""


def _cell(row: Mapping[str, Any], column: tuple[str, str, str]) -> dict[str, Any]:
    name, low, high = column
    value = row[name]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = _written(value)
    if low and row[low] is not None:
        text += f" ({_written(row[low])} – {_written(row[high])})"
    return {"text": text, "number": number, "sort": value if number and math.isfinite(value) else None}


def _written(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        if value == 0 or 1e-3 <= abs(value) < 1e6:
            return f"{value:,.3f}".rstrip("0").rstrip(".") if abs(value) < 100 else f"{value:,.1f}"
        return f"{value:.1e}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _flat(about: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Everything said about an answer, one line each."""
    for key, value in about.items():
        if isinstance(value, Mapping) and above == "weights: ":
            # A strategy has dozens of weights: a line a strategy.
            yield f"{above}{key}", ", ".join(f"{name} {weight:g}" for name, weight in value.items()) or "none"
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}: ")
        elif isinstance(value, list | tuple):
            if value:
                yield f"{above}{key}", ", ".join(map(str, value))
        elif value is not None and value != "":
            yield (
                f"{above}{key}",
                f"{value:,}" if isinstance(value, int) and value >= 10_000 and key != "seed" else str(value),
            )
