"""A policy file that changes while the service runs."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
import time

import pytest

from guardrail import Action, ConfigurationError, Guard, Policy, UsageError
from guardrail.policy import PolicyWatch
from guardrail.policy.calibration import engine_identity
from guardrail.testing import FakeEngine

ANSWER = "Rita Halloway built it. The dam is 64 metres high."
SOURCES = ["The dam is 64 metres high. It was opened in 1963."]
ENGINE = FakeEngine({"Halloway": "contradicted"})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rules.yaml"
    path.write_text("preset: monitor\n", encoding="utf-8")
    return path


def write(path, text):
    """A new file in place of the old one, as deployments do it."""
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def errors(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]


def test_a_guard_follows_the_file(file):
    """Without being made again."""
    guard = Guard(policy=Policy.watch(file, every=0), engine=ENGINE)
    assert guard.run(ANSWER, SOURCES).action is Action.FLAG
    write(file, "preset: strict\n")
    assert guard.run(ANSWER, SOURCES).action is Action.BLOCK
    assert asyncio.run(guard.arun(ANSWER, SOURCES)).decision.policy == "rules"
    write(file, "preset: annotate\n")
    assert asyncio.run(guard.arun(ANSWER, SOURCES)).action is Action.ANNOTATE
    assert guard.apply(guard.check(ANSWER, SOURCES)).action is Action.ANNOTATE


def test_half_a_file_is_not_taken(file):
    """An editor that writes in place is slower than we read."""
    slow = []

    def read(path):
        policy = Policy.read(path)
        if slow:
            path.write_text("threshold: 0.9\n", encoding="utf-8")
        return policy

    watch = PolicyWatch(file, read, every=0)
    file.write_text("threshold: 0", encoding="utf-8")  # 0 would let everything pass
    slow.append(True)
    assert watch.current().threshold == 0.5
    slow.clear()
    assert watch.current().threshold == 0.9


def test_the_threshold_follows_too(file):
    """It applies in the check, not in the decision."""
    guard = Guard(policy=Policy.watch(file, every=0), engine=FakeEngine())
    assert guard.check(ANSWER, SOURCES).verdict == "supported"
    write(file, "threshold: 0.99\n")
    assert guard.check(ANSWER, SOURCES).verdict == "unsupported"


def test_one_call_uses_one_policy(file):
    """The file changes while the engine judges: what was asked for at the start is done."""

    class Editing(FakeEngine):
        def verify(self, request):
            write(file, "preset: monitor\n")
            return super().verify(request)

    write(file, "preset: strict\n")
    guard = Guard(policy=Policy.watch(file, every=0), engine=Editing({"Halloway": "contradicted"}))
    assert guard.run(ANSWER, SOURCES).action is Action.BLOCK
    write(file, "preset: strict\nname: again\n")
    assert asyncio.run(guard.arun(ANSWER, SOURCES)).action is Action.BLOCK
    assert guard.policy.current().name == "rules"


def test_a_policy_for_one_call_goes_before_the_file(file):
    guard = Guard(policy=Policy.watch(file, every=0), engine=ENGINE)
    assert guard.run(ANSWER, SOURCES, policy=Policy.strict()).action is Action.BLOCK
    with pytest.raises(UsageError, match="no policy 'strict'"):
        guard.run(ANSWER, SOURCES, policy="strict")
    with pytest.raises(UsageError, match="policy must be a Policy or a name, got int"):
        guard.run(ANSWER, SOURCES, policy=3)


def test_the_policies_of_a_guard_are_asked_for_by_name(file):
    """In every kind of call; one of them may follow its file."""
    write(file, "policies: {a: {preset: strict}, b: {preset: annotate}}")
    watched = Policy.watch(file, name="b", every=0)
    guard = Guard(engine=ENGINE, policies=Policy.load_all(file) | {"b": watched})
    assert guard.run(ANSWER, SOURCES).action is Action.FLAG
    for name, action in (("a", Action.BLOCK), ("b", Action.ANNOTATE)):
        report = guard.check(ANSWER, SOURCES, policy=name)
        *_, finished = guard.stream(iter([ANSWER]), SOURCES, policy=name)
        assert {
            guard.run(ANSWER, SOURCES, policy=name).action, guard.apply(report, policy=name).action,
            asyncio.run(guard.arun(ANSWER, SOURCES, policy=name)).action, finished.guarded.action,
        } == {action}  # fmt: skip
    write(file, "policies: {b: {preset: strict}}")
    assert guard.run(ANSWER, SOURCES, policy="b").action is Action.BLOCK
    with pytest.raises(UsageError, match=r"no policy 'c'\. Known: a, b"):
        guard.run(ANSWER, SOURCES, policy="c")


def test_policies_that_are_none_are_refused_at_once():
    with pytest.raises(ConfigurationError, match="policies must be a mapping of names to policies, got Policy"):
        Guard(engine=ENGINE, policies=Policy.strict())
    with pytest.raises(ConfigurationError, match="policies must hold a Policy for each name, got str for 'a'"):
        Guard(engine=ENGINE, policies={"a": "strict"})


SPOILED = {
    "yaml": ("preset: [", "not valid YAML"),
    "field": ("preset: strict\ntreshold: 0.5\n", "'treshold'.*Did you mean 'threshold'"),
    "action": ("actions: {contradicted: blok}\n", "unknown action 'blok'"),
    "empty": ("", "must hold a mapping"),
    "binary": ("\udcff", "cannot read policy file"),
}


@pytest.mark.parametrize(("text", "message"), SPOILED.values(), ids=SPOILED)
def test_a_file_that_became_wrong_keeps_the_last_good_policy(file, caplog, text, message):
    """One error per change, none per call, and never an exception; then it is mended."""
    write(file, "preset: strict\n")
    guard = Guard(policy=Policy.watch(file, every=0), engine=ENGINE)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    for _ in range(3):
        assert guard.run(ANSWER, SOURCES).action is Action.BLOCK
    [said] = errors(caplog)
    assert "the policy stays 'rules'" in said
    assert re.search(message, said)
    write(file, "preset: annotate\n")
    assert guard.run(ANSWER, SOURCES).action is Action.ANNOTATE
    assert len(errors(caplog)) == 1


def test_a_file_that_vanished_keeps_the_last_good_policy(file, caplog):
    """Gone, back as it was, gone again: two errors."""
    watch = Policy.watch(file, every=0)
    for count in (1, 2):
        file.unlink()
        assert [watch.current().name for _ in range(3)] == ["rules"] * 3
        assert len(errors(caplog)) == count
        write(file, "preset: strict\n")
        assert watch.current().actions == Policy.strict().actions


def test_the_file_is_looked_at_once_in_a_while(file, monkeypatch):
    """Calls in between cost no system call."""
    watch = Policy.watch(file, every=60)
    write(file, "preset: strict\n")
    looked = []
    monkeypatch.setattr(type(watch), "_look", lambda self: looked.append(1))
    for _ in range(100):
        watch.current()
    assert looked == []
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    for _ in range(100):
        watch.current()
    assert looked == [1]


def test_an_unchanged_file_is_not_read_again(file, monkeypatch):
    watch = Policy.watch(file, every=0)
    monkeypatch.setattr(Policy, "read", classmethod(lambda cls, path: pytest.fail("read")))
    assert watch.current() is watch.current()


def test_a_change_of_the_same_size_and_time_is_seen(file):
    """The inode tells of a file that was replaced, the time of one written over."""
    watch = Policy.watch(file, every=0)
    before = file.stat()
    new = file.with_suffix(".new")
    new.write_text("preset: repair \n"[: before.st_size], encoding="utf-8")
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    new.replace(file)
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert watch.current().on_exhausted is Action.REDACT
    file.write_text("preset: strict \n"[: before.st_size], encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert watch.current().actions == Policy.strict().actions


def test_threads_see_whole_policies_only(file):
    """Eight threads read while one writes: each policy is one of the two, and the last is seen by all."""
    texts = {"preset: strict\nname: one\n": "one", "preset: monitor\nname: two\n": "two"}
    write(file, next(iter(texts)))
    watch = Policy.watch(file, every=0)
    known = {"one": Policy.strict().with_(name="one"), "two": Policy.monitor().with_(name="two")}
    stop, wrong, seen = threading.Event(), [], set()

    def read():
        while not stop.is_set():
            policy = watch.current()
            seen.add(policy.name)
            if policy != known[policy.name]:
                wrong.append(policy)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 120
    while seen != {"one", "two"} and time.monotonic() < end:
        for text in texts:
            write(file, text)
            time.sleep(0.02)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert seen == {"one", "two"}
    assert watch.current().name == "two"


BLOCK = """
threshold: 0.7
calibration: {data: a, n: 40, risk: missed, target: 0.1, threshold: 0.7, engine: ENGINE, guarantee: g}
"""


def test_the_warning_of_a_calibration_is_repeated_on_change(file, caplog):
    """For each engine that uses the file, once per change, and only where it is another one."""
    caplog.set_level(logging.WARNING, "guardrail")  # whatever another test has left
    watch = Policy.watch(file, every=0)
    engine = FakeEngine()
    for _ in range(2):
        Guard(policy=watch, engine=engine)
    write(file, BLOCK.replace("ENGINE", "another"))
    for _ in range(3):
        watch.current()
    assert [r.getMessage() for r in caplog.records].count(
        f"policy 'rules' was calibrated for engine 'another', this one is '{engine_identity(engine)}': "
        "its guarantee does not hold. Calibrate again."
    ) == 1
    Guard(policy=watch, engine=engine)
    assert len(caplog.records) == 2
    write(file, BLOCK.replace("ENGINE", engine_identity(engine)))
    assert watch.current().calibration.engine == engine_identity(engine)
    assert len(caplog.records) == 2


def test_what_is_wrong_from_the_start_is_an_error(tmp_path):
    """When the watch is made, not at run time."""
    with pytest.raises(ConfigurationError, match=r"cannot read policy file .*nowhere\.yaml"):
        Policy.watch(tmp_path / "nowhere.yaml")
    with pytest.raises(ConfigurationError, match="cannot read policy file"):
        Policy.watch("strict")  # a preset does not change
    path = tmp_path / "p.yaml"
    path.write_text("preset: monitor\n")
    for every in (-1, float("nan"), float("inf"), "1", True, None):
        with pytest.raises(ConfigurationError, match="every must be a number of seconds from 0 on"):
            Policy.watch(path, every=every)
    with pytest.raises(ConfigurationError, match="policy must be a Policy, got str"):
        Guard(policy=str(path), engine=ENGINE)


def test_a_relative_path_survives_a_change_of_folder(file, monkeypatch, caplog):
    monkeypatch.chdir(file.parent)
    watch = Policy.watch(file.name, every=0)
    monkeypatch.chdir("/")
    write(file, "preset: strict\n")
    assert watch.current().actions == Policy.strict().actions
    assert repr(watch) == f"PolicyWatch('{file}', every=0)"
    assert errors(caplog) == []
