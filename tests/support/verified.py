"""Findings and scores of hand-made matrices: what a check knows of an answer, from loose parts."""

from __future__ import annotations

from dataclasses import replace

from guardrail.check import judge as judging
from guardrail.check import scores
from guardrail.check.matrix import VerifiedAnswer
from guardrail.types import SupportMatrix


def judge(segments, rows, logic, groups, mixes, answer, passages, threshold, entities=()):
    """Findings; ``rows``, ``logic`` and ``mixes`` by segment id."""
    return judging.judge(
        VerifiedAnswer(
            answer=answer,
            passages=tuple(passages),
            segments=tuple(segments),
            matrix=SupportMatrix(rows=tuple(rows.values())),
            threshold=threshold,
            entities=tuple(entities),
            groups=tuple(groups),
            mixes=tuple(mixes.values()),
            logic=tuple(logic.values()),
        )
    )


def reduce_matrix(segments, rows, findings, groups, entities, passages, threshold, *, claims=None, mixes=()):
    """Scores; ``rows`` by segment id, ``claims`` are rows by claim id."""
    known = VerifiedAnswer(
        answer="",
        passages=tuple(passages),
        segments=tuple(segments),
        matrix=SupportMatrix(rows=tuple(rows.values()), claims=tuple(_named(claims or {}))),
        threshold=threshold,
        entities=tuple(entities),
        groups=tuple(groups),
        mixes=tuple(mixes),
    )
    return scores.reduce_matrix(known, findings)


def citation_scores(segments, rows, passages, threshold):
    """Citation recall and precision."""
    matrix = SupportMatrix(rows=tuple(rows.values()))
    return scores.citation_scores(
        VerifiedAnswer(
            answer="", passages=tuple(passages), segments=tuple(segments), matrix=matrix, threshold=threshold
        )
    )


def _named(claims):
    return [replace(row, segment_id=ident) for ident, row in claims.items()]
