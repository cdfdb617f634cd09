"""Phoenix: ``POST /v1/span_annotations`` and ``/v1/document_annotations``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from guardrail.types import GuardedAnswer, Report, Verdict
from guardrail_scores.scores import Score, Sender, scores_of

_IDENTIFIER = "rag-guardrail"
"""Annotations of the same name and identifier overwrite each other."""


class Phoenix(Sender):
    """Writes annotations to spans of Phoenix.

    Args:
        url: Where Phoenix is.
        api_key: Where it wants one.
    """

    def __init__(self, url: str = "http://localhost:6006", api_key: str | None = None) -> None:
        super().__init__(url, headers={} if api_key is None else {"authorization": f"Bearer {api_key}"})

    def write(self, checked: Report | GuardedAnswer, span_id: str, retriever_span_id: str | None = None) -> None:
        """Write the scores of an answer to its span; and to a retriever's span, which of its documents are evidence.

        Args:
            checked: The answer; its passages are the retriever's documents, in their order.
            span_id: Of the span that wrote the answer (16 hex digits).
            retriever_span_id: Of the span that found the passages.

        Raises:
            NotWrittenError: they were not taken.
        """
        data = [{"span_id": span_id} | _annotation(score) for score in scores_of(checked)]
        self.post("/v1/span_annotations", {"data": data}, sync="true")
        report = checked if isinstance(checked, Report) else checked.report
        if retriever_span_id is not None and report.passages:
            self.post("/v1/document_annotations", {"data": _documents(report, retriever_span_id)}, sync="true")

    def write_scores(self, scores: Iterable[Score], trace_id: str) -> None:
        """Write these scores to a whole trace (32 hex digits), where the span that answered is not known.

        Raises:
            NotWrittenError: they were not taken.
        """
        data = [{"trace_id": trace_id} | _annotation(score) for score in scores]
        self.post("/v1/trace_annotations", {"data": data}, sync="true")


def _annotation(score: Score) -> dict[str, Any]:
    key = "label" if isinstance(score.value, str) else "score"
    return {
        "name": score.name,
        "annotator_kind": "CODE",
        "identifier": _IDENTIFIER,
        "result": {key: score.value, "explanation": score.comment},
    }


def _documents(report: Report, span_id: str) -> list[dict[str, Any]]:
    """For each passage whether findings rest on it: it supports some, contradicts some, or is not used."""
    used: dict[str, set[Verdict]] = {}
    for finding in report.findings:
        for evidence in finding.evidence:
            used.setdefault(evidence.passage_id, set()).add(finding.verdict)
    found = []
    for number, passage in enumerate(report.passages):
        verdicts = used.get(passage.id, set())
        label = (
            "contradicts"
            if Verdict.CONTRADICTED in verdicts
            else "supports"
            if Verdict.SUPPORTED in verdicts
            else "not used"
        )
        found.append(
            {
                "span_id": span_id,
                "document_position": number,
                "name": "guardrail.evidence",
                "annotator_kind": "CODE",
                "identifier": _IDENTIFIER,
                "result": {"label": label},
            }
        )
    return found
