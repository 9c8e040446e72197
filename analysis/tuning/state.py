"""The file in which a run is kept, so that one that was cut off can be resumed."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from analysis.tuning.task import Tuning
from analysis.writing import held, write_text
from sim.errors import InputError


@dataclass(frozen=True)
class Generation:
    """What one generation achieved: mean leads of each candidate, of the old weights and of the mean, all 0 … 1."""

    candidates: tuple[float, ...]
    old: float
    mean: float


def holding(path: str | Path | None) -> contextlib.AbstractContextManager[None]:
    """Keep other processes from the file in which a run is kept.

    Raises
    ------
    RunError
        If another process holds it already.
    """
    if path is None:
        return contextlib.nullcontext()
    file = Path(path).expanduser()
    return held(file.parent, f".{file.name}.lock")


class State:
    """The file in which a run is kept: what it is, and what every generation achieved."""

    def __init__(self, tuning: Tuning, path: str | Path | None, resume: bool) -> None:
        self._path = Path(path).expanduser() if path else None
        self._identity = tuning.identity() if path else {}
        self._found: list[Generation] = []
        if self._path is None or not self._path.exists():
            return
        if not resume:
            raise InputError(f"{self._path}: a tuning is kept there; go on with it (--resume), or remove the file")
        self._found = self._read(self._path)

    def _read(self, path: Path) -> list[Generation]:
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            identity, generations = data["identity"], data["generations"]
            found = [
                Generation(tuple(map(float, each["candidates"])), each["old"], each["mean"]) for each in generations
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}: not a tuning that can be resumed ({type(error).__name__})") from None
        for what, value in self._identity.items():
            if identity.get(what) != value:
                raise InputError(f"{path}: {what} was {identity.get(what)!r} there and is {value!r} now")
        return found

    def found(self, number: int) -> Generation | None:
        """Return what an earlier sitting achieved in a generation, if it came that far."""
        return self._found[number] if number < len(self._found) else None

    def keep(self, number: int, generation: Generation) -> None:
        """Write the file anew, with one more generation."""
        if self._path is None or number < len(self._found):
            return
        self._found.append(generation)
        data = {"identity": self._identity, "generations": [vars(each) for each in self._found]}
        write_text(self._path, json.dumps(data, indent=1))
