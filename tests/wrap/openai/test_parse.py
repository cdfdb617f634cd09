"""Objects of a model: the field that holds the answer is checked, the others are left alone."""

from __future__ import annotations

import asyncio
import json
from typing import Literal

import pytest
from openai.types.chat import ParsedChatCompletion
from pydantic import BaseModel, Field

from guardrail import UsageError
from guardrail.repair.edits import BLOCKED
from guardrail.testing import Reply
from tests.support.openai_clients import ASKED, PASSAGES, RAW, RIGHT, WRONG, clients

WHY = "It says so in Rita Halloway's own report, which is longer than the answer itself and is not to be touched."


class Said(BaseModel):
    reasons: str
    answer: str
    mood: Literal["sure", "unsure"]
    pages: list[int]


class Renamed(BaseModel):
    text: str = Field(alias="the text")
    score: float


class Numbers(BaseModel):
    score: float


def said(answer, pages=(3,)):
    return json.dumps({"reasons": WHY, "answer": answer, "mood": "sure", "pages": list(pages)}, ensure_ascii=False)


def script(body):
    """Wrong at first, right when told, with another page."""
    told = len(body["messages"]) > len(ASKED)
    return said(RIGHT, (4,)) if told else said(WRONG)


def parse(pair, way, **options):
    given = {"model": "m", "messages": ASKED, "passages": PASSAGES, "response_format": Said} | options

    async def awaited():
        async with pair[1]() as client:
            return await client.chat.completions.parse(**given)

    return pair[0].chat.completions.parse(**given) if way == "sync" else asyncio.run(awaited())


DELIVERED = {"allow": (WRONG, 3), "redact": (RIGHT, 3), "regenerate": (RIGHT, 4), "block": (BLOCKED["en"], 3)}


@pytest.mark.parametrize("action", DELIVERED)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_the_field_of_the_answer_is_checked_and_the_object_keeps_its_type(way, action):
    with clients(script, action=action) as pair:
        got = parse(pair, way)
        sent = pair[2].calls[0].body
    text, page = DELIVERED[action]
    message = got.choices[0].message
    assert isinstance(got, ParsedChatCompletion)
    assert type(message.parsed) is Said
    assert message.parsed == Said(reasons=WHY, answer=text, mood="sure", pages=[page])
    assert json.loads(message.content) == message.parsed.model_dump()
    assert got.guardrail.report.answer == (RIGHT if action == "regenerate" else WRONG)
    dumped = got.model_dump(warnings=False)  # the vendor's own objects warn: they do not know the type of ``parsed``
    assert dumped["choices"][0]["message"]["parsed"]["answer"] == text
    assert sent["response_format"]["json_schema"]["name"] == "Said"
    assert not {"passages", "answer_field"} & sent.keys()


def test_the_caller_may_name_the_field():
    with clients(lambda _: said(WRONG)) as pair:
        got = parse(pair, "sync", answer_field="reasons")
        assert got.choices[0].message.parsed.reasons == BLOCKED["en"]
        assert got.choices[0].message.parsed.answer == WRONG
        with pytest.raises(UsageError, match=r"Said has no field 'anser'.*Did you mean 'answer'"):
            parse(pair, "sync", answer_field="anser")


def test_a_field_with_another_name_in_json():
    with clients(lambda _: json.dumps({"the text": WRONG, "score": 0.5}), action="redact") as pair:
        message = parse(pair, "sync", response_format=Renamed).choices[0].message
    assert (message.parsed.text, message.parsed.score) == (RIGHT, 0.5)
    assert json.loads(message.content) == {"the text": RIGHT, "score": 0.5}


def test_an_object_without_free_text_is_refused():
    """There is nothing in it that could be checked."""
    with (
        clients(lambda _: '{"score": 0.5}') as pair,
        pytest.raises(UsageError, match=r"no field of Numbers holds free text.*answer_field"),
    ):
        parse(pair, "sync", response_format=Numbers)


def test_refusals_pass():
    with clients(lambda _: Reply(refusal="I would rather not.")) as pair:
        got = parse(pair, "async")
    assert (got.guardrail, got.choices[0].message.refusal) == (None, "I would rather not.")
    assert got.choices[0].message.parsed is None


def test_a_field_of_plain_json_may_be_named():
    """For ``create``; what is no JSON at all is checked as it is. With a response format it need not be named."""
    with clients(lambda _: said(WRONG), action="redact") as pair:
        create = pair[0].chat.completions.create
        given = {"model": "m", "messages": ASKED, "passages": PASSAGES, "answer_field": "answer"}
        got = json.loads(create(**given).choices[0].message.content)
        assert got == json.loads(said(RIGHT))
    with clients(lambda _: WRONG, action="redact") as pair:  # not JSON at all: checked as a text
        assert pair[0].chat.completions.create(**given).choices[0].message.content == RIGHT


def test_each_choice_keeps_its_own_object():
    with clients(lambda body: Reply(said(WRONG), choices=body.get("n") or 1), action="redact") as pair:
        got = parse(pair, "sync", n=2)
    assert [choice.message.parsed.answer for choice in got.choices] == [RIGHT] * 2
    assert len(got.guardrails) == 2
    assert RAW in got.choices[0].message.parsed.reasons
