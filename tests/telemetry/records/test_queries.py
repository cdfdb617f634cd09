"""What the store is asked, and what people say of records."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from guardrail import ErrorType, UsageError, Verdict


def ids(records):
    return [record.id for record in records]


@pytest.fixture
def five(store, outcome):
    """By name: two contradicted, one unsupported, one unverified, one supported."""
    now = time.time()
    made = {
        "low": outcome("contradicted", 0.05, answer="a", at=now - 7200, labels={"retriever": "bm25"}),
        "high": outcome("contradicted", 0.3, answer="b", error_type=ErrorType.CAUSAL_CONFUSION),
        "lowest": outcome("unsupported", 0.01, answer="c", labels={"retriever": "dense"}),
        "unknown": outcome("unverified", 0.0, answer="d"),
        "good": outcome("supported", 0.9, answer="e", labels={"retriever": "bm25"}),
    }
    for one in made.values():
        store.record(one)
    assert store.flush()
    return {name: one.id for name, one in made.items()}


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({}, "low high lowest"),
        ({"n": 2}, "low high"),
        ({"unverified": True}, "low high lowest unknown"),
        ({"since": timedelta(hours=1)}, "high lowest"),
        ({"until": timedelta(hours=1)}, "low"),
        ({"since": datetime(2020, 1, 1, tzinfo=UTC)}, "low high lowest"),
        ({"labels": {"retriever": "bm25"}}, "low"),
        ({"labels": {"retriever": "bm25", "topic": "x"}}, ""),
        ({"labels": {"retriever": "\ud800"}}, ""),
        ({"verdict": "unsupported"}, "lowest"),
        ({"verdict": Verdict.SUPPORTED}, "good"),
        ({"error_type": "causal_confusion"}, "high"),
        ({"error_type": "conflation"}, ""),
        ({"labelled": True}, ""),
        ({"labelled": False}, "low high lowest"),
    ],
)
def test_the_worst_come_first(store, five, asked, names):
    assert ids(store.worst(**asked)) == [five[name] for name in names.split()]


def test_the_newest_of_equals_comes_first_and_repeated_answers_once(store, outcome):
    now = time.time()
    for age in (30, 20, 10):
        store.record(outcome("contradicted", 0.1, at=now - age, ident=f"{age:032x}"))
    store.record(outcome("contradicted", 0.1, at=now - 40, ident=f"{40:032x}", question="Another?"))
    store.flush()
    first, second = store.worst()
    assert (first.id, first.seen) == (f"{10:032x}", 3)
    assert (second.id, second.seen) == (f"{40:032x}", 1)
    assert ids(store.worst(distinct=False)) == [f"{age:032x}" for age in (10, 20, 30, 40)]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"verdict": "wrong"}, "unknown verdict 'wrong'"),
        ({"error_type": "causal"}, "unknown error type 'causal'"),
        ({"labels": {"retreiver": "x"}}, "Did you mean 'retriever'"),
        ({"n": 0}, "n must be"),
        ({"since": "24h"}, "a time must be"),
    ],
)
def test_what_cannot_be_asked_is_refused(store, asked, message):
    with pytest.raises(UsageError, match=message):
        store.worst(**asked)


def test_counts(store, five):
    assert store.count() == 5
    assert store.count(faulty=True) == 4
    assert store.count(faulty=False, labels={"retriever": "bm25"}) == 1
    with pytest.raises(UsageError, match="Known: since, until"):
        store.count(retriever="bm25")


def test_an_id_may_be_shortened_where_it_is_the_only_one(store, outcome):
    for ident in ("abcdef" + "0" * 26, "abcdef" + "1" * 26):
        store.record(outcome(ident=ident))
    store.flush()
    assert store.get("abcdef0").id == "abcdef" + "0" * 26
    assert store.get("abcdeg0") is None
    assert store.get("abc") is None
    with pytest.raises(UsageError, match="several records"):
        store.get("abcdef")


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
