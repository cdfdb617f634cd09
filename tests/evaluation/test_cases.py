"""Which labelled answers count as one draw."""

from __future__ import annotations

import pytest

from guardrail.evaluation import LabelledAnswer
from guardrail.evaluation.cases import Shared, cases
from guardrail.types import Passage, Verdict


def answer(ident, *passages, question=None, group="", dataset="d"):
    return LabelledAnswer(
        id=ident, answer="a", passages=tuple(Passage(text=text) for text in passages), label=Verdict.SUPPORTED, question=question,
        group=group or question or ident, dataset=dataset,
    )  # fmt: skip


APART = {
    "nothing in common": ([answer("1", "dam"), answer("2", "bridge")], 2),
    "a name in two files": ([answer("1", "dam", group="g"), answer("1", "bridge", group="g", dataset="e")], 2),
    "empty passages": ([answer("1", " "), answer("2", "")], 2),
}
JOINED = {
    "question": ([answer("1", "dam", question="How high?"), answer("2", "bridge", question="how  HIGH? ")], 1),
    "question in two files": ([answer("1", "dam", question="Q"), answer("2", "x", question="Q", dataset="e")], 1),
    "passage": ([answer("1", "The dam.", question="Q"), answer("2", "\nthe  Dam.", "x", question="R")], 1),
    "group": ([answer("1", "dam", group="g", question="Q"), answer("2", "bridge", group="g", question="R")], 1),
    "a chain": ([answer("1", "a", question="Q"), answer("2", "b"), answer("3", "b", question="Q")], 1),
}


@pytest.mark.parametrize(("answers", "count"), [*APART.values(), *JOINED.values()], ids=[*APART, *JOINED])
def test_answers_that_share_a_question_or_a_passage_are_one_case(answers, count):
    assert len(set(cases(answers))) == count


def test_passages_of_a_fixed_corpus_may_be_left_out():
    answers = [answer("1", "dam", question="Q"), answer("2", "dam", question="R"), answer("3", "x", question="R")]
    assert cases(answers, Shared.QUESTION) == [0, 1, 1]
    assert cases(answers) == [0, 0, 0]
