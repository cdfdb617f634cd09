"""The Responses API, guarded."""

from __future__ import annotations

import asyncio
import json

import openai
import pytest
from openai.types.responses import ParsedResponse, Response
from pydantic import BaseModel

from guardrail import Action, UsageError
from guardrail.repair.edits import BLOCKED
from guardrail.wrap.openai import GuardedAsyncOpenAI, GuardedOpenAI
from tests.support.openai_clients import PASSAGES, RAW, RIGHT, WRONG, Responding, guard, message

QUESTION = "How high is it?"
THOUGHT = {"type": "reasoning", "id": "t", "summary": [{"type": "summary_text", "text": f"{RAW}?"}], "content": None}
CALL = {"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": "{}", "status": "completed"}


class Said(BaseModel):
    answer: str
    pages: list[int]


def told(body):
    return isinstance(body["input"], list) and len(body["input"]) > 1


def script(body):
    return [THOUGHT, message(RIGHT if told(body) else WRONG)]


def ask(way, script=script, action="block", method="create", **options):
    """One request: the response and the bodies that were sent."""
    given = {"model": "m", "input": QUESTION, "passages": PASSAGES} | options
    with Responding(script) as server:
        common = {"base_url": server.base_url, "api_key": "any", "max_retries": 0}

        async def awaited():
            async with GuardedAsyncOpenAI(openai.AsyncOpenAI(**common), guard(action)) as client:
                return await getattr(client.responses, method)(**given)

        client = GuardedOpenAI(openai.OpenAI(**common), guard(action))
        got = asyncio.run(awaited()) if way == "async" else getattr(client.responses, method)(**given)
    return got, server.bodies


EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}


@pytest.mark.parametrize("action", EXPECTED)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_response_holds_the_delivered_text(way, action):
    """And is a Response like any other; thoughts are left out, since nobody checked them."""
    got, bodies = ask(way, action=action)
    assert isinstance(got, Response)
    assert got.output_text == got.guardrail.text == EXPECTED[action]
    assert got.guardrail.report.question == QUESTION
    assert (RAW in got.model_dump_json() + repr(got)) == (action == "allow")
    assert [item.type for item in got.output] == ["reasoning", "message"]
    assert Response.model_validate(got.model_dump()).output_text == EXPECTED[action]
    assert bodies[0] == {"model": "m", "input": QUESTION}
    if action == "regenerate":
        roles = [each["role"] for each in bodies[1]["input"]]
        assert (len(bodies), roles) == (2, ["user", "assistant", "user"])
        assert RAW in bodies[1]["input"][2]["content"]


def test_the_question_is_the_last_message_of_the_user():
    given = [{"role": "user", "content": [{"type": "input_text", "text": "And its height?"}]}]
    got, bodies = ask("sync", input=given)
    assert got.guardrail.report.question == "And its height?"
    assert bodies[0]["input"] == given


def test_several_texts_are_one_answer():
    """Delivered in the first of them; as they are, where nothing was changed."""
    two = [message("The dam is 64 metres high. ", "Rita Halloway built it.")]
    changed, _ = ask("sync", lambda _: two, action="redact")
    assert [part.text for part in changed.output[0].content] == [RIGHT]
    assert changed.output[0].content[0].annotations == []
    kept, _ = ask("sync", lambda _: two, action="allow")
    assert [part.text for part in kept.output[0].content] == ["The dam is 64 metres high. ", "Rita Halloway built it."]


def test_calls_of_tools_pass():
    """Text beside them is no answer yet."""
    got, _ = ask("sync", lambda _: [THOUGHT, message(WRONG), CALL])
    assert got.guardrail is None
    assert [item.type for item in got.output] == ["reasoning", "message", "function_call"]


@pytest.mark.parametrize("action", ["redact", "regenerate"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_the_field_of_an_object_is_checked(way, action):
    def said(body):
        new = told(body)
        return [message(json.dumps({"answer": RIGHT if new else WRONG, "pages": [4 if new else 3]}))]

    got, _ = ask(way, said, action=action, method="parse", text_format=Said)
    assert isinstance(got, ParsedResponse)
    assert got.output_parsed == Said(answer=RIGHT, pages=[3 if action == "redact" else 4])
    assert json.loads(got.output_text) == got.output_parsed.model_dump()
    assert got.guardrail.action is (Action.REDACT if action == "redact" else Action.ALLOW)


def test_a_conversation_is_not_asked_again():
    """It would keep the answer that did not pass, and the feedback."""
    got, bodies = ask("sync", action="regenerate", conversation="conv_1")
    assert (len(bodies), got.output_text) == (1, BLOCKED["en"])


@pytest.mark.parametrize(("options", "message"), [
    ({"stream": True}, "stream=True cannot be checked"),
    ({"background": True}, "background=True cannot be checked"),
    ({"passages": None}, "no passages to check the answer against"),
])  # fmt: skip
def test_what_cannot_be_checked_is_refused_before_anything_is_sent(options, message):
    with pytest.raises(UsageError, match=message):
        ask("sync", **options)
