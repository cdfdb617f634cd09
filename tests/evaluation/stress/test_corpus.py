"""The sentences of a corpus, and answers written around one of them."""

from __future__ import annotations

from guardrail import Passage
from guardrail.evaluation.stress import inject
from guardrail.types import ErrorType, Verdict
from tests.support.stress_corpus import CORPUS


def test_spans_and_evidence_slice_right(answers):
    for answer in answers:
        assert bool(answer.error_spans) == (answer.label is not Verdict.SUPPORTED)
        for span in answer.error_spans:
            assert 0 <= span.start < span.end <= len(answer.answer)
        assert answer.evidence
        for number, span in answer.evidence:
            assert span.of(answer.passages[number].text).endswith((".", "。"))


def test_the_evidence_of_an_error_is_the_sentence_it_was_made_from():
    (answer,) = [
        a
        for a in inject([Passage(text="The tower has 84 steps.")], per_type=1)
        if a.error_type is ErrorType.CONTRADICTION
    ]
    number, span = answer.evidence[0]
    assert span.of(answer.passages[number].text) == "The tower has 84 steps."
    assert answer.error_spans[0].of(answer.answer).isdigit()
    assert answer.answer == f"The tower has {answer.error_spans[0].of(answer.answer)} steps."


def test_what_stands_around_an_error_is_copied_or_reworded_from_the_passage(answers):
    """With the wrong stretches left out, most words of an answer are the passage's."""
    for answer in answers:
        if answer.lang == "en" and answer.error_type is ErrorType.CONTRADICTION:
            rest = answer.answer
            for span in sorted(answer.error_spans, reverse=True):
                rest = rest[: span.start] + rest[span.end :]
            known = " ".join(passage.text for passage in answer.passages).lower()
            words = rest.lower().replace(".", "").replace(",", "").split()
            assert sum(word in known for word in words) >= 0.8 * len(words), answer.answer


def test_no_answer_begins_with_a_word_that_points_back(answers):
    assert not any(answer.answer.startswith(("It ", "He ", "She ", "They ", "This ", "他", "它")) for answer in answers)


def test_languages_can_be_chosen():
    assert {answer.lang for answer in inject(CORPUS, per_type=3, langs=("zh",))} == {"zh"}
    assert {answer.lang for answer in inject(CORPUS, per_type=3, langs=("en",))} == {"en"}
