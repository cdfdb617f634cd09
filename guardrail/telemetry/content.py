"""Texts in spans and events: only where the service asked for them, and as its redaction leaves them."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass

from guardrail.errors import rust_panics_as_errors
from guardrail.telemetry.spans import Value
from guardrail.types import Finding, GuardedAnswer, Report

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_ON = frozenset({"true", "1", "span_only", "event_only", "span_and_event"})
_PASSAGES = 20
_NO_TEXT = "[redaction failed]"

_log = logging.getLogger(__name__)

Redact = Callable[[str], str]


def wanted(setting: bool | None) -> bool:
    """Whether texts are captured: as set, else as OpenTelemetry's variable says; off where neither does."""
    return os.environ.get(VARIABLE, "").strip().lower() in _ON if setting is None else setting


@dataclass(frozen=True, slots=True)
class Content:
    """Writes texts into attributes."""

    redact: Redact | None = None

    def answer(self, report: Report, guarded: GuardedAnswer | None) -> dict[str, Value]:
        """Question, answer, what was delivered, passages (the first 20) and findings of one answer."""
        delivered = report.answer if guarded is None else guarded.text
        told: dict[str, Value] = {
            "output.value": self.clean(delivered),
            "output.mime_type": "text/plain",
            "guardrail.answer": self.clean(report.answer),
            "guardrail.claims": json.dumps([self._finding(f) for f in report.findings], ensure_ascii=False),
        }
        if report.question is not None:
            told |= {"input.value": self.clean(report.question), "input.mime_type": "text/plain"}
        for number, passage in enumerate(report.passages[:_PASSAGES]):
            start = f"retrieval.documents.{number}.document"
            told |= {f"{start}.id": passage.id, f"{start}.content": self.clean(passage.text)}
        return told

    def chat(self, system: str, user: str, reply: str | None) -> dict[str, Value]:
        """Prompt and reply of one request to a model."""
        told: dict[str, Value] = {
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": self.clean(system),
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.content": self.clean(user),
            "input.value": self.clean(user),
        }
        if reply is not None:
            told["llm.output_messages.0.message.role"] = "assistant"
            told["llm.output_messages.0.message.content"] = told["output.value"] = self.clean(reply)
        return told

    def clean(self, text: str) -> str:
        """The text as it may leave; none of it where the redaction fails."""
        if self.redact is None:
            return text
        try:
            with rust_panics_as_errors():
                cleaned = self.redact(text)
        except Exception as error:
            _log.warning("the redaction failed, no text is captured: %s", type(error).__name__)
            return _NO_TEXT
        return cleaned if isinstance(cleaned, str) else _NO_TEXT

    def _finding(self, finding: Finding) -> dict[str, object]:
        return {
            "id": finding.id,
            "text": self.clean(finding.text),
            "verdict": finding.verdict.value,
            "score": finding.score,
            "error_type": finding.error_type,
            "reason": self.clean(finding.reason),
            "evidence": [{"passage_id": e.passage_id, "quote": self.clean(e.quote)} for e in finding.evidence],
        }
