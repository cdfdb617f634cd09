"""Judged answers as columns, and the baseline of shared words."""

from __future__ import annotations

import numpy as np

from guardrail import Policy
from guardrail.evaluation import Judged, LabelledAnswer
from guardrail.evaluation.evaluate import evaluate
from guardrail.evaluation.sample import Sample, covered, numbered, together
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


def value(level, name):
    return level.figures[name].value


def test_a_score_that_comes_with_unverified_counts_as_nought():
    (level,) = one([row(S, N, 0.7), row(S, S, 0.9), row(C, C, 0.3)]).levels
    assert value(level, "auc") == 0.5


def test_a_claim_taken_for_declining_is_a_mistake_either_way():
    (level,) = one([row(S, A), row(S, S), row(C, A), row(C, C)]).levels
    assert value(level, "balanced_accuracy") == 0.5
    assert value(level, "auc") == 0.25  # supported 0 and 0.9 against wrong 1 and 0.1: only 0.9 > 0.1
    assert (level.called_abstained, level.not_judged) == (2, 0)


def test_overlap_is_the_share_of_content_words_in_the_passages():
    def share(text, *passages):
        return covered(LabelledAnswer(id="1", answer=text, passages=tuple(Passage(text=p) for p in passages), label=S))

    assert share("The bridge opened.", "A bridge", "that opened") == 1.0
    assert share("Purple elephants dance.", "The bridge opened.") == 0.0
    assert 0.0 < share("The bridge danced.", "The bridge opened.") < 1.0
    assert share("Anything.") == 0.0


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


def test_claims_together_are_as_good_as_the_worst():
    parts = columns(
        [True, True, False, True], [0.9, 0.6, 0.2, 0.4], judged=[True, True, True, False], group=["x", "x", "y", "y"]
    )
    whole = together(parts, ["a", "a", "b", "b"])
    assert whole.good.tolist() == [True, False]
    assert whole.score.tolist() == [0.6, 0.2]
    assert whole.passed.tolist() == [True, False]
    assert whole.judged.tolist() == [True, False]
    assert whole.group.tolist() == [0, 1]
