"""Class and member, whole and part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from guardrail.check.logic.alignment import (
    Reading,
    RelationVerdict,
    Sides,
    entailed,
    match,
    refuted,
    share,
    shorten,
    undecided,
    union,
    words_of,
)
from guardrail.types import ErrorType, RelationKind

# "Part of", "belongs to", "includes" and lists have too many honest uses to be missed in the evidence.
_STRICT = re.compile(
    r"\b(?:kind|type|form|sort|variety|version|is one|are one|branch|division|subsidiary|offshoot|section|department) "
    r"of$|属|一[种类个部]|之一",
    re.IGNORECASE,
)
_LISTS = re.compile(r"consist|compris|made up|belongs? to$|counts? as$", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:not|no|never|cannot|neither|nor|without)\b|n't\b|[不非未无没]", re.IGNORECASE)
_DENIED = re.compile(r"(?:\b(?:not|never|nor|no longer)|n't)\s(?:\w+\s)?$|[不非未没]$", re.IGNORECASE)
# One sentence names whole and part with one of these words between them or before the part.
_APART = re.compile(
    r"\b(?:not|neither|nor|except|excluding|excluded|apart from|other than|everything but|but no|unrelated|no relation|"
    r"never|separate(?:ly)?|independent|different)\b|n't\b",
    re.IGNORECASE,
)


def judge_inclusion(text: str, claimed: Sides, readings: Sequence[Reading]) -> RelationVerdict:
    """Judge one claimed inclusion (Face4RAG: inclusion relation error)."""
    relation = claimed.relation
    if not claimed.first or not claimed.second or _NEGATED.search(text):
        return undecided(relation)
    for reading in readings:
        for stated in reading.sides:
            m = match(claimed, stated)
            if stated.kind is not RelationKind.INCLUSION or m.forward < 0.5 or m.forward < m.backward:
                continue
            start = stated.relation.span.start
            if not _DENIED.search(reading.text[max(start - 16, 0) : start]):
                return entailed(relation, stated.relation)
    claim = f"The segment puts '{shorten(relation.second)}' under '{shorten(relation.first)}' ('{relation.connective}')"
    if (apart := _apart(claimed, readings)) is not None:
        reason = f"{claim}; the evidence says '{apart}'."
        return refuted(relation, ErrorType.INCLUSION_RELATION, reason, contradicts=True)
    known = union(readings)
    if not _STRICT.search(relation.connective) or min(share(claimed.first, known), share(claimed.second, known)) < 0.75:
        return undecided(relation)
    reason = f"{claim}; the evidence names both but not as whole and part."
    return refuted(relation, ErrorType.INCLUSION_RELATION, reason, contradicts=False)


def _apart(claimed: Sides, readings: Sequence[Reading]) -> str | None:
    """The word by which one sentence that names both sides sets them apart."""
    connective = claimed.relation.connective
    if not connective.isascii() or _LISTS.match(connective):
        return None
    for reading in readings:
        if share(claimed.first, reading.words) < 0.6 or share(claimed.second, reading.words) < 0.6:
            continue
        for found in islice(_APART.finditer(reading.text), 8):
            after = words_of(reading.text[found.end() :])
            near = words_of(reading.text[max(found.start() - 60, 0) : found.start()])
            if share(claimed.second, after) >= 0.6 or share(claimed.second, near) >= 0.6:
                return found.group()
    return None
