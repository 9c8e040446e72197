"""What all tests share: markers, modes and the standard game."""

import os

import pytest
from hypothesis import HealthCheck, settings

from sim.config import Configuration, load_configuration
from sim.jit import COMPILED

_SHARED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fast", max_examples=25, derandomize=True, **_SHARED)
settings.register_profile("long", max_examples=1000, **_SHARED)
settings.register_profile("interpreted", max_examples=8, derandomize=True, **_SHARED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast" if COMPILED else "interpreted"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "compiled: too slow without compiled code; skipped with NUMBA_DISABLE_JIT=1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if COMPILED:
        return
    skip = pytest.mark.skip(reason="needs compiled code to be fast enough")
    for item in items:
        if item.get_closest_marker("compiled"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def standard() -> Configuration:
    """The standard ruleset and card set."""
    return load_configuration()
