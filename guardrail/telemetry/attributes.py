"""What spans and events say of a report and a decision: counts, scores and names; texts only on demand."""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass

from guardrail.errors import rust_panics_as_errors
from guardrail.telemetry.spans import Value
from guardrail.types import LOGIC_ERRORS, Finding, GuardedAnswer, Report, Verdict

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_ON = frozenset({"true", "1", "span_only", "event_only", "span_and_event"})
_PASSAGES = 20
_NO_TEXT = "[redaction failed]"

_log = logging.getLogger(__name__)

Redact = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One evaluation of an answer; ``score`` (0..1) is None where it is not verified."""

    name: str
    score: float | None
    label: str | None = None


def evaluations(report: Report) -> tuple[Evaluation, ...]:
    """All evaluations of a report, faithfulness first; logic_consistency where relations were judged."""
    scores, unjudged = report.scores, report.verdict is Verdict.UNVERIFIED
    found = [Evaluation(name="faithfulness", score=None if unjudged else report.score, label=report.verdict.value)]
    if scores.logic is not None:
        wrong = any(finding.error_type in LOGIC_ERRORS for finding in report.findings)
        label = "inconsistent" if wrong else "consistent"
        found.append(Evaluation(name="logic_consistency", score=scores.logic, label=label))
    for name, score in (("factscore", scores.factscore), ("d_factscore", scores.d_factscore)):
        if score is not None and not unjudged:
            found.append(Evaluation(name=name, score=score))
    return tuple(found)


def annotator(report: Report) -> str:
    """Who judged, in OpenInference's words."""
    return "LLM" if report.usage.calls or report.usage.cache_hits else "CODE"


def report_attributes(report: Report) -> dict[str, Value]:
    """Verdict, score and counts of a report; what it cost, where a model was asked or remembered."""
    usage = report.usage
    attributes: dict[str, Value] = {
        "guardrail.engine": report.engine,
        "guardrail.verdict": report.verdict.value,
        "guardrail.score": report.score,
        "guardrail.passages": len(report.passages),
    }
    counts = Counter(finding.verdict for finding in report.findings)
    attributes |= {f"guardrail.findings.{v.value}": counts[v] for v in Verdict if v is not Verdict.ABSTAINED}
    attributes["guardrail.degraded"] = counts[Verdict.UNVERIFIED] > 0
    causes = Counter(finding.cause for finding in report.findings if finding.cause is not None)
    attributes |= {f"guardrail.unverified.{cause.value}": number for cause, number in causes.items()}
    errors = Counter(finding.error_type for finding in report.findings if finding.error_type is not None)
    attributes |= {f"guardrail.errors.{error.value}": number for error, number in errors.items()}
    if usage.calls or usage.cache_hits:
        attributes |= {f"guardrail.llm.{key}": value for key, value in asdict(usage).items() if value is not None}
    return attributes


def delivery_attributes(guarded: GuardedAnswer) -> dict[str, Value]:
    """Rule and policy of the decision, and what was delivered where that is another answer than the one reported on."""
    another = guarded.original is not None
    attributes: dict[str, Value] = {
        f"guardrail.{'delivered.' if another else ''}rule": guarded.decision.rule,
        "guardrail.policy": guarded.decision.policy,
        "guardrail.attempts": guarded.attempts,
        "guardrail.exhausted": guarded.exhausted,
    }
    if another:
        attributes["guardrail.delivered.verdict"] = guarded.report.verdict.value
        attributes["guardrail.delivered.score"] = guarded.report.score
        attributes["guardrail.delivered.action"] = guarded.action.value
    return attributes


def evaluation_attributes(report: Report) -> dict[str, Value]:
    """The evaluations as OpenInference writes them on a span."""
    attributes: dict[str, Value] = {}
    for number, one in enumerate(evaluations(report)):
        start = f"evaluations.{number}.evaluation"
        attributes |= {f"{start}.name": one.name, f"{start}.annotator_kind": annotator(report)}
        attributes[f"{start}.identifier"] = f"guardrail:{report.engine}"
        if one.score is not None:
            attributes[f"{start}.score"] = one.score
        if one.label is not None:
            attributes[f"{start}.label"] = one.label
    return attributes


def captures_content(setting: bool | None) -> bool:
    """Whether texts are captured: as set, else as OpenTelemetry's variable says; off where neither does."""
    return os.environ.get(VARIABLE, "").strip().lower() in _ON if setting is None else setting


@dataclass(frozen=True, slots=True)
class Content:
    """Writes texts into attributes."""

    redact: Redact | None = None

    def answer(self, report: Report, guarded: GuardedAnswer | None) -> dict[str, Value]:
        """Question, answer, what was delivered, passages (the first 20) and findings of one answer."""
        delivered = report.answer if guarded is None else guarded.text
        attributes: dict[str, Value] = {
            "output.value": self.clean(delivered),
            "output.mime_type": "text/plain",
            "guardrail.answer": self.clean(report.answer),
            "guardrail.claims": json.dumps([self._finding(f) for f in report.findings], ensure_ascii=False),
        }
        if report.question is not None:
            attributes |= {"input.value": self.clean(report.question), "input.mime_type": "text/plain"}
        for number, passage in enumerate(report.passages[:_PASSAGES]):
            start = f"retrieval.documents.{number}.document"
            attributes |= {f"{start}.id": passage.id, f"{start}.content": self.clean(passage.text)}
        return attributes

    def chat(self, system: str, user: str, reply: str | None) -> dict[str, Value]:
        """Prompt and reply of one request to a model."""
        attributes: dict[str, Value] = {
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": self.clean(system),
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.content": self.clean(user),
            "input.value": self.clean(user),
        }
        if reply is not None:
            attributes["llm.output_messages.0.message.role"] = "assistant"
            attributes["llm.output_messages.0.message.content"] = attributes["output.value"] = self.clean(reply)
        return attributes

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
