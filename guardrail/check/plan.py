"""The check as a generator: all logic once, for sync and async (drivers.py perform what it yields).

It yields what an engine or a retriever has to do (DecomposeRequest, VerifyRequest, RetrieveRequest) and is sent what
came of it (Draft, SupportMatrix, Retrieved); everything else is pure. It also yields each Stage that it enters, so that
whoever runs it can measure them.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from enum import StrEnum

from guardrail.check.claim_findings import judge_claims
from guardrail.check.claims import given, group_claims, within_claims
from guardrail.check.contract import DecomposeRequest, Draft, VerifyRequest, unverified
from guardrail.check.decompose import decompose
from guardrail.check.entities import Linking, cluster, group, link, mixed
from guardrail.check.judge import judge, unjudged
from guardrail.check.logic import check_logic
from guardrail.check.retrieve import Retrieved, RetrieveRequest, lookup
from guardrail.check.retriever import AsyncRetriever, Retriever
from guardrail.check.scores import answer_score, answer_verdict, reduce_matrix
from guardrail.policy.policy import Policy
from guardrail.types import (
    BiographyCategory,
    Cause,
    Claim,
    Decomposition,
    Passage,
    Report,
    Row,
    Scores,
    Segment,
    Span,
    SupportMatrix,
    Verdict,
)


class Stage(StrEnum):
    """The stages of a check, in order; RETRIEVE only where passages are looked up."""

    DECOMPOSE = "decompose"
    RETRIEVE = "retrieve"
    GROUP = "group"
    VERIFY = "verify"
    LINK = "link"
    LOGIC = "logic"
    JUDGE = "judge"


Effect = DecomposeRequest | VerifyRequest | RetrieveRequest
CheckPlan = Generator[Effect | Stage, Draft | SupportMatrix | Retrieved | None, Report]

MAX_SEGMENTS = 1_000
"""Segments checked of one answer; what is beyond is UNVERIFIED, since nobody waits for minutes on one answer."""

_LOGIC_EVIDENCE = 4
_EACH_PASSAGE = 10
"""Up to so many passages, each is read for each claim that the caller gave (RefChecker: labels per reference)."""


def check_plan(
    answer: str,
    passages: tuple[Passage, ...],
    question: str | None,
    policy: Policy,
    engine: str,
    started: float,
    *,
    decomposes: bool = False,
    linking: Linking = "argmax",
    claims: tuple[Claim, ...] | None = None,
    retriever: Retriever | AsyncRetriever | None = None,
) -> CheckPlan:
    """Check one answer (design: decompose, group, verify, link, logic, judge, score).

    Args:
        answer: The text to check.
        passages: Passages with unique ids.
        question: What was asked, if known.
        policy: Its threshold and deadline apply here; its actions do not.
        engine: Name of the engine, for the report.
        started: ``time.monotonic()`` of the start; the deadline counts from it.
        decomposes: Whether the engine takes the answer apart and groups; else rules do.
        linking: How several groups share out the namesakes (``guardrail.check.entities.link``).
        claims: What to check instead of the answer's own segments; none of them = the answer abstains (RefChecker).
        retriever: Looks passages up where there are none.
    """
    deadline = started + policy.deadline if policy.deadline is not None else None
    report = Report(
        verdict=Verdict.UNVERIFIED,
        score=0.0,
        answer=answer,
        passages=passages,
        question=question,
        engine=engine,
    )
    yield Stage.DECOMPOSE
    parts = decompose(answer, question=question, passage_ids=tuple(p.id for p in passages))
    draft = Draft(parts=parts)
    readable = any(p.text.strip() for p in passages)
    if claims is not None:
        told = "Only the given claims were checked." if claims else "There are no claims to check."
        draft = Draft(parts=given(answer, claims, parts), reason=told)
    elif decomposes and parts.checked and (readable or retriever is not None):
        reply = yield DecomposeRequest(answer=answer, question=question, parts=parts, deadline=deadline)
        draft = reply if isinstance(reply, Draft) else draft
    segments = draft.parts.checked
    report = replace(
        report,
        skipped=tuple(s for s in draft.parts.segments if s.skipped is not None),
        usage=draft.usage,
        reason=draft.reason,
    )
    if not segments:
        return _timed(_without_claims(report, draft.parts), started)
    why, cause = "there are no passages to check against", Cause.NO_PASSAGES
    if not readable and retriever is not None:
        yield Stage.RETRIEVE
        found = yield lookup(retriever, question, segments[:MAX_SEGMENTS], deadline)
        if isinstance(found, Retrieved):
            passages, readable, why, cause = found.passages, bool(found.passages), found.reason, found.cause
        report = replace(report, passages=passages, retrieved=readable)
    if not readable:
        return _timed(_unread(report, segments, why, cause, policy.threshold), started)

    yield Stage.GROUP
    entities = cluster(passages)
    groups = group(segments if claims is None else parts.checked, answer, entities)
    if draft.groups is not None:
        groups = draft.groups
    elif claims is not None:
        groups = group_claims(segments, parts, groups)
    every = tuple(range(len(passages))) if claims is not None and len(passages) <= _EACH_PASSAGE else ()
    namesakes = tuple(n for e in entities if e.shares_name for n in e.passages)
    request = VerifyRequest(
        segments=segments[:MAX_SEGMENTS],
        passages=passages,
        question=question,
        must_read=_must_read(segments, passages, every or namesakes),
        deadline=deadline,
        spent=draft.usage,
    )
    yield Stage.VERIFY
    matrix = yield request
    if not isinstance(matrix, SupportMatrix):
        raise TypeError(f"a VerifyRequest must be answered with a SupportMatrix, got {type(matrix).__name__}")
    full = replace(matrix, rows=(*matrix.rows, *_beyond(segments, passages)))
    rows = {row.segment_id: row for row in full.rows}

    yield Stage.LINK
    groups = link(groups, entities, full, segments, passages, assignment=linking)
    mixes = {mix.segment_id: mix for mix in mixed(groups, entities, full, segments, passages)}
    yield Stage.LOGIC
    judged = {verdict.segment_id: verdict for verdict in matrix.logic}
    logic = judged | {
        s.id: check_logic(s.id, s.text, s.relations, evidence_texts(rows[s.id], passages))
        for s in segments
        if s.relations and s.id not in judged
    }
    yield Stage.JUDGE
    findings = judge(segments, rows, logic, groups, mixes, answer, passages, policy.threshold, entities)
    if claims is not None:
        findings = within_claims(findings, segments)
    return _timed(
        replace(
            report,
            verdict=answer_verdict(findings),
            score=answer_score(findings),
            findings=findings,
            claims=judge_claims(segments, full, passages, policy.threshold),
            groups=groups,
            scores=reduce_matrix(
                segments,
                rows,
                findings,
                groups,
                entities,
                passages,
                policy.threshold,
                claims={row.segment_id: row for row in matrix.claims},
                mixes=tuple(mixes.values()),
                logic=logic,
            ),
            usage=draft.usage + matrix.usage,
        ),
        started,
    )


def _unread(report: Report, segments: tuple[Segment, ...], why: str, cause: Cause, threshold: float) -> Report:
    """The report where there is nothing to read."""
    nothing = unverified(VerifyRequest(segments=segments, passages=report.passages), why, cause)
    return replace(
        report,
        findings=tuple(unjudged(s, report.answer, why, cause) for s in segments),
        claims=judge_claims(segments, nothing, report.passages, threshold),
        reason=f"{why[0].upper()}{why[1:]}.",
    )


def _beyond(segments: Sequence[Segment], passages: Sequence[Passage]) -> tuple[Row, ...]:
    """Rows of the segments that are not checked."""
    reason, empty = f"only the first {MAX_SEGMENTS} segments of an answer are checked", (None,) * len(passages)
    return tuple(
        Row(segment_id=late.id, cells=empty, unverified=reason, cause=Cause.LENGTH) for late in segments[MAX_SEGMENTS:]
    )


def failed_report(
    answer: str,
    passages: tuple[Passage, ...],
    question: str | None,
    engine: str,
    reason: str,
    claims: Sequence[Claim] | None = None,
) -> Report:
    """The report of a check that broke: one UNVERIFIED finding over the whole answer, or per claim that was given."""
    span = Span(0, len(answer))
    texts = [answer] if claims is None and answer else [claim.text for claim in claims or ()]
    wholes = [Segment(id=f"s{number}", span=span, text=text) for number, text in enumerate(texts, 1)]
    return Report(
        verdict=Verdict.UNVERIFIED,
        score=0.0,
        answer=answer,
        passages=passages,
        question=question,
        findings=tuple(unjudged(whole, answer, reason, Cause.INTERNAL) for whole in wholes),
        reason=reason,
        engine=engine,
    )


def _without_claims(report: Report, parts: Decomposition) -> Report:
    if not parts.abstained:
        if not parts.segments:
            return replace(report, reason="The answer is empty.")
        if parts.unreadable:
            return replace(report, reason="The answer holds only code, which is not checked.")
    nothing = "declines and claims nothing" if parts.abstained else "claims nothing that could be checked"
    namesakes = any(entity.shares_name for entity in cluster(report.passages))
    # RefChecker's label for an answer without claims; D-FActScore's, where a name is ambiguous.
    return replace(
        report,
        verdict=Verdict.ABSTAINED,
        score=1.0,
        scores=Scores(category=BiographyCategory.NO_BIO if namesakes else None),
        reason=f"The answer {nothing}." if parts.segments else report.reason,
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


def _timed(report: Report, started: float) -> Report:
    return replace(report, seconds=time.monotonic() - started)
