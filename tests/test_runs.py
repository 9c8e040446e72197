"""Runs that are cut off, resumed, damaged, contended and out of space."""

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from filelock import FileLock
from polars.testing import assert_frame_equal

from analysis import identity, store
from analysis.columns import TABLES
from analysis.identity import identity_of
from analysis.results import open_results
from analysis.runs import LocalExecutor, Plan
from analysis.shards import SHARDS, Tables
from analysis.store import COMPLETE, INTERRUPTED, MANIFEST, RunFolder, hold
from analysis.tournament import make_plan, tournament
from sim.errors import InputError, RunError
from tests.test_tournament import FIRST, POOL

pytestmark = pytest.mark.compiled

GAMES = 480
COMMAND = "encyclopedia tournament …"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return replace(make_plan(POOL, players=4, games=GAMES, seed=7), shard_games=48)


@pytest.fixture(scope="module")
def wanted() -> dict[str, pl.DataFrame]:
    """What the run must end with, played in memory."""
    played = tournament(POOL, players=4, games=GAMES, seed=7)
    return {table: getattr(played, table) for table in TABLES}


class CutError(Exception):
    """Stands for whatever ends a run."""


def cut_after(shards: int) -> Callable[[RunFolder], None]:
    """Return what makes a folder end the run after so many shards have been kept."""

    def prepare(run: RunFolder) -> None:
        keep = run.keep

        def keep_and_count(shard: int, tables: Tables) -> None:
            if len(run.finished) == shards:
                raise CutError
            keep(shard, tables)

        run.keep = keep_and_count  # type: ignore[method-assign]

    return prepare


def play(folder: Path, plan: Plan, prepare: Callable[[RunFolder], None] | None = None, **how: Any) -> RunFolder:
    with hold(folder, plan, identity_of(plan, {}), command=COMMAND, **how) as run:
        if prepare:
            prepare(run)
        if run.state != COMPLETE:
            store.play(run, plan, LocalExecutor(2))
    return run


def cut_off(folder: Path, plan: Plan, shards: int = 4) -> None:
    with pytest.raises(CutError):
        play(folder, plan, cut_after(shards))


def assert_complete(folder: Path, wanted: dict[str, pl.DataFrame]) -> None:
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [".lock", MANIFEST, *(f"{table}.parquet" for table in TABLES)]
    )
    for table in TABLES:
        assert_frame_equal(pl.read_parquet(folder / f"{table}.parquet"), wanted[table])


def shards_of(folder: Path) -> list[Path]:
    return sorted((folder / SHARDS).iterdir())


# --- one sitting, several sittings ----------------------------------------------------------------------------------


def test_a_run_leaves_the_frames_that_memory_holds(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    play(tmp_path / "a" / "b", plan)
    assert_complete(tmp_path / "a" / "b", wanted)
    found = open_results(tmp_path / "a" / "b")
    assert_frame_equal(found.seats.collect(), wanted["seats"])
    assert found.about["seed"] == 7
    assert found.about["strategies"] == list(POOL)
    assert found.about["command"] == COMMAND
    assert {"program version", "engine", "ruleset hash", "cards hash", "schema version"} <= found.about.keys()


def test_a_run_that_was_cut_off_goes_on_without_playing_anything_twice(
    tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]
) -> None:
    cut_off(tmp_path, plan)
    assert json.loads((tmp_path / MANIFEST).read_text())["state"] == INTERRUPTED
    assert len(shards_of(tmp_path)) == 4
    # What is there can be looked at already.
    assert_frame_equal(pl.read_parquet(tmp_path / "games.parquet"), wanted["games"][: 4 * 48])
    kept = []

    def watch(run: RunFolder) -> None:
        assert run.finished == {0, 1, 2, 3}
        assert run.games_there(plan) == 4 * 48
        keep = run.keep
        run.keep = lambda shard, tables: (kept.append(shard), keep(shard, tables))[1]  # type: ignore[method-assign]

    play(tmp_path, plan, watch, resume=True)
    assert kept == list(range(4, 10))
    assert_complete(tmp_path, wanted)


def test_a_run_may_be_cut_off_again_and_again(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    cut_off(tmp_path, plan, 1)
    for shards in (3, 4, 9):
        with pytest.raises(CutError):
            play(tmp_path, plan, cut_after(shards), resume=True)
    play(tmp_path, plan, resume=True)
    assert_complete(tmp_path, wanted)


def test_a_complete_run_is_not_played_again(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    play(tmp_path, plan)
    before = (tmp_path / "seats.parquet").stat().st_mtime_ns
    assert play(tmp_path, plan, cut_after(0), resume=True).state == COMPLETE
    assert (tmp_path / "seats.parquet").stat().st_mtime_ns == before
    # Unless a file is gone or shorter.
    (tmp_path / "seats.parquet").unlink()
    play(tmp_path, plan, resume=True)
    assert_complete(tmp_path, wanted)


def test_the_folder_keeps_its_own_shards(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    cut_off(tmp_path, plan)
    play(tmp_path, replace(plan, shard_games=100), resume=True)
    assert_complete(tmp_path, wanted)


def test_resume_begins_a_run_that_is_not_there(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    play(tmp_path, plan, resume=True)
    assert_complete(tmp_path, wanted)


def test_cards_may_be_left_out(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    play(tmp_path, replace(plan, record_cards=False))
    assert not (tmp_path / "cards.parquet").exists()
    assert open_results(tmp_path).cards is None
    assert_frame_equal(open_results(tmp_path).seats.collect(), wanted["seats"])


def test_results_of_a_part_say_so(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    cut_off(tmp_path, plan)
    about = open_results(tmp_path).about
    assert (about["games"], about["games planned"]) == (4 * 48, GAMES)
    earlier = (tmp_path / "seats.parquet").read_bytes()
    play(tmp_path, plan, resume=True)
    assert "games planned" not in open_results(tmp_path).about
    (tmp_path / "seats.parquet").write_bytes(earlier)
    with pytest.raises(InputError, match=r"seats.parquet: of other games than games.parquet"):
        open_results(tmp_path)
    play(tmp_path, plan, resume=True)
    assert_complete(tmp_path, wanted)


def test_shards_that_a_complete_run_did_not_come_to_remove_go(
    tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]
) -> None:
    play(tmp_path, plan)
    (tmp_path / SHARDS / "000003").mkdir(parents=True)
    play(tmp_path, plan, cut_after(0), resume=True)
    assert_complete(tmp_path, wanted)


# --- damage ---------------------------------------------------------------------------------------------------------


def truncate(shard: Path) -> None:
    with (shard / "cards.parquet").open("r+b") as file:
        file.truncate(100)


def flip_a_bit(shard: Path) -> None:
    data = bytearray((shard / "seats.parquet").read_bytes())
    data[len(data) // 2] ^= 1
    (shard / "seats.parquet").write_bytes(bytes(data))


def remove_a_table(shard: Path) -> None:
    (shard / "games.parquet").unlink()


def remove_the_note(shard: Path) -> None:
    (shard / "shard.json").unlink()


def spoil_the_note(shard: Path) -> None:
    (shard / "shard.json").write_text("{")


def rename(shard: Path) -> None:
    shard.rename(shard.with_name("000009"))


@pytest.mark.parametrize("damage", [truncate, flip_a_bit, remove_a_table, remove_the_note, spoil_the_note, rename])
def test_damaged_shards_are_found_and_played_again(
    tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame], damage: Callable[[Path], None]
) -> None:
    cut_off(tmp_path, plan)
    damage(shards_of(tmp_path)[1])
    run = play(tmp_path, plan, resume=True)
    assert run.damaged == [9 if damage is rename else 1]
    assert_complete(tmp_path, wanted)


def test_half_written_shards_and_strangers_are_swept_away(
    tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]
) -> None:
    cut_off(tmp_path, plan)
    shutil.copytree(shards_of(tmp_path)[0], tmp_path / SHARDS / "000007.part")
    (tmp_path / SHARDS / "notes").mkdir()
    run = play(tmp_path, plan, resume=True)
    assert run.damaged == []
    assert_complete(tmp_path, wanted)


def test_a_damaged_manifest_is_said(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    cut_off(tmp_path, plan)
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(InputError, match=r"damaged.*--overwrite"):
        play(tmp_path, plan, resume=True)
    play(tmp_path, plan, overwrite=True)
    assert_complete(tmp_path, wanted)


# --- another run, another process -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 8}, "seed: 7 there, 8 now"),
        ({"games": GAMES * 2}, "games: 480 there, 960 now"),
        ({"record_cards": False}, "record cards: true there, false now"),
        ({"overrides": ["bank.coins=6"]}, 'ruleset hash: "[0-9a-f]+" there, "[0-9a-f]+" now'),
        ({"overrides": ["experts.7.amount=3"]}, 'cards hash: "[0-9a-f]+" there, "[0-9a-f]+" now'),
        ({"strategies": ["random"]}, "strategies: .* now"),
        ({"lineups": "mixed", "games": GAMES}, "lineup members"),
    ],
)
def test_another_run_is_not_resumed(tmp_path: Path, plan: Plan, changes: dict[str, Any], said: str) -> None:
    cut_off(tmp_path, plan)
    arguments = {"strategies": POOL, "players": 4, "games": GAMES, "seed": 7, **changes}
    with pytest.raises(InputError, match=said):
        play(tmp_path, make_plan(**arguments), resume=True)
    assert len(shards_of(tmp_path)) == 4


def test_another_program_is_not_let_go_on(tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(tmp_path, plan)
    monkeypatch.setattr(identity, "program_version", lambda: "9.9")
    with pytest.raises(InputError, match=r'program version: ".*" there, "9.9" now'):
        play(tmp_path, plan, resume=True)


def test_a_changed_strategy_file_is_noticed(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def mine(state, tables, actions, count, random, weights):\n    return 0\n")
    first = make_plan([f"{bot}:mine"], players=2, games=20)
    cut_off(tmp_path / "out", replace(first, shard_games=4))
    bot.write_text("def mine(state, tables, actions, count, random, weights):\n    return count - 1\n")
    with pytest.raises(InputError, match=r"code of strategy .*bot.py:mine"):
        play(tmp_path / "out", make_plan([f"{bot}:mine"], players=2, games=20), resume=True)


def test_results_are_not_overwritten_unasked(tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame]) -> None:
    play(tmp_path, plan)
    with pytest.raises(InputError, match="--resume goes on with them, --overwrite throws them away"):
        play(tmp_path, plan)
    with pytest.raises(InputError, match=r"seed: \d+ there, 99 now; choose another folder, or --overwrite") as refused:
        play(tmp_path, replace(plan, seed=99))
    assert "--resume" not in str(refused.value)
    (tmp_path / "notes.txt").write_text("mine")
    play(tmp_path, plan, overwrite=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    (tmp_path / "notes.txt").unlink()
    assert_complete(tmp_path, wanted)


def test_files_that_are_no_results_are_left_alone(tmp_path: Path, plan: Plan) -> None:
    (tmp_path / "games.parquet").write_text("my own games")
    with pytest.raises(InputError, match=r"holds games.parquet"):
        play(tmp_path, plan)
    assert (tmp_path / "games.parquet").read_text() == "my own games"


def test_the_second_process_is_refused(tmp_path: Path, plan: Plan) -> None:
    with FileLock(tmp_path / ".lock"), pytest.raises(RunError, match="another process"):
        play(tmp_path, plan)


# --- the disk -------------------------------------------------------------------------------------------------------


def full_disk_after(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let writing fail after some files."""
    write, written = Path.write_bytes, []

    def limited(path: Path, data: bytes) -> int:
        written.append(path)
        if len(written) > count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", limited)


def test_a_full_disk_is_said_and_costs_nothing_finished(
    tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        full_disk_after(3 * 3 + 1, patch)
        with pytest.raises(RunError, match="cannot be written: No space left on device; what was finished is kept"):
            play(tmp_path, plan)
    assert [path.name for path in shards_of(tmp_path)] == ["000000", "000001", "000002"]
    run = play(tmp_path, plan, resume=True)
    assert run.damaged == []
    assert_complete(tmp_path, wanted)


def test_a_disk_that_is_full_when_shards_are_joined_keeps_them(
    tmp_path: Path, plan: Plan, wanted: dict[str, pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(store, "join", fail)
        with pytest.raises(RunError, match="No space left"):
            play(tmp_path, plan)
    assert len(shards_of(tmp_path)) == 10
    assert json.loads((tmp_path / MANIFEST).read_text())["state"] == INTERRUPTED
    assert not list(tmp_path.glob("*.parquet*"))
    play(tmp_path, plan, cut_after(10), resume=True)
    assert_complete(tmp_path, wanted)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, plan: Plan) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        play(tmp_path / "file" / "results", plan)


def test_results_that_are_not_there_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no results there"):
        open_results(tmp_path)
    for table in ("games", "seats"):
        pl.DataFrame({"a": [1]}).write_parquet(tmp_path / f"{table}.parquet")
    with pytest.raises(InputError, match="not a results file"):
        open_results(tmp_path)


# --- whole processes ------------------------------------------------------------------------------------------------


def encyclopedia(*words: str) -> list[str]:
    return [sys.executable, "-c", "from analysis.cli.main import main; main()", *words]


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start processes, each with a group of its own, that do not outlive the test."""
    processes: list[subprocess.Popen[str]] = []

    def start(*words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            encyclopedia(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    """End a process and all that it started, without a word."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


LONG = ("tournament", "random", FIRST, "--seed", "7", "--no-cards", "--quiet")


def some_shards(folder: Path, count: int) -> Callable[[], bool]:
    return lambda: (folder / SHARDS).is_dir() and len(list((folder / SHARDS).glob("*/shard.json"))) >= count


def test_a_disk_that_fills_up_ends_a_process_with_a_clear_word(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    out = tmp_path / "out"

    def limit() -> None:
        # Writing beyond it fails as on a full disk.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    words = encyclopedia("tournament", "random", "--games", "16384", "--quiet", "--out", str(out))
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, preexec_fn=limit)
    assert done.returncode == 1
    assert "cannot be written: File too large; what was finished is kept" in done.stderr
    assert f"--out {out} --resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((out / MANIFEST).read_text())["state"] == INTERRUPTED
    done = subprocess.run([*words, "--resume"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert pl.scan_parquet(out / "games.parquet").select(pl.len()).collect().item() == 16_384


def test_two_processes_on_one_folder(tmp_path: Path, started: Callable[..., subprocess.Popen[str]]) -> None:
    words = [*LONG, "--games", "4000000", "--out", str(tmp_path)]
    started(*words)
    wait_for((tmp_path / MANIFEST).exists)
    for option in ("--resume", "--overwrite"):
        second = started(*words, option)
        _, said = second.communicate(timeout=60)
        assert second.returncode == 1
        assert f"{tmp_path}: another process is writing results there" in said


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(
    tmp_path: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    process = started(*LONG, "--games", "98304", "--out", str(tmp_path))
    wait_for(some_shards(tmp_path, 1))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    # On an idle machine it takes a fraction of a second.
    assert process.returncode == 130
    assert "go on with:" in said
    assert f"--out {tmp_path} --resume" in said
    assert "Traceback" not in said
    assert pl.scan_parquet(tmp_path / "games.parquet").select(pl.len()).collect().item() >= 8192


def last_change(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def seconds_of(start: Callable[..., subprocess.Popen[str]], words: Sequence[str], begun: Path) -> float:
    """Let a command run to its end, and time it from its first word on the disk."""
    process = start(*words)
    wait_for(lambda: process.poll() is not None or begun.exists())
    since = time.monotonic()
    assert process.wait(timeout=600) == 0
    return time.monotonic() - since


def killed_at_random(
    start: Callable[..., subprocess.Popen[str]], words: Sequence[str], kills: int, begun: Path, seconds: float
) -> int:
    """Start a command with --resume and kill it at a random moment, again and again, then let it end.

    Two kills of three come after its first word on the disk, within `seconds`; one while it is getting ready.

    Returns
    -------
    int
        How many processes were killed before they had ended.
    """
    chance, killed = random.Random(f"{words} {kills}"), 0
    for attempt in range(kills):
        before = last_change(begun)
        process = start(*words, "--resume")
        if attempt % 3 < 2:
            while process.poll() is None and last_change(begun) == before:
                time.sleep(0.01)
            time.sleep(seconds * chance.random())
        else:
            time.sleep(2 * chance.random())
        running = process.poll() is None
        kill(process)
        killed += running and process.returncode == -signal.SIGKILL
    process = start(*words, "--resume")
    _, said = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return killed


@pytest.mark.parametrize(
    ("kills", "games", "how"),
    [
        (3, 32_768, ("--threads", "2")),
        pytest.param(10, 400_000, ("--threads", "2"), marks=pytest.mark.slow),
        pytest.param(10, 400_000, ("--workers", "2"), marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
    ],
    ids=["three times", "ten times", "ten times with workers"],
)
def test_killed_again_and_again_it_ends_with_the_same_frames(
    tmp_path: Path, started: Callable[..., subprocess.Popen[str]], kills: int, games: int, how: tuple[str, ...]
) -> None:
    words = [*LONG, "--games", str(games), *how]
    share = seconds_of(started, [*words, "--out", str(tmp_path / "once")], tmp_path / "once" / MANIFEST) / kills
    often = tmp_path / "often"
    killed = killed_at_random(started, [*words, "--out", str(often)], kills, often / MANIFEST, share)
    assert killed >= kills // 2
    for table in ("games", "seats"):
        assert_frame_equal(
            pl.read_parquet(often / f"{table}.parquet"), pl.read_parquet(tmp_path / "once" / f"{table}.parquet")
        )
    assert sorted(path.name for path in often.iterdir()) == [".lock", "games.parquet", MANIFEST, "seats.parquet"]


QUESTION = ("balance", "tokens", "greedy", "random", "--seed", "7", "--quiet")
TUNING = ("tune", "balanced", "--against", "greedy", "--players", "2", "--only", "coin,token", "--seed", "7", "--quiet")


@pytest.mark.parametrize(
    ("kills", "scale"), [(2, 1), pytest.param(10, 5, marks=pytest.mark.slow)], ids=["twice", "ten times"]
)
def test_an_answer_and_a_tuning_that_are_killed_end_the_same(
    tmp_path: Path, started: Callable[..., subprocess.Popen[str]], kills: int, scale: int
) -> None:
    once, often = tmp_path / "once", tmp_path / "often"
    question = [*QUESTION, "--games", str(8000 * scale)]
    tuning = [*TUNING, "--generations", str(6 * scale), "--tables", "100", "--check-tables", "100"]
    for words, file, kept in (
        (question, "", "tokens.run"),
        (tuning, "w.toml", "w.toml.2-players.tuning.json"),
    ):
        share = seconds_of(started, [*words, "--out", str(once / file)], once / kept) / kills
        assert killed_at_random(started, [*words, "--out", str(often / file)], kills, often / kept, share)
    for path in once.glob("*.parquet"):
        assert_frame_equal(pl.read_parquet(often / path.name), pl.read_parquet(path))
    findings = [json.loads((folder / "tokens.json").read_text())["findings"] for folder in (once, often)]
    assert findings[0] == findings[1]
    weights = [tomllib.loads((folder / "w.toml").read_text())["players"] for folder in (once, often)]
    assert weights[0] == weights[1]
