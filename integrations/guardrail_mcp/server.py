"""The server on the official SDK: tools with typed results, so that clients get structured content and a schema."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from guardrail import Guard, Passage, UsageError, __version__
from guardrail.telemetry.records import RecordStore
from guardrail.types import Finding, Report, Verdict

_MOST = 100
_INSTRUCTIONS = (
    "Checks whether an answer is supported by the passages that it was written from. Call check_answer before you show "
    "an answer that rests on documents, with the passages word for word. A finding that is contradicted or unsupported "
    "is to be corrected or left out; one that is unverified could not be judged."
)


class GivenPassage(BaseModel):
    """A passage that the answer was written from."""

    text: str
    id: str = ""
    title: str | None = None


class Quote(BaseModel):
    """The words of a passage that a verdict rests on."""

    passage_id: str
    quote: str


class FoundSegment(BaseModel):
    """What was found about one piece of the answer; ``start`` and ``end`` are code points. No score: not verified."""

    text: str
    start: int
    end: int
    verdict: str
    score: float | None
    error_type: str | None
    reason: str
    evidence: list[Quote]


class CheckedAnswer(BaseModel):
    """What was found about an answer, and what the policy does: ``text`` is what to show instead of it."""

    verdict: str
    score: float | None
    reason: str
    action: str
    text: str
    findings: list[FoundSegment]


class WorstAnswer(BaseModel):
    """A recorded answer, with what is at fault in it."""

    id: str
    time: str
    verdict: str
    score: float | None
    question: str | None
    answer: str
    action: str
    labels: dict[str, str]
    faults: list[FoundSegment]


class WorstAnswers(BaseModel):
    """Recorded answers, the worst first."""

    answers: list[WorstAnswer]


def make_server(guard: Guard, records: RecordStore | None = None) -> MCPServer:
    """An MCP server; run it by ``.run()`` (standard input and output) or mount its ``.streamable_http_app()``.

    Args:
        guard: Checks, and says by its policy what to show.
        records: Whose worst answers to tell; None = there is no such tool.
    """
    server: MCPServer = MCPServer("guardrail", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING")

    @server.tool()
    async def check_answer(
        answer: Annotated[str, Field(description="The answer to check.")],
        passages: Annotated[
            list[str | GivenPassage], Field(description="The passages it was written from, word for word.")
        ],
        question: Annotated[str | None, Field(description="What was asked.")] = None,
    ) -> CheckedAnswer:
        """Check an answer against its passages, sentence by sentence, with the evidence for each verdict."""
        given = [p if isinstance(p, str) else Passage(text=p.text, id=p.id, title=p.title) for p in passages]
        try:
            guarded = await guard.arun(answer, given, question=question)
        except UsageError as error:
            raise ToolError(str(error)) from error
        report = guarded.report
        return CheckedAnswer(
            verdict=report.verdict.value,
            score=_score(report),
            reason=report.reason,
            action=guarded.action.value,
            text=guarded.text,
            findings=[_segment(finding) for finding in report.findings],
        )

    if records is None:
        return server

    @server.tool()
    async def worst_answers(
        n: Annotated[int, Field(description="How many.", ge=1, le=_MOST)] = 10,
        hours: Annotated[float | None, Field(description="Only of the last so many hours.", gt=0)] = None,
        verdict: Annotated[
            str | None, Field(description="Only contradicted, unsupported, unverified, supported or abstained ones.")
        ] = None,
    ) -> WorstAnswers:
        """The recorded answers that their passages support least, with what is wrong in each."""
        since = None if hours is None else timedelta(hours=hours)
        try:
            found = await asyncio.to_thread(records.worst, n, since=since, verdict=verdict)
        except UsageError as error:
            raise ToolError(str(error)) from error
        return WorstAnswers(
            answers=[
                WorstAnswer(
                    id=record.id,
                    time=record.time.isoformat(),
                    verdict=record.verdict.value,
                    score=_score(record.report),
                    question=record.question,
                    answer=record.answer,
                    action=record.action,
                    labels=dict(record.labels),
                    faults=[_segment(finding) for finding in record.faults],
                )
                for record in found
            ]
        )

    return server


def _score(report: Report) -> float | None:
    return None if report.verdict is Verdict.UNVERIFIED else round(report.score, 4)


def _segment(finding: Finding) -> FoundSegment:
    return FoundSegment(
        text=finding.text,
        start=finding.span.start,
        end=finding.span.end,
        verdict=finding.verdict.value,
        score=None if finding.verdict is Verdict.UNVERIFIED else round(finding.score, 4),
        error_type=None if finding.error_type is None else finding.error_type.value,
        reason=finding.reason,
        evidence=[Quote(passage_id=e.passage_id, quote=e.quote) for e in finding.evidence],
    )
