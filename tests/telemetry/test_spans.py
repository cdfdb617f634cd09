"""Traces of guarded answers: one tree per answer, by whatever way it was asked for."""

import pytest
from opentelemetry import context, trace

from guardrail import Action, Policy, UsageError
from guardrail.testing import FakeEngine
from tests.support.traced import ANSWER, PASSAGES, REGENERATE, WAYS, guard

STAGES = ["guardrail." + s for s in "decompose group verify link logic judge".split()]


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
