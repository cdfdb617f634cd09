"""Answers whose events are looked at."""

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.telemetry import events
from guardrail.testing import FakeEngine

pytestmark = pytest.mark.skipif(not events._BY_NAME, reason="this opentelemetry-api has no named events")

ANSWER = "The dam was closed in May. It reopened in July because the crack was mended."
PASSAGES = [Passage(id="p1", text="The dam was closed in May. The crack was mended.")]
QUESTION = "When was the dam closed?"
VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def run(watched, verdict="contradicted", passages=PASSAGES, **settings):
    engine = FakeEngine({"because": verdict}, default="supported")
    guard = Guard(policy=Policy.monitor(), engine=engine, telemetry=watched.set_up(**settings))
    return guard.run(ANSWER, passages, question=QUESTION)
