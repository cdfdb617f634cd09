"""Rewrite an answer by a language model, in one call; what it writes is believed as little as any answer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pydantic import ValidationError

from guardrail.engines.llm.prompts import ask
from guardrail.engines.llm.protocol import LLM, AsyncLLM, LLMError, Prompt, Steps
from guardrail.engines.llm.replies import RewriteReply, read_object
from guardrail.engines.llm.requests.budget import Budget
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.repair.edits import language_of
from guardrail.repair.feedback import Feedback
from guardrail.repair.local.edits import preserves_rest
from guardrail.repair.local.namesakes import true_namesake
from guardrail.types import Finding, Passage, Report

_QUOTES = 4
"""Evidence given per fault; a report holds few more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LLMRewriter:
    """Has a language model mend the parts at fault from their evidence, and nothing else.

    The model sees the answer, its faults and their evidence, not the passages: what a passage says beside the evidence
    cannot talk it into anything. A reply that is unreadable, loses a sentence that nobody objected to, or brings links
    along is none.

    Attributes:
        llm: The model, as for LLMEngine.
        settings: Timeouts, retries and so on; its ``timeout`` is that of the whole rewrite. None = the defaults.
    """

    llm: LLM | AsyncLLM
    settings: CallSettings | None = None
    _calls: Calls = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_calls", Calls(self.llm, self.settings))

    def rewrite(self, feedback: Feedback) -> str | None:
        """The mended answer; None where the model could not be asked or its reply is none.

        Raises:
            UsageError: the model can only be awaited.
        """
        return self._calls.run(_steps(feedback), self._budget())

    async def arewrite(self, feedback: Feedback) -> str | None:
        """The same without blocking the event loop."""
        return await self._calls.arun(_steps(feedback), self._budget())

    def _budget(self) -> Budget:
        settings = self._calls.settings
        return Budget(deadline=time.monotonic() + settings.timeout, calls_left=settings.max_calls, prices=None)


def _steps(feedback: Feedback) -> Steps[str | None]:
    if not feedback.faults:
        return None
    (reply,) = yield (_prompt(feedback),)
    if isinstance(reply, LLMError) or reply.cut_off:
        return None
    try:
        said = RewriteReply.model_validate(read_object(reply.text))
    except ValidationError:
        return None
    return said.answer if preserves_rest(said.answer, feedback) else None


def _prompt(feedback: Feedback) -> Prompt:
    by_id = {passage.id: passage for passage in feedback.report.passages}
    data: list[tuple[str, object]] = [] if feedback.question is None else [("question", feedback.question)]
    data.append(("answer", feedback.answer))
    data.append(("faults", [_fault(finding, by_id, feedback.report) for finding in feedback.faults]))
    return ask("rewrite", language_of(feedback.answer), RewriteReply, data, 1024 + 3 * len(feedback.answer))


def _fault(finding: Finding, passages: dict[str, Passage], report: Report) -> dict[str, object]:
    about = true_namesake(finding, report)
    return {
        "text": finding.text,
        "verdict": finding.verdict.value,
        "reason": finding.reason,
        "error": finding.error_type.value if finding.error_type else None,
        "at_fault": finding.focus.of(report.answer) if finding.focus else None,
        "about": about.title if about else None,
        "evidence": [
            {"title": passages[each.passage_id].title if each.passage_id in passages else None, "text": each.quote}
            for each in finding.evidence[:_QUOTES]
        ],
    }
