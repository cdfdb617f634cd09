"""Edits of JSON texts keep every other byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.service.proxy.json_text import dumps, edited, items, members, replaced, spans, with_member, without
from guardrail.types import Span

ODD = '{ "a" : 1.0e5,\n"big":123456789012345678901234567890, "u":"\\u00e9\\ud800", "l":[ 1 , {"x":null} ], "a":2 }'


def test_values_are_found_where_they_stand():
    assert [span.of(ODD) for span in spans(ODD, ("a",))] == ["1.0e5", "2"]
    assert [span.of(ODD) for span in spans(ODD, ("l", 1, "x"))] == ["null"]
    assert [span.of(ODD) for span in spans(ODD, ())] == [ODD]
    assert spans(ODD, ("l", "x")) == spans(ODD, (0,)) == spans(ODD, ("none",)) == []
    assert list(items("[]")) == members("{}") == []


def test_edits_leave_the_rest():
    assert replaced(ODD, ("l", 1, "x"), '"y"') == ODD.replace("null", '"y"')
    assert replaced(ODD, ("a",), "3") == ODD.replace("1.0e5", "3").replace('"a":2', '"a":3')
    assert with_member(ODD, (), "new", "[]") == ODD.replace('"a":2 }', '"a":2,"new":[] }')
    assert replaced('{"a":{}}', ("a", "b"), "1") == '{"a":{"b":1}}'
    assert with_member('{"g":1,"h":2}', (), "g", "3") == '{"h":2,"g":3}'


@pytest.mark.parametrize(
    ("text", "names", "left"),
    [
        ('{"a":1,"b":2,"c":3}', ["a"], '{"b":2,"c":3}'),
        ('{"a":1,"b":2,"c":3}', ["b", "c"], '{"a":1}'),
        ('{"a":1,"b":2,"c":3}', ["a", "c"], '{"b":2}'),
        ('{"a":1, "b":2}', ["a", "b"], "{}"),
        ('{"a":1,"b":2,"a":3}', ["a"], '{"b":2}'),
        ('{"b":2}', ["a"], '{"b":2}'),
        ("[1]", ["a"], "[1]"),
    ],
)
def test_members_are_taken_out(text, names, left):
    assert without(text, (), *names).replace(" ", "") == left


@pytest.mark.parametrize("text", ["", "{", '{"a"}', '{"a":}', '{"a":1 "b":2}', "{1:2}", "[1", '{"a":1,}', '{"a":tru}'])
def test_broken_objects_are_said(text):
    with pytest.raises(ValueError, match=r"."):
        (members if text.startswith("{") else lambda each: list(items(each)))(text)


def test_surrogates_can_be_encoded():
    assert dumps("\ud800é").encode() == '"\\ud800é"'.encode()
    assert edited("abc", [(Span(1, 2), "x"), (Span(0, 1), "")]) == "xc"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(
    value=st.dictionaries(st.sampled_from("abc"), VALUES),
    name=st.sampled_from("abc"),
    new=VALUES,
    indent=st.sampled_from([None, 1]),
)
def test_an_edit_of_the_text_is_the_edit_of_the_value(value, name, new, indent):
    text = json.dumps(value, indent=indent)
    left = {key: each for key, each in value.items() if key != name}
    assert json.loads(without(text, (), name)) == left
    assert json.loads(with_member(text, (), name, dumps(new))) == left | {name: new}
    assert json.loads(replaced(text, (name,), dumps(new))) == value | {name: new}
