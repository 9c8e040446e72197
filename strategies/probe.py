"""A strategy tried in a process of its own first, so that one that never returns cannot hang the run.

Compiled code in an endless loop cannot be interrupted; a process can be ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import sim
from sim.batch import StrategyError
from sim.config import Configuration, content_hash, load_configuration
from sim.errors import InputError
from sim.identity import playing_hash
from sim.jit import CACHE_BASE
from strategies import trial as trials
from strategies.api import contents, is_outside
from strategies.trial import Outcome, Setting, Trial

PATIENCE: Final = 10.0
"""Seconds that one decision may take."""
LOADING: Final = 180.0
"""Seconds that importing and compiling a strategy, and the engine where it is not compiled yet, may take."""
GAMES: Final = 4
"""Games a probe plays for each number of players."""
_POLL: Final = 0.05


def probe(
    specs: Iterable[str],
    configuration: Configuration | None = None,
    players: Sequence[int] | None = None,
    *,
    patience: float = PATIENCE,
    games: int = GAMES,
) -> list[str]:
    """Try strategies from outside before they play in this process; built-in ones are passed over.

    What passed is remembered by the contents of strategy, engine and configuration, and not tried again.

    Parameters
    ----------
    specs
        Any strategies.
    configuration
        Ruleset and card set they will play; the standard ones by default.
    players
        Numbers of players; every one the ruleset allows by default.
    patience
        Seconds a decision may take.
    games
        Games for each number of players.

    Returns
    -------
    list
        The specs that were tried now.

    Raises
    ------
    InputError
        If a strategy cannot be loaded.
    StrategyError
        If it breaks the contract of strategies; the message names it, the seat and the game.

    Examples
    --------
    >>> probe(["random", "balanced"])
    []
    """
    configuration = configuration or load_configuration()
    rules = configuration.ruleset.players
    numbers = tuple(players or range(rules.fewest, rules.most + 1))
    tried = []
    for spec in dict.fromkeys(specs):
        mark = _mark(spec, configuration, numbers) if is_outside(spec) else None
        if mark is None or mark.exists():
            continue
        settings = tuple(Setting(f"{number} players", configuration, number, games) for number in numbers)
        outcome = watched(Trial(spec, settings), patience=patience)
        for rule, what in outcome.faults:
            if rule == "loads":
                raise InputError(what)
            raise StrategyError(f"strategy {spec!r}: {what}")
        tried.append(spec)
        _remember(mark)
    return tried


def _mark(spec: str, configuration: Configuration, players: Sequence[int]) -> Path:
    """File whose being there says that a strategy has passed; named without running any of its code."""
    parts = [
        json.dumps(contents(spec), sort_keys=True), content_hash(configuration), str(players),
        playing_hash(),
    ]  # fmt: skip
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
    return (CACHE_BASE or Path(tempfile.gettempdir())) / "probed" / digest


def _remember(mark: Path) -> None:
    if CACHE_BASE is not None:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def watched(trial: Trial, *, patience: float = PATIENCE, compiler: bool = True) -> Outcome:
    """Run a trial in a process of its own, and end it when a decision does not come back.

    Parameters
    ----------
    trial
        What to play.
    patience
        Seconds a decision may take.
    compiler
        False plays in pure Python, where reading outside an array is an error that names the line.

    Returns
    -------
    Outcome
        What was found; a strategy that never returns is a fault of the rule ``returns``.

    Raises
    ------
    StrategyError
        If the process dies by itself.
    """
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder) / "progress"
        progress = trials.shared_progress(shared)
        question, answer, said = (Path(folder) / name for name in ("question", "answer", "said"))
        question.write_bytes(pickle.dumps(trial))
        with question.open("rb") as come, answer.open("wb") as go, said.open("wb") as cry:
            process = subprocess.Popen(
                [sys.executable, "-m", trials.__name__, str(shared)],
                stdin=come, stdout=go, stderr=cry, env=_environment(compiler),
            )  # fmt: skip
            stuck = _watch(process, progress, patience)
        if stuck:
            return _stuck(trial, progress, patience)
        if process.returncode != 0:
            last = said.read_text(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise StrategyError(f"strategy {trial.spec!r}: its process ended with {process.returncode}: {last[0]}")
        faults = json.loads(answer.read_text())
        return Outcome(**{**faults, "faults": [tuple(fault) for fault in faults["faults"]]})


def _environment(compiler: bool) -> dict[str, str]:
    """Environment in which the child finds this project wherever it runs."""
    root = str(Path(sim.__file__).resolve().parent.parent)
    path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH", "")) if part)
    return {**os.environ, "PYTHONPATH": path, **({} if compiler else {"NUMBA_DISABLE_JIT": "1"})}


def _watch(process: subprocess.Popen[bytes], progress: NDArray[np.int64], patience: float) -> bool:
    """Wait for a trial to end; end it, and say so, if it stands still for too long."""
    try:
        return _stands_still(process, progress, patience)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _stands_still(process: subprocess.Popen[bytes], progress: NDArray[np.int64], patience: float) -> bool:
    seen, since = progress.copy(), time.monotonic()
    while process.poll() is None:
        time.sleep(_POLL)
        if not np.array_equal(seen, progress):
            seen, since = progress.copy(), time.monotonic()
        elif time.monotonic() - since > (LOADING if progress[trials.STAGE] == trials.LOADING else patience):
            return True
    return False


def _stuck(trial: Trial, progress: NDArray[np.int64], patience: float) -> Outcome:
    setting = trial.settings[int(progress[trials.SETTING])]
    if progress[trials.STAGE] == trials.LOADING:
        return Outcome([("loads", f"strategy {trial.spec!r}: loading it took longer than {LOADING:.0f} s")])
    place = trials.where(setting.label, *(int(progress[cell]) for cell in (trials.GAME, trials.SEAT, trials.KIND)))
    return Outcome([("returns", f"no decision came back for {patience:g} s, {place}")])
