"""What a generator is told about an answer that did not pass, so that its next one can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from guardrail.repair.edits import language_of
from guardrail.types import Action, Decision, Finding, Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXTS = {
    "en": {
        "head": "Your previous answer was checked against the passages. These parts of it do not hold:",
        Verdict.CONTRADICTED: "the passages say otherwise",
        Verdict.UNSUPPORTED: "the passages do not say this",
        Verdict.UNVERIFIED: "this was not verified",
        Verdict.SUPPORTED: "the passages support this only weakly",
        "conflict": "the passages disagree about this",
        "evidence": "They say: {quote}",
        "tail": "Answer the question again from the same passages only. Correct or leave out these parts, keep the "
        "rest, and add nothing that the passages do not say.",
    },
    "zh": {
        "head": "你之前的回答已对照所给段落核查，以下内容不成立：",
        Verdict.CONTRADICTED: "段落的说法与此不同",
        Verdict.UNSUPPORTED: "段落中没有这样的说法",
        Verdict.UNVERIFIED: "这一点未能核实",
        Verdict.SUPPORTED: "段落对此支持不足",
        "conflict": "各段落对此说法不一",
        "evidence": "段落原文：{quote}",
        "tail": "请仅依据同样的段落重新回答问题：更正或删去上述内容，保留其余内容，不要添加段落中没有的信息。",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """An answer that did not pass, and why.

    Attributes:
        answer: The answer, as generated.
        question: What was asked, if known.
        report: What the check found.
        decision: What the policy said of it.
        attempt: Number of the attempt to come; 2 for the first new answer.
    """

    answer: str
    question: str | None
    report: Report
    decision: Decision
    attempt: int

    @property
    def wrong(self) -> Sequence[Finding]:
        """Findings that the policy objects to, in the order of the answer."""
        objected = {ident for ident, action in self.decision.finding_actions if action is not Action.ALLOW}
        return tuple(f for f in self.report.findings if f.id in objected)

    @property
    def faults(self) -> Sequence[Finding]:
        """Findings of ``wrong`` that must not stay as they are: the policy would take them out, mend or block them."""
        acted = {i for i, action in self.decision.finding_actions if action.severity >= Action.REDACT.severity}
        return tuple(f for f in self.report.findings if f.id in acted)

    @property
    def text(self) -> str:
        """Instructions for the generator, in the language of the question. They quote the answer and the passages."""
        words = _TEXTS[language_of(self.question or self.answer)]
        lines = [words["head"]]
        for finding in self.wrong:
            fault = "conflict" if finding.conflict and finding.verdict is Verdict.SUPPORTED else finding.verdict
            lines.append(f"- “{_flat(finding.text)}”: {words[fault]}. {_flat(finding.reason)}".rstrip())
            lines += [f"  {words['evidence'].format(quote=f'“{_flat(e.quote)}”')}" for e in finding.evidence[:2]]
        return "\n".join((*lines, words["tail"]))


def _flat(text: str) -> str:
    return " ".join(text.split())
