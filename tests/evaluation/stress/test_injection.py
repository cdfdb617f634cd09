"""Labelled answers from passages: labels, spans, evidence, namesakes, and the same answers for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guardrail import Passage
from guardrail.evaluation.stress import count_rules, inject
from guardrail.types import ErrorType, Verdict

LIBRARY = Passage(
    id="library",
    title="Town library",
    text=(
        "The town library has 84 seats. Some readers may borrow maps, but the novels stay in the hall. "
        "Debit cards are accepted only if the reader has a permit. The old reading room closed because the roof leaked. "
        "Mara Quist designed the hall, while Leo Brandt painted the ceiling. All books are lent free except the atlases. "
        "The choir sang before the mayor opened the hall. Fines usually rise in autumn."
    ),
)
MILL = Passage(
    id="mill",
    title="Astra Mill",
    text=(
        "Paolo Verdi bought the Astra Mill in 1901. Nadia Kron beat Paolo Verdi in the council election of 1911. "
        "The mill burned for three days although the brigade came at once. A ticket costs 6 euros, while a guided tour "
        "costs 15 euros. Visitors pay nothing if they live in the valley."
    ),
)
POND = Passage(
    id="池",
    title="青池",
    text="青池水深12米。因为桥面结冰，所以渡船停航。只有会员才能借阅地图。有些居民反对这项计划。除雨天外，店铺每天都营业。",
)
SWIMMER = Passage(
    id="h1",
    title="Dick Hanley (swimmer)",
    text="Dick Hanley was an American swimmer from Chicago. He won a silver medal in 1956. He later coached in Michigan.",
)
COACH = Passage(
    id="h2",
    title="Dick Hanley (American football)",
    text="Dick Hanley was an American football coach born in 1894. He led Northwestern for eight years. He joined the Marines.",
)
CORPUS = [LIBRARY, MILL, POND, SWIMMER, COACH]


@pytest.fixture(scope="module")
def answers():
    return list(inject(CORPUS, seed=3, per_type=6))


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


def test_mixed_entities_join_two_bearers_of_a_name(answers):
    mixed = [answer for answer in answers if answer.error_type is ErrorType.MIXED_ENTITIES]
    assert mixed
    for answer in mixed:
        assert answer.mixed is True
        assert {passage.id for passage in answer.passages} == {"h1", "h2"}
        (span,) = answer.error_spans
        passages = {passage.id: passage.text for passage in answer.passages}
        begun = answer.answer[: span.start].strip()
        holders = [ident for ident, text in passages.items() if begun in text]
        assert len(holders) == 1
        assert span.of(answer.answer) not in passages[holders[0]]


def test_without_namesakes_there_are_no_mixed_entities():
    kinds = {answer.error_type for answer in inject([LIBRARY, MILL, SWIMMER], per_type=5)}
    assert ErrorType.MIXED_ENTITIES not in kinds


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


def test_languages_can_be_chosen():
    assert {answer.lang for answer in inject(CORPUS, per_type=3, langs=("zh",))} == {"zh"}
    assert {answer.lang for answer in inject(CORPUS, per_type=3, langs=("en",))} == {"en"}


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
