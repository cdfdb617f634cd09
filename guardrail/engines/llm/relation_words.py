"""The words that tie points of a segment together, and so need a verdict of their own."""

from __future__ import annotations

import re

from guardrail.text.words import read_words
from guardrail.types import Relation, RelationKind, Segment

_PART = 0.8
"""Share of a segment's words up to which a point is a part of it."""

_TIES = frozenset({RelationKind.CAUSE, RelationKind.PURPOSE, RelationKind.CONCESSION, RelationKind.SEQUENCE})
"""Relations of two statements that a point about the whole segment would hide; a condition is part of its point."""


def tie_words(segment: Segment) -> str | None:
    """The words that tie points of the segment together, and are judged as such; None if there are none.

    A relation whose words stand in a point is judged with that point, once: a condition, a quantity, a cause that is
    one. A point about the whole segment would hide what ties two statements together: there it is asked for too.
    """
    whole = len(read_words(segment.text))
    points = [(" ".join(c.text.split()).casefold(), len(read_words(c.text)) > _PART * whole) for c in segment.claims]

    def inside(relation: Relation) -> bool:
        ties = relation.kind in _TIES
        return any(_has(text, relation.connective) for text, is_whole in points if not (ties and is_whole))

    tied = dict.fromkeys(
        relation.connective
        for relation in segment.relations
        if relation.kind is not RelationKind.SCOPE and not inside(relation)
    )
    return "; ".join(tied) or None


def _has(text: str, connective: str) -> bool:
    words = re.escape(" ".join(connective.split()).casefold())
    return re.search(rf"\b{words}\b" if connective.isascii() else words, text) is not None
