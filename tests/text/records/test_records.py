"""Rows, objects and items as statements: what they say, where they stand, and that hostile text costs linear time."""

from __future__ import annotations

import json
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.text.passages import sentences
from guardrail.text.records import statements


def told(text: str) -> list[str]:
    return [statement.text for statement in statements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Plan | Data |\n|---|--:|\n| Move | 40 GB |\n| Max | |", ["Plan: Move; Data: 40 GB.", "Plan: Max."]),
        ("room,size_m2,price\nAlpha,12,40\nBeta,20,60", ["room: Alpha; size: 12 m²; price: 40.", "room: Beta; size: 20 m²; price: 60."]),
        ("Station\tDeparture\nOslo\t10:05", ["Station: Oslo; Departure: 10:05."]),
        ("Day | Hours\nMonday | 9 to 5\nTuesday | closed", ["Day: Monday; Hours: 9 to 5.", "Day: Tuesday; Hours: closed."]),
        ("<table><tr><th>Day<th>Hours</tr><tr><td>Mon<td>9&ndash;17</table>", ["Day: Mon; Hours: 9–17."]),
        ("The fee includes:\n- towels\n- the sauna", ["The fee includes: towels", "The fee includes: the sauna"]),
        ('{"petsAllowed": false, "note": null}', ["pets Allowed: no; note: not given."]),
        ('{"hotel": "Mira", "rooms": [{"beds": 2}, {"beds": 3}]}', ["hotel: Mira.", "Mira, rooms: beds: 2.", "Mira, rooms: beds: 3."]),
    ],
)  # fmt: skip
def test_what_a_record_says(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We sell apples, pears, plums.\nWe buy rice, wheat, oats.\nWe lend carts, sacks, scales.",
        "Note the following: it rains.",
        "[1] Hallam 2022.\n[2] Idowu 2024.",
        "{not json}\n[nor this",
        "a | b",
    ],
)
def test_prose_is_no_record(text: str) -> None:
    assert told(text) == []


def test_a_row_tells_what_its_column_makes_of_it() -> None:
    table = "| Plan | Price | Start |\n|---|---|---|\n| A | €9.99 | 8:05 |\n| B | €7 | 07:40 |\n| C | €7 | 9:00 |"
    assert told(table) == [
        "Plan: A; Price: €9.99 (highest); Start: 8:05.",
        "Plan: B; Price: €7; Start: 07:40 (earliest).",
        "Plan: C; Price: €7; Start: 9:00 (latest).",
    ]
    rows = [{"name": "x", "km": 3}, {"name": "y", "km": 12}, {"name": "z", "km": 5}]
    assert [line.count("est)") for line in told(json.dumps(rows))] == [1, 1, 0]
    mixed = "| Plan | Data |\n|---|---|\n| A | 10 GB |\n| B | 2 TB |\n| C | unlimited |"
    assert "est)" not in " ".join(told(mixed))


def test_sentences_keep_the_spans_of_the_source() -> None:
    text = "Prices are net.\n\n| Plan | Price |\n|---|---|\n| A | 5 |\n\nAsk us."
    found = sentences(text)
    assert [s.text for s in found if "Plan: A" in s.text] == ["Plan: A; Price: 5."]
    assert "| A | 5 |" in [s.span.of(text) for s in found]
    assert (found[0].text, found[-1].text) == ("Prices are net.", "Ask us.")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab 1{}[]",:', max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("kK_", max_size=3), inner, max_size=4),
    max_leaves=20,
)


def test_records_inside_records_are_told_once() -> None:
    inside = json.dumps({"x": "<tr><td>1<td>2"})
    assert told(inside) == ["x: <tr><td>1<td>2."]
    assert told("<table><tr><td>a|b\nc|d\ne|f</td></tr></table>") == ["a|b c|d e|f."]


@given(values, st.sampled_from((None, 1)))
def test_spans_of_json_lie_apart_and_inside(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    spans = [statement.span for statement in statements(text)]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


@given(st.text('|-:,;\t\n<>trdh/{}[]"a1 *', max_size=120))
def test_any_text_is_read_and_sentences_stay_in_order(text: str) -> None:
    spans = [sentence.span for sentence in sentences(text)]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


@pytest.mark.parametrize(
    "piece", ["[", '{"a":', "<tr><td>", "<td>", "a|b\n", "[\n", '["a",\n', "x,y,z\n", "q:\n- ", '{"a": 1}\n']
)
def test_hostile_text_takes_few_steps(piece: str) -> None:
    """Ten times the text may take some ten times the calls, not a hundred times."""

    def calls(text: str) -> int:
        count = 0

        def profile(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(profile)
        try:
            statements(text)
        finally:
            sys.setprofile(None)
        return count

    assert calls(piece * 3000) < 25 * calls(piece * 300) + 2000
