"""What comes back: every field as it was, and the worst first."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from guardrail import Action, ErrorType, Evidence, Finding, Passage, Scores, Span, UsageError, Verdict
from guardrail.telemetry.records import RecordStore
from guardrail.types import Cause


def ids(records):
    return [record.id for record in records]


def test_a_record_comes_back_as_it_was(store, outcome):
    findings = (
        Finding(
            id="s1", text="It opened.", span=Span(0, 10), claim="The bridge opened.", verdict=Verdict.UNSUPPORTED,
            score=0.25, error_type=ErrorType.HALLUCINATION, entity="The bridge", reason="Not there.",
            evidence=(Evidence(passage_id="p1", span=Span(4, 10), quote="bridge"),), focus=Span(3, 9), conflict=True,
        ),
        Finding(
            id="s2", text="Ok.", span=Span(11, 14), claim="Ok.", verdict=Verdict.UNVERIFIED, score=0.0,
            cause=Cause.TIMEOUT,
        ),
    )  # fmt: skip
    given = outcome(
        "unsupported", 0.25, answer="It opened. Ok.", findings=findings, action="redact", text="It o.",
        labels={"retriever": "bm25", "topic": "桥"}, trace_id="ab" * 16, span_id="cd" * 8, at=1_700_000_000.5,
    )  # fmt: skip
    report = replace(given.report, scores=Scores(factscore=0.5, faithfulness=0.5, n_groups=1), reason="why")
    given = replace(given, report=report, guarded=replace(given.guarded, report=report, attempts=2, exhausted=True))
    store.record(given)
    assert store.flush()
    found = store.get(given.id)
    assert found.report == replace(report, seconds=given.seconds)
    assert (found.at, found.time) == (given.at, datetime(2023, 11, 14, 22, 13, 20, 500_000, UTC))
    assert (found.action, found.rule, found.policy, found.text) == ("redact", "unsupported", "monitor", "It o.")
    assert (found.attempts, found.exhausted, found.labels) == (2, True, {"retriever": "bm25", "topic": "桥"})
    assert (found.trace_id, found.span_id, found.seconds, found.weight) == ("ab" * 16, "cd" * 8, 0.02, 1.0)
    assert (found.replacement, found.left_out, found.spans_hold) == (None, None, True)
    assert found.faults == findings
    assert (found.label, found.human_label, found.note, found.labelled_at) == (None, None, None, None)


def test_the_answer_that_was_delivered_instead_is_kept_beside_it(store, outcome):
    first = outcome("contradicted", 0.1)
    better = outcome("supported", 0.9, answer="The bridge opened in 1931.")
    guarded = replace(better.guarded, original=first.report, attempts=2)
    store.record(replace(first, guarded=guarded, action="regenerate"))
    store.flush()
    found = store.get(first.id)
    assert (found.verdict, found.answer, found.action) == ("contradicted", first.report.answer, "regenerate")
    assert found.text == found.replacement.answer == "The bridge opened in 1931."
    with closing(sqlite3.connect(store.path)) as connection:
        [(content,)] = connection.execute("SELECT content FROM contents")
    assert content.count("300 metres") == 1  # passages of both are the same, and stored once
    assert found.replacement == replace(better.report, engine="", seconds=0.0)


def test_an_answer_that_was_only_checked_has_no_text_to_deliver(store, outcome):
    given = outcome(checked_only=True)
    store.record(given)
    store.flush()
    found = store.get(given.id)
    assert (found.action, found.rule, found.text) == ("none", "", None)


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


def test_an_outcome_that_comes_twice_is_one_record(store, outcome):
    given = outcome()
    store.record(given)
    store.record(given)
    store.flush()
    assert store.count() == 1
    assert store.counts == {"written": 1}


def test_a_store_that_nothing_was_recorded_to_is_empty_and_makes_no_file(path):
    store = RecordStore(path)
    assert store.worst() == []
    assert store.get("abcdef") is None
    assert (store.count(), store.stats().records, store.prune()) == (0, 0, 0)
    assert store.flush()
    assert store.close()
    assert not path.exists()


@pytest.mark.parametrize("verdict", list(Verdict))
def test_odd_texts_come_back(store, outcome, verdict):
    texts = [
        "桥于1931年开放。",
        "👩‍👩‍👧 ok 🇩🇪",
        "nul \x00 in it",
        "lone \ud800 surrogate \udfff",
        "\x1b[31m",
        "\u2028",
        "",
    ]
    passages = tuple(Passage(id=f"p{n}\ud83d", title=text, text=text) for n, text in enumerate(texts))
    answer = " ".join(texts)
    given = outcome(
        verdict, 0.5, answer=answer, question=answer, passages=passages, findings=(), text=answer + "!",
        labels={"topic": "桥\ud800"}, policy="p\ud800\x00",
    )  # fmt: skip
    store.record(given)
    assert store.flush()
    found = store.get(given.id)
    assert found.report == replace(given.report, seconds=given.seconds)
    assert (found.text, found.labels, found.policy) == (answer + "!", {"topic": "桥\ud800"}, "p\\ud800\x00")
    assert store.counts == {"written": 1}


def test_no_passages_and_many_sentences(store, outcome):
    sentences = [f"Sentence number {n} is here. " for n in range(200)]
    answer, findings, at = "".join(sentences), [], 0
    for n, sentence in enumerate(sentences):
        span = Span(at, at + len(sentence))
        findings.append(
            Finding(id=f"s{n}", text=sentence, span=span, claim=sentence.strip(), verdict=Verdict.UNVERIFIED, score=0.0)
        )
        at = span.end
    given = outcome("unverified", 0.0, answer=answer, passages=(), findings=findings, action=Action.BLOCK)
    store.record(given)
    store.flush()
    found = store.get(given.id)
    assert (found.findings, found.passages, len(found.faults)) == (tuple(findings), (), 200)
