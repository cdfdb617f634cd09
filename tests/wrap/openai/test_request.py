"""What a call may say, and what it must."""

from __future__ import annotations

import openai
import pytest

from guardrail import Passage, Policy, UsageError
from guardrail.wrap.openai import GuardedAsyncOpenAI, GuardedOpenAI
from tests.support.openai_clients import ASKED, RIGHT, WRONG, ask, clients, guard


def found(messages):
    return [Passage(id=f"p{len(messages)}", text=RIGHT)]


async def afound(messages):
    return found(messages)


def test_passages_from_the_messages():
    """For calls without ``passages``; the function may be async for the async client."""
    with clients(passages_from=found) as pair:
        assert ask(pair, "sync", passages=None).guardrail.report.passages[0].id == "p2"
        assert ask(pair, "async", passages=None).guardrail.report.passages[0].id == "p2"
        assert ask(pair, "sync", passages=["own"]).guardrail.report.passages[0].text == "own"
    with clients(passages_from=afound) as pair:
        assert ask(pair, "async", passages=None).guardrail.report.passages[0].id == "p2"
        with pytest.raises(UsageError, match="passages_from is async"):
            ask(pair, "sync", passages=None)
        assert pair[2].call_count == 1


def test_the_question_and_the_policy_of_one_call():
    """The last thing that the user said, in whatever form; or as given."""
    parts = [{"type": "text", "text": "How"}, {"type": "image_url", "image_url": {}}, {"type": "text", "text": "high?"}]
    with clients() as pair:
        assert ask(pair, "sync", question="Mine?").guardrail.report.question == "Mine?"
        asked = ask(pair, "sync", messages=iter([{"role": "user", "content": parts}]))
        assert asked.guardrail.report.question == "How\nhigh?"
        again = [*ASKED, asked.choices[0].message, {"role": "user", "content": "And now?"}]
        assert ask(pair, "sync", messages=again).guardrail.report.question == "And now?"
        loose = ask(pair, "sync", policy=Policy.monitor())
        assert loose.choices[0].message.content == WRONG


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda c: c.chat.completions.create(model="m", messages=ASKED), r"create\(\.\.\., passages="),
        (lambda c: ask((c, None, None), "sync", passages="one"), "passages must be a list"),
        (lambda c: ask((c, None, None), "stream", n=2), "stream of n=2"),
        (lambda c: ask((c, None, None), "sync", mode="fast"), "unknown mode"),
        (lambda c: ask((c, None, None), "sync", policy="strict"), "no policy 'strict'. The guard has none by name"),
        (lambda c: ask((c, None, None), "sync", modalities=["text", "audio"]), "speech cannot be checked"),
        (lambda _: GuardedOpenAI(openai.AsyncOpenAI(api_key="any"), guard()), "Async: GuardedAsyncOpenAI"),
        (lambda _: GuardedAsyncOpenAI(openai.OpenAI(api_key="any"), guard()), "Sync: GuardedOpenAI"),
        (lambda _: GuardedOpenAI(openai.OpenAI(api_key="any"), "strict"), "guard must be a Guard"),
    ],
)
def test_mistakes_are_told_before_anything_is_sent(use, message):
    """What is wrong, and what to write; no call is paid for."""
    with clients() as (client, _, server):
        with pytest.raises(UsageError, match=message):
            use(client)
        assert server.call_count == 0
