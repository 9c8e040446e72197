"""Runs on a real Dask cluster: processes on loopback that play, die, and run other programs."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from analysis import distributed
from analysis.balance.seats import seat_balance
from analysis.cli.main import run
from analysis.columns import TABLES
from analysis.distributed import DaskExecutor, dask_executor, packed, play_shard
from analysis.frames import Frames
from analysis.runs import LocalExecutor, Plan, ignore, run_games
from analysis.shards import encode
from analysis.tournament import make_plan
from analysis.tuning.search import tune
from analysis.tuning.task import make_tuning
from sim.errors import RunError
from tests.test_tournament import POOL

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("dask")]

TUNABLE = """
from strategies.declare import Weight, strategy


@strategy(weights={"idle": Weight(0.5, 0.0, 1.0)})
def mine(state, tables, actions, count, random, weights):
    return int(weights[0] * (count - 1))
"""
BOT = "def mine(state, tables, actions, count, random, weights):\n    return count - 1\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskExecutor]:
    with dask_executor(2) as executor:
        yield executor


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """A plan with a strategy from a file that is gone by the time it is played."""
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    made = make_plan([*POOL, f"{bot}:mine"], players=2, games=240, seed=7)
    return replace(made, shard_games=20)


def frames_of(plan: Plan, executor: DaskExecutor | LocalExecutor) -> Frames:
    return Frames.concatenated(list(run_games(plan, executor)))


def assert_equal(found: Frames, wanted: Frames) -> None:
    for table in TABLES:
        assert_frame_equal(found.table(table), wanted.table(table))


def test_worker_processes_give_the_frames_of_threads(cluster: DaskExecutor, plan: Plan) -> None:
    assert cluster.workers == 2
    counted = []
    found = Frames.concatenated(list(run_games(plan, cluster, counted.append)))
    assert sum(counted) == plan.games
    assert_equal(found, frames_of(plan, LocalExecutor(2)))


def test_what_is_done_with_frames_is_done_on_the_worker(cluster: DaskExecutor, plan: Plan) -> None:
    kept = dict(cluster.map(plan, [3, 5], _process, lambda shard, process: process, ignore))
    assert set(kept) == {3, 5}
    assert os.getpid() not in kept.values()


def _process(frames: Frames) -> int:
    del frames
    return os.getpid()


def test_a_plan_travels_as_bytes(plan: Plan) -> None:
    message = packed(plan, 60)
    assert len(message) < 100_000
    direct = dict(LocalExecutor(1).map(plan, [2], encode, lambda shard, tables: tables, ignore))
    assert play_shard(message, 2, encode) == direct[2]


def test_a_failing_strategy_is_named(cluster: DaskExecutor) -> None:
    bad = str(Path(__file__).parent / "strategies_for_tests" / "players.py") + ":out_of_range"
    with pytest.raises(RunError, match=r"out_of_range' in seat \d of game \d+"):
        frames_of(make_plan([bad], players=2, games=8), cluster)


def test_workers_with_another_program_are_refused(
    cluster: DaskExecutor, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "program_version", lambda: "9.9")
    with pytest.raises(RunError, match=r"worker tcp://127.0.0.1:\d+ runs program version .*here it is 9.9"):
        frames_of(plan, cluster)


def test_a_worker_that_joins_later_with_another_program_is_refused(
    cluster: DaskExecutor, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "program_version", lambda: "9.9")
    monkeypatch.setattr(DaskExecutor, "check_versions", lambda self: None)
    with pytest.raises(RunError, match=r"worker tcp://.* runs program version .* was begun with 9.9"):
        frames_of(plan, cluster)


def test_a_worker_that_dies_costs_only_its_unfinished_shards(plan: Plan) -> None:
    played = []
    with dask_executor(2) as executor:
        pids = executor.client.run(os.getpid)
        for number, frames in executor.map(plan, range(plan.shards), _itself, _both, ignore):
            if not played:
                os.kill(next(iter(pids.values())), signal.SIGKILL)
            played.append((number, frames))
    assert sorted(number for number, _ in played) == list(range(plan.shards)), "every shard once"
    found = Frames.concatenated([frames for _, frames in sorted(played, key=lambda pair: pair[0])])
    assert_equal(found, frames_of(plan, LocalExecutor(2)))


def _itself(frames: Frames) -> Frames:
    return frames


def _both(shard: int, frames: Frames) -> Frames:
    del shard
    return frames


def test_a_tuning_on_worker_processes_ends_as_in_threads(cluster: DaskExecutor, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(TUNABLE)
    tuning = make_tuning(f"{bot}:mine", ["greedy", "random"], 3, 1, tables=3, population=4)
    here = tune(tuning, 2, check_tables=3)
    there = tune(tuning, 2, check_tables=3, executor=cluster)
    assert there.generations == here.generations
    assert there.checks == here.checks
    assert there.weights == here.weights


def test_an_answer_on_worker_processes_is_that_of_threads(cluster: DaskExecutor) -> None:
    plan = make_plan(POOL, players=2, games=240, seed=7)
    here, there = seat_balance(plan), seat_balance(plan, executor=cluster)
    assert there.findings == here.findings
    for name, frame in here.frames.items():
        assert_frame_equal(there[name], frame)


def test_a_tournament_runs_on_a_scheduler(
    cluster: DaskExecutor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = cluster.client.scheduler.address
    words = ["tournament", *POOL, "--games", "48", "--quiet"]
    assert run([*words, "--scheduler", address, "--out", str(tmp_path)]) == 0
    there = capsys.readouterr().out
    assert run(words) == 0
    here = capsys.readouterr().out
    assert there.split("48 games of")[0] == here.split("48 games of")[0]


def test_a_scheduler_that_is_not_there_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "_CONNECT_SECONDS", 1)
    assert run(["tournament", "random", "--games", "8", "--scheduler", "tcp://127.0.0.1:9"]) == 1
    assert "no Dask scheduler answers there" in capsys.readouterr().err
