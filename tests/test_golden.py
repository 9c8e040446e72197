"""Fixed games go as they went when their summaries were written (`python -m tests.regenerate golden`)."""

import pytest

from tests.golden import BATCHES, GAMES, GOLDEN, FixedGame, batch_summary, summary


def on_file(name: str) -> str:
    return (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("fixed", GAMES, ids=[fixed.name for fixed in GAMES])
def test_games(fixed: FixedGame) -> None:
    assert summary(fixed) == on_file(fixed.name)


@pytest.mark.compiled
@pytest.mark.parametrize(("cards", "players"), BATCHES)
def test_batches(cards: str, players: int) -> None:
    found = batch_summary(cards, players)
    assert found in on_file("batches").splitlines(keepends=True)
    assert batch_summary(cards, players, threads=1, size=1000) == found
