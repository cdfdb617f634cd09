"""What people say of records, and what it comes to."""

from __future__ import annotations

import time

import pytest

from guardrail import Finding, Span, UsageError, Verdict


@pytest.fixture
def record(store, outcome):
    """A record with the findings a (0–2) and b (3–5)."""
    findings = [
        Finding(id=name, text=text, span=Span(start, start + 2), claim=text, verdict=Verdict.CONTRADICTED, score=0.1)
        for name, text, start in (("a", "A.", 0), ("b", "B.", 3))
    ]
    given = outcome("contradicted", 0.1, answer="A. B.", findings=findings)
    store.record(given)
    store.flush()
    return given.id


def test_a_label_with_kind_note_and_name(store, record):
    before = time.time()
    done = store.label(record, "unsupported", error_type="hallucination", note="nicht da \ud800", by="Ana")
    assert store.get(record) == done
    assert (done.label, done.error_type, done.note, done.labelled_by) == (
        "unsupported", "hallucination", "nicht da \\ud800", "Ana",
    )  # fmt: skip
    assert before <= done.labelled_at <= time.time()
    assert (store.count(labelled=True), store.count(labelled=False)) == (1, 0)
    assert store.stats().labelled == 1


def test_what_is_not_said_again_stays_and_a_label_can_be_taken_back(store, record):
    store.label(record[:31], Verdict.UNSUPPORTED, error_type="hallucination", note="why", by="Ana")
    done = store.label(record, "contradicted")
    assert (done.label, done.error_type, done.note, done.labelled_by) == ("contradicted", "hallucination", "why", "Ana")
    done = store.label(record, None)
    assert (done.label, done.error_type, done.human_label) == (None, None, None)
    assert store.count(labelled=False) == 1


def test_an_answer_that_is_right_has_no_error_type(store, record):
    store.label(record, "contradicted", "a", error_type="contradiction")
    assert store.label(record, "supported", "b").error_type == "contradiction"  # a is wrong still
    assert store.label(record, "supported", "a").error_type is None
    store.label(record, "contradicted", error_type="contradiction")
    assert store.label(record, "abstained").error_type is None
    for label in ("supported", "abstained", None):
        with pytest.raises(UsageError, match="contradicted or unsupported, not to"):
            store.label(record, label, error_type="hallucination")


@pytest.mark.parametrize(
    ("said", "whole", "spans"),
    [
        ({"a": "supported"}, None, []),
        ({"a": "supported", "b": "supported"}, "supported", []),
        ({"b": "unsupported"}, "unsupported", [(3, 5)]),
        ({"a": "contradicted", "b": "unsupported"}, "contradicted", [(0, 2), (3, 5)]),
        ({"a": "contradicted", None: "supported"}, "supported", []),
        ({"a": "contradicted", None: "unsupported"}, "unsupported", [(0, 2)]),
    ],
)
def test_labels_of_findings_make_one_of_the_answer(store, record, said, whole, spans):
    for finding, label in said.items():
        done = store.label(record, label, finding)
    assert done.human_label == whole
    assert list(done.human_error_spans) == spans


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("?", "supported"), "no record"),
        (("it", "unverified"), "unknown label 'unverified'"),
        (("it", "suported"), "Did you mean 'supported'"),
        (("it", "supported", "c"), "no finding 'c'"),
    ],
)
def test_what_cannot_be_said_is_refused(store, record, given, message):
    with pytest.raises(UsageError, match=message):
        store.label(record if given[0] == "it" else given[0], *given[1:])
    with pytest.raises(UsageError, match="unknown error type"):
        store.label(record, "supported", error_type="odd")
    assert store.get(record).labelled_at is None
