"""The second look: points whose verdict their quotes, values or names do not bear out, asked again in one call.

The prompt ``review`` says what is in doubt and asks for what the first reply did not show: which words stand for which,
and the sum behind a value that no document has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardrail.engines.llm.judgement import claims_of
from guardrail.engines.llm.prompts import LEAST_TOKENS, Block, ask, in_calls
from guardrail.engines.llm.protocol import Prompt
from guardrail.engines.llm.short_forms import TIE, ShortReview
from guardrail.types import Segment

_POINT_TOKENS = 140
"""Of a reply, per point, which may show a sum."""

Call = tuple[Prompt, tuple[Segment, ...]]
"""A request and the segments that it asks about."""


@dataclass(frozen=True, slots=True)
class Doubted:
    """A segment; why, by id of point or relation; whom it is about; the words that tie its points."""

    segment: Segment
    doubts: Mapping[str, str]
    who: str | None
    words: str | None


def calls(doubted: Sequence[Doubted], shared: Sequence[Block], language: str) -> list[Call]:
    """The requests about all doubted points of an answer; ``shared``: its documents and question."""
    batches = in_calls(doubted, lambda each: len(each.doubts))
    return [(_prompt(batch, shared, language), tuple(each.segment for each in batch)) for batch in batches]


def _prompt(doubted: Sequence[Doubted], shared: Sequence[Block], language: str) -> Prompt:
    tokens = LEAST_TOKENS + _POINT_TOKENS * sum(len(each.doubts) for each in doubted)
    return ask("review", language, ShortReview, [*shared, ("segments", list(map(_item, doubted)))], tokens)


def _item(each: Doubted) -> dict[str, Any]:
    segment, doubts, tie = each.segment, each.doubts, each.segment.id + TIE
    points = [
        {"id": claim.id, "text": claim.text, "doubt": doubts[claim.id]}
        for claim in claims_of(segment)
        if claim.id in doubts
    ]
    relation = {"id": tie, "words": each.words, "doubt": doubts[tie]} if tie in doubts else None
    return {"id": segment.id, "who": each.who, "text": segment.text, "points": points, "relation": relation}


def merged(first: Mapping[str, Any], second: Mapping[str, Any] | None, doubts: Mapping[str, str]) -> dict[str, Any]:
    """A reply about a segment (long form) with what the second look says where it was asked, and nowhere else."""
    said = second or {"points": [], "logic": None}
    new: dict[str, Any] = {}
    before = {point["id"]: point.get("verdict") for point in first["points"]}
    for point in said["points"]:
        if point["id"] in doubts:  # two verdicts on one point are none
            agreed = point.get("verdict") == before.get(point["id"])
            ours = {"second": True, "agreed": agreed}
            new[point["id"]] = {**point, **ours} if point["id"] not in new else {"id": point["id"]}
    points = [point for point in first["points"] if point["id"] not in new]
    asked = said["logic"] is not None and first["id"] + TIE in doubts
    logic = {**said["logic"], "second": True} if asked else first.get("logic")
    return {**first, "points": [*points, *new.values()], "logic": logic}
