"""What a terminal shows while something goes on: a spinner for compiling, a bar for games. All of it on stderr."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

Advance = Callable[[int], None]

FIRST_USE = "First use: compiling the engine for this machine, about 15 seconds; from then on it starts at once"


def console() -> Console:
    """Return the console for what is no result."""
    return Console(stderr=True)


@contextlib.contextmanager
def spinner(message: str, quiet: bool = False) -> Iterator[None]:
    """Show that something is going on that cannot be counted."""
    screen = console()
    if quiet or not screen.is_terminal:
        yield
        return
    with screen.status(message):
        yield


@contextlib.contextmanager
def telling(message: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show what is going on, and take what is next."""
    screen = console()
    if quiet or not screen.is_terminal:
        yield lambda text: None
        return
    with screen.status(message) as status:
        yield status.update


@contextlib.contextmanager
def getting_ready(quiet: bool = False) -> Iterator[None]:
    """Show what goes on while strategies are loaded and the engine is loaded or compiled."""
    from sim.jit import COMPILED, is_cached  # noqa: PLC0415 - slow to import

    first = COMPILED and not is_cached()
    screen = console()
    if first and not quiet and not screen.is_terminal:
        screen.print(FIRST_USE, soft_wrap=True)
    with spinner(FIRST_USE if first else "Loading", quiet):
        yield


class _Speed(ProgressColumn):
    """Games a second since the start, not counting what earlier sittings played."""

    def render(self, task: Task) -> Text:
        speed = task.fields.get("speed")
        return Text(f"{speed:,.0f} games/s" if speed else "", style="progress.data.speed")


class GamesProgress:
    """Counts games and shows how many, how quickly, and how long it will take.

    Parameters
    ----------
    games
        How many there will be.
    quiet
        Show nothing; neither is anything shown where stderr is not a terminal.
    """

    def __init__(self, games: int, quiet: bool = False, description: str = "Playing") -> None:
        self.quiet = quiet
        self.played = 0
        self.found = 0
        self._start = time.monotonic()
        self._stop: float | None = None
        screen = console()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            _Speed(),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=screen,
            disable=quiet or not screen.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task(description, total=games)

    def __enter__(self) -> GamesProgress:
        self._bar.start()
        self._start = time.monotonic()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._stop = time.monotonic()
        self._bar.stop()

    @property
    def seconds(self) -> float:
        """Seconds from the start to the end, or until now."""
        return (self._stop or time.monotonic()) - self._start

    @property
    def per_second(self) -> float:
        """Games played a second."""
        return self.played / max(self.seconds, 1e-6)

    def expect(self, games: int) -> None:
        """Take note of how many games there will be in all."""
        self._bar.update(self._task, total=games)

    def find(self, games: int) -> None:
        """Count games that an earlier sitting played."""
        self.found += games
        self._bar.update(self._task, advance=games)

    def describe(self, text: str) -> None:
        """Say what is being done."""
        self._bar.update(self._task, description=text)

    def joining(self) -> None:
        """Say that the games have been played and their files are being put together."""
        self._bar.update(self._task, description="Joining")

    def advance(self, games: int) -> None:
        """Count games."""
        self.played += games
        self._bar.update(self._task, advance=games, speed=self.per_second)
