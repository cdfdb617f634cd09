"""An answer taken apart into claims, without a check (RefChecker, claim extraction)."""

from __future__ import annotations

from dataclasses import replace

from guardrail.check.boundary import decomposed
from guardrail.check.call import Call
from guardrail.check.contract import DecomposeRequest, Draft
from guardrail.check.decompose import decompose
from guardrail.check.drivers import Program, pure
from guardrail.telemetry import stage
from guardrail.types import Claim, Segment


def extracted(call: Call) -> Program[Draft]:
    """The answer taken apart; a segment to check that was not taken apart further is its own claim.

    Raises:
        UsageError: the driver is sync, and the engine decomposes and can only be awaited.
    """
    with stage("decompose"):
        parts = yield from pure(decompose, call.answer, question=call.question)
        request = DecomposeRequest(answer=call.answer, question=call.question, parts=parts, deadline=call.deadline)
        draft = yield from decomposed(call.engine, request)
    segments = tuple(
        s if s.skipped is not None or s.claims else replace(s, claims=(_whole(s),)) for s in draft.parts.segments
    )
    return replace(draft, parts=replace(draft.parts, segments=segments))


def _whole(segment: Segment) -> Claim:
    return Claim(id=f"{segment.id}.1", text=segment.text, span=segment.span)
