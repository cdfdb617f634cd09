"""Old and new versions of openai: what they cannot do is said, what they can do elsewhere is found."""

from __future__ import annotations

import asyncio
import json

import openai
import pytest
from pydantic import BaseModel

from guardrail import UsageError
from guardrail.testing import Reply
from tests.support.openai_clients import ASKED, PASSAGES, RIGHT, WRONG, clients

HAS_RESPONSES = hasattr(openai.OpenAI(api_key="any"), "responses")


class Said(BaseModel):
    answer: str
    pages: list[int]


GIVEN = {"model": "m", "messages": ASKED, "response_format": Said, "passages": PASSAGES}


@pytest.mark.parametrize("way", ["sync", "async"])
def test_objects_are_parsed_and_checked_on_every_version(way):
    """The guarded client has the new place, whichever the vendor has."""
    with clients(lambda _: Reply(json.dumps({"answer": WRONG, "pages": [3]})), action="redact") as (client, aclient, _):

        async def awaited():
            async with aclient() as each:
                return await each.chat.completions.parse(**GIVEN)

        got = client.chat.completions.parse(**GIVEN) if way == "sync" else asyncio.run(awaited())
    assert got.choices[0].message.parsed == Said(answer=RIGHT, pages=[3])
    assert got.guardrail.report.answer == WRONG


@pytest.mark.skipif(HAS_RESPONSES, reason="this openai has the Responses API")
def test_without_a_responses_api_the_version_is_named():
    """No ModuleNotFoundError of somebody else's module; ``hasattr`` says no."""
    with clients() as (client, aclient, _):
        for each in (client, aclient()):
            assert not hasattr(each, "responses")
            with pytest.raises(UsageError, match=r"openai 1\.\d+\.\d+ has no client.responses.*openai>=1\.66"):
                each.responses  # noqa: B018
