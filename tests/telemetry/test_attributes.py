"""Texts in spans and events: only where they are asked for, and redacted."""

import json

import pytest

from guardrail.telemetry import events
from tests.support.telling import ANSWER, PASSAGES, QUESTION, VARIABLE, run

pytestmark = pytest.mark.skipif(not events._BY_NAME, reason="this opentelemetry-api has no named events")


def everything(watched):
    events = [dict(e.attributes) for e in watched.events()]
    return str(events) + str([s.to_json() for s in watched.spans()])


def test_no_text_leaves_by_default(watched, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    run(watched, claim_events=True)
    told = everything(watched)
    assert watched.events()
    assert not any(word in told.casefold() for word in ("dam", "crack", "reopened", "scripted"))


@pytest.mark.parametrize("way", ["setting", "true", "SPAN_AND_EVENT"])
def test_texts_where_they_are_asked_for(watched, monkeypatch, way):
    if way != "setting":
        monkeypatch.setenv(VARIABLE, way)
    run(watched, capture_content=True if way == "setting" else None, claim_events=True)
    told = watched.spans("guardrail.check")[0].attributes
    assert (told["input.value"], told["output.value"]) == (QUESTION, ANSWER)
    assert told["retrieval.documents.0.document.content"] == PASSAGES[0].text
    findings = json.loads(told["guardrail.claims"])
    assert findings[1]["text"].startswith("It reopened")
    assert findings[1]["evidence"][0]["passage_id"] == "p1"
    assert watched.events()[2].attributes["gen_ai.evaluation.explanation"] == "scripted: contradicted"


def test_redaction_sees_every_text(watched):
    run(watched, capture_content=True, claim_events=True, redact=lambda text: text.replace("dam", "***"))
    told = everything(watched)
    assert "***" in told
    assert "dam" not in told


def test_a_redaction_that_fails_lets_nothing_out(watched, caplog):
    def broken(text):
        raise ValueError(text)

    run(watched, capture_content=True, claim_events=True, redact=broken)
    told = everything(watched)
    assert "[redaction failed]" in told
    assert "dam" not in told + caplog.text
