"""How a forecast looks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.cli.tables import console, duration, size, table
from analysis.planning import Forecast, forecast
from sim.batch import available_cores

if TYPE_CHECKING:
    from analysis.runs import Plan


def print_forecast(plan: Plan, threads: int | None = None, precision: float | None = None) -> None:
    """Measure and print what a run will take.

    Parameters
    ----------
    plan
        The run.
    threads
        Games played at the same time.
    precision
        Half-width of the win share's interval that is wanted, as a share.
    """
    found = forecast(plan)
    cores = threads or available_cores()
    rows = _rows(found, cores)
    if precision is not None:
        rows += _rows_of_precision(found, cores, precision, plan)
    console().print(table("Plan", ["", ""], rows, left=2, caption=f"from {found.sampled:,} games played on one core"))


def _rows(found: Forecast, cores: int) -> list[list[str]]:
    widths = ", ".join(f"{name} ±{_points(width)}" for name, width in found.half_widths.items())
    sizes = ", ".join(f"{name} {size(count * found.games)}" for name, count in found.bytes_per_game.items())
    return [
        ["games", f"{found.games:,}"],
        ["shards", f"{found.shards:,}"],
        ["on disk", f"{size(found.bytes)} ({sizes}); {size(found.peak_bytes)} while shards are joined"],
        ["games a second", f"{1 / found.seconds_per_game:,.0f} a core"],
        ["core-hours", _hours(found.core_seconds / 3600)],
        ["time", f"{duration(found.core_seconds / cores)} on {cores} core{'s' if cores > 1 else ''}"],
        ["win share, 95%", widths],
    ]


def _hours(hours: float) -> str:
    return f"{hours:,.2f}" if hours >= 0.01 else "less than 0.01"


def _points(share: float) -> str:
    """Write half the width of an interval; however narrow, with the digits that count."""
    return f"{100 * share:#.2g}%".replace(".%", "%")


def _rows_of_precision(found: Forecast, cores: int, precision: float, plan: Plan) -> list[list[str]]:
    games = plan.lineups.rounded_up(found.games_for(precision))
    time = duration(games * found.seconds_per_game / cores)
    return [[f"for ±{100 * precision:g}%", f"{games:,} games, {time}"]]
