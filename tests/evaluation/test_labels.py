"""What people's labels of sentences come to."""

from __future__ import annotations

import pytest

from guardrail.evaluation.labels import WHOLE, Labels, agreed, answers, differ, is_done, verdict_of
from guardrail.types import ErrorType, Span, Verdict
from tests.support.label_files import item, said

A = item()


def labels(*lines: object) -> Labels:
    found = Labels()
    found.add_item(A)
    for line in lines:
        found.add_label(line)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("words", "verdict", "done"),
    [
        ({"s1": "supported"}, None, False),
        ({"s1": "supported", "s2": "supported"}, Verdict.SUPPORTED, True),
        ({"s1": "unsupported"}, Verdict.UNSUPPORTED, False),
        ({"s1": "unsupported", "s2": "contradicted"}, Verdict.CONTRADICTED, True),
        ({"s1": "supported", "s2": "unsure"}, None, True),
        ({"s1": "contradicted", "s2": "unsure"}, Verdict.CONTRADICTED, True),
        ({"s1": "contradicted", WHOLE: "skipped"}, None, True),
        ({WHOLE: "abstained"}, Verdict.ABSTAINED, True),
    ],
)
def test_an_answer_is_what_its_sentences_come_to(words, verdict, done):
    found = labels(*(said(f"k{n}", segment, word) for n, (segment, word) in enumerate(words.items())))
    assert verdict_of(A, found.said("a", "Ana")) is verdict
    assert is_done(A, found.said("a", "Ana")) is done


def test_the_last_word_counts_and_undo_brings_back_the_one_before():
    found = labels(said("k1", "s1", "supported"), said("k2", "s1", "contradicted"), said("k3", "s2", "supported"))
    assert found.last("Ana").key == "k3"
    found.add_label(said("k4", "s2", None, undoes="k3"))
    last = found.last("Ana")
    assert (last.key, found.before(last).key) == ("k2", "k1")
    found.add_label(said("k5", "s1", "supported", undoes="k2"))
    assert found.said("a", "Ana")["s1"].label == "supported"
    assert found.before(found.last("Ana")) is None
    found.add_label(said("k6", "s1", None, undoes="k1"))
    assert found.last("Ana") is None
    assert found.said("a", "Ana") == {}
    assert found.people() == []


def test_undo_is_of_the_same_person():
    found = labels(said("k1", "s1", "supported", by="Ana"), said("k2", "s1", "contradicted", by="Bo"))
    assert (found.last("Ana").key, found.last("Bo").key) == ("k1", "k2")
    assert found.before(found.last("Bo")) is None


def test_who_labels_a_sentence_does_not_skip_the_answer_any_more():
    found = labels(said("k1", WHOLE, "skipped"), said("k2", "s1", "contradicted"))
    assert verdict_of(A, found.said("a", "Ana")) is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    ("ana", "bo", "both", "apart"),
    [
        ("supported", "supported", Verdict.SUPPORTED, False),
        ("supported", "contradicted", None, True),
        ("unsupported", "contradicted", Verdict.CONTRADICTED, False),
        ("unsupported", "skipped", Verdict.UNSUPPORTED, False),
        ("abstained", "unsupported", None, True),
    ],
)
def test_two_people_agree_or_their_answer_has_no_label(ana, bo, both, apart):
    found = labels(said("k1", WHOLE, ana), said("k2", WHOLE, bo, by="Bo"))
    assert agreed(A, found.now["a"]) is both
    assert differ(A, found.now["a"]) is apart
    assert [answer.label for answer in answers(found, "set")] == ([] if both is None else [both])


def test_a_labelled_answer_has_the_spans_types_and_evidence_that_people_gave():
    found = labels(
        said(
            "k1", "s2", "contradicted", error_type=ErrorType.CONTRADICTION, error_spans=(Span(42, 46),),
            evidence=((0, Span(40, 62)),),
        ),
        said("k2", "s1", "unsupported"),
    )  # fmt: skip
    (answer,) = answers(found, "set")
    assert answer.label is Verdict.CONTRADICTED
    assert answer.error_type is ErrorType.CONTRADICTION
    assert answer.error_spans == (Span(0, 30), Span(42, 46))
    assert [answer.passages[number].text[slice(*span)] for number, span in answer.evidence] == [
        "It carries two tracks."
    ]
