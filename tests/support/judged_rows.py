"""Judged answers of one finding each, and what is measured of them."""

from __future__ import annotations

import numpy as np

from guardrail import Policy
from guardrail.evaluation import Judged, LabelledAnswer
from guardrail.evaluation.evaluate import evaluate
from guardrail.evaluation.sample import Sample, numbered
from guardrail.types import Finding, Passage, Report, Span, Verdict

S, C, U = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED


A, N = Verdict.ABSTAINED, Verdict.UNVERIFIED


def row(label, verdict, score=None, *, said=None, **changes):
    text = changes.pop("answer", "The dam is high.")
    answer = LabelledAnswer(
        id=f"{id(changes)}", answer=text, passages=(Passage(text="The dam."),), label=label, dataset="d", **changes
    )
    if score is None:
        score = {S: 0.9, A: 1.0}.get(verdict, 0.1) if verdict is not N else 0.0
    finding = Finding(
        id="s1", text=text, span=Span(0, len(text)), claim=text, verdict=verdict, score=score, error_type=said
    )
    report = Report(
        verdict=verdict, score=score, answer=text, passages=answer.passages, findings=(finding,), engine="e"
    )
    return Judged(answer, report)


def one(rows):
    (measured,) = evaluate(rows, Policy.monitor(), resamples=0).sets
    return measured


def columns(good, score, passed=None, judged=None, overlap=None, group=None):
    n = len(good)
    score = np.array(score, dtype=float)
    return Sample(
        good=np.array(good, dtype=bool),
        passed=score >= 0.5 if passed is None else np.array(passed, dtype=bool),
        score=score,
        judged=np.ones(n, dtype=bool) if judged is None else np.array(judged, dtype=bool),
        overlap=score if overlap is None else np.array(overlap, dtype=float),
        group=np.arange(n) if group is None else numbered(group),
    )
