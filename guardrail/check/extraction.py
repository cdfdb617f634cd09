"""An answer taken apart into claims, without a check (RefChecker, claim extraction)."""

from __future__ import annotations

import time
from dataclasses import replace

from guardrail.check.contract import DecomposeRequest, Draft
from guardrail.check.decompose.decomposition import decompose
from guardrail.types import Claim, Segment


def extract_request(answer: str, question: str | None, seconds: float | None) -> DecomposeRequest:
    """What an engine that decomposes is asked, within ``seconds`` (None = no limit)."""
    return DecomposeRequest(
        answer=answer,
        question=question,
        parts=decompose(answer, question=question),
        deadline=None if seconds is None else time.monotonic() + seconds,
    )


def with_claims(draft: Draft) -> Draft:
    """The same, where a segment to check that was not taken apart further is its own claim."""
    segments = tuple(
        s if s.skipped is not None or s.claims else replace(s, claims=(_whole(s),)) for s in draft.parts.segments
    )
    return replace(draft, parts=replace(draft.parts, segments=segments))


def _whole(segment: Segment) -> Claim:
    return Claim(id=f"{segment.id}.1", text=segment.text, span=segment.span)
