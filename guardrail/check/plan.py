"""The check: one generator, in the order of the data flow, for sync and async (drivers.py run it)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from guardrail.check.boundary import decomposed, usable, verified
from guardrail.check.call import Call
from guardrail.check.claims import given, group_claims, within_claims
from guardrail.check.contract import DecomposeRequest, Draft, Linking, readers_of
from guardrail.check.decompose import decompose
from guardrail.check.drivers import Program, pure
from guardrail.check.entities import cluster, group, link, mixed
from guardrail.check.judge import judge, judge_claims
from guardrail.check.logic import check_logic
from guardrail.check.matrix import VerifiedAnswer, evidence_texts, with_late_rows
from guardrail.check.refusals import refusals, with_refusals
from guardrail.check.retrieve import retrieved
from guardrail.check.scores import answer_score, answer_verdict, reduce_matrix
from guardrail.errors import UsageError, rust_panics_as_errors
from guardrail.telemetry import add_usage, stage
from guardrail.types import Cause, Decomposition, Entity, EntityGroup, Report

MAX_SEGMENTS = 1_000
"""Segments checked of one answer; what is beyond is UNVERIFIED, since nobody waits for minutes on one answer."""


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
        ids, titles = tuple(p.id for p in call.passages), tuple(p.title for p in call.passages if p.title)
        parts = yield from pure(_apart, call, ids, titles)
        draft = yield from _draft(call, parts)
    segments = draft.parts.checked
    declining = refusals(call.engine, draft)[: max(0, MAX_SEGMENTS - len(segments))] if call.claims is None else ()
    if not (segments or (declining and call.readable)):
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
        asked = (*segments[:MAX_SEGMENTS], *declining)
        matrix = yield from verified(call.engine, call.request(asked, draft.usage, entities, groups))
    draft, matrix = yield from pure(with_refusals, draft, matrix, declining, call.threshold)
    if not draft.parts.checked:
        return replace(call.without_claims(draft), usage=draft.usage + matrix.usage)
    known = call.verified(draft, with_late_rows(matrix, segments[MAX_SEGMENTS:], call.passages, MAX_SEGMENTS))
    with stage("link"):
        known = yield from pure(_link, known, entities, groups, call.linking)
    with stage("logic"):
        known = yield from pure(_with_logic, known)
    with stage("judge"):
        report = yield from pure(_judge, call, draft, known)
    return replace(report, seconds=time.monotonic() - call.started)


def _apart(call: Call, passage_ids: Sequence[str], titles: Sequence[str]) -> Decomposition:
    readers = readers_of(call.engine)
    if readers is None:
        return decompose(call.answer, question=call.question, passage_ids=passage_ids, titles=titles)
    return readers.of(call.question, passage_ids, titles).read(call.answer).parts


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


def _link(
    known: VerifiedAnswer, entities: tuple[Entity, ...], groups: Sequence[EntityGroup], linking: Linking
) -> VerifiedAnswer:
    segments, passages = known.segments, known.passages
    linked = link(groups, entities, known.matrix, segments, passages, assignment=linking)
    mixes = mixed(linked, entities, known.matrix, segments, passages)
    return replace(known, entities=entities, groups=linked, mixes=mixes)


def _with_logic(known: VerifiedAnswer) -> VerifiedAnswer:
    """With the engine's verdicts on relations; the rules judge those that it left out."""
    judged = {verdict.segment_id for verdict in known.matrix.logic}
    by_rules = tuple(
        check_logic(s.id, s.text, s.relations, evidence_texts(known.row(s.id), known.passages))
        for s in known.segments
        if s.relations and s.id not in judged
    )
    return replace(known, logic=(*known.matrix.logic, *by_rules))


def _judge(call: Call, draft: Draft, known: VerifiedAnswer) -> Report:
    findings = judge(known)
    if call.claims is not None:
        findings = within_claims(findings, known.segments)
    return replace(
        call.told(draft),
        verdict=answer_verdict(findings),
        score=answer_score(findings),
        findings=findings,
        claims=judge_claims(known),
        groups=known.groups,
        scores=reduce_matrix(known, findings),
        usage=draft.usage + known.matrix.usage,
    )
