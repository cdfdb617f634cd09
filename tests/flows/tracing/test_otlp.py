"""What a collector receives over OTLP of guarded answers, and what becomes of answers when it does not work."""

import asyncio
import threading
import time

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("openai")

from guardrail import Guard, Policy
from guardrail.engines.llm import LLMEngine, OpenAILLM
from guardrail.telemetry import evaluated, labels
from guardrail.testing import FakeEngine, OpenAIServer
from tests.support.judge_script import ReadingJudge

pytestmark = pytest.mark.clock

QUESTION = "When was the Fennick viaduct opened?"
ANSWER = "The Fennick viaduct opened in 1950. It is 503 metres long."
BETTER = "The Fennick viaduct opened in 1932."
PASSAGES = ["The Fennick viaduct opened in 1932 and is 503 metres long."]
WORDS = ("Fennick", "viaduct", "1950", "503", "metres")
AGAIN = Policy(name="again", actions={"contradicted": "regenerate"}, deadline=60)


def attributes(message):
    """Of a span, a record or a data point, as Python values."""
    kinds = {"string_value", "int_value", "double_value", "bool_value"}
    return {
        pair.key: next((getattr(pair.value, kind) for kind in kinds if pair.value.HasField(kind)), None)
        for pair in message.attributes
    }


def answered(sdk, *, deadline=60, **settings):
    """One answer that a judge finds contradicted and a model writes anew, in a request of a service."""
    with OpenAIServer(ReadingJudge()) as server:
        engine = LLMEngine(llm=OpenAILLM("scripted", server.base_url, "key"))
        telemetry = sdk.set_up(labels={"application": "support", "model": "gpt-5"}, **settings)
        guard = Guard(policy=AGAIN.with_(deadline=deadline), engine=engine, telemetry=telemetry)
        tracer = sdk.tracers.get_tracer("service")
        with tracer.start_as_current_span("request"):
            with tracer.start_as_current_span("chat gpt-5") as generation:
                pass
            with evaluated(generation, "chatcmpl-7"), labels(topic="bridges"):
                guarded = guard.run(ANSWER, PASSAGES, question=QUESTION, regenerate=lambda _: BETTER)
    sdk.close()
    assert guarded.text == BETTER
    return guarded


def test_traces_arrive_as_one_tree(receiver, exporting):
    """One trace: the request, the check under it, its stages under that, the judge's calls under their stages."""
    guarded = answered(exporting)
    spans = receiver.spans()
    assert len({span.trace_id for span in spans}) == 1
    name = {span.span_id: span.name for span in spans}
    tree = {(name.get(span.parent_span_id, ""), span.name) for span in spans}
    assert {
        ("", "request"),
        ("request", "guardrail.check"),
        ("guardrail.check", "guardrail.decompose"),
        ("guardrail.decompose", "chat scripted"),
        ("guardrail.verify", "chat scripted"),
        ("guardrail.check", "guardrail.decide"),
        ("guardrail.check", "guardrail.regenerate"),
        ("guardrail.check", "guardrail.recheck"),
        ("guardrail.recheck", "guardrail.verify"),
    } <= tree
    (check,) = receiver.spans("guardrail.check")
    told = attributes(check)
    assert {
        "openinference.span.kind": "GUARDRAIL",
        "langfuse.observation.type": "guardrail",
        "guardrail.schema": "2",
        "guardrail.verdict": "contradicted",
        "guardrail.policy": "again",
        "guardrail.label.application": "support",
        "guardrail.label.topic": "bridges",
        "guardrail.attempts": 2,
        "evaluations.0.evaluation.name": "faithfulness",
    }.items() <= told.items()
    first = guarded.original or guarded.report
    assert told["evaluations.0.evaluation.score"] == pytest.approx(first.score)
    kinds = {span.name: attributes(span)["openinference.span.kind"] for span in spans if span.name != "request"
             and "gpt-5" not in span.name}  # fmt: skip
    assert (kinds["guardrail.verify"], kinds["chat scripted"]) == ("EVALUATOR", "LLM")


def test_the_evaluation_arrives_as_an_event_of_the_span_that_wrote_the_answer(receiver, exporting):
    """By its event name, with score and label, and with the provider's id of the response."""
    answered(exporting)
    (event,) = receiver.logs()
    (generation,) = receiver.spans("chat gpt-5")
    assert event.event_name == "gen_ai.evaluation.result"
    assert (event.trace_id, event.span_id) == (generation.trace_id, generation.span_id)
    assert {
        "gen_ai.evaluation.name": "faithfulness",
        "gen_ai.evaluation.score.label": "contradicted",
        "gen_ai.response.id": "chatcmpl-7",
    }.items() <= attributes(event).items()
    assert 0.0 <= attributes(event)["gen_ai.evaluation.score.value"] < 1.0


def test_metrics_arrive_with_exemplars_that_name_the_trace(receiver, exporting):
    """A panel's slow or bad answers can be opened as traces."""
    answered(exporting)
    metrics = receiver.metrics()
    (check,) = receiver.spans("guardrail.check")
    (answers,) = metrics["guardrail.answers"].sum.data_points
    assert (answers.as_int, attributes(answers)["verdict"]) == (1, "contradicted")
    assert {"application": "support", "model": "gpt-5", "topic": "bridges"}.items() <= attributes(answers).items()
    for name in ("guardrail.answer.score", "guardrail.check.duration"):
        (point,) = metrics[name].histogram.data_points
        assert point.count == 1
        assert {exemplar.trace_id for exemplar in point.exemplars} == {check.trace_id}, name
        assert {exemplar.span_id for exemplar in point.exemplars} == {check.span_id}, name
    stages = metrics["guardrail.stage.duration"].histogram.data_points
    assert {"decompose", "verify", "decide", "regenerate"} <= {attributes(point)["stage"] for point in stages}
    for metric in metrics.values():
        points = [*metric.sum.data_points, *metric.histogram.data_points, *metric.gauge.data_points]
        assert not any("trace" in key or "span" in key for point in points for key in attributes(point))


def test_no_text_is_on_the_wire_unless_it_is_asked_for(receiver, exporting):
    """Not one word of question, answer, new answer or passage, in whatever field, of any signal."""
    answered(exporting, claim_events=True)
    assert {path for path, _ in receiver.bodies} == {"/v1/traces", "/v1/metrics", "/v1/logs"}
    assert len(receiver.logs()) > 1
    for word in WORDS:
        assert word.encode() not in receiver.raw, word


@pytest.mark.parametrize("by_variable", [False, True])
def test_captured_texts_are_on_the_wire_as_the_redaction_leaves_them(by_variable, receiver, exporting, monkeypatch):
    """In spans and events, also in those of the judge's calls."""
    if by_variable:
        monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")

    def redact(text):
        return text.replace("Fennick", "[place]").replace("1950", "[year]")

    answered(exporting, capture_content=None if by_variable else True, redact=redact, claim_events=True)
    assert b"Fennick" not in receiver.raw
    assert b"1950" not in receiver.raw
    (check,) = receiver.spans("guardrail.check")
    told = attributes(check)
    assert told["input.value"] == "When was the [place] viaduct opened?"
    assert told["guardrail.answer"] == "The [place] viaduct opened in [year]. It is 503 metres long."
    assert told["output.value"] == "The [place] viaduct opened in 1932."
    assert told["retrieval.documents.0.document.content"].startswith("The [place] viaduct opened in 1932")
    (call, *_) = receiver.spans("chat scripted")
    assert "[place]" in attributes(call)["llm.input_messages.1.message.content"]


def test_no_attribute_is_the_namespace_of_another(receiver, exporting):
    """Stores that make objects of dotted names (Elasticsearch, OpenSearch) would refuse the whole span."""
    answered(exporting, capture_content=True, claim_events=True)
    for message in (*receiver.spans(), *receiver.logs()):
        names = set(attributes(message))
        assert not {name for name in names if any(other.startswith(f"{name}.") for other in names)}


def test_where_the_redaction_fails_no_text_leaves(receiver, exporting):
    """And the answer is checked as ever."""

    def redact(text):
        raise RuntimeError(text)

    answered(exporting, capture_content=True, redact=redact)
    for word in WORDS:
        assert word.encode() not in receiver.raw, word


@pytest.mark.parametrize(
    ("manner", "awaited"), [("hangs", False), ("hangs", True), ("refuses", False), ("fails", True)]
)
def test_a_broken_collector_changes_nothing(manner, awaited, broken):
    """Decisions and texts as without it, and no answer waits for it: forty exports would take minutes."""
    receiver, sdk = broken(manner)
    settings = {"policy": Policy.repair(), "engine": FakeEngine({"503": "unsupported"})}
    plain, told = Guard(**settings), Guard(**settings, telemetry=sdk.set_up(capture_content=True))
    given = []

    def run():
        for number in range(40):
            answer = f"{ANSWER} Number {number}."
            given.append(asyncio.run(told.arun(answer, PASSAGES)) if awaited else told.run(answer, PASSAGES))
            time.sleep(0.01)  # exports begin while answers are checked

    answering = threading.Thread(target=run, daemon=True)
    answering.start()
    answering.join(120)
    assert len(given) == 40
    for number, got in enumerate(given):
        want = plain.run(f"{ANSWER} Number {number}.", PASSAGES)
        assert (got.text, got.action, got.decision) == (want.text, want.action, want.decision)
    if manner != "refuses":
        assert receiver.bodies
