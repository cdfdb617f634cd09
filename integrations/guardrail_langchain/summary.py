"""What was found, as plain JSON for messages and states: no text of the answer, so that nothing withheld stays."""

from __future__ import annotations

from typing import Any

from guardrail import GuardedAnswer


def summary(guarded: GuardedAnswer) -> dict[str, Any]:
    """The outcome and one entry per finding (id, span in the generated answer, verdict, action, passages)."""
    actions = dict(guarded.decision.finding_actions)
    return {
        "checked": True,
        "action": guarded.action.value,
        "verdict": guarded.report.verdict.value,
        "score": guarded.report.score,
        "policy": guarded.decision.policy,
        "rule": guarded.decision.rule,
        "attempts": guarded.attempts,
        "exhausted": guarded.exhausted,
        "findings": [
            {
                "id": finding.id,
                "start": finding.span.start,
                "end": finding.span.end,
                "verdict": finding.verdict.value,
                "score": finding.score,
                "action": actions[finding.id].value if finding.id in actions else "allow",
                "error_type": finding.error_type.value if finding.error_type else None,
                "passages": [evidence.passage_id for evidence in finding.evidence],
            }
            for finding in guarded.report.findings
        ],
    }


def unchecked(reason: str) -> dict[str, Any]:
    """The same for an answer that was delivered without a check."""
    return {"checked": False, "reason": reason}
