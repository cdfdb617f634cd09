"""Why nobody could judge: each cause by a way that really leads to it."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import guardrail.check.plan
from guardrail import Cause, EngineError, EngineTimeout, Guard, Policy, Verdict
from guardrail.check.contract import NotJudged, VerifyRequest
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.cross_encoder.catalog import Options
from guardrail.engines.cross_encoder.engine import CrossEncoderEngine
from guardrail.engines.llm import CallSettings, LLMEngine, OpenAILLM, judgement, plans
from guardrail.engines.llm.paper import face4rag, verdicts
from guardrail.engines.llm.protocol import LLMError
from guardrail.engines.llm.requests.failures import failure
from guardrail.engines.local.engine import LocalEngine
from guardrail.streaming import Checked, Finished, guarded_stream
from guardrail.streaming.memory import Memory
from guardrail.testing import FakeEngine, FaultKind, OpenAIServer, Reply, check_engine
from guardrail.types import Cell, LogicVerdict, Row, Segment, Span, SupportMatrix
from guardrail.types.report_json import result_record
from tests.support.judge_script import ReadingJudge
from tests.support.model_faults import ALL_KINDS, ModelFaults
from tests.support.prompt_names import prompt_name
from tests.support.verified import judge

ANSWER = "The dam is 64 metres high because the town needed water."
KOREAN = "댐은 리타가 설계했고 1963년에 가동되었다."
PASSAGES = ("The dam is 64 metres high because the town needed water.",)
PATIENT = Policy(deadline=None)
ONCE = CallSettings(attempts=1, timeout=60.0)


def causes(report):
    """Causes of the report's findings; each has one where it is UNVERIFIED, and none elsewhere."""
    for finding in report.findings:
        assert (finding.cause is None) == (finding.verdict is not Verdict.UNVERIFIED), finding
    return [finding.cause for finding in report.findings]


def checked(engine, answer=ANSWER, passages=PASSAGES, policy=PATIENT, **more):
    """The one cause of all findings, the same awaited."""
    guard = Guard(policy=policy, engine=engine, **more)
    found = {*causes(guard.check(answer, passages)), *causes(asyncio.run(guard.acheck(answer, passages)))}
    [cause] = found
    return cause


@dataclass(frozen=True)
class Says:
    """An engine that says what a function makes of the request."""

    says: object
    name: str = "says"

    def verify(self, request):
        return SupportMatrix(rows=tuple(self.says(request)))


def raising(error):
    def say(request):
        raise error

    return Says(say)


def rows(request, **more):
    return [Row(segment_id=s.id, cells=(None,) * len(request.passages), **more) for s in request.segments]


@pytest.mark.parametrize(
    ("engine", "cause"),
    [
        (raising(EngineTimeout("late")), Cause.TIMEOUT),
        (raising(TimeoutError("late")), Cause.TIMEOUT),
        (raising(EngineError("down")), Cause.ENGINE),
        (raising(EngineError("empty", cause=Cause.BUDGET)), Cause.BUDGET),
        (raising(RuntimeError("down")), Cause.ENGINE),
        (Says(lambda request: []), Cause.REPLY),
        (Says(lambda request: rows(request) * 2), Cause.REPLY),
        (Says(lambda request: [replace(row, supported=2.0) for row in rows(request)]), Cause.REPLY),
        (Says(lambda request: [replace(row, segment_id="s9") for row in rows(request)]), Cause.REPLY),
        (Says(lambda request: rows(request, unverified="no idea")), Cause.ENGINE),
        (Says(lambda request: rows(request, unverified="no idea", cause="of mine")), Cause.ENGINE),
        (Says(lambda request: rows(request, unverified="no idea", cause=Cause.LANGUAGE)), Cause.LANGUAGE),
        (Says(lambda request: rows(request, supported=0.9, cause=Cause.LANGUAGE)), None),
        (FakeEngine(default="unverified"), Cause.ENGINE),
        (FakeEngine(default="unsupported"), None),
    ],
)
def test_of_an_engine(engine, cause):
    """What it raises or forgets; a cause of its own is kept, and a finding that is judged has none."""
    assert checked(engine) is cause


def test_of_time():
    """The local engine notices the deadline itself; one that does not is left behind."""
    assert checked(LocalEngine(), policy=Policy(deadline=1e-9)) is Cause.TIMEOUT
    assert checked(FakeEngine(), policy=Policy(deadline=1e-9)) is Cause.TIMEOUT


def test_of_passages():
    """None, empty ones, none found, a retriever that fails."""

    class Found:
        def __init__(self, found):
            self.found = found

        def retrieve(self, query, limit):
            if isinstance(self.found, Exception):
                raise self.found
            return self.found

    assert checked(FakeEngine(), passages=[]) is Cause.NO_PASSAGES
    assert checked(FakeEngine(), passages=[" ", ""]) is Cause.NO_PASSAGES
    assert checked(FakeEngine(), passages=[], retriever=Found([])) is Cause.NO_PASSAGES
    assert checked(FakeEngine(), passages=[], retriever=Found(ValueError())) is Cause.ENGINE
    assert checked(FakeEngine(), passages=[], retriever=Found(TimeoutError())) is Cause.TIMEOUT
    assert checked(FakeEngine(), passages=[], retriever=Found(PASSAGES)) is None


def test_of_segments_that_are_not_read_in_time_or_not_yet():
    """One by one: the local engine at the deadline, a stream at what has come so far."""
    segments = (Segment(id="s1", span=Span(0, len(ANSWER)), text=ANSWER),)
    late = VerifyRequest(segments=segments, passages=(), deadline=time.monotonic() - 1.0)
    assert [row.cause for row in LocalEngine().verify(late).rows] == [Cause.TIMEOUT]
    assert [row.cause for row in Memory(LocalEngine(), until=3).verify(late).rows] == [Cause.LENGTH]


def test_of_language_and_length():
    """The local engine reads six languages, and not one word alone."""
    assert checked(LocalEngine(), KOREAN) is Cause.LANGUAGE
    assert checked(LocalEngine(), "Correct.") is Cause.LENGTH


def test_of_a_cross_encoder():
    """The same for a model of the user's choice: refusals, and what was not read in time."""

    class Late:
        def read(self, segments, library, passages, question, stop):
            return [None] * len(segments)

    engine = CrossEncoderEngine(
        name="late", identity="late", folder=Path(), english=True, threshold=0.5, options=Options(), load=Late
    )
    assert checked(engine) is Cause.TIMEOUT
    assert checked(engine, policy=Policy(deadline=1e-9)) is Cause.TIMEOUT
    assert checked(engine, "大坝由丽塔设计，于1963年启用。") is Cause.LANGUAGE
    assert checked(engine, passages=["大坝由丽塔设计，于1963年启用。"]) is Cause.LANGUAGE
    wordless = VerifyRequest(segments=(Segment(id="s1", span=Span(0, 3), text="?!?"),), passages=())
    assert [row.cause for row in engine.verify(wordless).rows] == [Cause.LENGTH]


def test_of_what_is_beyond_the_limit(monkeypatch):
    """Segments that nobody reads any more."""
    monkeypatch.setattr(guardrail.check.plan, "MAX_SEGMENTS", 1)
    report = Guard(engine=FakeEngine()).check("The dam is high. The town needed water.", PASSAGES)
    assert causes(report) == [None, Cause.LENGTH]


def test_of_a_bug_of_ours(monkeypatch):
    """The guard failed."""

    def broken(*_, **__):
        raise KeyError("oops")

    monkeypatch.setattr(guardrail.check.plan, "cluster", broken)
    assert checked(FakeEngine()) is Cause.INTERNAL


def test_a_row_without_a_cause_is_the_engines():
    """Also where nobody has accounted for it before."""
    segment = Segment(id="s1", span=Span(0, len(ANSWER)), text=ANSWER)
    row = Row(segment_id="s1", cells=(), unverified="no idea")
    [finding] = judge((segment,), {"s1": row}, {}, (), {}, ANSWER, (), 0.5)
    assert finding.cause is Cause.ENGINE


def test_a_later_step_that_does_judge_takes_the_cause_away():
    """A relation that is turned round is CONTRADICTED even where the engine could not judge the facts."""

    class Turned:
        name = "turned"

        def verify(self, request):
            [segment] = request.segments
            verdict = LogicVerdict(segment_id=segment.id, consistent=False, contradicts=True, reason="turned")
            return SupportMatrix(rows=tuple(rows(request, unverified="no idea")), logic=(verdict,))

    report = Guard(engine=Turned()).check(ANSWER, PASSAGES)
    assert [f.verdict for f in report.findings] == [Verdict.CONTRADICTED]
    assert causes(report) == [None]


# ---------------------------------------------------------------------------------------------------------- judges

WIRE = {
    FaultKind.RATE_LIMIT: Cause.ENGINE,
    FaultKind.SERVER_ERROR: Cause.ENGINE,
    FaultKind.UNAVAILABLE: Cause.ENGINE,
    FaultKind.CUT_HEADERS: Cause.ENGINE,
    FaultKind.CUT_BODY: Cause.ENGINE,
    FaultKind.SLOW: Cause.TIMEOUT,
    FaultKind.PROSE: None,
    FaultKind.CODE_FENCE: None,
}
"""Every other fault is one of the reply."""


def engine_of(server, settings=ONCE, **more):
    llm = OpenAILLM("scripted", base_url=server.base_url, api_key="any")
    return LLMEngine(llm=llm, settings=settings, cache=None, **more)


def judging(spoil):
    """A judge whose replies about segments are spoiled; it takes answers apart as it should."""
    judge = ReadingJudge()
    return lambda body: judge(body) if prompt_name(body) == "decompose" else spoil(body, judge(body))


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_of_a_judge(kind):
    """Each way in which a real client meets a broken reply."""
    faults = ModelFaults(1.0, kinds=[kind], slow=600.0)
    settings = replace(ONCE, timeout=1.0) if kind == FaultKind.SLOW else ONCE

    with OpenAIServer(judging(lambda body, reply: faults.spoil(body, reply)[0])) as server:
        report = Guard(policy=PATIENT, engine=engine_of(server, settings)).check(ANSWER, PASSAGES)
    assert sum(faults.counts.values()) >= 1
    assert causes(report) == [WIRE.get(kind, Cause.REPLY)]


@pytest.mark.parametrize("plan", ["thorough", "paper:face4rag", "paper:d-factscore", "paper:refchecker"])
def test_of_judges_of_the_other_plans(plan):
    """Status 500, and a reply without JSON, at every prompt."""
    with OpenAIServer(lambda body: Reply("no", status=500)) as server:
        assert set(causes(Guard(engine=engine_of(server, plan=plan)).check(ANSWER, PASSAGES))) == {Cause.ENGINE}
    with OpenAIServer(lambda body: "no") as server:
        assert set(causes(Guard(engine=engine_of(server, plan=plan)).check(ANSWER, PASSAGES))) == {Cause.REPLY}


@pytest.mark.parametrize("module", [judgement, plans, verdicts, face4rag])
def test_whatever_else_is_wrong_with_a_reply_is_of_the_reply(module):
    """All that the readers of replies object to."""
    known = [value for value in vars(module).values() if isinstance(value, NotJudged)]
    assert known
    assert {obstacle.cause for obstacle in known} == {Cause.REPLY}


@pytest.mark.parametrize("plan", ["fast", "thorough"])
def test_of_a_judge_that_leaves_the_relation_out(plan):
    """The facts hold, the relation is not judged, not at the second look either."""

    def silent(body, reply):
        points = json.loads(reply.text)["points"]
        assert "s1.r" in [point[0] for point in points]
        return Reply(json.dumps({"who": [], "points": [point for point in points if point[0] != "s1.r"]}))

    with OpenAIServer(judging(silent)) as server:
        report = Guard(policy=PATIENT, engine=engine_of(server, plan=plan)).check(ANSWER, PASSAGES)
    assert causes(report) == [Cause.REPLY]
    assert "relation" in report.findings[0].reason


def test_of_the_budget():
    """No request left; the breaker open."""
    broken = judging(lambda body, reply: Reply("no", status=500))
    with OpenAIServer(broken) as server:
        guard = Guard(policy=PATIENT, engine=engine_of(server, replace(ONCE, breaker_failures=1)))
        assert causes(guard.check(ANSWER, PASSAGES)) == [Cause.ENGINE]
        assert causes(guard.check(ANSWER, PASSAGES)) == [Cause.BUDGET]
        assert checked(engine_of(server, replace(ONCE, max_calls=1))) is Cause.BUDGET
        assert checked(engine_of(server, replace(ONCE, max_calls=0))) is Cause.BUDGET


def test_of_a_judge_that_the_deadline_leaves_no_time():
    """Before a request, and while it is under way."""
    with OpenAIServer(ReadingJudge(), seconds=600.0) as server:
        engine = engine_of(server)
        assert checked(engine, policy=Policy(deadline=0.02)) is Cause.TIMEOUT
        assert checked(engine, policy=Policy(deadline=0.5)) is Cause.TIMEOUT


@pytest.mark.parametrize(
    ("says", "cause"),
    [
        (lambda: "a text alone", Cause.REPLY),
        (lambda: time.sleep(60.0), Cause.TIMEOUT),
        (lambda: raised(EngineError("mine", cause=Cause.LANGUAGE)), Cause.LANGUAGE),
        (lambda: raised(TimeoutError()), Cause.TIMEOUT),
        (lambda: raised(ValueError()), Cause.ENGINE),
    ],
)
def test_of_a_model_object_of_the_users(says, cause):
    """What it returns or raises, and that it takes too long; sync and awaited."""

    class Model:
        model = "mine"

        def complete(self, prompt, *, timeout):
            return says()

    settings = replace(ONCE, timeout=1.0, breaker_failures=99)
    assert checked(LLMEngine(llm=Model(), settings=settings, cache=None)) is cause


def raised(error):
    raise error


@pytest.mark.parametrize("reply", [Reply("", finish_reason="length"), Reply("{", finish_reason="length")])
def test_of_a_reply_that_ends_at_the_token_limit(reply):
    """Before its text, or inside it."""
    with OpenAIServer(judging(lambda body, _: reply)) as server:
        assert checked(engine_of(server)) is Cause.REPLY


def test_of_a_judge_that_supports_what_no_passage_mentions():
    """A number that is made up."""
    with OpenAIServer(ReadingJudge(read=lambda point, sentence: "S")) as server:
        report = Guard(policy=PATIENT, engine=engine_of(server)).check("The dam is 99 metres high.", PASSAGES)
    assert causes(report) == [Cause.REPLY]
    assert "no passage mentions" in report.findings[0].reason


def test_of_requests_that_wait_for_each_other():
    """All slots taken until the deadline."""
    with OpenAIServer(ReadingJudge(), seconds=0.4) as server:
        engine = engine_of(server, replace(ONCE, concurrency=1))
        with ThreadPoolExecutor(3) as pool:
            guard = Guard(policy=Policy(deadline=0.6), engine=engine)
            reports = list(pool.map(lambda _: guard.check(ANSWER, PASSAGES), range(3)))
    assert {cause for report in reports for cause in causes(report)} == {Cause.TIMEOUT}


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (TimeoutError(), Cause.TIMEOUT),
        (type("APITimeoutError", (Exception,), {})(), Cause.TIMEOUT),
        (type("APIStatusError", (Exception,), {"status_code": 504})(), Cause.TIMEOUT),
        (type("TimeoutRateLimitError", (Exception,), {"status_code": 429})(), Cause.ENGINE),
        (type("BadRequestError", (Exception,), {"status_code": 400, "code": "content_filter"})(), Cause.REPLY),
        (ConnectionError(), Cause.ENGINE),
        (LLMError("no", cause=Cause.BUDGET), Cause.BUDGET),
    ],
)
def test_of_a_vendors_error(error, cause):
    """By status where there is one, else by name."""
    assert failure(error).cause is cause


def test_of_a_cascade():
    """What the second engine met with, for it is there to step in; the first's where the second judges."""
    down = raising(EngineError("down", cause=Cause.BUDGET))
    assert checked(CascadeEngine(first=LocalEngine(), second=down), KOREAN) is Cause.BUDGET
    assert checked(CascadeEngine(first=LocalEngine(), second=FakeEngine()), KOREAN) is None
    alone = CascadeEngine(first=LocalEngine(), second=FakeEngine(), unverified_too=False)
    assert checked(alone, KOREAN) is Cause.LANGUAGE
    unsure = Says(lambda request: [replace(row, supported=0.5) for row in rows(request)])
    assert checked(CascadeEngine(first=unsure, second=down, fallback="unverified")) is Cause.BUDGET
    assert checked(CascadeEngine(first=unsure, second=down)) is None
    hurried = CascadeEngine(first=unsure, second=FakeEngine(), fallback="unverified", least_seconds=60.0)
    assert checked(hurried, policy=Policy(deadline=5.0)) is Cause.TIMEOUT


# ------------------------------------------------------------------------------------------------- where it is told


def test_a_stream_tells_the_causes():
    """In its events as in its report."""
    engine = FakeEngine({"mayor": "unverified"})
    deltas = "The dam is 64 metres high. The mayor opened it in May. It holds much water.".split(" ")
    events = list(guarded_stream(Guard(engine=engine), [f"{d} " for d in deltas], PASSAGES, mode="sentence"))
    told = [event.finding.cause for event in events if isinstance(event, Checked)]
    [report] = [event.guarded.report for event in events if isinstance(event, Finished)]
    assert told == causes(report) == [None, Cause.ENGINE, None]


def test_a_record_tells_the_cause():
    """``null`` where there is none."""
    guarded = Guard(engine=FakeEngine({"town": "unverified"})).run("The dam is high. The town needed water.", PASSAGES)
    record = json.loads(json.dumps(result_record(1, guarded)))
    assert [finding["cause"] for finding in record["findings"]] == [None, "engine"]


def test_the_conformance_suite_refuses_a_cause_that_means_nothing():
    """Of a row that is judged, or none of ours."""
    cell = Cell(supported=0.9, contradicted=0.0)

    def judged(request):
        late = request.expired()
        return [
            replace(row, cause=Cause.ENGINE)
            if late
            else replace(row, unverified=None, supported=0.9, cells=(cell,) * len(row.cells), cause=Cause.ENGINE)
            for row in rows(request, unverified="late")
        ]

    with pytest.raises(AssertionError, match="cause is for unverified rows only"):
        check_engine(Says(judged))
    with pytest.raises(AssertionError, match="cause must be None or a Cause, got 'mine'"):
        check_engine(Says(lambda request: rows(request, unverified="late", cause="mine")))
