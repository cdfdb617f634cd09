"""Plain records, training rows, and JSON lists of them."""

from __future__ import annotations

import json

from guardrail.types import ErrorType, Span, Verdict
from tests.support.labelled_files import PLAIN, read, write_lines


def test_plain_records(tmp_path):
    wrong = {
        **PLAIN,
        "id": 7,
        "label": "Contradiction",
        "error_type": "Causal confusion",
        "error_spans": [[0, 2]],
        "group": "g",
        "passages": [{"id": "p", "title": "T", "text": "x"}],
    }
    rows, bad = read(write_lines(tmp_path / "mine.jsonl", [PLAIN, wrong]))
    assert bad == []
    first, second = rows
    assert (first.id, first.answer, first.question, first.label) == (
        "a",
        "It opened in 1931.",
        "When?",
        Verdict.SUPPORTED,
    )
    assert (first.dataset, first.lang, first.claim, first.group) == ("mine", "en", False, "When?")
    assert (second.id, second.label, second.error_type) == ("7", Verdict.CONTRADICTED, ErrorType.CAUSAL_CONFUSION)
    assert second.error_spans == (Span(0, 2),)
    assert (second.passages[0].id, second.passages[0].title, second.group) == ("p", "T", "g")


def test_a_json_list_holds_plain_records_too(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([PLAIN, "no object", PLAIN]))
    rows, bad = read(path)
    assert len(rows) == 2
    assert [b.line for b in bad] == [2]


def test_uniform_rows(tmp_path):
    row = {
        "id": "r1",
        "dataset": "shared",
        "question": None,
        "passages": ["The dam is 40 m high."],
        "text": "The dam is 30 m high.",
        "context_answer": "The dam is 30 m high. It is new.",
        "label": "unsupported",
        "error_type": "EntE",
        "spans": [[11, 13]],
        "lang": "en",
        "group": "dam",
    }
    rows, bad = read(write_lines(tmp_path / "set__dev.jsonl.gz", [row, {**row, "context_answer": None, "spans": None}]))
    assert bad == []
    claim, whole = rows
    assert (claim.answer, claim.dataset, claim.group) == ("The dam is 30 m high.", "set__dev", "dam")
    assert (claim.error_type, claim.error_name) == (None, "EntE")
    assert claim.error_spans[0].of(claim.answer) == "30"
    assert (claim.claim, claim.part_of) == (True, row["context_answer"])
    assert (whole.claim, whole.part_of, whole.error_spans) == (False, "", ())


def test_claims_of_one_answer_have_one_group_where_none_is_given(tmp_path):
    row = {"passages": ["Yes."], "context_answer": "Yes. No.", "label": "supported"}
    rows = [{**row, "id": n, "text": text, "question": q} for q in ("A?", "B?", None) for n, text in enumerate("xy")]
    found, _ = read(write_lines(tmp_path / "x.jsonl", rows))
    assert [one.group for one in found] == ["A?", "A?", "B?", "B?", "Yes. No.", "Yes. No."]
