"""Functions and OpenAI clients: what comes in two kinds does the same in both."""

from __future__ import annotations

import asyncio

import openai
import pytest

from guardrail import Guard, GuardedAnswer, Policy, UsageError
from guardrail.streaming import Delta, Finished
from guardrail.testing import FakeEngine, OpenAIServer, Reply
from guardrail.wrap.function import guarded
from guardrail.wrap.openai import GuardedAsyncOpenAI, GuardedOpenAI

PASSAGES = ["The dam is 64 metres high.", "It was opened in 1963."]
RIGHT = "The dam is 64 metres high."
WRONG = f"{RIGHT} Rita Halloway built it."
ASKED = [{"role": "user", "content": "How high is it?"}]
ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")
MODES = ("buffer", "sentence", "observe")


def guard(action):
    return Guard(policy=Policy(actions={"contradicted": action}), engine=FakeEngine({"Halloway": "contradicted"}))


def plain(value):
    """Without what is new in each call, such as durations."""
    if isinstance(value, GuardedAnswer):
        return value.text, value.action, value.attempts, [(f.id, f.verdict, f.reason) for f in value.report.findings]
    if isinstance(value, Finished):
        return plain(value.guarded)
    if isinstance(value, Delta):
        return value
    return value if isinstance(value, str) else type(value)


def outcome(call):
    """What it returns, or the error that it raises."""
    try:
        return call()
    except (UsageError, KeyError) as error:
        return type(error), str(error)


def answered(question, feedback=None):
    return (RIGHT if feedback else WRONG), PASSAGES


def fails(question, feedback=None):
    raise KeyError("gone")


def pairless(question, feedback=None):
    return "only text"


@pytest.mark.parametrize("function", [answered, fails, pairless])
@pytest.mark.parametrize("deliver", ["answer", "text"])
def test_functions(deliver, function):
    """What is returned, and what is raised."""

    async def awaited(question, feedback=None):
        return function(question, feedback)

    awaited.__qualname__ = function.__qualname__
    for action in ACTIONS:
        decorate = guarded(guard(action), deliver=deliver)
        call, acall = decorate(function), decorate(awaited)
        first = outcome(lambda: plain(call("How high?")))  # noqa: B023  called at once
        assert first == outcome(lambda: plain(asyncio.run(acall("How high?"))))  # noqa: B023


def words(question, feedback=None):
    yield PASSAGES
    yield from answered(question, feedback)[0].partition(" Rita")


def twice(question, feedback=None):
    yield PASSAGES
    yield RIGHT
    yield PASSAGES


def broken(question, feedback=None):
    yield PASSAGES
    yield RIGHT
    raise KeyError("gone")


@pytest.mark.parametrize("function", [words, twice, broken])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("deliver", ["answer", "text"])
def test_generator_functions(deliver, mode, function):
    """The same text and the same end; pieces may be cut elsewhere, since text is read ahead."""

    async def awaited(question, feedback=None):
        for item in function(question, feedback):
            yield item

    awaited.__qualname__ = function.__qualname__

    def told(events):
        texts = "".join(e if isinstance(e, str) else e.text for e in events if isinstance(e, (str, Delta)))
        return texts, [plain(event) for event in events if isinstance(event, Finished)]

    for action in ACTIONS:
        decorate = guarded(guard(action), deliver=deliver, mode=mode)

        async def collected(call):
            return told([event async for event in call("How high?")])

        first = outcome(lambda: told(list(decorate(function)("How high?"))))  # noqa: B023  called at once
        assert first == outcome(lambda: asyncio.run(collected(decorate(awaited))))  # noqa: B023


def told(completion):
    return completion.model_dump(exclude={"id", "created"}), [plain(each) for each in completion.guardrails]


def script(body):
    again = len(body["messages"]) > 1
    return Reply(RIGHT if again else WRONG, choices=body.get("n") or 1)


@pytest.mark.parametrize("action", ACTIONS)
def test_openai_clients(action):
    """Completions, streams of every mode, and mistakes."""
    requests = [
        {"passages": PASSAGES},
        {"passages": PASSAGES, "n": 2},
        {"passages": []},
        {},
        *({"passages": PASSAGES, "stream": True, "mode": mode} for mode in MODES),
    ]
    with OpenAIServer(script) as server:
        common = {"base_url": server.base_url, "api_key": "any", "max_retries": 0}
        client = GuardedOpenAI(openai.OpenAI(**common), guard(action))

        def here(given):
            said = client.chat.completions.create(model="m", messages=ASKED, **given)
            return streamed(list(said), said) if given.get("stream") else told(said)

        async def awaited(given):
            async with GuardedAsyncOpenAI(openai.AsyncOpenAI(**common), guard(action)) as each:
                said = await each.chat.completions.create(model="m", messages=ASKED, **given)
                return streamed([chunk async for chunk in said], said) if given.get("stream") else told(said)

        def streamed(chunks, said):
            text = "".join(c.delta.content or "" for chunk in chunks for c in chunk.choices)
            ends = [c.finish_reason for chunk in chunks for c in chunk.choices if c.finish_reason]
            return text, ends, plain(said.guardrail)

        for given in requests:
            first = outcome(lambda: here(given))  # noqa: B023  called at once
            assert first == outcome(lambda: asyncio.run(awaited(given)))  # noqa: B023
