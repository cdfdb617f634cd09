"""What is redacted is nowhere in the file, and what fails to be redacted leaves no text."""

from __future__ import annotations

import re

import pytest

from guardrail import Evidence, Finding, Passage, Span, Verdict
from guardrail.telemetry.records import RecordStore, rows

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
