"""What is delivered where there is no answer: whoever was to write it ran out of time."""

from __future__ import annotations

from dataclasses import replace

from guardrail.check.judge import unjudged
from guardrail.policy.policy import Policy
from guardrail.repair.edits import repair
from guardrail.types import Action, Cause, Decision, GuardedAnswer, Report, Segment, Span


def unanswered(report: Report, why: str, policy: Policy) -> GuardedAnswer:
    """The policy's refusal; with ``fail="open"`` too, since there is nothing that could be let through.

    Args:
        report: Of the empty answer.
        why: What happened, for people; without a full stop.
        policy: Its message and its name are used.
    """
    finding = unjudged(Segment(id="s1", span=Span(0, 0), text=""), "", why, Cause.TIMEOUT)
    report = replace(report, findings=(finding,), reason=f"{why[0].upper()}{why[1:]}.")
    _, rule = policy.action_for(finding)
    decision = Decision(
        action=Action.BLOCK, rule=rule, policy=policy.name, finding_actions=((finding.id, Action.BLOCK),)
    )
    return repair(report, decision, policy)
