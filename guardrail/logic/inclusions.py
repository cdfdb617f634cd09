"""Class and member, whole and part."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.logic.align import Reading, Sides, match, share, union
from guardrail.logic.ruling import Ruling, licensed, refuted, shorten, undecided
from guardrail.types import ErrorType, RelationKind

# "Belongs to", "includes" and lists have too many honest uses to be missed in the evidence.
_STRICT = re.compile(
    r"\b(?:kind|type|form|sort|variety|version|one|part|subset|branch|division|subsidiar(?:y|ies)|offshoot|section|"
    r"wing|arm|"
    r"department|chapter|subtype|case) of$|属|一[种类个部]|之一",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|without)\b|n't\b|[不非未无没]", re.IGNORECASE)


def rule(text: str, claimed: Sides, readings: Sequence[Reading]) -> Ruling:
    """Judge one claimed inclusion (Face4RAG: inclusion relation error)."""
    relation = claimed.relation
    if not claimed.first or not claimed.second or _NEGATED.search(text):
        return undecided(relation)
    for reading in readings:
        for stated in reading.sides:
            if stated.kind is not RelationKind.INCLUSION:
                continue
            m = match(claimed, stated)
            if m.forward >= 0.5 and m.forward >= m.backward:
                return licensed(relation, stated.relation)
            if m.backward >= 0.6 and m.backward - m.forward >= 0.3:
                reason = (
                    f"The segment puts '{shorten(relation.second)}' under '{shorten(relation.first)}' "
                    f"('{relation.connective}'); the evidence does the reverse ('{stated.relation.connective}')."
                )
                return refuted(relation, ErrorType.INCLUSION_RELATION, reason, contradicts=True)
    known = union(readings)
    if not _STRICT.search(relation.connective) or min(share(claimed.first, known), share(claimed.second, known)) < 0.75:
        return undecided(relation)
    reason = (
        f"The segment puts '{shorten(relation.second)}' under '{shorten(relation.first)}' ('{relation.connective}'); "
        "the evidence names both but not as whole and part."
    )
    return refuted(relation, ErrorType.INCLUSION_RELATION, reason, contradicts=False)
