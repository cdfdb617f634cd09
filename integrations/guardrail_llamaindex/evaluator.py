"""The check as a LlamaIndex evaluator, for BatchEvalRunner and the retry engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.base.response.schema import RESPONSE_TYPE
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.prompts.mixin import PromptDictType

from guardrail import Guard, Passage, Policy, Report, UsageError, Verdict
from guardrail.check.drivers import Program, arun, either, run
from guardrail.check.intake import PassageLike
from guardrail.repair.feedback import Feedback
from guardrail.wrap.kinds import read_guard
from guardrail_llamaindex.answers import Selector, atext_of, text_of, to_passages


class GuardrailEvaluator(BaseEvaluator):
    """Passes answers that their contexts support (``supported``) or that claim nothing (``abstained``).

    ``score`` is the report's (0..1), ``feedback`` says what is wrong, in words that a generator can follow. What nobody
    could judge is an invalid result: ``passing`` and ``score`` are None, which counts as not passing.

    Args:
        guard: Checks; its policy's threshold tells from which score on a sentence is supported.
        passages: Turns the source nodes of a response into passages (``evaluate_response``).

    Raises:
        UsageError: the guard is no Guard.
    """

    def __init__(self, guard: Guard | None = None, *, passages: Selector = to_passages) -> None:
        self.guard = Guard() if guard is None else read_guard(guard, "Guard(policy=...)")
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
        return run(self._evaluated(query, *_given(response, contexts)))

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> EvaluationResult:
        """The same without blocking the event loop."""
        return await arun(self._evaluated(query, *_given(response, contexts)))

    def evaluate_response(
        self,
        query: str | None = None,
        response: RESPONSE_TYPE | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> EvaluationResult:
        """Check a response against its source nodes, with their ids and titles; a stream is read to its end."""
        return run(self._response_evaluated(query, response))

    async def aevaluate_response(
        self,
        query: str | None = None,
        response: RESPONSE_TYPE | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> EvaluationResult:
        """The same without blocking the event loop."""
        return await arun(self._response_evaluated(query, response))

    def _response_evaluated(self, query: str | None, response: RESPONSE_TYPE | None) -> Program[EvaluationResult]:
        if response is None:
            raise UsageError("response must not be None. Pass what the query engine returned.")
        passages = self._passages(response.source_nodes)
        return (yield from self._evaluated(query, (yield from either(text_of, atext_of, response)), passages))

    def _evaluated(self, query: str | None, answer: str, passages: Iterable[PassageLike]) -> Program[EvaluationResult]:
        report = yield from either(self.guard.check, self.guard.acheck, answer, passages, question=query)
        return self._result(report)

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
    return report.reason or (reasons[0] if reasons else "not verified")
