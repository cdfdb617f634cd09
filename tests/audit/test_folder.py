"""The folder of an audit: whole after any end, and nobody else's."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from guardrail.audit import audit
from guardrail.audit.folder import AuditFolder
from guardrail.errors import UsageError
from tests.support.audited import LethalEngine, ids, logged, run_audit, table, write_lines

pytest.importorskip("pyarrow")

ROOT = Path(__file__).parents[2]
RUN = """
import sys
from guardrail.audit import audit
from tests.support.audited import LethalEngine
audit(sys.argv[1], sys.argv[2], engine=LethalEngine(sys.argv[3]), workers=0, batch=8)
"""


def killed_at(log, out, fatal):
    done = subprocess.run([sys.executable, "-c", RUN, str(log), str(out), fatal], cwd=ROOT, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL


def test_lots_are_moved_while_it_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.audit.folder.LOT", 20)
    run_audit(write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(100)]), tmp_path / "out")
    with AuditFolder(tmp_path / "out") as folder:
        assert len(folder.files("judgements")) == 5
    assert len(ids(tmp_path / "out")) == 100


def test_a_full_disk_at_any_file_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.audit.folder.LOT", 20)
    log = write_lines(tmp_path / "log.jsonl", [logged(n) for n in range(60)])
    sync, left = os.fsync, [0]

    def full(handle):
        left[0] -= 1
        if left[0] == 0:
            raise OSError(28, "No space left on device")
        sync(handle)

    monkeypatch.setattr("os.fsync", full)
    for at in (1, 2, 3):
        left[0] = at
        with pytest.raises(OSError, match="No space"):
            run_audit(log, tmp_path / "out")
    done = run_audit(log, tmp_path / "out")
    assert done.finished
    assert ids(tmp_path / "out") == {f"a{n}": 1 for n in range(60)}
    assert len(table(tmp_path / "out", "judgements")) == 60


def test_two_audits_do_not_share_a_folder(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(1)])
    with AuditFolder(tmp_path / "out", writes=True), pytest.raises(UsageError, match="another audit is at work"):
        run_audit(log, tmp_path / "out")
    assert run_audit(log, tmp_path / "out").written == 1


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(1)])
    with pytest.raises(UsageError, match="not empty"):
        run_audit(log, tmp_path)
    with pytest.raises(UsageError, match="no folder of an audit"):
        AuditFolder(tmp_path)


def test_new_files_and_their_folders_are_on_disk_before_the_journal_names_them(tmp_path, monkeypatch):
    synced = []
    sync = os.fsync

    def note(handle):
        synced.append(Path(f"/proc/self/fd/{handle}").readlink() if Path("/proc/self/fd").exists() else None)
        sync(handle)

    monkeypatch.setattr("os.fsync", note)
    run_audit(write_lines(tmp_path / "log.jsonl", [logged(1)]), tmp_path / "out")
    if None in synced:
        pytest.skip("needs /proc")
    with AuditFolder(tmp_path / "out") as folder:
        for file in folder.files("answers"):
            assert {file, file.parent, file.parent.parent, file.parent.parent.parent} <= set(synced)


@pytest.mark.clock
@pytest.mark.slow
def test_kill_minus_nine_loses_at_most_a_batch(tmp_path):
    log = write_lines(tmp_path / "log.jsonl", [logged(n, bad=n % 9 == 0) for n in range(100)])
    for at in (3, 30, 77):
        killed_at(log, tmp_path / "out", f"Valve {at} ")
    left = audit(log, tmp_path / "out", engine=LethalEngine(), workers=0, batch=8)
    assert left.judged == 100 - 72  # what was committed before number 77: nine batches of eight
    assert ids(tmp_path / "out") == {f"a{n}": 1 for n in range(100)}
    assert len({row["content"] for row in table(tmp_path / "out", "judgements")}) == 100
