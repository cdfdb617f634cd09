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
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import EngineError, EngineTimeout
from guardrail.service.local_engine import LocalInProcesses
from guardrail.service.measures import Measures
from guardrail.service.processes import Processes
from guardrail.types import Passage, Segment, Span
from tests.support.process_engines import Hanging, Panicking
from tests.support.services import command, served, wait_until

pytestmark = pytest.mark.clock

PASSAGES = ["The bridge was opened in 1932, after eight years of work.", "It is 503 metres long."]
ANSWER = "The bridge was opened in 1950. It is 503 metres long."
STOPPED = {"answer": "The bridge was opened in 1950.", "passages": PASSAGES}


@pytest.fixture(scope="module")
def processes():
    one = Processes(LocalEngine(threads=1), 2, 600.0, Measures())
    yield one
    one.close()


@pytest.fixture
def ready(processes):
    """The processes, all of them up and free."""
    processes.start()
    wait_until(lambda: len(processes._idle) == 2, seconds=600)
    return processes


@pytest.fixture
def guard(ready):
    return Guard(engine=LocalInProcesses(processes=ready), policy=Policy.monitor().with_(deadline=None))


@pytest.fixture
def make():
    """Processes of one's own, ended at the end."""
    made = []

    def processes(engine, count=2):
        made.append(Processes(engine, count, 600.0, Measures()))
        return made[-1]

    yield processes
    for one in made:
        one.close()


def request(text="The bridge was opened in 1950.", deadline=None, more=()):
    segment = Segment(id="s1", span=Span(0, len(text)), text=text)
    passages = tuple(Passage(id=f"p{number}", text=each) for number, each in enumerate((*PASSAGES, *more)))
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


def test_what_kills_a_process_is_unverified_and_the_next_is_checked(guard, ready):
    before = set(ready.pids())
    for pid in before:
        os.kill(pid, signal.SIGSTOP)  # so that it is at work when it dies
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(guard.check, **STOPPED) for _ in range(2)]
        wait_until(lambda: not ready._idle)
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        reports = [each.result(600) for each in asked]
    assert [(r.verdict, r.findings[0].cause) for r in reports] == [("unverified", "engine")] * 2
    assert "the process that read it died" in reports[0].findings[0].reason
    wait_until(lambda: ready.missing == 0 and not before & set(ready.pids()), seconds=600)
    assert guard.check(**STOPPED).verdict == "contradicted"


def test_those_that_die_with_nothing_to_do_are_replaced_before_anybody_asks(ready):
    before = set(ready.pids())
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(ready._idle) == 2 and not before & set(ready.pids()), seconds=600)


def test_one_that_died_a_moment_ago_costs_no_answer(ready):
    [one, two] = ready._idle
    ready._idle.remove(one)  # only the other may be taken
    os.kill(two.pid, signal.SIGKILL)
    wait_until(lambda: not two.alive)
    ready._give(one)
    assert ready.verify(request()).rows[0].contradicted > 0.5


@pytest.mark.parametrize("more", [(), ("x" * 5_000_000,)])
def test_one_that_does_not_come_back_is_ended(ready, monkeypatch, more):
    """Also where it does not even read what it is asked: pipes hold some 64 KiB."""
    monkeypatch.setattr("guardrail.service.processes._GRACE", 0.1)
    before = set(ready.pids())
    for pid in before:
        os.kill(pid, signal.SIGSTOP)
    with pytest.raises(EngineTimeout, match="did not come back"):
        ready.verify(request(deadline=time.monotonic() + 0.1, more=more))
    wait_until(lambda: ready.missing == 0 and before - set(ready.pids()), seconds=600)
    for pid in set(ready.pids()) & before:
        os.kill(pid, signal.SIGCONT)
    assert ready.verify(request()).rows[0].contradicted > 0.5


def test_where_none_is_free_it_says_so(ready):
    held = [ready._take(time.monotonic() + 600) for _ in range(2)]
    try:
        with pytest.raises(EngineTimeout, match="was free in time"):
            ready.verify(request(deadline=time.monotonic() + 0.05))
    finally:
        for process in held:
            ready._give(process)


def test_one_of_two_that_does_not_come_up_does_not_hold_up_the_other(make, tmp_path):
    one = make(Hanging(tmp_path))
    one.wait_until_up()
    assert one.missing == 1
    assert one.verify(request()).rows[0].contradicted > 0.5
    (tmp_path / "go").touch()
    wait_until(lambda: one.missing == 0, seconds=600)


def test_a_model_that_cannot_be_loaded_is_tried_again(make, tmp_path, caplog, monkeypatch):
    monkeypatch.setattr("guardrail.service.processes._PAUSES", (0.01,))
    one = make(LocalEngine(folder=tmp_path), count=1)
    one.start()
    wait_until(lambda: caplog.text.count("did not come up") >= 2, seconds=600)
    assert one.missing == 1
    with pytest.raises(EngineTimeout, match="was free in time"):
        one.verify(request(deadline=time.monotonic() + 0.05))


def test_a_panic_of_a_library_is_a_failure_and_the_process_goes_on(make):
    one = make(Panicking(), count=1)
    one.wait_until_up()
    before = one.pids()
    with pytest.raises(EngineError, match="a library panicked"):
        one.verify(request())
    assert one.pids() == before


def test_after_the_end_nothing_is_read_and_nothing_is_left(make, tmp_path):
    one = make(Hanging(tmp_path))
    one.wait_until_up()  # and the other still loads
    pids = [process.pid for process in one._all]
    wait_until((tmp_path / "hangs").exists)
    one.close()
    assert len(pids) == 2
    assert not any(_is_up(pid) for pid in pids)
    with pytest.raises(EngineError, match="ends"):
        one.verify(request())


def test_the_service_reads_there_records_and_reloads(tmp_path):
    file = tmp_path / "service.yaml"
    text = "guards:\n  default: {policy: monitor}\nlimits: {processes: 2}\nrecords: {path: r.db, sample: 1}\n"
    file.write_text(text)
    with served(file) as one:
        wait_until(lambda: one.service.processes.missing == 0, seconds=600)
        pids = one.service.processes.pids()
        assert one.post("/v1/run", STOPPED).json()["action"] == "flag"
        wait_until(lambda: one.service.records.count(verdict="contradicted") == 1)
        file.write_text(text.replace("monitor", "strict"))
        wait_until(lambda: one.post("/v1/run", STOPPED).json()["action"] == "block")
        assert sorted(one.service.processes.pids()) == sorted(pids)  # the guard is another, the processes are not
    assert not any(_is_up(pid) for pid in pids)


def test_the_command_reads_in_processes_and_ends_them(tmp_path):
    with command(tmp_path, "guards: {default: {policy: monitor}}\nlimits: {processes: 2}\n") as one:
        assert one.post("/v1/run", STOPPED).json()["verdict"] == "contradicted"
        wait_until(lambda: one.get("/readyz").json() == {"status": "ready"}, seconds=600)
        children = _children(one.process.pid)
        assert len(children) == 2
        os.kill(one.process.pid, signal.SIGKILL)  # nobody tells them
        one.process.wait(60)
        wait_until(lambda: not any(_is_up(pid) for pid in children))


def _children(pid):
    of_threads = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [each for children in of_threads for each in children.read_text(encoding="ascii").split()]
    return [int(each) for each in pids if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


def _is_up(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"
