"""Processes of the local engine: same verdicts, replaced where they die, ended where they do not come back."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from guardrail import Guard, Policy
from guardrail.check.contract import IncrementalEngine, VerifyRequest
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import EngineError, EngineTimeout
from guardrail.service.local_engine import LocalInProcesses, in_processes
from guardrail.service.measures import Measures
from guardrail.service.processes import Processes
from guardrail.testing import FakeEngine
from guardrail.types import Passage, Segment, Span
from tests.support.services import command, served, wait_until

pytestmark = pytest.mark.clock

PASSAGES = ["The bridge was opened in 1932, after eight years of work.", "It is 503 metres long."]
ANSWER = "The bridge was opened in 1950. It is 503 metres long."
STOPPED = {"answer": "The bridge was opened in 1950.", "passages": PASSAGES}


@pytest.fixture(scope="module")
def processes():
    one = Processes(LocalEngine(threads=1), 2, 600.0, Measures())
    one.start(wait=True)
    yield one
    one.close()


@pytest.fixture
def guard(processes):
    wait_until(lambda: processes.working == 2)
    return Guard(engine=LocalInProcesses(processes=processes), policy=Policy.monitor().with_(deadline=None))


def request(text="The bridge was opened in 1950.", deadline=None):
    segment = Segment(id="s1", span=Span(0, len(text)), text=text)
    passages = tuple(Passage(id=f"p{number}", text=each) for number, each in enumerate(PASSAGES))
    return VerifyRequest(segments=(segment,), passages=passages, answer=text, deadline=deadline)


def test_reports_are_those_of_the_engine_in_this_process(guard):
    here, there = Guard(engine=LocalEngine(threads=1)).check(ANSWER, PASSAGES), guard.check(ANSWER, PASSAGES)
    assert [(f.verdict, round(f.score, 4), f.evidence, f.reason) for f in there.findings] == [
        (f.verdict, round(f.score, 4), f.evidence, f.reason) for f in here.findings
    ]
    assert there.engine == here.engine == "local"


@pytest.mark.parametrize("count", [0, 1, 3, 5, 9])
def test_parts_of_a_stream_have_the_same_rows(guard, count):
    assert isinstance(guard.judge, IncrementalEngine)
    here, there = LocalEngine(threads=1).read_part(request()), guard.judge.read_part(request())
    assert there.own == here.own
    [row], [same] = there.rows(count), here.rows(count)
    assert row.supported == pytest.approx(same.supported, abs=1e-4)
    assert row.cells[0].evidence == same.cells[0].evidence


def test_a_stream_is_checked_there(guard):
    events = list(guard.stream(iter(["The bridge was opened ", "in 1932. ", "It is 503 metres long."]), PASSAGES,
                               mode="sentence"))  # fmt: skip
    assert events[-1].guarded.report.verdict == "supported"


def test_what_kills_a_process_is_unverified_and_the_next_is_checked(guard, processes):
    before = set(processes.pids())
    for pid in before:
        os.kill(pid, signal.SIGSTOP)  # so that it is at work when it dies
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(guard.check, **STOPPED) for _ in range(2)]
        wait_until(processes._idle.empty)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        reports = [each.result(60) for each in asked]
    assert [(r.verdict, r.findings[0].cause) for r in reports] == [("unverified", "engine")] * 2
    assert "the process that read it died" in reports[0].findings[0].reason
    wait_until(lambda: processes.working == 2)
    assert not before & set(processes.pids())
    assert guard.check(**STOPPED).verdict == "contradicted"


def test_one_that_died_with_nothing_to_do_costs_no_answer(guard, processes):
    for pid in processes.pids():
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not any(process.alive for process in processes._working))
    assert guard.check(**STOPPED).verdict == "contradicted"


def test_one_that_does_not_come_back_is_ended(processes, monkeypatch):
    monkeypatch.setattr("guardrail.service.processes._GRACE", 0.1)
    wait_until(lambda: processes.working == 2)
    before = processes.pids()
    for pid in before:
        os.kill(pid, signal.SIGSTOP)
    with pytest.raises(EngineTimeout, match="did not come back"):
        processes.verify(request(deadline=time.monotonic() + 0.1))
    wait_until(lambda: set(processes.pids()) != set(before) and processes.working == 2)
    for pid in set(processes.pids()) & set(before):
        os.kill(pid, signal.SIGCONT)
    assert processes.verify(request()).rows[0].contradicted > 0.5


def test_where_none_is_free_it_says_so(processes):
    wait_until(lambda: processes.working == 2 and processes._idle.qsize() == 2)
    held = [processes._idle.get() for _ in range(2)]
    try:
        with pytest.raises(EngineTimeout, match="was free in time"):
            processes.verify(request(deadline=time.monotonic() + 0.05))
    finally:
        for process in held:
            processes._idle.put(process)


def test_a_model_that_cannot_be_loaded_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("guardrail.service.processes._START", 5.0)
    one = Processes(LocalEngine(folder=tmp_path), 1, 60.0, Measures())
    try:
        with pytest.raises(EngineError, match="0 of 1 processes"):
            one.start(wait=True)
    finally:
        one.close()


def test_after_the_end_nothing_is_read_and_nothing_is_left():
    one = Processes(LocalEngine(threads=1), 1, 60.0, Measures())
    one.start(wait=True)
    [pid] = one.pids()
    one.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(EngineError, match="ends"):
        one.verify(request())


def test_the_first_of_a_cascade_reads_there_and_other_engines_stay(processes):
    cascade = in_processes(CascadeEngine(first=LocalEngine(), second=FakeEngine()), processes)
    assert isinstance(cascade.first, LocalInProcesses)
    assert cascade.identity == CascadeEngine(first=LocalEngine(), second=FakeEngine()).identity
    fake = FakeEngine()
    assert in_processes(fake, processes) is fake
    assert type(in_processes(LocalEngine(), None)) is LocalEngine


def test_the_service_reads_there_records_and_reloads(tmp_path):
    file = tmp_path / "service.yaml"
    text = "guards:\n  default: {policy: monitor}\nlimits: {processes: 1}\nrecords: {path: r.db, sample: 1}\n"
    file.write_text(text)
    with served(file) as one:
        [pid] = one.service.processes.pids()
        assert one.post("/v1/run", STOPPED).json()["action"] == "flag"
        wait_until(lambda: one.service.records.count(verdict="contradicted") == 1)
        file.write_text(text.replace("monitor", "strict"))
        wait_until(lambda: one.post("/v1/run", STOPPED).json()["action"] == "block")
        assert one.service.processes.pids() == [pid]  # the guard is another, the process is not
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_command_reads_in_processes_and_ends_them(tmp_path):
    with command(tmp_path, "guards: {default: {policy: monitor}}\nlimits: {threads: 2}\n") as one:
        assert one.post("/v1/run", STOPPED).json()["verdict"] == "contradicted"
        children = _children(one.process.pid)
        assert len(children) == 2
        os.kill(one.process.pid, signal.SIGKILL)  # nobody tells them
        one.process.wait(60)
        wait_until(lambda: not any(_is_up(pid) for pid in children))


def _children(pid):
    pids = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [int(each) for each in pids if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


def _is_up(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"
