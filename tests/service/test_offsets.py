"""Spans in other units point to the same words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guardrail.service.offsets import Ruler, in_units


def slice_of(text, span, unit):
    encoded, size = (text.encode("utf-8"), 1) if unit == "utf-8" else (text.encode("utf-16-le"), 2)
    return encoded[span[0] * size : span[1] * size].decode("utf-8" if unit == "utf-8" else "utf-16-le")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.data(), st.sampled_from(["utf-8", "utf-16"]))
def test_the_same_words(text, data, unit):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    ruler = Ruler(text, unit)
    assert slice_of(text, (ruler.at(start), ruler.at(end)), unit) == text[start:end]


def test_each_span_is_of_its_own_text():
    answer, passage = "Ça 😀 wrong", "né 😀 right"
    record = {
        "verdict": "contradicted",
        "findings": [
            {
                "span": [0, len(answer)],
                "focus": [5, 10],
                "evidence": [{"passage_id": "p", "span": [5, 10], "quote": "right"}],
            },
            {"span": [0, 2], "focus": None, "evidence": []},
        ],
        "skipped": [{"span": [3, 4], "reason": "x"}],
        "claims": [{"span": None, "evidence": []}],
    }
    moved = in_units(record, answer, {"p": passage}, "utf-8")
    first, second = moved["findings"]
    assert slice_of(answer, first["focus"], "utf-8") == "wrong"
    assert slice_of(passage, first["evidence"][0]["span"], "utf-8") == "right"
    assert second["focus"] is None
    assert moved["skipped"][0]["span"] == [4, 8]
    assert moved["claims"][0]["span"] is None
    assert moved["offsets"] == "utf-8"
    assert record["findings"][0]["focus"] == [5, 10]
    assert in_units(record, answer, {"p": passage}, "code-point") is record
