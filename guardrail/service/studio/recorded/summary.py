"""What a list shows of a record: enough to decide whether to open it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardrail.telemetry.records.record import rank
from guardrail.types import Verdict

_TEXT = 240
_AROUND = 80

_SAME = (
    "id", "at", "verdict", "score", "action", "policy", "engine", "labels", "trace_id", "label", "missing",
)  # fmt: skip


def summary(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record without its passages and findings; texts are cut, and the worst finding is shown as ``fault``."""
    findings = record.get("findings") or []
    return {
        **{name: record.get(name) for name in _SAME},
        "error_types": list(dict.fromkeys(f["error_type"] for f in findings if f.get("error_type"))),
        "question": _cut(record.get("question")),
        "answer": _cut(record.get("answer")),
        "sentences": len(findings),
        "fault": _fault(record, findings),
    }


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _TEXT else f"{text[:_TEXT]}…"


def _fault(record: Mapping[str, Any], findings: list[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The worst finding that is not supported: ``before``, ``words`` at fault and ``after``, none cut inside."""
    wrong = [f for f in findings if f["verdict"] != Verdict.SUPPORTED]
    if not wrong:
        return None
    worst = min(wrong, key=lambda f: (rank(Verdict(f["verdict"])), f["score"]))
    text: str = worst.get("text") or ""
    start = worst["span"][0]
    focus = worst.get("focus") if record.get("spans_hold", True) else None
    low, high = (focus[0] - start, focus[1] - start) if focus else (0, len(text))
    if not 0 <= low < high <= len(text):
        low, high = 0, len(text)
    before, words, after = text[:low], text[low:high], text[high:]
    return {
        "before": before if len(before) <= _AROUND else f"…{before[-_AROUND:]}",
        "words": _cut(words),
        "after": after if len(after) <= _AROUND else f"{after[:_AROUND]}…",
        "verdict": worst["verdict"],
        "error_type": worst.get("error_type"),
        "reason": _cut(worst.get("reason")),
    }
