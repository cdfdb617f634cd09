"""The evaluation event, and texts in spans and events."""

import pytest
from opentelemetry import trace
from opentelemetry._logs import SeverityNumber

from guardrail import Guard, Passage
from guardrail.telemetry import evaluated, events
from tests.support.telling import run

pytestmark = pytest.mark.skipif(not events._BY_NAME, reason="this opentelemetry-api has no named events")


def test_one_event_per_answer(watched):
    guarded = run(watched, labels={"model": "m1"})
    (event,) = watched.events()
    (root,) = watched.spans("guardrail.check")
    assert event.event_name == "gen_ai.evaluation.result"
    assert dict(event.attributes) == {
        "gen_ai.evaluation.name": "faithfulness",
        "gen_ai.evaluation.score.value": guarded.report.score,
        "gen_ai.evaluation.score.label": "contradicted",
        "guardrail.target": "answer",
        "guardrail.policy": "monitor",
        "guardrail.engine": "fake",
        "guardrail.action": "flag",
        "guardrail.label.model": "m1",
    }
    assert (event.trace_id, event.span_id) == (root.context.trace_id, root.context.span_id)
    assert event.severity_number is SeverityNumber.INFO


def test_logic_is_an_evaluation_of_its_own(watched):
    turned = "The dam was closed because the road was flooded."
    passages = [Passage(id="p", text="The road was flooded because the dam was closed.")]
    Guard(telemetry=watched.settings).run(turned, passages)
    logic = next(e for e in watched.events() if e.attributes["gen_ai.evaluation.name"] == "logic_consistency")
    assert logic.attributes["gen_ai.evaluation.score.label"] == "inconsistent"
    assert logic.attributes["gen_ai.evaluation.score.value"] == 0.0


def test_what_nobody_could_judge_is_a_failed_evaluation(watched):
    run(watched, passages=[])
    (event,) = watched.events()
    assert event.attributes["error.type"] == "no_passages"
    assert "gen_ai.evaluation.score.value" not in event.attributes
    assert event.severity_number is SeverityNumber.WARN


def test_claims_by_option(watched):
    run(watched, claim_events=True)
    answer, first, second = watched.events()
    assert [e.attributes["guardrail.target"] for e in (answer, first, second)] == ["answer", "claim", "claim"]
    assert second.attributes["gen_ai.evaluation.score.label"] == "contradicted"
    assert second.attributes["guardrail.error_type"] == "contradiction"
    assert "gen_ai.evaluation.explanation" not in second.attributes


@pytest.mark.parametrize("how", ["named", "ended", "context", "ambient"])
def test_the_event_hangs_under_the_generation(watched, how):
    tracer = watched.tracers.get_tracer("service")
    with tracer.start_as_current_span("chat gpt", attributes={"gen_ai.operation.name": "chat"}) as generation:
        if how == "ambient":
            run(watched)
        elif how == "named":
            with tracer.start_as_current_span("other"), evaluated(generation, "resp-1"):
                run(watched)
    if how in ("ended", "context"):
        with evaluated(generation if how == "ended" else generation.get_span_context()):
            run(watched)
    (event,) = watched.events()
    assert event.span_id == generation.get_span_context().span_id
    assert event.attributes.get("gen_ai.response.id") == ("resp-1" if how == "named" else None)


def test_an_unknown_generation_is_nothing(watched):
    with evaluated(None):
        run(watched)
    assert watched.events()[0].span_id == watched.spans("guardrail.check")[0].context.span_id


class Broken:
    def get_span_context(self):
        raise RuntimeError("broken")


@pytest.mark.parametrize(
    "span", [Broken(), trace.INVALID_SPAN, trace.INVALID_SPAN_CONTEXT], ids=["broken", "no", "not"]
)
def test_a_generation_without_a_span_is_the_checks(watched, span):
    with evaluated(span, "resp-1"):
        run(watched)
    (event,) = watched.events()
    assert event.span_id == watched.spans("guardrail.check")[0].context.span_id
    assert event.attributes["gen_ai.response.id"] == "resp-1"


def test_who_cannot_say_what_wrote_the_answer_costs_no_event(watched):
    def find(_):
        raise RuntimeError("dictionary changed size during iteration")

    with events.generation_found_by(find):
        run(watched)
    assert watched.events()[0].span_id == watched.spans("guardrail.check")[0].context.span_id


def test_an_api_without_events_has_them_on_the_span(watched, monkeypatch):
    monkeypatch.setattr(events, "_BY_NAME", False)
    run(watched)
    (event,) = watched.spans("guardrail.check")[0].events
    assert event.name == "gen_ai.evaluation.result"
    assert event.attributes["gen_ai.evaluation.score.label"] == "contradicted"
    assert not watched.events()
