"""The check: one generator, in the order of the data flow, for sync and async (drivers.py run it)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from guardrail.check.boundary import decomposed, usable, verified
from guardrail.check.call import Call
from guardrail.check.claim_findings import judge_claims
from guardrail.check.claims import given, group_claims, within_claims
from guardrail.check.contract import DecomposeRequest, Draft, VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.check.drivers import Program, pure
from guardrail.check.entities import Mix, cluster, group, link, mixed
from guardrail.check.judge import judge
from guardrail.check.logic import check_logic
from guardrail.check.retrieve import retrieved
from guardrail.check.scores import answer_score, answer_verdict, reduce_matrix
from guardrail.errors import UsageError, rust_panics_as_errors
from guardrail.telemetry import add_usage, stage
from guardrail.types import (
    Cause,
    Decomposition,
    Entity,
    EntityGroup,
    LogicVerdict,
    Passage,
    Report,
    Row,
    Segment,
    SupportMatrix,
)

MAX_SEGMENTS = 1_000
"""Segments checked of one answer; what is beyond is UNVERIFIED, since nobody waits for minutes on one answer."""

_LOGIC_EVIDENCE = 4
_EACH_PASSAGE = 10
"""Up to so many passages, each is read for each claim that the caller gave (RefChecker: labels per reference)."""


def checked(call: Call) -> Program[Report]:
    """Check one answer; where that breaks, it is UNVERIFIED.

    Raises:
        UsageError: the caller's mistake, such as a sync call with an engine that can only be awaited.
    """
    try:
        with rust_panics_as_errors():
            report = yield from check_plan(call)
    except UsageError:
        raise
    except Exception as error:  # a bug of ours must not take the service down
        report = call.failed(error)
    add_usage(report)
    return report


def check_plan(call: Call) -> Program[Report]:
    """The stages of a check, in order."""
    yield from usable(call.engine)
    with stage("decompose"):
        parts = yield from pure(
            decompose, call.answer, question=call.question, passage_ids=tuple(p.id for p in call.passages)
        )
        draft = yield from _draft(call, parts)
    segments = draft.parts.checked
    if not segments:
        return call.without_claims(draft)
    why, cause = "there are no passages to check against", Cause.NO_PASSAGES
    if not call.readable and call.retriever is not None:
        with stage("retrieve"):
            found = yield from retrieved(call.retriever, call.question, segments[:MAX_SEGMENTS], call.deadline)
        call, why, cause = replace(call, passages=found.passages), found.reason, found.cause
        call = replace(call, retrieved=call.readable)
    if not call.readable:
        return call.unread(draft, why, cause)
    with stage("group"):
        entities, groups = yield from pure(_group, call, parts, draft)
    with stage("verify"):
        matrix = yield from verified(call.engine, _request(call, draft, entities))
    matrix = replace(matrix, rows=(*matrix.rows, *_beyond(segments, call.passages)))
    with stage("link"):
        groups, mixes = yield from pure(_link, call, segments, entities, groups, matrix)
    with stage("logic"):
        logic = yield from pure(_logic, call, segments, matrix)
    with stage("judge"):
        report = yield from pure(_judge, call, draft, entities, groups, mixes, matrix, logic)
    return replace(report, seconds=time.monotonic() - call.started)


def _draft(call: Call, parts: Decomposition) -> Program[Draft]:
    if call.claims is not None:
        told = "Only the given claims were checked." if call.claims else "There are no claims to check."
        claimed = yield from pure(given, call.answer, call.claims, parts)
        return Draft(parts=claimed, reason=told)
    if not parts.checked or not (call.readable or call.retriever is not None):
        return Draft(parts=parts)
    request = DecomposeRequest(answer=call.answer, question=call.question, parts=parts, deadline=call.deadline)
    return (yield from decomposed(call.engine, request))


def _group(call: Call, parts: Decomposition, draft: Draft) -> tuple[tuple[Entity, ...], tuple[EntityGroup, ...]]:
    entities = cluster(call.passages)
    if draft.groups is not None:
        return entities, draft.groups
    groups = group(draft.parts.checked if call.claims is None else parts.checked, call.answer, entities)
    return entities, groups if call.claims is None else group_claims(draft.parts.checked, parts, groups)


def _request(call: Call, draft: Draft, entities: Sequence[Entity]) -> VerifyRequest:
    segments, passages = draft.parts.checked, call.passages
    needed = tuple(n for e in entities if e.shares_name for n in e.passages)
    if call.claims is not None and len(passages) <= _EACH_PASSAGE:
        needed = tuple(range(len(passages)))
    return VerifyRequest(
        segments=segments[:MAX_SEGMENTS],
        passages=passages,
        question=call.question,
        must_read=_must_read(segments, passages, needed),
        deadline=call.deadline,
        spent=draft.usage,
    )


def _link(
    call: Call,
    segments: Sequence[Segment],
    entities: Sequence[Entity],
    groups: Sequence[EntityGroup],
    matrix: SupportMatrix,
) -> tuple[tuple[EntityGroup, ...], tuple[Mix, ...]]:
    linked = link(groups, entities, matrix, segments, call.passages, assignment=call.linking)
    return linked, mixed(linked, entities, matrix, segments, call.passages)


def _logic(call: Call, segments: Sequence[Segment], matrix: SupportMatrix) -> dict[str, LogicVerdict]:
    rows = {row.segment_id: row for row in matrix.rows}
    judged = {verdict.segment_id: verdict for verdict in matrix.logic}
    return judged | {
        s.id: check_logic(s.id, s.text, s.relations, evidence_texts(rows[s.id], call.passages))
        for s in segments
        if s.relations and s.id not in judged
    }


def _judge(
    call: Call,
    draft: Draft,
    entities: Sequence[Entity],
    groups: tuple[EntityGroup, ...],
    mixes: tuple[Mix, ...],
    matrix: SupportMatrix,
    logic: dict[str, LogicVerdict],
) -> Report:
    segments, passages, threshold = draft.parts.checked, call.passages, call.threshold
    rows = {row.segment_id: row for row in matrix.rows}
    by_id = {mix.segment_id: mix for mix in mixes}
    findings = judge(segments, rows, logic, groups, by_id, call.answer, passages, threshold, entities)
    if call.claims is not None:
        findings = within_claims(findings, segments)
    return replace(
        call.told(draft),
        verdict=answer_verdict(findings),
        score=answer_score(findings),
        findings=findings,
        claims=judge_claims(segments, matrix, passages, threshold),
        groups=groups,
        scores=reduce_matrix(
            segments,
            rows,
            findings,
            groups,
            entities,
            passages,
            threshold,
            claims={row.segment_id: row for row in matrix.claims},
            mixes=mixes,
            logic=logic,
        ),
        usage=draft.usage + matrix.usage,
    )


def _beyond(segments: Sequence[Segment], passages: Sequence[Passage]) -> tuple[Row, ...]:
    """Rows of the segments that are not checked."""
    reason, empty = f"only the first {MAX_SEGMENTS} segments of an answer are checked", (None,) * len(passages)
    return tuple(
        Row(segment_id=late.id, cells=empty, unverified=reason, cause=Cause.LENGTH) for late in segments[MAX_SEGMENTS:]
    )


def _must_read(
    segments: Sequence[Segment], passages: Sequence[Passage], namesakes: tuple[int, ...]
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Cells that linking and the citation scores need: those of namesakes and of cited passages."""
    number_of = {passage.id: number for number, passage in enumerate(passages)}
    wanted = []
    for segment in segments:
        cited = [number_of[c] for c in segment.citations if c in number_of]
        if namesakes or cited:
            wanted.append((segment.id, tuple(dict.fromkeys((*namesakes, *cited)))))
    return tuple(wanted)


def evidence_texts(row: Row, passages: Sequence[Passage]) -> tuple[str, ...]:
    """What the logic check reads: the quoted sentences, then those of single cells."""
    spans = list(row.evidence)
    for number, cell in enumerate(row.cells):
        if cell is not None:
            spans.extend((number, span) for span in cell.evidence if (number, span) not in spans)
    return tuple(span.of(passages[number].text) for number, span in spans[:_LOGIC_EVIDENCE])
