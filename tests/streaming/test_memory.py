"""The engine of a stream reads each segment once and judges it as a whole check does."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from guardrail import Guard, Policy
from guardrail.check.contract import PartialRows, VerifyRequest
from guardrail.engines.local.engine import LocalEngine
from guardrail.streaming import Delta, guarded_stream
from guardrail.testing import FakeEngine
from guardrail.types import Row, SupportMatrix

REDACT = Policy(
    name="redact", actions=dict.fromkeys(("contradicted", "unsupported", "unverified"), "redact"), deadline=None
)
BLOCK = Policy.strict().with_(deadline=None)


def _real_cases():
    benchmark = json.loads((Path(__file__).parents[2] / "benchmarks" / "latency_cases.json").read_text("utf-8"))
    return [(case["question"], case["answer"], case["passages"]) for case in benchmark]


@pytest.mark.parametrize("policy", [Policy.annotate(), REDACT], ids=lambda policy: policy.name)
def test_the_local_engine_judges_a_stream_as_it_judges_the_whole(policy, cut, joined, collect):
    guard = Guard(policy=policy.with_(deadline=None))
    for seed, (question, answer, passages) in enumerate(_real_cases()[:3]):
        whole = guard.run(answer, passages, question=question)
        events = collect(guard, cut(answer, seed), passages, question=question, mode="sentence")
        assert joined(events) == whole.text
        assert events[-1].guarded.report.findings == whole.report.findings
        assert sum(isinstance(e, Delta) for e in events) > 1


def test_a_segment_is_read_the_same_whatever_is_read_beside_it():
    _, answer, passages = _real_cases()[0]
    guard = Guard(policy=Policy.monitor().with_(deadline=None))  # however busy the machine is
    request = _request(guard, answer, passages)
    engine = LocalEngine()
    whole = engine.read_part(request)
    for number, segment in enumerate(request.segments):
        alone = engine.read_part(VerifyRequest(segments=(segment,), passages=request.passages))
        for count in (1, 3, engine.longest):
            assert alone.rows(count)[0] == whole.rows(count)[number]
    assert engine.verify(request).rows == whole.rows(sum(whole.own))


def _request(guard, answer, passages):
    engine = FakeEngine()
    Guard(engine=engine).check(answer, passages)
    return engine.calls[0]


@dataclass
class Growing:
    """Supports a segment about the gate only in answers of three segments or more."""

    name: str = "growing"
    longest: int = 3
    read: list[str] = field(default_factory=list)

    def read_part(self, request):
        self.read += [s.text for s in request.segments]

        def rows(count):
            return tuple(
                Row(segment_id=s.id, cells=(None,) * len(request.passages), supported=p)
                for s in request.segments
                for p in [0.4 if "gate" in s.text and count < 3 else 0.9]
            )

        return PartialRows(own=(True,) * len(request.segments), rows=rows)

    def verify(self, request):
        part = self.read_part(request)
        return SupportMatrix(rows=part.rows(len(request.segments)))


def test_a_verdict_that_may_still_change_is_waited_for(passages, dam, source_of, words, joined, collect):
    first, second, _, last = dam.split(". ")
    late = f"{second}. {first}. {last}"
    for answer in (late, f"{second}. {first}.", dam):
        guard = Guard(policy=BLOCK, engine=(engine := Growing()))
        events = collect(guard, words(answer), mode="sentence")
        assert joined(events) == guard.run(answer, passages).text
        assert len(engine.read) == 2 * len(guard.check(answer, passages).findings)  # each once per run
    source = source_of(words(late))
    stream = guarded_stream(Guard(policy=BLOCK, engine=Growing()), source.sync(), passages, mode="sentence")
    assert next(stream).finding.text.startswith("Divers")
    assert source.read == len(source.deltas)  # the third segment is what it waited for
