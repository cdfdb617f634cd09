"""Records come back as they were; what is redacted never reaches the disk."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from guardrail import Action, ErrorType, Evidence, Finding, Passage, Scores, Span, Verdict
from guardrail.telemetry.records import RecordStore, rows
from guardrail.types import Cause


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


SECRET = "Ana Ruiz"


def hidden(text):
    return re.sub(SECRET, "*" * len(SECRET), text)


@pytest.fixture
def private(outcome):
    """An outcome with the secret in every text."""
    answer = f"{SECRET} opened it. Then {SECRET} left."
    passage = Passage(id="p1", title=f"About {SECRET}", text=f"In 1931 {SECRET} opened the bridge.")
    finding = Finding(
        id="s1", text=answer[20:], span=Span(20, len(answer)), claim=f"{SECRET} left.", verdict=Verdict.UNSUPPORTED,
        score=0.2, entity=SECRET, reason=f"Nothing says that {SECRET} left.",
        evidence=(Evidence(passage_id="p1", span=Span(8, 16), quote=SECRET),),
    )  # fmt: skip
    return outcome(
        "unsupported", 0.2, answer=answer, question=f"Who is {SECRET}?", passages=(passage,), findings=(finding,),
        text=f"{SECRET} opened it.",
    )  # fmt: skip


def files(path):
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_no_text_reaches_the_disk_unredacted(path, private):
    with RecordStore(path, redact=hidden) as store:
        store.record(private)
        assert store.flush()
        assert SECRET.encode() not in files(path)
        found = store.get(private.id)
    assert found.answer == hidden(private.report.answer)
    assert found.findings[0].text == found.findings[0].span.of(found.answer) == "Then ******** left."
    assert found.findings[0].evidence[0].quote == found.findings[0].evidence[0].span.of(found.passages[0].text)
    assert (found.spans_hold, found.left_out) == (True, None)
    assert (found.question, found.text) == ("Who is ********?", "******** opened it.")
    assert (found.findings[0].entity, found.findings[0].claim) == ("********", "******** left.")


def test_a_quote_is_cut_from_the_redacted_passage(path, private):
    """A redaction that knows a name by the words beside it would not know it in a quote alone."""
    with RecordStore(path, redact=lambda text: re.sub(r"(?<=In 1931 )Ana Ruiz", "X" * 8, text)) as store:
        store.record(private)
        store.flush()
        assert store.get(private.id).findings[0].evidence[0].quote == "X" * 8


def test_a_redaction_that_changes_lengths_says_that_spans_do_not_hold(path, private):
    with RecordStore(path, redact=lambda text: text.replace(SECRET, "<NAME>")) as store:
        store.record(private)
        store.flush()
        assert SECRET.encode() not in files(path)
        found = store.get(private.id)
    assert found.findings[0].text == "Then <NAME> left."
    assert found.findings[0].evidence[0].quote == "<NAME>"
    assert not found.spans_hold
    assert found.human_error_spans == ()


def test_a_redaction_that_leaves_nothing_leaves_nothing(path, private):
    with RecordStore(path, redact=lambda text: "" if SECRET in text else text) as store:
        store.record(private)
        store.flush()
        found = store.get(private.id)
    assert (found.answer, found.findings[0].text, found.findings[0].evidence[0].quote) == ("", "", "")


class PanicError(BaseException):
    """As Rust's panics are."""


def fails(text):
    raise ValueError(text)


def panics(text):
    raise PanicError(text)


@pytest.mark.parametrize("redact", [fails, panics, lambda text: None, lambda text: text.encode()])
def test_a_redaction_that_fails_leaves_no_text_and_no_message(path, private, redact, caplog):
    with RecordStore(path, redact=redact) as store:
        store.record(private)
        assert store.flush()
        assert SECRET.encode() not in files(path)
        [found] = store.worst()
        assert store.counts == {"written": 1}
        assert store.export(path.with_name("out.jsonl")) == 0
    assert re.fullmatch(r"redact failed: (Value|Type|Panic)Error", found.left_out)
    assert (found.verdict, found.score, found.answer, found.passages, found.text) == ("unsupported", 0.2, "", (), None)
    assert [(f.id, f.verdict, f.text) for f in found.findings] == [("s1", "unsupported", "")]
    assert SECRET not in caplog.text


def test_an_answer_of_megabytes_leaves_its_verdict_only(store, outcome, monkeypatch):
    monkeypatch.setattr(rows, "MOST", 1000)
    long = outcome(answer="x" * 900, passages=(Passage(id="1", text="y" * 101),))
    store.record(long)
    store.flush()
    assert store.get(long.id).left_out == "too long"
    asked = outcome(question="x" * 1000)
    store.record(asked)
    store.flush()
    assert store.get(asked.id).left_out == "too long"
