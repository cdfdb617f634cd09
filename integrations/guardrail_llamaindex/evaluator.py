"""The check as a LlamaIndex evaluator, for BatchEvalRunner and the retry engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType

from guardrail import Guard, Passage, Policy, Report, UsageError, Verdict
from guardrail.repair.feedback import Feedback
from guardrail_llamaindex.answers import atext_of, text_of
from guardrail_llamaindex.passages import Selector, to_passages


class GuardrailEvaluator(BaseEvaluator):
    """Passes answers that their contexts bear out (``supported``) or that claim nothing (``abstained``).

    ``score`` is the report's (0..1), ``feedback`` says what is wrong, in words that a generator can follow. What nobody
    could judge is an invalid result: ``passing`` and ``score`` are None, which counts as not passing.

    Args:
        guard: Checks; its policy's threshold tells from which score on a sentence is supported.
        passages: Turns the source nodes of a response into passages (``evaluate_response``).

    Raises:
        UsageError: the guard is no Guard.
    """

    def __init__(self, guard: Guard | None = None, *, passages: Selector = to_passages) -> None:
        if not isinstance(guard, (Guard, type(None))):
            raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Write Guard(policy=...).")
        self.guard = guard or Guard()
        self._passages = passages

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,  # noqa: ARG002  the interface's
    ) -> EvaluationResult:
        """Check a response against its contexts.

        Raises:
            UsageError: there is no response or there are no contexts (None).
        """
        answer, passages = _given(response, contexts)
        return self._result(self.guard.check(answer, passages, question=query))

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> EvaluationResult:
        """The same without blocking the event loop."""
        answer, passages = _given(response, contexts)
        return self._result(await self.guard.acheck(answer, passages, question=query))

    def evaluate_response(
        self,
        query: str | None = None,
        response: RESPONSE_TYPE | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> EvaluationResult:
        """Check a response against its source nodes, with their ids and titles; a stream is read to its end."""
        if response is None:
            raise UsageError("response must not be None. Pass what the query engine returned.")
        passages = self._passages(response.source_nodes)
        return self._result(self.guard.check(text_of(response), passages, question=query))

    async def aevaluate_response(
        self,
        query: str | None = None,
        response: RESPONSE_TYPE | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> EvaluationResult:
        """The same without blocking the event loop."""
        if response is None:
            raise UsageError("response must not be None. Pass what the query engine returned.")
        passages = self._passages(response.source_nodes)
        return self._result(await self.guard.acheck(await atext_of(response), passages, question=query))

    def _result(self, report: Report) -> EvaluationResult:
        invalid = report.verdict is Verdict.UNVERIFIED
        passing = report.verdict in (Verdict.SUPPORTED, Verdict.ABSTAINED)
        return EvaluationResult(
            query=report.question,
            contexts=[passage.text for passage in report.passages],
            response=report.answer,
            passing=None if invalid else passing,
            score=None if invalid else report.score,
            feedback=self._feedback(report),
            invalid_result=invalid,
            invalid_reason=_why(report) if invalid else None,
        )

    def _feedback(self, report: Report) -> str:
        if report.verdict is Verdict.SUPPORTED:
            return "The contexts bear the answer out."
        if report.verdict is Verdict.ABSTAINED or not report.findings:
            return report.reason
        decision = Policy.monitor().decide(report)  # names all that is wrong, whatever the guard would do about it
        return Feedback(
            answer=report.answer, question=report.question, report=report, decision=decision, attempt=2
        ).text

    def _get_prompts(self) -> PromptDictType:
        return {}

    def _update_prompts(self, prompts: PromptDictType) -> None:
        """There are none to update."""


def _given(response: str | None, contexts: Sequence[str] | None) -> tuple[str, list[Passage]]:
    if response is None or contexts is None:
        raise UsageError("response and contexts must be given: a text, and the texts that it was generated from.")
    return response, [Passage(id=str(number), text=text) for number, text in enumerate(contexts, 1)]


def _why(report: Report) -> str:
    reasons = [f.reason for f in report.findings if f.verdict is Verdict.UNVERIFIED and f.reason]
    return report.reason or (reasons[0] if reasons else "nobody could judge")
