"""The label file: what was said to be kept is there, whatever happens."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import subprocess
import sys
import textwrap
import threading

import pytest

from guardrail.errors import UsageError
from guardrail.evaluation import read_labelled
from guardrail.service.studio.labelling.journal import Journal
from tests.support.label_files import item, said


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.labels.jsonl"


def test_labels_are_in_the_file_and_in_another_studio_at_once(path):
    one, other = Journal(path), Journal(path)
    assert not path.exists()
    one.append(item(), said("1", "s1", "supported"))
    other.append(item(), said("2", "s2", "contradicted", by="Bo"))
    for journal in (one, other):
        with journal.read() as labels:
            assert labels.people() == ["Ana", "Bo"]
    assert [answer.label.value for answer in read_labelled(path)] == ["contradicted"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_undo_is_written_too(path):
    journal = Journal(path)
    assert journal.undo("Ana", "u0", 1.0) is None
    journal.append(item(), said("1", "s1", "supported"))
    journal.append(item(), said("2", "s1", "contradicted"))
    assert journal.undo("Ana", "u1", 2.0).label == "supported"
    assert journal.undo("Ana", "u2", 3.0).label is None
    assert journal.undo("Ana", "u3", 4.0) is None
    assert [json.loads(line).get("undoes") for line in path.read_text().splitlines()] == [None] * 4 + ["2", "1"]
    with Journal(path).read() as labels:
        assert labels.said("a", "Ana") == {}


@pytest.mark.parametrize("torn", ['{"kind": "label", "key": "9"', '{"kind": "answer", "id": "é'])
def test_a_line_that_a_crash_broke_off_is_cut_off(path, torn):
    Journal(path).append(item(), said("1", "s1", "contradicted"))
    with path.open("ab") as file:
        file.write(torn.encode()[:-1])
    journal = Journal(path)  # it may be another process that is still writing
    with journal.read() as labels:
        assert len(labels.labels) == 1
    journal.append(item(), said("2", "s2", "supported"))
    assert len(path.read_text().splitlines()) == 4
    assert len(list(read_labelled(path, on_bad=pytest.fail))) == 1


def test_a_line_that_an_editor_left_without_an_end_is_kept(path):
    Journal(path).append(item(), said("1", "s1", "contradicted"))
    path.write_text(path.read_text().rstrip("\n"))
    Journal(path).append(item(), said("2", "s2", "supported"))
    with Journal(path).read() as labels:
        assert [label.key for label in labels.labels] == ["1", "2"]


def test_two_answers_with_one_id_are_refused(path):
    journal = Journal(path)
    journal.append(item(), said("1", "s1", "contradicted"))
    with pytest.raises(UsageError, match="another answer with the id 'a'"):
        journal.append(item(sentences=("Something else.",)), said("2", "s1", "supported"))
    assert len(path.read_text().splitlines()) == 3


def test_a_file_of_something_else_is_refused(path):
    path.write_text('{"answer": "x", "passages": []}\n')
    with pytest.raises(UsageError, match="line 1"):
        Journal(path)


def test_a_file_that_was_deleted_is_begun_again(path):
    journal = Journal(path)
    journal.append(item(), said("1", "s1", "contradicted"))
    path.unlink()
    with journal.read() as labels:
        assert labels.items == {}
    journal.append(item(), said("2", "s2", "contradicted"))
    assert len(path.read_text().splitlines()) == 3


def test_a_full_disk_keeps_what_was_there(path, monkeypatch):
    journal = Journal(path)
    journal.append(item(), said("1", "s1", "contradicted"))
    before, write = path.read_bytes(), os.write

    def full(handle, data):
        if len(data) > 20:
            return write(handle, data[:20])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UsageError, match="No space left"):
        journal.append(item(), said("22", "s2", "contradicted"))
    assert path.read_bytes() == before


def label_many(path, who, number):
    journal = Journal(path)
    for n in range(number):
        journal.append(item(f"{who}{n % 5}"), said(f"{who}-{n}", "s1", "supported", by=who, of=f"{who}{n % 5}"))


def test_processes_and_threads_at_once_lose_nothing(path):
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=label_many, args=(path, f"p{n}", 40)) for n in range(2)]
    for process in processes:
        process.start()
    threads = [threading.Thread(target=label_many, args=(path, f"t{n}", 40)) for n in range(3)]
    for thread in threads:
        thread.start()
    for worker in (*threads, *processes):
        worker.join()
    with Journal(path).read() as labels:
        assert sorted(label.key for label in labels.labels) == sorted(
            f"{who}-{n}" for who in ("p0", "p1", "t0", "t1", "t2") for n in range(40)
        )
    assert sum('"format"' in line for line in path.read_text().splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9")
def test_what_was_acknowledged_survives_a_kill(path):
    """Each key is printed only after ``append`` returned; the process kills itself in the middle of the next write."""
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from guardrail.service.studio.labelling.journal import Journal
        from tests.support.label_files import item, said
        journal, write = Journal(Path(sys.argv[1])), os.write
        for n in range(100):
            if n == 7:
                os.write = lambda handle, data: (write(handle, data[:30]), os.kill(os.getpid(), signal.SIGKILL))
            journal.append(item(), said(str(n), "s1", "supported"))
            print(n, flush=True)
    """)
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    journal = Journal(path)
    journal.append(item(), said("last", "s2", "supported"))
    with journal.read() as labels:
        assert [label.key for label in labels.labels] == [*done.stdout.split(), "last"]
