"""Stages of a check: their spans, times and errors."""

import asyncio

import pytest
from opentelemetry.trace import StatusCode

from guardrail.engines.cascade import CascadeEngine
from guardrail.testing import FakeEngine
from tests.support.traced import ANSWER, PASSAGES, REGENERATE, WAYS, guard


def test_a_generator_that_fails_is_marked(watched):
    def broken(_):
        raise ConnectionError("secret host")

    guard(watched, REGENERATE).run(ANSWER, PASSAGES, regenerate=broken)
    assert watched.spans("guardrail.regenerate")[0].attributes["error.type"] == "ConnectionError"
    assert "secret" not in str([s.to_json() for s in watched.spans()])


class Failing:
    name = "failing"

    def verify(self, _):
        raise TimeoutError("10.0.0.7 did not answer")


def test_an_engine_that_fails_is_told_by_cause(watched):
    guard(watched, engine=Failing()).run(ANSWER, PASSAGES)
    (root,) = watched.spans("guardrail.check")
    assert root.attributes["guardrail.verdict"] == "unverified"
    assert root.attributes["guardrail.unverified.timeout"] == 2
    assert root.attributes["guardrail.degraded"] is True
    assert "evaluations.0.evaluation.score" not in root.attributes
    assert watched.spans("guardrail.verify")[0].attributes["error.type"] == "TimeoutError"
    assert "10.0.0.7" not in str([s.to_json() for s in watched.spans()])
    assert root.status.status_code is StatusCode.UNSET  # the guard did its work


@pytest.mark.parametrize("way", ["run", "arun"])
def test_a_second_engine_that_fails_is_seen_though_the_firsts_verdicts_stand(watched, way):
    unsure = CascadeEngine(first=FakeEngine(default="unsupported"), second=Failing(), low=0.0, high=1.0)
    WAYS[way](guard(watched, engine=unsure))
    assert watched.spans("guardrail.check")[0].attributes["guardrail.verdict"] == "unsupported"
    assert watched.spans("guardrail.verify")[0].attributes["error.type"] == "TimeoutError"


@pytest.mark.parametrize("guarded", [False, True])
def test_an_engines_failure_is_not_told_on_the_services_own_span(watched, guarded):
    asked = FakeEngine()
    guard(watched, engine=asked).check(ANSWER, PASSAGES)

    class Mine:
        name = "mine"

        def verify(self, request):
            with watched.settings.tracer.start_as_current_span("mine"):
                return CascadeEngine(first=Failing(), second=Failing()).verify(request)

    if guarded:
        guard(watched, engine=Mine()).check(ANSWER, PASSAGES)
    else:
        Mine().verify(asked.calls[0])
    assert not watched.spans("mine")[0].attributes
    told = [s.attributes.get("error.type") for s in watched.spans("guardrail.verify")]
    assert told == ([None, "TimeoutError"] if guarded else [None])


@pytest.mark.parametrize("awaited", [False, True])
def test_sentence_streams_have_few_spans(watched, awaited):
    """Each sentence is a check; only what asks an engine is shown of it."""
    text = " ".join(f"The dam was closed in May of year {n}." for n in range(20))
    deltas = [word + " " for word in text.split()]
    watching = guard(watched, engine=FakeEngine(default="supported"))
    if awaited:

        async def source():
            for delta in deltas:
                yield delta

        async def body():
            return [event async for event in watching.astream(source(), PASSAGES, mode="sentence")]

        asyncio.run(body())
    else:
        list(watching.stream(iter(deltas), PASSAGES, mode="sentence"))
    (root,) = watched.spans("guardrail.check")
    names = {s.name for s in watched.spans()}
    assert names == {"guardrail.check", "guardrail.verify"}
    assert len(watched.spans("guardrail.verify")) <= 25
    assert root.attributes["guardrail.stream"] == "sentence"
    assert root.attributes["guardrail.findings.supported"] == 20
    assert watched.count("guardrail.stream.first_verified", mode="sentence") == 1
    assert watched.total("guardrail.answers", verdict="supported", action="allow") == 1
