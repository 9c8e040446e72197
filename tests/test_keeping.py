"""Questions whose games are kept: cut off anywhere, resumed, and answered the same."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from polars.testing import assert_frame_equal

from analysis.balance.answer import Answer, read
from analysis.balance.precision import Precision
from analysis.balance.seats import seat_balance
from analysis.balance.tokens import token_balance
from analysis.cli.main import run
from analysis.identity import identity_of
from analysis.journal import Journal
from analysis.keeping import KeepingExecutor, keeping
from analysis.runs import LocalExecutor, Plan
from analysis.tournament import make_plan
from sim.errors import InputError, RunError

pytestmark = pytest.mark.compiled


class CutError(Exception):
    """Stands for whatever ends a run."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(["greedy", "random"], players=2, games=600, seed=5)


def answered(folder: Path, plan: Plan, ask: Callable[..., Answer], entries: int | None = None, **how: Any) -> Answer:
    """Answer a question, or be cut off when so many shards have been kept in this sitting."""
    with keeping(folder, "question", identity_of(plan, {}), LocalExecutor(2), **how) as executor:
        if entries is not None:
            cut_after(executor, entries)
        return ask(plan, executor=executor)


def cut_after(executor: KeepingExecutor, entries: int) -> None:
    journal = executor._journal
    add, added = journal.add, []

    def limited(key: bytes, value: bytes) -> None:
        if len(added) == entries:
            raise CutError
        added.append(key)
        add(key, value)

    journal.add = limited  # type: ignore[method-assign]


def assert_same(found: Answer, wanted: Answer) -> None:
    assert found.findings == wanted.findings
    assert found.about == wanted.about
    assert found.frames.keys() == wanted.frames.keys()
    for name, frame in found.frames.items():
        assert_frame_equal(frame, wanted[name])


def precise(plan: Plan, **how: Any) -> Answer:
    return seat_balance(plan, Precision(0.01, "pp"), **how)


@pytest.mark.parametrize(
    ("ask", "cuts"), [(token_balance, (1, 2, 0, 3)), (precise, (1, 0, 1))], ids=["paired", "precision"]
)
def test_an_answer_that_was_cut_off_ends_the_same(
    tmp_path: Path, plan: Plan, ask: Callable[..., Answer], cuts: tuple[int, ...]
) -> None:
    for entries in cuts:
        with pytest.raises(CutError):
            answered(tmp_path, plan, ask, entries, resume=True)
    assert (tmp_path / "question.run").exists()
    counted: list[int] = []
    assert_same(answered(tmp_path, plan, ask, resume=True, found=counted.append), ask(plan))
    assert len(counted) == sum(cuts), "what was kept is not played again"
    assert not (tmp_path / "question.run").exists()


def test_a_torn_or_damaged_end_is_played_again(tmp_path: Path, plan: Plan) -> None:
    with pytest.raises(CutError):
        answered(tmp_path, plan, token_balance, 4)
    file = tmp_path / "question.run"
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    for data in (whole[:-7], bytes(damaged), whole[:3], b""):
        file.write_bytes(data)
        assert_same(answered(tmp_path, plan, token_balance, resume=True), token_balance(plan))


def test_another_run_is_not_gone_on_with(tmp_path: Path, plan: Plan) -> None:
    with pytest.raises(CutError):
        answered(tmp_path, plan, token_balance, 1)
    with pytest.raises(InputError, match=r"--resume goes on with it, --overwrite throws it away"):
        answered(tmp_path, plan, token_balance)
    other = make_plan(["greedy", "random"], players=2, games=600, seed=6)
    for resume in (True, False):
        with pytest.raises(InputError, match="seed: 5 there, 6 now; choose another folder") as refused:
            answered(tmp_path, other, token_balance, resume=resume)
        assert "--resume" not in str(refused.value)
    assert_same(answered(tmp_path, other, token_balance, overwrite=True), token_balance(other))


def test_a_run_that_never_began_leaves_nothing(tmp_path: Path, plan: Plan) -> None:
    with pytest.raises(CutError):
        answered(tmp_path, plan, token_balance, 0)
    assert not (tmp_path / "question.run").exists()


def test_the_second_process_is_refused(tmp_path: Path, plan: Plan) -> None:
    with FileLock(tmp_path / ".question.lock"), pytest.raises(RunError, match="another process"):
        answered(tmp_path, plan, token_balance)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "question.run").mkdir()
    with pytest.raises(RunError, match=r"question.run: cannot be written"):
        Journal(tmp_path / "question.run")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    journal = Journal(tmp_path / "journal")
    journal.add(b"a", b"1")
    whole = journal._file
    journal._file = Path("/dev/full").open("r+b")  # noqa: SIM115 - closed with the journal
    with pytest.raises(RunError, match="No space left on device; what was finished is kept"):
        journal.add(b"b", b"2")
    journal._file = whole
    journal.close()
    again = Journal(tmp_path / "journal")
    assert again.get(b"a") == b"1"
    again.close()


def test_the_commands_take_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["balance", "seats", "random", "--players", "2", "--games", "40", "--quiet"]
    assert run([*words, "--resume"]) == 2
    assert "give --out" in capsys.readouterr().err
    assert run([*words, "--out", str(tmp_path), "--resume"]) == 0
    assert read("seats", tmp_path).about["games"] == 40
    assert json.loads((tmp_path / "seats.json").read_text())["about"]["question"] == "seats"
    written = (tmp_path / "seats.json").stat().st_mtime_ns
    assert run([*words, "--out", str(tmp_path), "--resume"]) == 0
    assert "Frames are in" in capsys.readouterr().out
    assert (tmp_path / "seats.json").stat().st_mtime_ns == written, "a complete answer is shown, not played again"
    assert run([*words, "--out", str(tmp_path), "--resume", "--seed", "3"]) == 2
    assert "seed: 0 there, 3 now" in capsys.readouterr().err
    assert run([*words, "--out", str(tmp_path), "--resume", "--games", "60"]) == 2
    assert "another run" in capsys.readouterr().err
    for command in (["balance", "actions"], ["balance", "health"], ["compare", "a", "b"], ["ladder"]):
        assert run([*command, "--resume"]) == 2, "known everywhere"
        assert "give --out" in capsys.readouterr().err or command[0] == "compare"
