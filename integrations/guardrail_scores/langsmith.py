"""LangSmith: ``POST /feedback``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from guardrail.types import GuardedAnswer, Report
from guardrail_scores.scores import Score, Sender, ident, scores_of


class LangSmith(Sender):
    """Writes feedback to runs of LangSmith.

    Args:
        api_key: A key of the workspace.
        url: Where LangSmith's API is.
    """

    def __init__(self, api_key: str, url: str = "https://api.smith.langchain.com") -> None:
        super().__init__(url, headers={"x-api-key": api_key})

    def write(self, checked: Report | GuardedAnswer, run_id: str, trace_id: str | None = None) -> None:
        """Write the scores of an answer to its run.

        Raises:
            NotWrittenError: they were not taken.
        """
        self.write_scores(scores_of(checked), run_id, trace_id)

    def write_scores(self, scores: Iterable[Score], run_id: str, trace_id: str | None = None) -> None:
        """Write these scores to a run.

        Raises:
            NotWrittenError: they were not taken.
        """
        for score in scores:
            body: dict[str, Any] = {
                "id": ident("langsmith", run_id, score.name),
                "run_id": run_id,
                "trace_id": trace_id or run_id,
                "key": score.name,
                "comment": score.comment,
                "feedback_source": {"type": "api", "metadata": {"by": "rag-guardrail"}},
            }
            self.post("/feedback", body | ({"value" if isinstance(score.value, str) else "score": score.value}))
