"""The texts of a reply: free text, objects with an answer in them, and objects without."""

from __future__ import annotations

import json

import openai
import pytest
from pydantic import BaseModel

from guardrail.repair.edits import BLOCKED
from tests.support.proxied import (
    ASKED,
    RIGHT,
    WRONG,
    client,
    completion,
    proxy,
)

EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}


def ask(url, **more):
    return client(url).chat.completions.create(**({"model": "m", "messages": ASKED} | more))


class Said(BaseModel):
    answer: str
    pages: list[int]


@pytest.mark.parametrize("action", ["allow", "redact", "regenerate", "block"])
def test_objects_keep_their_type(action):
    """``parse`` of the real client; the answer's field is checked, the others stay."""

    def script(body):
        told = any("was checked against the passages" in str(m["content"]) for m in body["messages"])
        return completion(json.dumps({"answer": RIGHT if told else WRONG, "pages": [3]}))

    with proxy(script, action) as (url, _):
        said = client(url).chat.completions.parse(model="m", messages=ASKED, response_format=Said)
    assert said.choices[0].message.parsed == Said(answer=EXPECTED[action], pages=[3])


def test_an_object_without_free_text_passes_as_it_is_or_not_at_all():
    text = json.dumps({"engineers": ["Rita Halloway"], "height": 64})
    form = {"type": "json_object"}
    with proxy(lambda _: completion(text), "redact") as (url, _):
        blocked = ask(url, response_format=form).choices[0].message
    assert blocked.content is None
    assert blocked.refusal is not None
    with proxy(lambda _: completion(text), "allow") as (url, _):
        assert ask(url, response_format=form).choices[0].message.content == text


def test_the_field_of_the_answer_can_be_named():
    text = json.dumps({"note": "Something that is longer than the answer, said by nobody.", "said": WRONG})
    with proxy(lambda _: completion(text), "redact") as (url, _):
        said = ask(url, extra_body={"guardrail": {"answer_field": "said"}})
        assert json.loads(said.choices[0].message.content)["said"] == RIGHT
        with pytest.raises(openai.UnprocessableEntityError, match="no field 'sad'"):
            ask(url, extra_body={"guardrail": {"answer_field": "sad"}})
