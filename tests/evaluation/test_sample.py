"""Judged answers as columns, and the baseline of shared words."""

from __future__ import annotations

from guardrail.evaluation import LabelledAnswer
from guardrail.evaluation.sample import covered, together
from guardrail.types import Passage
from tests.support.judged_rows import A, C, N, S, columns, one, row


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
