"""What spans and events tell of a report and a decision: counts, scores and names, never texts. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

from guardrail.telemetry.spans import Value
from guardrail.types import LOGIC_ERRORS, GuardedAnswer, Report, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One evaluation of an answer; ``score`` (0..1) is None where nobody could judge."""

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
    told: dict[str, Value] = {
        "guardrail.engine": report.engine,
        "guardrail.verdict": report.verdict.value,
        "guardrail.score": report.score,
        "guardrail.passages": len(report.passages),
    }
    counts = Counter(finding.verdict for finding in report.findings)
    told |= {f"guardrail.findings.{v.value}": counts[v] for v in Verdict if v is not Verdict.ABSTAINED}
    told["guardrail.degraded"] = counts[Verdict.UNVERIFIED] > 0
    causes = Counter(finding.cause for finding in report.findings if finding.cause is not None)
    told |= {f"guardrail.unverified.{cause.value}": number for cause, number in causes.items()}
    errors = Counter(finding.error_type for finding in report.findings if finding.error_type is not None)
    told |= {f"guardrail.errors.{error.value}": number for error, number in errors.items()}
    if usage.calls or usage.cache_hits:
        told |= {f"guardrail.llm.{key}": value for key, value in asdict(usage).items() if value is not None}
    return told


def delivery_attributes(guarded: GuardedAnswer) -> dict[str, Value]:
    """Rule and policy of the decision, and what was delivered where that is another answer than the one reported on."""
    another = guarded.original is not None
    told: dict[str, Value] = {
        f"guardrail.{'delivered.' if another else ''}rule": guarded.decision.rule,
        "guardrail.policy": guarded.decision.policy,
        "guardrail.attempts": guarded.attempts,
        "guardrail.exhausted": guarded.exhausted,
    }
    if another:
        told["guardrail.delivered.verdict"] = guarded.report.verdict.value
        told["guardrail.delivered.score"] = guarded.report.score
        told["guardrail.delivered.action"] = guarded.action.value
    return told


def evaluation_attributes(report: Report) -> dict[str, Value]:
    """The evaluations as OpenInference writes them on a span."""
    told: dict[str, Value] = {}
    for number, one in enumerate(evaluations(report)):
        start = f"evaluations.{number}.evaluation"
        told |= {f"{start}.name": one.name, f"{start}.annotator_kind": annotator(report)}
        told[f"{start}.identifier"] = f"guardrail:{report.engine}"
        if one.score is not None:
            told[f"{start}.score"] = one.score
        if one.label is not None:
            told[f"{start}.label"] = one.label
    return told
