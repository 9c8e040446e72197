"""Many games at once: what strategies share, and what happens to those that do not come back."""

import threading
import time
from collections import deque
from concurrent.futures import Future

import numpy as np
import pytest

from sim import layout as lay
from sim.batch import Batch, Player, Results, Schedule, StrategyError
from sim.config import load_configuration
from sim.game import Arena, Game
from sim.identity import ROOT, code_hash, playing_hash
from sim.tables import build_tables
from tests.strategies_for_tests import players as bots

PLAYERS = 2
GAMES = 6


def schedule(who: int) -> Schedule:
    return Schedule(np.arange(GAMES), np.arange(GAMES), np.full((GAMES, PLAYERS), who, dtype=np.int32))


def batch(players: list[Player], **options: float) -> Batch:
    return Batch(build_tables(load_configuration(), PLAYERS), players, 7, threads=1, **options)


def test_a_strategy_sees_its_own_weights_whoever_else_is_there() -> None:
    three = bots.make_player(bots.by_the_row, weights=[0.0] * 3)
    wide = bots.make_player(bots.first, weights=[1.0] * 40)
    alone, among = [three], [wide, three, wide]
    one = batch(alone).play(schedule(0))
    other = batch(among).play(schedule(1))
    assert (one.seats == other.seats).all()
    two = bots.make_player(bots.by_the_row, weights=[0.0] * 2)
    assert (batch([two]).play(schedule(0)).seats != one.seats).any()


def test_a_game_can_be_stepped_after_others_were_played_whole() -> None:
    """With bounds checks, arrays were once given back too often by what was compiled first in another way."""
    first = bots.make_player(bots.first)
    played = batch([first]).play(schedule(0))
    for luck in range(GAMES):
        game = Game(load_configuration(), PLAYERS, 7, luck)
        while not game.over:
            game.choose(0)
        assert game.arena.record[lay.REC_SEATS] == played.seats[0, luck * PLAYERS]


@pytest.mark.compiled
def test_who_writes_into_what_all_games_read_is_refused() -> None:
    scribbler = bots.make_player(bots.scribbler)
    with pytest.raises(StrategyError, match="'scribbler' changed tables"):
        batch([scribbler]).play(schedule(0))


def test_a_long_game_is_no_endless_one_while_decisions_come_back() -> None:
    players = [bots.make_player(bots.first)]
    patient = batch(players, patience=0.6)
    progress, future, arena = np.zeros(2, dtype=np.int64), Future[Results](), Arena(patient.tables)
    future.set_running_or_notify_cancel()
    patient._arenas[id(progress)] = arena
    wanted = patient.play(schedule(0))

    def decide() -> None:
        for _ in range(15):
            arena.record[lay.REC_PLIES] += 1
            time.sleep(0.1)
        future.set_result(wanted)

    threading.Thread(target=decide).start()
    assert patient._wait(deque([(schedule(0), progress, future)])) is wanted


def test_a_changed_line_anywhere_is_another_program(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    for name in ("sim/tables.py", "strategies/random_play.py", "strategies/weights/greedy.toml"):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr("sim.identity.ROOT", tmp_path)
    code_hash.cache_clear()
    seen = [playing_hash()]
    for name in ("sim/tables.py", "strategies/random_play.py", "strategies/weights/greedy.toml"):
        with (tmp_path / name).open("a") as file:
            file.write("# changed\n")
        code_hash.cache_clear()
        seen.append(playing_hash())
    code_hash.cache_clear()
    assert len(set(seen)) == len(seen)
