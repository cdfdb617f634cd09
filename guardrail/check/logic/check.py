"""Whether the evidence licenses the relations that a segment states."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.logic.alignment import Reading, RelationVerdict, Sides, read_sentence, with_words
from guardrail.check.logic.causes import judge_cause
from guardrail.check.logic.conditions import judge_condition
from guardrail.check.logic.inclusions import judge_inclusion
from guardrail.check.logic.order import judge_order
from guardrail.check.logic.scopes import judge_quantity
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
        The worst verdict on any relation: the opposite stated (``contradicts``) over not entailed, over undecided
        (``consistent`` None), over entailed. A quantity alone never decides that a segment is consistent.
    """
    readings = [read_sentence(sentence[:MAX_CHARACTERS]) for sentence in evidence[:MAX_EVIDENCE] if sentence.strip()]
    if not relations or not readings:
        return LogicVerdict(segment_id=segment_id, consistent=None)
    if any(text.strip() in reading.text for reading in readings):
        return LogicVerdict(segment_id=segment_id, consistent=True, reason="The evidence says the same words.")
    text = text[:MAX_CHARACTERS]
    verdicts = (_judge_relation(text, with_words(relation), readings) for relation in relations)
    worst = min((v for v in verdicts if v is not None), key=lambda verdict: verdict.rank, default=None)
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


def _judge_relation(text: str, claimed: Sides, readings: Sequence[Reading]) -> RelationVerdict | None:
    match claimed.kind:
        case RelationKind.CAUSE:
            return judge_cause(claimed, readings)
        case RelationKind.CONDITION | RelationKind.NECESSITY:
            return judge_condition(text, claimed, readings)
        case RelationKind.SCOPE:
            return judge_quantity(text, claimed, readings)
        case RelationKind.INCLUSION:
            return judge_inclusion(text, claimed, readings)
        case RelationKind.OTHER:
            return None
        case _:
            return judge_order(claimed, readings)
