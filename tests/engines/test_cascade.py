"""The cascade: who judges what, what stands when the second engine cannot, and what is counted."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field, replace

import pytest

from guardrail import ConfigurationError, EngineError, Guard, Passage, Policy, UsageError, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.local.engine import LocalEngine
from guardrail.testing import FakeEngine, check_engine
from guardrail.types import Cell, Claim, ErrorType, LogicVerdict, Row, Segment, Span, SupportMatrix, Usage
from tests.support.checks import ANSWER, PASSAGES, AsyncFake
from tests.support.refusals import FEE, REFUSAL, refusal_reader


@dataclass(frozen=True)
class Scored:
    """An engine that gives scores by a substring of the segment; None = it cannot judge."""

    scores: dict
    default: float | None = 0.95
    errors: dict = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    logic: bool = False
    calls: list = field(default_factory=list)
    name: str = "scored"

    def verify(self, request):
        self.calls.append(request)
        rows = tuple(self.row(segment, request) for segment in request.segments)
        logic = tuple(LogicVerdict(segment_id=s.id, consistent=True, decisive=True) for s in request.segments)
        claims = tuple(self.row(s, request, c.id) for s in request.segments for c in s.claims)
        return SupportMatrix(rows=rows, claims=claims, usage=self.usage, logic=logic if self.logic else ())

    def row(self, segment, request, ident=None):
        score = next((v for k, v in self.scores.items() if k in segment.text), self.default)
        error = next((v for k, v in self.errors.items() if k in segment.text), None)
        if score is None:
            return Row(segment_id=ident or segment.id, cells=(None,) * len(request.passages), unverified="no idea")
        cells = (Cell(supported=score, contradicted=0.0),) * len(request.passages)
        return Row(
            segment_id=ident or segment.id, cells=cells, supported=score, error_type=error, reason=f"by {self.name}."
        )


@dataclass(frozen=True)
class Drafting(Scored):
    """One that takes answers apart when it is asked alone, as the LLM engine does."""

    plan: str = "fast"
    name: str = "second"

    def decompose(self, request):
        raise AssertionError("a cascade must not let its second engine decompose")


def request_for(*texts, relations=(), deadline=None, passages=("One.", "Two.")):
    segments = tuple(
        Segment(id=f"s{n}", span=Span(n, n + 1), text=text, relations=tuple(relations)) for n, text in enumerate(texts)
    )
    return VerifyRequest(
        segments=segments,
        passages=tuple(Passage(id=f"p{n}", text=text) for n, text in enumerate(passages)),
        must_read=tuple((s.id, (0,)) for s in segments),
        deadline=deadline,
    )


def both(engine, request):
    """The matrix of verify, which averify must give too."""
    sync = engine.verify(request)
    awaited = asyncio.run(engine.averify(request))
    assert sync == awaited
    return sync


def asked(engine):
    return [[s.text for s in request.segments] for request in engine.calls]


def test_only_the_unsure_band_goes_on():
    """Both ends are inside; rows of the others stay the first engine's."""
    first = Scored({"a": 0.19, "b": 0.2, "c": 0.5, "d": 0.8, "e": 0.81})
    second = Drafting({}, default=0.99)
    matrix = CascadeEngine(first=first, second=second, low=0.2, high=0.8).verify(request_for("a", "b", "c", "d", "e"))
    assert asked(second) == [["b", "c", "d"]]
    assert [row.supported for row in matrix.rows] == [0.19, 0.99, 0.99, 0.99, 0.81]
    assert [row.segment_id for row in matrix.rows] == ["s0", "s1", "s2", "s3", "s4"]
    assert second.calls[0].must_read == (("s1", (0,)), ("s2", (0,)), ("s3", (0,)))


def test_sync_and_async_give_the_same():
    """One logic; engines of either kind in either place."""
    first, second = Scored({"b": 0.5}), Drafting({}, default=0.1, logic=True, usage=Usage(calls=1, rounds=1))
    both(CascadeEngine(first=first, second=second), request_for("a", "b"))
    sync = CascadeEngine(first=first, second=replace(second, name="x")).verify(request_for("a", "b"))
    mixed = CascadeEngine(first=AsyncFake(first), second=AsyncFake(second))
    awaited = asyncio.run(mixed.averify(request_for("a", "b")))
    assert awaited.rows[0] == sync.rows[0]
    assert awaited.rows[1].supported == 0.1


def test_no_doubt_no_call():
    """And the calls of the plan for the whole answer are saved."""
    first, second = Scored({}), Drafting({})
    matrix = both(CascadeEngine(first=first, second=second), request_for("a", "b"))
    assert second.calls == []
    assert matrix.usage == Usage(screened=2, escalated=0, calls_saved=2)


@pytest.mark.parametrize(
    ("plan", "related", "saved"),
    [("fast", False, 1), ("thorough", False, 1 + 3 - 1), ("thorough", True, 1 + 3 - 1)],
)
def test_calls_saved_are_those_of_the_plan(plan, related, saved):
    """fast: the call that decomposes; thorough: that, and one for each segment that stays, whatever it relates."""
    from guardrail.check.logic import find_relations

    text = "The plant closed because sales fell."
    relations = find_relations(text) if related else ()
    assert bool(relations) is related
    engine = CascadeEngine(
        first=Scored({"b": 0.5}), second=Drafting({}, plan=plan, usage=Usage(calls=5, retries=3, rounds=1, cost=0.5))
    )
    usage = engine.verify(request_for("a", "b", "c", relations=relations)).usage
    assert (usage.screened, usage.escalated, usage.calls_saved) == (3, 1, saved)
    assert (usage.calls, usage.retries, usage.cost) == (5, 3, 0.5)


def test_an_engine_that_asks_no_model_saves_no_calls():
    """There are none to save."""
    engine = CascadeEngine(first=Scored({}), second=Scored({}))
    assert engine.verify(request_for("a")).usage == Usage(screened=1)


def test_what_the_first_cannot_judge_goes_on():
    """Unless that is switched off; an unverified row is never turned into a verdict."""
    first, second = Scored({"b": None}), Drafting({}, default=0.9)
    request = request_for("a", "b")
    assert CascadeEngine(first=first, second=second).verify(request).rows[1].supported == 0.9
    kept = CascadeEngine(first=first, second=second, unverified_too=False).verify(request)
    assert kept.rows[1].unverified == "no idea"
    assert len(second.calls) == 1


def test_some_errors_always_go_on():
    """An error type that matters, however sure the first engine is; a supported segment has none."""
    errors = {"a": ErrorType.CONFLATION, "b": ErrorType.CONFLATION, "c": ErrorType.HALLUCINATION}
    first, second = Scored({"a": 0.05, "b": 0.95, "c": 0.05}, errors=errors), Drafting({}, default=0.9)
    CascadeEngine(first=first, second=second, always=frozenset({ErrorType.CONFLATION})).verify(
        request_for("a", "b", "c")
    )
    assert asked(second) == [["a"]]


def test_a_reversed_relation_goes_on_where_logic_matters():
    """The rules see it, whatever the first engine says of the facts."""
    answer = "Engineers lowered the reservoir by six metres because divers found a crack in the spillway gate."
    passage = "Divers found a crack in the spillway gate because engineers lowered the reservoir by six metres."
    for always, calls in ((frozenset({ErrorType.CAUSAL_CONFUSION}), 1), (frozenset({ErrorType.CONFLATION}), 0)):
        first, second = _Quoting(), Drafting({}, default=0.9)
        Guard(engine=CascadeEngine(first=first, second=second, always=always)).check(answer, [passage])
        assert len(second.calls) == calls


@dataclass(frozen=True)
class _Quoting:
    """Sure of everything, with the first passage as evidence."""

    name: str = "quoting"

    def verify(self, request):
        spans = ((0, Span(0, len(request.passages[0].text))),)
        cell = Cell(supported=0.95, contradicted=0.0)
        cells = (cell,) * len(request.passages)
        rows = (Row(segment_id=s.id, cells=cells, supported=0.95, evidence=spans) for s in request.segments)
        return SupportMatrix(rows=tuple(rows))


def test_a_namesakes_facts_go_on_where_mixing_matters():
    """What a passage about one of two namesakes supports; ordinary passages are left alone."""
    namesakes = [
        Passage(id="a", title="Dick Hanley (swimmer)", text="Dick Hanley was an American swimmer."),
        Passage(id="b", title="Dick Hanley (American football)", text="Dick Hanley was an American football coach."),
    ]
    for passages, calls in ((namesakes, 1), (PASSAGES, 0)):
        second = Drafting({}, default=0.9)
        engine = CascadeEngine(first=_Quoting(), second=second, always=frozenset({ErrorType.MIXED_ENTITIES}))
        Guard(engine=engine).check("Dick Hanley was an American football coach.", passages)
        assert len(second.calls) == calls


@pytest.mark.parametrize("claims", ["", "The fee is 40 euros. "])
def test_refusals_are_for_the_second_alone(claims):
    first, second = FakeEngine(), refusal_reader()
    report = Guard(engine=CascadeEngine(first=first, second=second)).check(claims + REFUSAL, [FEE])
    assert asked(first) == ([["The fee is 40 euros."]] if claims else [])
    assert asked(second) == [[REFUSAL]]
    assert report.verdict is Verdict.CONTRADICTED
    assert (report.usage.screened, report.usage.escalated) == (1 + bool(claims), 1)


@pytest.mark.parametrize(
    ("second", "refusals"),
    [(refusal_reader(), False), (refusal_reader(judges_refusals=False), True), (FakeEngine(), True)],
)
def test_refusals_are_shown_to_nobody_that_cannot_tell(second, refusals):
    engine = CascadeEngine(first=FakeEngine(), second=second, refusals=refusals)
    assert Guard(engine=engine).check(REFUSAL, [FEE]).verdict is Verdict.ABSTAINED
    assert not second.calls


def test_a_refusal_without_a_second_opinion_stays_one():
    report = Guard(engine=CascadeEngine(first=FakeEngine(), second=refusal_reader("unverified")))
    assert report.check(REFUSAL, [FEE]).verdict is Verdict.ABSTAINED


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (FakeEngine(default=EngineError("down")), "EngineError: down"),
        (FakeEngine(default=RuntimeError("secret")), "RuntimeError"),
        (FakeEngine(default="unverified"), "scripted"),
    ],
)
def test_without_a_second_opinion_the_first_stands(second, why):
    """Its verdict is what it would be alone, and the reason says that nobody else was asked."""
    first = Scored({"Halloway": 0.3})
    engine = CascadeEngine(first=first, second=second)
    report = Guard(engine=engine).check(ANSWER, PASSAGES)
    awaited = asyncio.run(Guard(engine=engine).acheck(ANSWER, PASSAGES))
    assert replace(report, seconds=0.0) == replace(awaited, seconds=0.0)
    alone = Guard(engine=first).check(ANSWER, PASSAGES)
    assert [f.verdict for f in report.findings] == [f.verdict for f in alone.findings]
    assert report.score == alone.score
    finding = report.findings[1]
    assert finding.reason.startswith("by scored. No second opinion: ")
    assert why in finding.reason
    assert "secret" not in finding.reason


def test_the_strict_fallback_is_unverified():
    """For those who would rather block than trust an unsure score; it keeps no numbers."""
    engine = CascadeEngine(
        first=Scored({"Halloway": 0.7}), second=FakeEngine(default=EngineError("down")), fallback="unverified"
    )
    report = Guard(engine=engine).check(ANSWER, PASSAGES)
    assert [f.verdict for f in report.findings] == [Verdict.SUPPORTED, Verdict.UNVERIFIED, Verdict.SUPPORTED]
    assert report.findings[1].score == 0.0
    assert "down" in report.findings[1].reason


def test_a_first_engine_that_fails_hands_everything_on():
    """Its failure is no verdict; both failing leaves everything unverified, with both reasons."""
    broken = FakeEngine(default=EngineError("first down"))
    report = Guard(engine=CascadeEngine(first=broken, second=Scored({}))).check(ANSWER, PASSAGES)
    assert report.verdict is Verdict.SUPPORTED
    report = Guard(engine=CascadeEngine(first=broken, second=broken)).check(ANSWER, PASSAGES)
    assert {f.verdict for f in report.findings} == {Verdict.UNVERIFIED}
    assert report.findings[0].reason.count("first down") == 2


def test_a_surplus_row_of_the_second_spoils_only_the_second():
    """Rows for segments that it was not asked about cannot overwrite the first engine's."""

    @dataclass(frozen=True)
    class Overeager:
        name: str = "overeager"

        def verify(self, request):
            cells = (None,) * len(request.passages)
            return SupportMatrix(rows=tuple(Row(segment_id=f"s{n}", cells=cells, supported=1.0) for n in range(3)))

    matrix = both(CascadeEngine(first=Scored({"a": 0.05, "b": 0.5}), second=Overeager()), request_for("a", "b", "c"))
    assert [row.supported for row in matrix.rows] == [0.05, 0.5, 0.95]
    assert "not asked for" in matrix.rows[1].reason


def test_a_fault_in_the_reasoning_stands_though_the_facts_were_not_judged():
    """The first engine's row and its mild word on the logic must not hide it."""

    @dataclass(frozen=True)
    class Critic(Scored):
        def verify(self, request):
            said = super().verify(request)
            return replace(said, logic=tuple(replace(verdict, consistent=False) for verdict in said.logic))

    first = Scored({"b": 0.5}, logic=True)
    critic = Critic({}, default=None, logic=True, name="critic")
    matrix = CascadeEngine(first=first, second=critic).verify(request_for("a", "b"))
    assert [(verdict.segment_id, verdict.consistent) for verdict in matrix.logic] == [("s0", True), ("s1", False)]


def test_claims_and_logic_come_with_the_row():
    """Those of the second for what it judged, those of the first for the rest."""
    request = request_for("a", "b")
    claimed = tuple(replace(s, claims=(Claim(id=f"{s.id}.1", text=s.text),)) for s in request.segments)
    first, second = Scored({"b": 0.5}, logic=True), Drafting({}, default=0.9, logic=True)
    matrix = CascadeEngine(first=first, second=second).verify(replace(request, segments=claimed))
    assert {row.segment_id: row.supported for row in matrix.claims} == {"s0.1": 0.95, "s1.1": 0.9}
    assert sorted(verdict.segment_id for verdict in matrix.logic) == ["s0", "s1"]


def test_too_little_time_left_asks_nobody():
    """The first engine's rows stand, and say so."""
    second = Drafting({}, default=0.9)
    engine = CascadeEngine(first=Scored({"b": 0.5}), second=second, least_seconds=500.0)
    matrix = both(engine, request_for("a", "b", deadline=time.monotonic() + 200.0))
    assert second.calls == []
    assert matrix.rows[1].supported == 0.5
    assert "too little time" in matrix.rows[1].reason
    assert (matrix.usage.escalated, matrix.usage.calls_saved) == (0, 1)


def test_a_second_engine_that_outlasts_the_deadline_takes_nothing_along():
    """Awaited, a slow model is given up in time for the first engine's verdicts to be delivered."""
    slow = CascadeEngine(first=Scored({"Halloway": 0.3}), second=AsyncFake(Scored({}), wait=600.0), least_seconds=0.01)
    checked = Guard(policy=Policy(deadline=4.0), engine=slow).acheck(ANSWER, PASSAGES)
    report = asyncio.run(asyncio.wait_for(checked, 120))
    assert [f.verdict for f in report.findings] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED, Verdict.SUPPORTED]
    assert "no reply before the deadline" in report.findings[1].reason


@pytest.mark.parametrize(
    "engine", [FakeEngine(), CascadeEngine(first=FakeEngine(), second=FakeEngine())], ids=["plain", "cascade"]
)
def test_cascades_whose_second_engine_hangs_leave_other_guards_their_threads(engine):
    """Of which there are 32."""
    release = threading.Event()

    class Hung:
        name = "hung"

        def verify(self, _):
            release.wait(600)

    cascade = CascadeEngine(first=Scored({}, default=0.5), second=Hung(), least_seconds=0.1)
    hung, other = Guard(policy=Policy(deadline=1.0), engine=cascade), Guard(engine=engine)

    async def answers():
        await asyncio.gather(*(hung.acheck(f"The dam {n} was closed.", PASSAGES) for n in range(40)))
        return await other.acheck(ANSWER, PASSAGES)

    try:
        assert asyncio.run(answers()).verdict is Verdict.SUPPORTED
    finally:
        release.set()


def test_a_second_sync_engine_that_hangs_takes_nothing_along():
    """The same for an engine that works in a thread."""
    release = threading.Event()

    class Hung(FakeEngine):
        def verify(self, request):
            release.wait(600)
            return super().verify(request)

    slow = CascadeEngine(first=Scored({"Halloway": 0.3}), second=Hung(), least_seconds=0.01)

    async def checked():
        report = await asyncio.wait_for(Guard(policy=Policy(deadline=4.0), engine=slow).acheck(ANSWER, PASSAGES), 120)
        assert not release.is_set()
        return report

    try:
        report = asyncio.run(checked())
    finally:
        release.set()
    assert report.findings[1].verdict is Verdict.UNSUPPORTED


def test_the_second_is_told_what_is_spent():
    """So that an answer's budget holds over both."""
    first, second = Scored({"b": 0.5}, usage=Usage(calls=3)), Drafting({})
    request = replace(request_for("a", "b"), spent=Usage(calls=4))
    CascadeEngine(first=first, second=second).verify(request)
    assert second.calls[0].spent.calls == 7


def test_an_async_only_engine_cannot_be_called_sync():
    """The caller's mistake."""
    engine = CascadeEngine(first=Scored({"Halloway": 0.5}), second=AsyncFake(Scored({})))
    with pytest.raises(UsageError, match="acheck"):
        Guard(engine=engine).check(ANSWER, PASSAGES)


def test_cancelling_cancels_the_second():
    """A client that hangs up must not be answered by a timeout of ours."""

    async def cancelled():
        engine = CascadeEngine(first=Scored({}, default=0.5), second=AsyncFake(Scored({}), wait=30.0))
        task = asyncio.ensure_future(Guard(engine=engine).acheck(ANSWER, PASSAGES))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"low": 0.9, "high": 0.1}, "band"),
        ({"low": -0.1}, "band"),
        ({"low": float("nan")}, "band"),
        ({"fallback": "supported"}, "fallback"),
        ({"always": frozenset({"conflation?"})}, "always"),
        ({"second": object()}, "second"),
    ],
)
def test_options_are_checked(options, says):
    """When it is made."""
    with pytest.raises(ConfigurationError, match=says):
        CascadeEngine(**({"first": Scored({}), "second": Scored({})} | options))


def test_it_passes_the_conformance_suite():
    """With the real local engine in front."""
    check_engine(CascadeEngine(first=LocalEngine(), second=FakeEngine()))
