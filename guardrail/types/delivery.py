"""The delivery: what the policy decided on a report, and what leaves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from guardrail.types.report import Report, summary_record


class Action(StrEnum):
    """What a policy does, mildest first."""

    ALLOW = "allow"
    FLAG = "flag"
    ANNOTATE = "annotate"
    REDACT = "redact"
    REWRITE = "rewrite"
    REGENERATE = "regenerate"
    BLOCK = "block"

    @property
    def severity(self) -> int:
        """0 (allow) to 6 (block)."""
        return list(Action).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The policy's answer to a report: the severest action asked for, and by which rule for which findings."""

    action: Action
    rule: str
    policy: str
    finding_actions: tuple[tuple[str, Action], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedAnswer:
    """What to deliver.

    ``attempts`` counts the answers that were written, the first one and those that only say the same again included (1
    without repair). ``exhausted``: a new answer was asked for and
    none passed, so the policy's ``on_exhausted`` applied. ``original`` is the report of the first answer, where another
    one is delivered.
    """

    text: str
    action: Action
    report: Report
    decision: Decision
    attempts: int = 1
    exhausted: bool = False
    original: Report | None = None

    def __str__(self) -> str:
        return self.text

    def to_dict(self, *, texts: bool = False) -> dict[str, Any]:
        """Action, verdict, score and findings as plain JSON, for metadata, logs and responses.

        Args:
            texts: False = no text of answer and passages: findings have spans (code points, end exclusive), scores,
                reasons and the ids and titles of their evidence; the reason of a segment that is not delivered is
                empty, for it may quote it. True = also the delivered text, all reasons, quotes, claims and scores, as
                ``guardrail check`` writes them.
        """
        report, decision = self.report, self.decision
        actions = dict(decision.finding_actions)
        decided = {f.id: actions.get(f.id, decision.action).value for f in report.findings}
        return {
            "action": self.action.value,
            "policy": decision.policy,
            "rule": decision.rule,
            "attempts": self.attempts,
            "exhausted": self.exhausted,
            **summary_record(report, None if texts else self.text, decided),
            **({"text": self.text} if texts else {}),
        }
