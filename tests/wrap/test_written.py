"""What a model wrote, as a text or as an object of which one field is the answer."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, Field

from guardrail.errors import UsageError
from guardrail.wrap.written import Written, written


class Spoken(BaseModel):
    text: str = Field(alias="the text")
    score: float


SPOKEN = '{"the text": "It opens at six.", "score": 0.5}'


def test_a_text_is_the_answer_itself() -> None:
    found = written("It opens at six.", None, None)
    assert found == Written("It opens at six.")
    assert found.answer == "It opens at six."
    assert found.with_answer("At six.") == Written("At six.")


@pytest.mark.parametrize("text", [None, ""])
def test_nothing_is_nothing_to_check(text: str | None) -> None:
    assert written(text, None, "answer", as_json=True) is None


def test_an_object_keeps_its_type_its_other_fields_and_its_names_in_json() -> None:
    found = written(SPOKEN, Spoken.model_validate_json(SPOKEN), None)
    assert found is not None
    assert found.answer == "It opens at six."
    other = found.with_answer("Nobody knows.")
    assert (type(other.value), other.value.text, other.value.score) == (Spoken, "Nobody knows.", 0.5)
    assert json.loads(other.text) == {"the text": "Nobody knows.", "score": 0.5}


def test_an_answer_that_stays_leaves_the_text_untouched() -> None:
    spaced = SPOKEN.replace(",", " ,  ")
    found = written(spaced, Spoken.model_validate_json(SPOKEN), None)
    assert found is not None
    assert found.with_answer("It opens at six.").text == spaced


@pytest.mark.parametrize(
    ("text", "field", "as_json", "answer"),
    [
        ('{"a": "one", "b": "two two"}', None, True, "two two"),
        ('{"a": "one", "b": "two two"}', "a", False, "one"),
        ('{"a": "one"}', None, False, '{"a": "one"}'),
        ("not JSON", "a", False, "not JSON"),
        ("[1, 2]", None, True, "[1, 2]"),
        ('{"pages": 3}', None, True, '{"pages": 3}'),
    ],
)
def test_a_text_is_read_as_json_only_where_that_is_meant(
    text: str, field: str | None, as_json: bool, answer: str
) -> None:
    found = written(text, None, field, as_json=as_json)
    assert found is not None
    assert found.answer == answer


def test_a_field_that_holds_nothing_is_nothing_to_check() -> None:
    assert written('{"answer": null, "pages": 3}', {"answer": None, "pages": 3}, "answer") is None


def test_an_object_without_free_text_and_a_field_that_is_none_are_refused() -> None:
    with pytest.raises(UsageError, match="no field of dict holds free text"):
        written('{"pages": 3}', {"pages": 3}, None)
    with pytest.raises(UsageError, match=r"'anser'.*Did you mean 'answer'"):
        written('{"answer": "x"}', {"answer": "x"}, "anser")
