"""Which rule of a policy fired for a finding, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.types import Action, Finding, Report, Verdict

Fit = tuple[Action, str]
"""An action and the rule that asks for it: a key of the policy, ``score_below 0.3``, or a verdict's default."""

_SEVERITY = {action: action.severity for action in Action}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a policy makes of one finding, or (``finding_id`` None) of an answer without findings.

    ``str()`` is a line for people. Texts of the answer and the passages are not in it.
    """

    finding_id: str | None
    action: Action
    rule: str
    why: str

    def __str__(self) -> str:
        return f"{self.finding_id or 'answer'} {self.action.value}: rule {self.rule!r}; {self.why}"


def severest(fits: Sequence[Fit]) -> Fit:
    """The severest action and its rule; the first of equals."""
    return max(fits, key=lambda fit: _SEVERITY[fit[0]])


def explain(report: Report, finding: Finding | None, fits: Sequence[Fit], fail: str) -> Explanation:
    """The explanation of what the rules that fit amount to.

    Args:
        report: The report that the finding is in.
        finding: None = the answer as a whole.
        fits: All rules that fit.
        fail: The policy's ``fail``.
    """
    action, rule = severest(fits)
    parts = [_judged(finding) if finding else " ".join(report.reason.split()).rstrip(".") or report.verdict.value]
    if rule.endswith("(default)"):
        verdict = finding.verdict if finding else report.verdict
        parts.append(f"no rule names it, fail={fail} decides" if verdict is Verdict.UNVERIFIED else "no rule names it")
    if others := [f"{other!r} {milder.value}" for milder, other in fits if other != rule]:
        parts.append(f"also fit: {', '.join(others)}")
    return Explanation(finding_id=finding.id if finding else None, action=action, rule=rule, why="; ".join(parts))


def _judged(finding: Finding) -> str:
    kind = f" ({finding.error_type.value})" if finding.error_type else ""
    score = "no score" if finding.verdict is Verdict.UNVERIFIED else f"score {finding.score:.2f}"
    return f"{finding.verdict.value}{kind}, {score}{', the sources disagree' if finding.conflict else ''}"
