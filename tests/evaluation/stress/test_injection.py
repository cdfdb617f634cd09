"""Labelled answers from passages: labels, spans, evidence, namesakes, and the same answers for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guardrail import Passage
from guardrail.evaluation.stress import count_rules, inject
from guardrail.types import ErrorType
from tests.support.stress_corpus import CORPUS


def test_every_type_is_made(answers):
    made = {answer.error_type for answer in answers}
    assert made == {*ErrorType, None}
    assert {answer.lang for answer in answers} == {"en", "zh"}


def test_at_most_as_many_as_asked_for_and_no_answer_twice(answers):
    kinds = Counter(answer.error_type for answer in answers if answer.error_type)
    assert max(kinds.values()) <= 6
    assert len({answer.id for answer in answers}) == len(answers)
    for kind in kinds:
        texts = [answer.answer for answer in answers if answer.error_type is kind]
        assert len(set(texts)) == len(texts)


def test_seed_and_passages_decide_everything(answers):
    assert list(inject(CORPUS, seed=3, per_type=6)) == answers
    assert list(inject(CORPUS, seed=4, per_type=6)) != answers


def test_rules_are_counted_by_what_they_make():
    """Every sentence gives one answer per type, so the shares of a type's rules are one."""
    counts = count_rules(CORPUS)
    assert {count.rule for count in counts} >= {"other_number", "exchanged_values", "chinese_number", "added_remark"}
    for kind in {count.error_type for count in counts}:
        of_type = [count for count in counts if count.error_type is kind]
        assert sum(count.share for count in of_type) == pytest.approx(1.0)
        assert all(0 <= count.answers <= count.sentences for count in of_type)
    assert counts == count_rules(CORPUS)
    assert count_rules([]) == ()


def test_a_corpus_without_plain_sentences_yields_nothing():
    assert list(inject([])) == []
    assert list(inject([Passage(text="| a | b |\n| 1 | 2 |"), Passage(text="Why? How?"), Passage(text="")])) == []


ANY = st.characters(codec=None, exclude_categories=())
"""Lone surrogates too, as JSON may hold them."""


@given(
    st.lists(
        st.builds(Passage, text=st.text(ANY, max_size=120), title=st.none() | st.text(ANY, max_size=12)), max_size=4
    ),
    st.integers(0, 3),
)
@example([Passage(text="The hall\ud800 has 84 seats. \udfffSome readers left. The \ud83d hall closed in 1931.")], 0)
@settings(max_examples=60, deadline=None)
def test_any_passages_are_survived(passages, seed):
    for answer in inject(passages, seed=seed, per_type=2):
        for span in answer.error_spans:
            assert 0 <= span.start < span.end <= len(answer.answer)
        for number, span in answer.evidence:
            assert span.of(answer.passages[number].text)
