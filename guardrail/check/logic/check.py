"""Whether the evidence licenses the relations that a segment states."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.logic import causes, conditions, inclusions, order, scopes
from guardrail.check.logic.align import Reading, Sides, read, sides_of
from guardrail.check.logic.ruling import Ruling
from guardrail.types import LogicVerdict, Relation, RelationKind

MAX_EVIDENCE = 8
MAX_CHARACTERS = 4000  # of one evidence sentence or segment; longer ones are no sentences


def check_logic(segment_id: str, text: str, relations: Sequence[Relation], evidence: Sequence[str]) -> LogicVerdict:
    """Compare the relations of a segment with those of its evidence (L-Face4RAG, section 4.3, step 3).

    Rules and word overlap only; a relation is called inconsistent where the evidence holds both sides nearly word
    for word and ties them differently, so that honest paraphrases pass.

    Args:
        segment_id: Goes into the verdict unchanged.
        text: The segment text that ``relations`` were found in.
        relations: What ``find_relations(text)`` returned.
        evidence: The best 1 to 4 evidence sentences; order does not matter.

    Returns:
        The worst ruling on any relation: the opposite stated (``contradicts``) over not licensed, over undecided
        (``consistent`` None), over licensed. A quantity alone never decides that a segment is consistent.
    """
    readings = [read(sentence[:MAX_CHARACTERS]) for sentence in evidence[:MAX_EVIDENCE] if sentence.strip()]
    if not relations or not readings:
        return LogicVerdict(segment_id=segment_id, consistent=None)
    if any(text.strip() in reading.text for reading in readings):
        return LogicVerdict(segment_id=segment_id, consistent=True, reason="The evidence says the same words.")
    text = text[:MAX_CHARACTERS]
    rulings = [ruling for relation in relations for ruling in _rule(text, sides_of(relation), readings)]
    worst = min(rulings, key=lambda ruling: ruling.rank, default=None)
    if worst is None:
        return LogicVerdict(segment_id=segment_id, consistent=None)
    return LogicVerdict(
        segment_id=segment_id,
        consistent=worst.consistent,
        error_type=worst.error_type,
        reason=worst.reason,
        focus=worst.focus if worst.consistent is False else None,
        contradicts=worst.contradicts,
    )


def _rule(text: str, claimed: Sides, readings: Sequence[Reading]) -> list[Ruling]:
    match claimed.kind:
        case RelationKind.CAUSE:
            return causes.rule(claimed, readings)
        case RelationKind.CONDITION | RelationKind.NECESSITY:
            return [conditions.rule(text, claimed, readings)]
        case RelationKind.SCOPE:
            return [*scopes.rule(text, claimed, readings), *conditions.rule_quantity(text, claimed, readings)]
        case RelationKind.INCLUSION:
            return [inclusions.rule(text, claimed, readings)]
        case RelationKind.OTHER:
            return []
        case _:
            return [order.rule(claimed, readings)]
