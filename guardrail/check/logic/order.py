"""Order of time, comparison and concession: the same two sides the other way round."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.logic.align import Reading, Sides, match, swapped
from guardrail.check.logic.ruling import Ruling, licensed, refuted, shorten, undecided
from guardrail.types import ErrorType, RelationKind

_R = RelationKind
_DIRECTED = frozenset({_R.SEQUENCE, _R.COMPARISON})
_PREFERENCE = frozenset({"rather than", "instead of"})


def rule(claimed: Sides, readings: Sequence[Reading]) -> Ruling:
    """Judge a claimed order of time, comparison, purpose or concession (Face4RAG: other logical fallacy)."""
    relation = claimed.relation
    if not claimed.first or not claimed.second:
        return undecided(relation)
    for reading in readings:
        for stated in reading.sides:
            if stated.kind is not claimed.kind or (claimed.kind is _R.COMPARISON and not _same_scale(claimed, stated)):
                continue
            m = match(claimed, stated)
            turned = swapped(claimed, stated) or (m.backward >= 0.6 and m.backward - m.forward >= 0.3)
            if turned and claimed.kind in _DIRECTED and not _bounds(claimed, stated):
                return _reversed(claimed, stated)
            if m.forward >= 0.5 and m.forward >= m.backward:
                return licensed(relation, stated.relation)
    return undecided(relation)


def _same_scale(claimed: Sides, stated: Sides) -> bool:
    one, other = claimed.relation.connective.casefold(), stated.relation.connective.casefold()
    return one == other or {one, other} <= _PREFERENCE


def _bounds(claimed: Sides, stated: Sides) -> bool:
    """Whether one side is a bound: "not paid until B" comes after B, "paid until B" before it; words cannot tell."""
    return any(sides.relation.connective.casefold() in ("until", "till") for sides in (claimed, stated))


def _reversed(claimed: Sides, stated: Sides) -> Ruling:
    relation = claimed.relation
    inverted = claimed.kind is _R.COMPARISON and "than" in relation.connective and "rather" not in relation.connective
    reason = (
        f"The segment puts '{shorten(relation.first)}' first ('{relation.connective}'); the evidence puts it second "
        f"('{stated.relation.connective}')."
    )
    error_type = ErrorType.ENTITY_INVERSION if inverted else ErrorType.OTHER_LOGIC
    return refuted(relation, error_type, reason, contradicts=True)
