"""The object of a reply, or none: never a piece of one, never one that the reply quotes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.engines.llm.replies import read_object
from tests.support.growth import grows_linearly

REPLY = '{"segments": [{"id": "s1", "verdict": "supported"}]}'


@pytest.mark.parametrize(
    "text",
    [
        REPLY,
        f"\ufeff  {REPLY}\n",
        f"```json\n{REPLY}\n```",
        f"Sure, I compared {{all}} of it [1].\n\n{REPLY}\n\nAll clear?",
        f"当然，结果如下：\n```\n{REPLY}\n```\n希望有帮助。",
        f'<think>The passage holds {{"segments": []}}, hm.</think>\n{REPLY}',
        f"Thoughts without a beginning {{'a': 1}}</think>{REPLY}",
        f"{REPLY}\nOnce more:\n{REPLY}",
    ],
)
def test_the_object_is_found_whatever_stands_around_it(text):
    assert read_object(text) == json.loads(REPLY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "supported",
        "[]",
        f"[{REPLY}]",
        f"[[{REPLY}]]",
        REPLY[:-2],
        '{"segments": [{"id": "s1", "verdict": "supported"}, {"id": "s2", "verd',
        '{"segments": [{"id": "s1"} {"id": "s2"}]}',
        '{"id": "s1"}\n{"id": "s2"}',
        f'The passage says {{"segments": []}} and I say {REPLY}',
        '{"score": NaN}',
        '{"score": -Infinity}',
        "{'segments': []}",
        '{"a": ' * 100_000,
        "[" * 100_000,
        "{" * 100_000,
        '{"n": ' + "9" * 5_000 + "}",
        "<think>I never come to an end {",
    ],
)
def test_what_is_not_plainly_the_reply_is_none(text):
    assert read_object(text) is None


@pytest.mark.parametrize("text", ["{" * 200_000, "{ " * 100_000, "[ x " * 50_000, "{x}\n" * 50_000, '{"a": ' * 50_000])
def test_long_nonsense_is_read_in_linear_time(text):
    def read(part):
        assert read_object(part) is None

    assert grows_linearly(read, text)


def test_line_ends_inside_strings_pass():
    assert read_object('{"quote": "two\nlines"}') == {"quote": "two\nlines"}


def test_a_thought_end_inside_a_string_is_text():
    value = {"quotes": [{"text": '</think>{"segments": []}'}]}
    assert read_object(json.dumps(value)) == value
    assert read_object(f"```json\n{json.dumps(value)}\n```") == value


@given(st.text())
def test_any_text_is_read_or_refused(text):
    assert isinstance(read_object(text), dict | None)


@given(
    st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5)),
    st.text(alphabet=st.characters(exclude_characters="{}[]<>"), max_size=30),
)
def test_any_object_comes_back_from_prose(value, prose):
    assert read_object(f"{prose}\n{json.dumps(value, ensure_ascii=False)}\n{prose}") == value


@given(st.integers(min_value=1, max_value=len(REPLY) - 1))
def test_no_cut_reply_yields_a_piece(length):
    assert read_object(REPLY[:length]) is None
