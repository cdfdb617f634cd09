"""The cache on disk: what is remembered and forgotten, by several processes, and that nothing that breaks reaches the caller."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sqlite3
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from guardrail.engines.llm.caches.disk import FILE, DiskCache
from guardrail.errors import ConfigurationError

TEXT = '{"verdict": "supported", "quote": "大坝高六十四米 \\" \u2028 \x00 🙂"}'


def test_disk_outlives_the_object(tmp_path):
    """Any text comes back as it was, in a new cache on the same folder."""
    first = DiskCache(tmp_path)
    first.set("k", TEXT)
    first.set("k2", "old")
    first.set("k2", "new")
    first.close()
    second = DiskCache(tmp_path)
    assert (second.get("k"), second.get("k2"), second.get("other")) == (TEXT, "new", None)
    second.close()


def test_disk_files_are_for_the_owner_alone(disk):
    """Folder 0700; the file and SQLite's side files 0600."""
    disk.set("k", "v")
    assert stat.S_IMODE(disk.folder.stat().st_mode) == 0o700
    names = {path.name: stat.S_IMODE(path.stat().st_mode) for path in disk.folder.iterdir()}
    assert set(names) == {FILE, FILE + "-wal", FILE + "-shm"}
    assert set(names.values()) == {0o600}


def test_disk_forgets_the_oldest(tmp_path):
    """Never more than its entries, and the newest stay."""
    cache = DiskCache(tmp_path, entries=10)
    for number in range(25):
        cache.set(str(number), "v")
    assert [n for n in range(25) if cache.get(str(n))] == list(range(15, 25))
    cache.close()


def test_disk_forgets_by_age(tmp_path, monkeypatch):
    """A text older than max_age is a miss; set again it is new."""
    now = [1e9]
    monkeypatch.setattr("guardrail.engines.llm.caches.disk.time", SimpleNamespace(time=lambda: now[0]))
    cache = DiskCache(tmp_path, max_age=100)
    cache.set("k", "v")
    assert cache.get("k") == "v"
    now[0] += 101
    assert cache.get("k") is None
    cache.set("k", "v2")
    assert cache.get("k") == "v2"
    cache.close()


def test_disk_is_shared_by_threads(disk):
    """One object, many threads; each reads what it wrote."""

    def work(number):
        for step in range(50):
            disk.set(f"{number}-{step}", f"{number}.{step}")
            assert disk.get(f"{number}-{step}") == f"{number}.{step}"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def _fill(folder, number, ready):
    cache = DiskCache(folder)
    ready.wait(30)
    for step in range(100):
        cache.set(f"{number}-{step}", f"{number}.{step}")
    cache.close()


def test_disk_is_shared_by_processes(tmp_path):
    """Four processes that open an empty folder and write at once: next to nothing is lost, nothing is wrong."""
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Barrier(4)
    workers = [spawn.Process(target=_fill, args=(tmp_path, number, ready)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    cache = DiskCache(tmp_path)
    found = {(n, s): cache.get(f"{n}-{s}") for n in range(4) for s in range(100)}
    cache.close()
    assert all(value in {None, f"{n}.{s}"} for (n, s), value in found.items())
    assert sum(value is not None for value in found.values()) >= 390
    assert not list(tmp_path.glob("*.corrupt*"))


def test_a_process_that_makes_the_file_just_now_is_waited_for(disk, monkeypatch):
    """SQLite waits where it writes, but not where it switches to WAL: processes that start at once met there."""
    monkeypatch.setattr("guardrail.engines.llm.caches.disk._BUSY_SECONDS", 30.0)
    other = sqlite3.connect(disk.folder / FILE, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE begun (number INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    end = threading.Timer(0.05, lambda: other.execute("COMMIT"))
    end.start()
    try:
        disk.set("key", "text")
    finally:
        end.join()
        other.close()
    assert disk.get("key") == "text"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_disk_works_on_both_sides_of_a_fork(disk):
    """A web server forks after its import: the child must not use its parent's connection."""
    disk.set("before", "1")
    child = os.fork()
    if child == 0:
        good = disk.get("before") == "1"
        disk.set("child", "2")
        good = good and disk.get("child") == "2" and disk._link.process == os.getpid()
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (disk.get("before"), disk.get("child")) == ("1", "2")


@pytest.mark.parametrize(
    "spoil", [b"not a database, but long enough to be read as one" * 100, b"SQLite format 3\x00" * 400]
)
def test_a_corrupt_file_is_moved_aside(tmp_path, caplog, spoil):
    """One miss, one warning, and from then on a new file; the old one is kept."""
    (tmp_path / FILE).write_bytes(spoil)
    cache = DiskCache(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert cache.get("k") is None
    assert "moved aside" in caplog.text
    cache.set("k", "v")
    assert cache.get("k") == "v"
    assert (tmp_path / f"{FILE}.corrupt").read_bytes() == spoil
    cache.close()


def test_a_file_that_breaks_while_open_is_moved_aside(tmp_path):
    """Pages overwritten behind our back are misses, then a new file."""
    cache = DiskCache(tmp_path)
    for number in range(400):
        cache.set(str(number), "v" * 200)
    cache.close()  # all pages are in the file now
    path = tmp_path / FILE
    cache.get("none")  # open
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)
    values = [cache.get(str(number)) for number in range(400)]
    assert set(values) <= {None, "v" * 200}
    assert None in values
    cache.set("k", "v")
    assert cache.get("k") == "v"
    assert (tmp_path / f"{FILE}.corrupt").exists()
    cache.close()


def test_values_that_are_not_text_are_misses(disk):
    """Somebody else's row is never handed on."""
    disk.set("k", "v")
    with sqlite3.connect(disk.folder / FILE) as other:
        other.execute("INSERT INTO verdicts (key, value, stored) VALUES ('blob', x'8004', 9e9)")
    other.close()
    assert disk.get("blob") is None
    assert disk.get("k") == "v"


def test_text_that_no_file_can_hold_is_not_kept(disk):
    """Lone surrogates: no exception, no outage."""
    disk.set("bad", "\ud800")
    disk.set("\ud800", "v")
    assert (disk.get("bad"), disk.get("\ud800")) == (None, None)
    disk.set("good", "v")
    assert disk.get("good") == "v"


def test_a_locked_file_is_a_miss_not_a_wait(disk):
    """Another process that holds the write lock, and does not let it go, costs what was to be written only."""
    disk.set("k", "v")
    other = sqlite3.connect(disk.folder / FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    disk.set("k2", "v")
    assert disk.get("k") == "v"
    other.execute("ROLLBACK")
    other.close()
    assert disk.get("k2") is None
    disk.set("k2", "v")
    assert disk.get("k2") == "v"


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    """The caller's mistake: a file stands where the folder should."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigurationError, match="cache folder"):
        DiskCache(tmp_path / "file")


def test_a_disk_that_fails_later_is_a_miss_logged_once(tmp_path, caplog):
    """The folder is replaced by a file under the cache: no exception, one line in the log."""
    cache = DiskCache(tmp_path / "cache")
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").write_text("x")
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            cache.set("k", "v")
            assert cache.get("k") is None
    assert len(caplog.records) == 1
    assert str(tmp_path) not in caplog.text
