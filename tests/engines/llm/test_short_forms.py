"""Terse replies in the long forms that the readers take; what does not fit comes out so that they refuse it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from guardrail.engines.llm.replies import FoundPoint
from guardrail.engines.llm.short_forms import ShortDraft, long_draft, long_judgement

DOCUMENTS = ["d1", "d2"]


def judged(*points: Any, asked: tuple[str, ...] = ("s1",)) -> dict[str, Any] | None:
    return long_judgement({"points": list(points)}, asked, DOCUMENTS)


def point(*said: Any) -> dict[str, Any]:
    """What becomes of one point of one segment."""
    long = judged(["s1.1", *said])
    assert long is not None
    [segment] = long["segments"]
    [found] = segment["points"]
    return dict(found)


def test_a_draft_names_individuals_and_leaves_heads_out() -> None:
    part = {"units": [1], "who": "a", "relation": "while", "points": ["Tarn|bought|the arm", "|kept| the rest "]}
    raw = {"who": ["a: Tarn (firm)", "Velmo"], "segments": [part], "no_claim": [2], "abstains": False}
    long = long_draft(ShortDraft.model_validate(raw).model_dump())
    assert long["individuals"] == [{"key": "a", "name": "Tarn (firm)"}, {"key": "Velmo", "name": "Velmo"}]
    [segment] = long["segments"]
    assert (segment["individual"], segment["text"], segment["relation"]) == ("a", "", "while")
    assert segment["points"] == [["Tarn", "bought", "the arm"], ["Tarn", "kept", "the rest"]]
    assert (long["no_claim"], long["abstains"]) == ([2], False)


@pytest.mark.parametrize("said", ["Tarn bought it", "Tarn|bought", "a|b|c|d", 7, None])
def test_a_point_without_three_parts_is_none(said: Any) -> None:
    [segment] = long_draft({"segments": [{"points": ["Tarn|bought|it", said, "Tarn｜kept｜it"]}]})["segments"]
    assert segment["points"] == [["Tarn", "bought", "it"], [], ["Tarn", "kept", "it"]]


@pytest.mark.parametrize("raw", [{}, {"who": "a", "segments": 7}, {"segments": None, "who": None}])
def test_a_draft_without_lists_has_no_individuals(raw: dict[str, Any]) -> None:
    assert long_draft(raw)["individuals"] == []
    assert long_draft(raw)["segments"] == raw.get("segments")


@pytest.mark.parametrize(
    ("said", "verdict", "labels", "error"),
    [
        (["d1 S It is 64 m high", "ok"], "supported", "d1:S d2:N", "none"),
        (["d1 P It is high", "d2 P It is 64 m", "ok"], "supported", "d1:P d2:P", "none"),
        (["d1 P It is high", "d1 P It is 64 m", "ok"], "supported", "d1:S d2:N", "none"),  # all of it, in two parts
        (["d1 C It is 46 m high", "contradiction"], "contradicted", "d1:C d2:N", "contradiction"),
        (["no document says it", "hallucination"], "unsupported", "d1:N d2:N", "hallucination"),
        (["d1 S It is high", "hallucination"], "unsupported", "d1:P d2:N", "hallucination"),  # in full is no error
        (["d2 S Ann is tall", "mixed entities"], "unsupported", "d1:N d2:O", "mixed_entities"),
        (["none"], "no_claim", "d1:N d2:N", "none"),
        (["absent"], "absent", "d1:N d2:N", "none"),
        (["d9 S It is high", "ok"], "supported", "d1:N d2:N d9:S", "none"),  # the reader refuses what nobody gave
    ],
)
def test_the_verdict_over_all_follows_from_the_letters(said: list[str], verdict: str, labels: str, error: str) -> None:
    found = point(*said)
    assert (found["verdict"], found["labels"], found["error"]) == (verdict, labels, error)


def test_notes_quotes_and_doubt() -> None:
    found = point('d1 S "It is 64 m high"', "64 m = sixty-four metres; 60 + 4 = 64", "a = b = c", "=", "9 >= 8", "ok?")
    assert found["quotes"] == [{"document": "d1", "text": "It is 64 m high"}]
    assert found["aliases"] == [["64 m", "sixty-four metres"], ["60 + 4", "64"], ["a", "b"], ["b", "c"]]
    assert (found["analysis"], found["confidence"]) == (
        "64 m = sixty-four metres; 60 + 4 = 64; a = b = c; =; 9 >= 8",
        "low",
    )


@pytest.mark.parametrize("said", [[], [7], ["ok", 7]])
def test_a_point_that_does_not_fit_is_refused_by_the_reader(said: list[Any]) -> None:
    with pytest.raises(ValidationError):
        FoundPoint.model_validate(point(*said))


def test_a_relation_is_judged_under_its_id_and_once_only() -> None:
    tie = ["s1.r", "d1 C It closed first", "causal confusion"]
    long = judged(["s1.1", "ok"], tie)
    assert long is not None
    logic = long["segments"][0]["logic"]
    assert (logic["verdict"], logic["error"]) == ("contradicted", "causal_confusion")
    twice = judged(["s1.1", "ok"], tie, tie)
    assert twice is not None
    assert twice["segments"][0]["logic"] == {}
    odd = judged(["s1.r", "hallucination"])
    assert odd is not None
    assert odd["segments"][0]["logic"]["error"] == "other_logic"


@pytest.mark.parametrize("item", [["s9.1", "ok"], ["s1", "ok"], [], "s1.1", [7, "ok"], ["", "ok"]])
def test_an_item_of_nothing_that_was_asked_spoils_the_reply(item: Any) -> None:
    assert judged(["s1.1", "ok"], item) is None


def test_a_reply_without_points_is_none_and_without_items_says_nothing() -> None:
    assert long_judgement({}, ["s1"], DOCUMENTS) is None
    assert long_judgement({"points": {}}, ["s1"], DOCUMENTS) is None
    assert judged() == {"segments": []}


@pytest.mark.parametrize(
    ("note", "pairs"),
    [
        ("390 / 40 → 10", [["390 / 40", "10"]]),
        ("Bronze → Gold", []),  # a change
        ("10:20 → 16:47 = 6 hours 27 minutes", [["10:20 → 16:47", "6 hours 27 minutes"]]),
        ("3 >= 2", []),
    ],
)
def test_an_arrow_leads_from_a_sum_to_its_result(note: str, pairs: list[list[str]]) -> None:
    assert point("d1 S each month", note, "ok")["aliases"] == pairs
