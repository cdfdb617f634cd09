"""`create`, checked, repaired and sent again."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest

from guardrail import Action
from guardrail.repair.edits import BLOCKED
from guardrail.testing import Reply
from tests.support.openai_clients import ASKED, RAW, RIGHT, WRONG, ask, clients, joined


def test_what_was_wrong_is_sent_back_to_the_model():
    """As messages after the same request; one choice, no stream."""
    with clients(action="regenerate") as pair:
        ask(pair, "sync", temperature=0.5)
        ask(pair, "stream", temperature=0.5, stream_options={"include_usage": True})
        first, second, *_, fourth = [call.body for call in pair[2].calls]
    assert second["messages"][:2] == first["messages"] == ASKED
    assert second["messages"][2] == {"role": "assistant", "content": WRONG}
    assert RAW in second["messages"][3]["content"]
    assert second["temperature"] == 0.5
    assert not {"stream", "stream_options", "passages", "question"} & set(fourth)


def test_attempts_end_and_a_failing_model_leaves_the_first_answer():
    """Blocked, since it did not pass; the failure is no error of the call."""

    def stubborn(body):
        return WRONG if len(body["messages"]) == 2 else Reply("down", status=500)

    with clients(stubborn, action="regenerate") as pair:
        completion = ask(pair, "sync")
    assert completion.guardrail.exhausted
    assert completion.choices[0].message.content == BLOCKED["en"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_each_choice_is_checked(way):
    """With one GuardedAnswer each."""
    with clients(action="redact") as pair:
        completion = ask(pair, way, n=3)
    assert [c.message.content for c in completion.choices] == [RIGHT] * 3
    assert [c.index for c in completion.choices] == [0, 1, 2]
    assert [g.action for g in completion.guardrails] == [Action.REDACT] * 3


def test_errors_of_the_endpoint_pass():
    """With the vendor's own type."""
    with clients(lambda _: Reply("no such model", status=404)) as pair:
        for way in ("sync", "async", "stream", "astream"):
            with pytest.raises(openai.NotFoundError, match="no such model"):
                ask(pair, way)


def test_eight_at_once_keep_their_answers_apart():
    """In threads and in tasks, streamed and not."""

    def script(body):
        number = next(m["content"] for m in body["messages"] if m["role"] == "user")
        tail = "" if len(body["messages"]) > 1 else " Rita Halloway built it."
        return Reply(f"Number {number} is fine.{tail}", seconds=0.01 * (int(number) % 3))

    def given(n):
        return {"model": "m", "messages": [{"role": "user", "content": str(n)}], "passages": [f"Number {n}."]}

    with clients(script, action="regenerate") as (client, aclient, _):
        create = client.chat.completions.create

        def one(n):
            whole = create(**given(n)).choices[0].message.content
            return whole, joined(create(**given(n), stream=True))

        with ThreadPoolExecutor(8) as pool:
            got = list(pool.map(one, range(8)))
        assert got == [(f"Number {n} is fine.",) * 2 for n in range(8)]

        async def all_at_once():
            async with aclient() as each:

                async def aone(n):
                    whole = await each.chat.completions.create(**given(n))
                    stream = await each.chat.completions.create(**given(n), stream=True)
                    return whole.choices[0].message.content, joined([chunk async for chunk in stream])

                return await asyncio.gather(*map(aone, range(8)))

        assert asyncio.run(all_at_once()) == got
