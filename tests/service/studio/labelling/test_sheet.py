"""One answer to label, and what the page shows of it."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.evaluation.labels import Item
from guardrail.service.studio.labelling.sheet import item_of, said_rows, shown, unfit
from guardrail.types import Passage, Span
from tests.support.label_files import item, said

ANSWER = "The dam is high. It is old."


def record(**given: Any) -> dict[str, Any]:
    """A checked record of two sentences."""
    found = {"score": 0.9, "error_type": None, "reason": "", "evidence": []}
    quote = {"passage_id": "p1", "span": [0, 15], "quote": "The dam is old."}
    findings = [
        {"id": "s1", "span": [0, 16], "verdict": "supported", **found},
        {"id": "s2", "span": [17, 27], "verdict": "unsupported", **found, "evidence": [quote]},
    ]
    passages = [{"id": "p0", "title": "T", "text": "The dam is high."}, {"id": "p1", "title": None, "text": "Old."}]
    whole = {"id": "a", "answer": ANSWER, "question": "How?", "passages": passages, "findings": findings}
    return {**whole, "missing": None, **given}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, None),
        ({"answer": " \n"}, "The answer is empty."),
        ({"passages": []}, "The answer has no passages to label it against."),
        ({"missing": "Its texts are gone.", "answer": ""}, "Its texts are gone."),
    ],
)
def test_what_cannot_be_labelled_says_why(given: dict[str, Any], why: str | None) -> None:
    assert unfit(record(**given)) == why


def test_segments_are_what_the_guard_found_where_it_lies_in_the_answer() -> None:
    off = [{"id": ident, "span": span} for ident, span in (("s3", [20, 99]), ("s4", [5, 5]), ("s5", [-1, 3]))]
    made = item_of(record(findings=[*record()["findings"], *off]), "worst")
    assert made.segments == (("s1", Span(0, 16)), ("s2", Span(17, 27)))
    assert (made.id, made.drawn, made.question) == ("a", "worst", "How?")
    assert made.passages[0] == Passage(id="p0", title="T", text="The dam is high.")


def test_sentences_of_passages_are_without_the_blanks_around_them() -> None:
    text = "One is here.  \n\n Two is there.\r\nThree \U0001f600 is last. "
    made = Item(id="a", answer="x", passages=(Passage(id="1", text=text),), segments=(), question=None, drawn="random")
    sentences = shown(made, {}, {}, None)["passages"][0]["sentences"]
    assert [text[start:end] for start, end in sentences] == [
        "One is here.",
        "Two is there.",
        "Three \U0001f600 is last.",
    ]


def test_of_very_many_passages_the_later_ones_are_marked_whole() -> None:
    passages = tuple(Passage(id=str(n), text="One is here. Two is there.") for n in range(62))
    made = Item(id="a", answer="x", passages=passages, segments=(), question=None, drawn="random")
    assert {len(passage["sentences"]) for passage in shown(made, {}, {}, None)["passages"][:60]} == {2}
    assert shown(made, {}, {}, None)["passages"][61]["sentences"] == [[0, 26]]


def test_hints_are_only_of_segments_that_are_the_same_and_name_passages_by_number() -> None:
    made = item_of(record(), "random")
    moved = record(findings=[{**record()["findings"][0], "span": [0, 15]}, record()["findings"][1]])
    hints = shown(made, {}, {}, moved)["hints"]
    assert list(hints) == ["s2"]
    assert (hints["s2"]["verdict"], hints["s2"]["evidence"]) == ("unsupported", [{"passage": 1, "span": [0, 15]}])
    assert shown(made, {}, {}, None)["hints"] == {}


def test_labels_are_shown_without_who_said_them_and_when() -> None:
    label = said("k1", "s1", "contradicted", error_spans=(Span(0, 3),))
    rows = {"s1": {"label": "contradicted", "error_type": None, "error_spans": [[0, 3]], "evidence": []}}
    assert said_rows({"s1": label}) == rows
    page = shown(item(), {"s1": label}, {"Bo": {"s1": label}}, None)
    assert (page["said"], page["others"]) == (rows, {"Bo": rows})
