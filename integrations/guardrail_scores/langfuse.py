"""Langfuse: ``POST /api/public/scores``."""

from __future__ import annotations

from collections.abc import Iterable

from guardrail.types import GuardedAnswer, Report
from guardrail_scores.scores import Score, Sender, ident, scores_of


class Langfuse(Sender):
    """Writes scores to traces of a Langfuse project.

    Args:
        public_key: Of the project.
        secret_key: Of the project.
        host: Where Langfuse is.
    """

    def __init__(self, public_key: str, secret_key: str, host: str = "https://cloud.langfuse.com") -> None:
        super().__init__(host, auth=(public_key, secret_key))

    def write(self, checked: Report | GuardedAnswer, trace_id: str, observation_id: str | None = None) -> None:
        """Write the scores of an answer to its trace, or to one observation of it.

        Raises:
            NotWrittenError: they were not taken.
        """
        self.write_scores(scores_of(checked), trace_id, observation_id)

    def write_scores(self, scores: Iterable[Score], trace_id: str, observation_id: str | None = None) -> None:
        """Write these scores to a trace, or to one observation of it.

        Raises:
            NotWrittenError: they were not taken.
        """
        for score in scores:
            body = {
                "id": ident("langfuse", trace_id, observation_id or "", score.name),
                "traceId": trace_id,
                "name": score.name,
                "value": score.value,
                "dataType": "CATEGORICAL" if isinstance(score.value, str) else "NUMERIC",
                "comment": score.comment,
            }
            self.post("/api/public/scores", body | ({"observationId": observation_id} if observation_id else {}))
