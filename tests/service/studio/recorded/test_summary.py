"""What a list shows of a record."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardrail.service.studio.recorded.chosen import read_chosen
from guardrail.service.studio.recorded.listing import list_records
from guardrail.service.studio.recorded.summary import summary
from tests.service.studio.recorded.conftest import NOW


def listed(source, query=None, **how):
    with source.open() as connection:
        return list_records(source, connection, read_chosen(query or {}, NOW), NOW, **how)


def test_what_a_list_shows(kept):
    (shown,) = listed(kept(("contradicted", {"trace_id": "b" * 32}))).records
    assert shown["fault"] == {
        "before": "Divers found a crack ",
        "words": "because engineers had lowered the reservoir",
        "after": ".",
        "verdict": "contradicted",
        "error_type": "causal_confusion",
        "reason": "The segment makes the lowering of the reservoir the cause; in the evidence it is the effect.",
    }
    assert (shown["question"], shown["trace_id"]) == ("Why was Larkmoor Dam closed in 2021?", "b" * 32)
    assert "passages" not in shown
    assert len(json.dumps(shown)) < 1500


def record(*findings: dict[str, Any], **given: Any) -> dict[str, Any]:
    answer = "The dam is high. It is old."
    return {"id": "a", "verdict": "unsupported", "question": "How?", "answer": answer, "findings": findings, **given}


def finding(verdict: str, score: float, **given: Any) -> dict[str, Any]:
    return {"text": "It is old.", "span": [17, 27], "verdict": verdict, "score": score, "error_type": None, **given}


def words(shown: dict[str, Any]) -> tuple[str, str, str]:
    fault = shown["fault"]
    return fault["before"], fault["words"], fault["after"]


def test_the_fault_is_the_worst_finding_and_of_equals_the_least_likely() -> None:
    found = [
        finding("supported", 0.0), finding("unsupported", 0.1), finding("contradicted", 0.4, reason="worse"),
        finding("contradicted", 0.2, reason="worst"), finding("unverified", 0.0),
    ]  # fmt: skip
    shown = summary(record(*found))
    assert (shown["fault"]["verdict"], shown["fault"]["reason"], shown["sentences"]) == ("contradicted", "worst", 5)
    assert summary(record(finding("supported", 0.9)))["fault"] is None


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"focus": [20, 22]}, ("It ", "is", " old.")),
        ({"focus": None}, ("", "It is old.", "")),
        ({"focus": [0, 3]}, ("", "It is old.", "")),
        ({"focus": [25, 99]}, ("", "It is old.", "")),
        ({"focus": [22, 22]}, ("", "It is old.", "")),
    ],
)
def test_words_at_fault_are_marked_where_they_lie_in_the_sentence(
    given: dict[str, Any], found: tuple[str, str, str]
) -> None:
    assert words(summary(record(finding("contradicted", 0.1, **given)))) == found


def test_where_spans_do_not_hold_the_whole_sentence_is_at_fault() -> None:
    shown = summary(record(finding("contradicted", 0.1, focus=[20, 22]), spans_hold=False))
    assert words(shown) == ("", "It is old.", "")


def test_long_texts_are_cut_around_the_words_at_fault_and_not_in_them() -> None:
    text = f"{'a' * 500} FAULT {'b' * 500}"
    shown = summary(record(finding("contradicted", 0.1, text=text, span=[0, len(text)], focus=[501, 506])))
    before, at_fault, after = words(shown)
    assert (before, at_fault, after) == ("…" + "a" * 79 + " ", "FAULT", " " + "b" * 79 + "…")
    assert len(summary(record(answer="x" * 10_000))["answer"]) == 241
    assert summary(record(question=None))["question"] is None
