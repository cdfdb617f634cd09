"""JSON objects as statements: what they say, where they stand, and that hostile text costs steps in proportion."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.text.records import statements
from guardrail.text.records.json_values import json_statements
from tests.support.growth import grows_linearly


def told(text: str) -> list[str]:
    return [statement.text for statement in statements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"petsAllowed": false, "note": null}', ["pets Allowed: no; note: not given."]),
        ('{"hotel": "Mira", "rooms": [{"beds": 2}, {"beds": 3}]}', ["hotel: Mira.", "Mira, rooms: beds: 2.", "Mira, rooms: beds: 3."]),
    ],
)  # fmt: skip
def test_what_an_object_says(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize("text", ["[1] Hallam 2022.\n[2] Idowu 2024.", "{not json}\n[nor this"])
def test_prose_in_brackets_is_no_object(text: str) -> None:
    assert told(text) == []


def test_an_object_tells_what_its_array_makes_of_it() -> None:
    rows = [{"name": "x", "km": 3}, {"name": "y", "km": 12}, {"name": "z", "km": 5}]
    assert [line.count("est)") for line in told(json.dumps(rows))] == [1, 1, 0]


def test_records_inside_records_are_told_once() -> None:
    inside = json.dumps({"x": "<tr><td>1<td>2"})
    assert told(inside) == ["x: <tr><td>1<td>2."]
    assert told("<table><tr><td>a|b\nc|d\ne|f</td></tr></table>") == ["a|b c|d e|f."]


def test_the_objects_of_one_array_are_one_table() -> None:
    found = list(json_statements('The rooms:\n[{"room": "Alder"}, {"room": "Beech"}]\n'))
    assert [statement.cells for statement in found] == [(("room", "Alder"),), (("room", "Beech"),)]
    assert {statement.table for statement in found} == {11}


def test_an_object_deeper_than_anybody_writes_is_left_alone() -> None:
    assert told('{"a": ' * 5 + '{"b": 1}' + "}" * 5) == ["a, a, a, a, a: b: 1."]
    assert told('{"a": ' * 40 + '{"b": 1}' + "}" * 40) == []


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab 1{}[]",:', max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("kK_", max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.sampled_from((None, 1)))
def test_spans_of_json_lie_apart_and_inside(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    spans = [statement.span for statement in statements(text)]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


@pytest.mark.parametrize("piece", ["[", '{"a":', "[\n", '["a",\n', '{"a": 1}\n'])
def test_hostile_text_takes_few_steps(piece: str) -> None:
    assert grows_linearly(statements, piece * 3000)
