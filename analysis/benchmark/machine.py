"""Where a benchmark was made: facts that its figures depend on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

from analysis.version import engine_hash, program_version
from sim.batch import available_cores

_PACKAGES: Final = ("numba", "llvmlite", "numpy", "polars")
_CPU_FACTS: Final = Path("/proc/cpuinfo")


def facts() -> dict[str, str | int | float]:
    """Return facts about machine and program, by what they are called in words.

    Examples
    --------
    >>> facts()["cores in use"] >= 1
    True
    """
    return {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "cores in use": available_cores(),
        "load before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in _PACKAGES},
        "program version": program_version(),
        "engine": engine_hash(),
    }


def _processor() -> str:
    """Name the processor, as well as the system can."""
    if _CPU_FACTS.is_file():
        for line in _CPU_FACTS.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"
