"""Order of time, comparison and concession: the same two sides the other way round."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.logic.alignment import (
    Match,
    Reading,
    RelationVerdict,
    Sides,
    connective_of,
    entailed,
    is_swapped,
    match,
    refuted,
    shorten,
    undecided,
)
from guardrail.types import ErrorType, RelationKind

_R = RelationKind
_PREFERENCE = frozenset({"rather than", "instead of"})
_CONTRAST = frozenset({"while", "whereas", "unlike", "compared with", "compared to", "in contrast to", "as opposed to"})
_BOUND = frozenset({"until", "till"})


def judge_order(claimed: Sides, readings: Sequence[Reading]) -> RelationVerdict:
    """Judge a claimed order of time, comparison, purpose or concession (Face4RAG: other logical fallacy)."""
    relation = claimed.relation
    if not claimed.first or not claimed.second:
        return undecided(relation)
    for stated in (sides for reading in readings for sides in reading.sides if sides.kind is claimed.kind):
        if claimed.kind is _R.COMPARISON and not _on_same_scale(claimed, stated):
            continue
        m = match(claimed, stated)
        if _is_reversed(claimed, stated, m):
            return _reversed(claimed, stated)
        if m.forward >= 0.5 and m.forward >= m.backward:
            return entailed(relation, stated.relation)
    return undecided(relation)


def _on_same_scale(claimed: Sides, stated: Sides) -> bool:
    one, other = connective_of(claimed), connective_of(stated)
    return one == other or {one, other} <= _PREFERENCE


def _is_reversed(claimed: Sides, stated: Sides, m: Match) -> bool:
    words = {connective_of(claimed), connective_of(stated)}
    if words & _CONTRAST:  # "A, while B" says what "B, while A" says, unless only a part of each side moved
        return is_swapped(claimed, stated) and m.forward >= m.backward
    # "Not paid until B" comes after B, "paid until B" before it; words cannot tell.
    if claimed.kind not in (_R.SEQUENCE, _R.COMPARISON) or words & _BOUND:
        return False
    return is_swapped(claimed, stated) or (m.backward >= 0.6 and m.backward - m.forward >= 0.3)


def _reversed(claimed: Sides, stated: Sides) -> RelationVerdict:
    relation = claimed.relation
    inverted = claimed.kind is _R.COMPARISON and "than" in relation.connective and "rather" not in relation.connective
    reason = (
        f"The segment puts '{shorten(relation.first)}' first ('{relation.connective}'); the evidence puts it second "
        f"('{stated.relation.connective}')."
    )
    error_type = ErrorType.ENTITY_INVERSION if inverted else ErrorType.OTHER_LOGIC
    return refuted(relation, error_type, reason, contradicts=True)
