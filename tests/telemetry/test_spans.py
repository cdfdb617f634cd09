"""Traces of guarded answers: one tree per answer, by whatever way it was asked for."""

import asyncio

import pytest
from opentelemetry import context, trace
from opentelemetry.trace import StatusCode

from guardrail import Action, ConfigurationError, Guard, Passage, Policy, UsageError
from guardrail.engines.cascade import CascadeEngine
from guardrail.telemetry import Telemetry
from guardrail.testing import FakeEngine

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
STAGES = ["guardrail." + s for s in "decompose group verify link logic judge".split()]
REGENERATE = Policy(actions={"unsupported": "regenerate"}, max_attempts=3)


def wrong(text="because"):
    """An engine that finds fault with segments that hold a word."""
    return FakeEngine({text: "unsupported"}, default="supported")


def guard(watched, policy=None, engine=None, **settings):
    return Guard(policy=policy or Policy.monitor(), engine=engine or wrong(), telemetry=watched.set_up(**settings))


WAYS = {
    "run": lambda g, **more: g.run(ANSWER, PASSAGES, question="When?", **more),
    "arun": lambda g, **more: asyncio.run(g.arun(ANSWER, PASSAGES, question="When?", **more)),
    "stream": lambda g, **more: list(g.stream(iter([ANSWER]), PASSAGES, question="When?", **more))[-1].guarded,
}


@pytest.mark.parametrize("way", WAYS)
def test_one_tree_per_answer(watched, way):
    WAYS[way](guard(watched))
    (root,) = watched.spans("guardrail.check")
    assert watched.children(root) == [*STAGES, "guardrail.decide"]
    assert root.parent is None
    kinds = {s.name: s.attributes["openinference.span.kind"] for s in watched.spans()}
    assert (kinds["guardrail.check"], kinds["guardrail.verify"]) == ("GUARDRAIL", "EVALUATOR")
    assert {kind for name, kind in kinds.items() if name not in ("guardrail.check", "guardrail.verify")} == {"CHAIN"}
    assert {s.attributes["guardrail.schema"] for s in watched.spans()} == {"2"}
    assert root.attributes["langfuse.observation.type"] == "guardrail"


def test_verdict_and_action_are_two_facts(watched):
    guarded = guard(watched, Policy(actions={"unsupported": "redact"})).run(ANSWER, PASSAGES)
    told = watched.spans("guardrail.check")[0].attributes
    assert guarded.action is Action.REDACT
    assert (told["guardrail.verdict"], told["guardrail.action"]) == ("unsupported", "redact")
    assert (told["guardrail.findings.supported"], told["guardrail.findings.unsupported"]) == (1, 1)
    assert (told["guardrail.policy"], told["guardrail.rule"], told["guardrail.engine"]) == (
        "custom",
        "unsupported",
        "fake",
    )
    assert told["guardrail.errors.hallucination"] == 1
    assert told["evaluations.0.evaluation.name"] == "faithfulness"
    assert told["evaluations.0.evaluation.label"] == "unsupported"
    assert told["evaluations.0.evaluation.annotator_kind"] == "CODE"
    assert told["evaluations.0.evaluation.score"] == guarded.report.score


def test_check_alone_has_no_action(watched):
    guard(watched).check(ANSWER, PASSAGES)
    (root,) = watched.spans("guardrail.check")
    assert watched.children(root) == STAGES
    assert root.attributes["guardrail.action"] == "none"


@pytest.mark.parametrize("way", WAYS)
def test_a_repair_shows_the_answer_that_was_generated(watched, way):
    """The answer that took its place is told of apart, or nobody would see how often the model fails."""
    with trace.use_span(trace.NonRecordingSpan(trace.INVALID_SPAN_CONTEXT)):
        guarded = WAYS[way](guard(watched, REGENERATE), regenerate=lambda _: "The dam was closed in May.")
    assert (guarded.action, guarded.attempts) == (Action.ALLOW, 2)
    (root,) = watched.spans("guardrail.check")
    tail = ["guardrail.decide", "guardrail.regenerate", "guardrail.recheck"]
    assert watched.children(root) == [*STAGES, *tail]
    assert watched.children(watched.spans("guardrail.recheck")[0]) == STAGES
    told = root.attributes
    assert (told["guardrail.verdict"], told["guardrail.action"]) == ("unsupported", "regenerate")
    assert (told["guardrail.delivered.verdict"], told["guardrail.delivered.action"]) == ("supported", "allow")
    assert (told["guardrail.attempts"], told["guardrail.exhausted"]) == (2, False)


def test_a_generator_that_fails_is_marked(watched):
    def broken(_):
        raise ConnectionError("secret host")

    guard(watched, REGENERATE).run(ANSWER, PASSAGES, regenerate=broken)
    assert watched.spans("guardrail.regenerate")[0].attributes["error.type"] == "ConnectionError"
    assert "secret" not in str([s.to_json() for s in watched.spans()])


def test_the_callers_span_is_the_parent_and_stays_current(watched):
    tracer = watched.tracers.get_tracer("service")
    inner = []
    with tracer.start_as_current_span("request") as request:
        guard(watched, REGENERATE).run(
            ANSWER, PASSAGES, regenerate=lambda _: inner.append(trace.get_current_span().name) or "The dam."
        )
        assert trace.get_current_span() is request
    assert watched.spans("guardrail.check")[0].parent.span_id == request.get_span_context().span_id
    assert inner == ["guardrail.regenerate"]


def test_a_guard_within_a_generator_is_an_answer_of_its_own(watched):
    other = guard(watched, engine=FakeEngine(default="supported"), labels={"application": "inner"})

    def again(_):
        other.run("The dam was closed.", PASSAGES)
        return "The dam was closed in May."

    guard(watched, REGENERATE, labels={"application": "outer"}).run(ANSWER, PASSAGES, regenerate=again)
    inner, outer = watched.spans("guardrail.check")
    regenerate = watched.spans("guardrail.regenerate")[0]
    assert inner.parent.span_id == regenerate.context.span_id
    assert inner.attributes["guardrail.label.application"] == "inner"
    assert outer.attributes["guardrail.label.application"] == "outer"
    assert watched.total("guardrail.answers") == 2


def test_who_asks_for_quiet_gets_no_spans(watched):
    """OpenInference's suppress_tracing and OpenTelemetry's suppress_instrumentation set this; metrics go on."""
    token = context.attach(context.set_value("suppress_instrumentation", True))
    try:
        guard(watched).run(ANSWER, PASSAGES)
    finally:
        context.detach(token)
    assert not watched.spans()
    assert watched.total("guardrail.answers") == 1


def test_the_callers_mistake_is_an_error_and_no_answer(watched):
    with pytest.raises(UsageError):
        guard(watched).run(ANSWER, 5)
    assert watched.spans("guardrail.check")[0].attributes["error.type"] == "UsageError"
    assert watched.total("guardrail.answers") == 0
    assert watched.total("guardrail.answers.active") == 0


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


def test_a_stream_that_is_left_ends_its_span(watched):
    events = guard(watched).stream(iter([ANSWER, " More."]), PASSAGES, mode="observe")
    next(events)
    events.close()
    (root,) = watched.spans("guardrail.check")
    assert root.attributes["guardrail.abandoned"] is True
    assert watched.total("guardrail.answers") == watched.total("guardrail.answers.active") == 0


def test_extract_and_apply_have_spans_of_their_own(watched):
    watching = guard(watched)
    watching.extract(ANSWER)
    assert watched.children(watched.spans("guardrail.extract")[0]) == ["guardrail.decompose"]
    assert watched.total("guardrail.answers") == 0
    report = watching.check(ANSWER, PASSAGES)
    watching.apply(report)
    assert watched.children(watched.spans("guardrail.apply")[0]) == ["guardrail.decide"]
    assert watched.total("guardrail.answers") == watched.total("guardrail.answers", action="none") == 1
    assert watched.total("guardrail.decisions", action="flag") == 1
    assert watched.total("guardrail.claims") == 2  # found once, decided on later


def test_a_wrong_setting_says_so():
    with pytest.raises(ConfigurationError, match="telemetry must be"):
        Guard(engine=FakeEngine(), telemetry={"labels": {}})
    with pytest.raises(ConfigurationError, match="recorder must have `record`, got str"):
        Telemetry(recorder="guardrail.db")
    with pytest.raises(ConfigurationError, match="redact must be callable"):
        Telemetry(redact="x")
