"""Whole processes: how long they take and how much memory they need at most."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

COMMAND = (sys.executable, "-c", "from analysis.cli.main import main; main()")
"""The command `encyclopedia`, in this environment."""
_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


class Ran(NamedTuple):
    """What a process took: seconds by the clock, MiB at its peak, and what it printed."""

    seconds: float
    mebibytes: float
    said: str


def ran(words: Sequence[str], environment: Mapping[str, str] | None = None) -> Ran:
    """Run `encyclopedia` with some words."""
    start = time.perf_counter()
    with subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **(environment or {})},
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, [*COMMAND, *words], said)
    return Ran(seconds, usage.ru_maxrss * _UNIT / 2**20, said)
