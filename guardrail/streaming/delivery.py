"""The text that has left so far, and what may follow it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from guardrail.policy.policy import Policy
from guardrail.repair.edits import edited_text, legend_of
from guardrail.types import Action, Finding, Report


@dataclass(slots=True)
class Delivery:
    """What one stream has delivered.

    The edited prefix of an answer that ends with a segment in place is a prefix of the edited answer, so what is new in
    it may leave, and all of it joined is what ``repair`` makes of the whole.
    """

    policy: Policy
    actions: dict[str, Action] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    text: str = ""
    taken: str | None = None

    @property
    def anything(self) -> bool:
        """Whether any text has left."""
        return bool(self.text)

    def decide(self, finding: Finding, action: Action) -> None:
        """Settle what happens to the next segment."""
        self.findings.append(finding)
        self.actions[finding.id] = action

    def keep(self, answer: str, start: int, end: int) -> str:
        """New text, now that all up to ``end`` is decided and ``answer[start:end]`` stays."""
        if self.taken is None and Action.ANNOTATE in self.actions.values():
            self.taken = answer
        return self._extend(edited_text(answer[:end], self.findings, self.actions, self.policy.style, taken=self.taken),
                            answer[start:end])  # fmt: skip

    def finish(self, report: Report) -> str:
        """What is left of the answer once every segment is decided, with the legend of its notes."""
        edited = edited_text(report.answer, self.findings, self.actions, self.policy.style, taken=self.taken)
        judged = {(f.id, f.span): f for f in report.findings}  # the last word on scores and reasons
        told = replace(report, findings=tuple(judged.get((f.id, f.span), f) for f in self.findings))
        legend = legend_of(told, self.actions, self.policy.style, taken=self.taken)
        return self._extend(edited, "") + self._add(legend)

    def _extend(self, edited: str, otherwise: str) -> str:
        if edited.startswith(self.text):
            return self._add(edited[len(self.text) :])
        # An edit would reach back into what has left (a cut that takes "a. " for a list marker): it stays as it is.
        return self._add(f" {otherwise}" if otherwise else "")

    def _add(self, text: str) -> str:
        self.text += text
        return text

    def say(self, message: str) -> str:
        """The message that ends a blocked stream."""
        return self._add(f"\n\n{message}" if self.text else message)
