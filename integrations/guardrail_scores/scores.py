"""What is told of an answer, and how it is sent: ids are made from the trace, so that a second audit overwrites."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from uuid import UUID, uuid5

import httpx

from guardrail.errors import GuardrailError
from guardrail.types import GuardedAnswer, Report, Verdict

_SPACE = UUID("4ad2d1d0-3b0a-5d0e-9a53-3c7d1f3f7f10")
_SECONDS = 10.0


class NotWrittenError(GuardrailError):
    """The service did not take the scores; ``status`` is its answer, None where it could not be reached."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Score:
    """One score of an answer.

    Attributes:
        name: ``guardrail.verdict``, ``guardrail.score``, ``guardrail.faithfulness``.
        value: A number from 0 to 1, or a verdict.
        comment: Why, without texts of the answer.
    """

    name: str
    value: float | str
    comment: str = ""


def scores_of(checked: Report | GuardedAnswer) -> list[Score]:
    """The verdict, and the numbers that there are: what was not verified has no score."""
    report = checked if isinstance(checked, Report) else checked.report
    counts = {verdict: sum(f.verdict is verdict for f in report.findings) for verdict in Verdict}
    comment = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    found = [Score("guardrail.verdict", report.verdict.value, comment)]
    if any(f.verdict is not Verdict.UNVERIFIED for f in report.findings):
        judged = min(f.score for f in report.findings if f.verdict is not Verdict.UNVERIFIED)
        found.append(Score("guardrail.score", round(judged, 4), "the lowest of the findings"))
    if report.scores.faithfulness is not None:
        found.append(Score("guardrail.faithfulness", round(report.scores.faithfulness, 4), comment))
    return found


def ident(*parts: str) -> str:
    """The same UUID for the same parts."""
    return str(uuid5(_SPACE, "\0".join(parts)))


class Sender:
    """Requests to one service; close it, or use it in a ``with`` block."""

    def __init__(self, base_url: str, **options: Any) -> None:
        self._http = httpx.Client(base_url=base_url.rstrip("/"), timeout=_SECONDS, **options)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def post(self, path: str, body: Any, **params: str) -> None:
        """Send it.

        Raises:
            NotWrittenError: it was not taken.
        """
        try:
            reply = self._http.post(path, json=body, params=params)
        except httpx.HTTPError as error:
            raise NotWrittenError(f"{self._http.base_url} could not be reached: {type(error).__name__}.") from error
        if not reply.is_success:
            raise NotWrittenError(
                f"{self._http.base_url} answered {reply.status_code} to {path}. Check the key and the id.",
                reply.status_code,
            )
