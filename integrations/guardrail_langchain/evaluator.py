"""An evaluator for runs in the way of LangSmith: a verdict on answers that were already given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.messages import BaseMessage

from guardrail import Guard, Passage, Report, UsageError, Verdict
from guardrail.check.drivers import Program, arun, either
from guardrail.check.drivers import run as run_program
from guardrail.repair.feedback import Feedback
from guardrail.wrap.kinds import read_guard
from guardrail_langchain.answers import text_of
from guardrail_langchain.documents import to_passages
from guardrail_langchain.parts import Extract, Parts

_QUOTED = 3
"""Findings that a comment quotes."""


class GuardrailRunEvaluator:
    """See ``guardrail_evaluator``."""

    def __init__(self, guard: Guard, parts: Parts, key: str) -> None:
        self.guard, self.parts, self.key = guard, parts, key
        self.__name__ = key

    def __call__(
        self,
        run: Any = None,
        example: Any = None,
        inputs: Any = None,
        outputs: Any = None,
        reference_outputs: Any = None,
    ) -> dict[str, Any]:
        """Check one run: ``(run, example)``, or its ``inputs`` and ``outputs``.

        Returns:
            ``key``, ``score`` (0..1, the lowest of a finding; None where nothing could be checked), ``value`` (the
            verdict) and ``comment`` (what is wrong, with the passages that say so).
        """
        del reference_outputs  # the answer is held against its passages
        return run_program(self._evaluated(run, example, inputs, outputs))

    async def acall(
        self,
        run: Any = None,
        example: Any = None,
        inputs: Any = None,
        outputs: Any = None,
        reference_outputs: Any = None,
    ) -> dict[str, Any]:
        """The same without blocking the event loop."""
        del reference_outputs
        return await arun(self._evaluated(run, example, inputs, outputs))

    def _evaluated(self, run: Any, example: Any, inputs: Any, outputs: Any) -> Program[dict[str, Any]]:
        try:
            answer, passages, question = self._read(run, example, inputs, outputs)
        except UsageError as error:
            return {"key": self.key, "score": None, "comment": f"not checked: {error}"}
        report = yield from either(self.guard.check, self.guard.acheck, answer, passages, question=question)
        return {
            "key": self.key,
            "score": None if report.verdict is Verdict.UNVERIFIED else report.score,
            "value": report.verdict.value,
            "comment": self._comment(report),
        }

    def _read(self, run: Any, example: Any, inputs: Any, outputs: Any) -> tuple[str, list[Passage], str | None]:
        given = inputs if inputs is not None else _of(run, "inputs") or _of(example, "inputs") or {}
        output = outputs if outputs is not None else _of(run, "outputs")
        if output is None:
            raise UsageError("the run has no outputs")
        answer, parts = self._answer(self.parts.find_answer(output)), self.parts
        documents: Any = None
        if parts.passages is None and not parts.has_documents(output, None, None):
            documents = list(_retrieved(run))
        if not documents:
            elsewhere = documents is not None and isinstance(given, Mapping) and parts.has_documents(given, None, None)
            documents = parts.find_documents(given if elsewhere else output, None, None)
        return answer, to_passages(documents), parts.find_question(given, output)

    def _answer(self, value: Any) -> str:
        if isinstance(value, Mapping) and not isinstance(value, BaseMessage):  # a message that went through JSON
            fields = value.get("kwargs")
            value = (fields if isinstance(fields, Mapping) else value).get("content")
        return text_of(value)

    def _comment(self, report: Report) -> str:
        decision = self.guard.policy.current().decide(report)
        wrong = Feedback(
            answer=report.answer, question=report.question, report=report, decision=decision, attempt=2
        ).wrong
        if not wrong:
            return f"{report.verdict.value}. {report.reason}".strip()
        lines = [f"{f.verdict.value}: “{f.text}” {f.reason}".strip() for f in wrong[:_QUOTED]]
        more = len(wrong) - _QUOTED
        return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def guardrail_evaluator(
    guard: Guard,
    *,
    answer: Extract | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
    key: str = "groundedness",
) -> GuardrailRunEvaluator:
    """An evaluator for ``langsmith.evaluate`` and the like; it needs no LangSmith itself.

    Args:
        guard: Checks each answer; its policy says which findings a comment names.
        answer: Key or function for the answer in the outputs; see guard_chain.
        passages: The same for the documents. Default: the usual keys of the outputs, else what the run's retrievers
            returned (child runs), else the usual keys of the inputs.
        question: The same for the question; default: the usual keys of outputs or inputs.
        key: Name of the score.

    Returns:
        A callable for ``(run, example)`` or ``(inputs, outputs, reference_outputs)``; its ``acall`` is the coroutine.

    Raises:
        UsageError: guard is no Guard. A run that cannot be checked gets the score None and says why.
    """
    read_guard(guard, "guardrail_evaluator(Guard(...))")
    return GuardrailRunEvaluator(guard, Parts(answer, passages, question, wrapper="guardrail_evaluator"), key)


def _of(run: Any, name: str) -> Any:
    return run.get(name) if isinstance(run, Mapping) else getattr(run, name, None)


def _retrieved(run: Any) -> Iterator[Any]:
    """What the retrievers of a run returned, the outermost of each branch."""
    for child in _of(run, "child_runs") or ():
        if _of(child, "run_type") == "retriever":
            yield from (_of(child, "outputs") or {}).get("documents") or ()
        else:
            yield from _retrieved(child)
