"""The guarded OpenAI client: the real openai package against a real server on loopback."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from guardrail import Action, Guard, GuardedAnswer, Passage, Policy, UsageError
from guardrail.repair.edits import BLOCKED
from guardrail.testing import FakeEngine, OpenAIServer, Reply
from guardrail.wrap.openai import GuardedAsyncOpenAI, GuardedOpenAI

PASSAGES = ["The dam is 64 metres high.", "It was opened in 1963."]
RIGHT = "The dam is 64 metres high."
WRONG = "The dam is 64 metres high. Rita Halloway built it."
RAW = "Halloway"
ACTIONS = ("allow", "annotate", "redact", "regenerate", "block")
EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How high is it?"}]


def guard(action="block"):
    policy = Policy(actions={"contradicted": action}, on_exhausted="block", max_attempts=3)
    return Guard(policy=policy, engine=FakeEngine({"Halloway": "contradicted"}))


def model(body):
    """Wrong at first, right when told."""
    told = any("was checked against the passages" in str(m["content"]) for m in body["messages"])
    return Reply(RIGHT if told else WRONG, choices=body.get("n") or 1)


@contextmanager
def clients(script=model, action="block", **options):
    """A guarded client of each kind, and their server."""
    with OpenAIServer(script) as server:
        common = {"base_url": server.base_url, "api_key": "any", "max_retries": 0}
        yield (
            GuardedOpenAI(openai.OpenAI(**common), guard(action), **options),
            lambda: GuardedAsyncOpenAI(openai.AsyncOpenAI(**common), guard(action), **options),
            server,
        )


def ask(pair, way, **more):
    """One request: the completion, or the chunks and the guarded answer of a stream."""
    client, aclient, _ = pair
    given = {"model": "m", "messages": ASKED, "passages": PASSAGES} | more

    async def awaited():
        async with aclient() as each:
            got = await each.chat.completions.create(**given, **({"stream": True} if way == "astream" else {}))
            return ([chunk async for chunk in got], got.guardrail) if way == "astream" else got

    if way in {"async", "astream"}:
        return asyncio.run(awaited())
    if way == "sync":
        return client.chat.completions.create(**given)
    got = client.chat.completions.create(**given, stream=True)
    return list(got), got.guardrail


def joined(chunks):
    return "".join(c.delta.content or "" for chunk in chunks for c in chunk.choices)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_completion_holds_the_delivered_text(way, action):
    """And is a ChatCompletion like any other; withheld text is in no field of it."""
    with clients(action=action) as pair:
        completion = ask(pair, way)
    assert isinstance(completion, ChatCompletion)
    assert isinstance(completion.guardrail, GuardedAnswer)
    assert completion.guardrail.report.question == "How high is it?"
    text = completion.choices[0].message.content
    assert text == completion.guardrail.text == EXPECTED.get(action, text)
    assert action != "annotate" or text.startswith(RIGHT)
    seen = completion.model_dump_json() + repr(completion) + json.dumps(completion.to_dict())
    assert (RAW in seen) == (action in {"allow", "annotate"})
    assert "guardrail" not in seen
    plain = ChatCompletion.model_validate(completion.model_dump())
    assert (plain.id, plain.model, plain.usage.prompt_tokens > 0) == ("chatcmpl-1", "m", True)
    assert plain.choices[0].finish_reason == "stop"
    assert completion.guardrail.attempts == (2 if action == "regenerate" else 1)


@pytest.mark.parametrize("mode", ["buffer", "sentence", "observe"])
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_holds_the_delivered_text(way, action, mode):
    """Role first, then text, then the reason of the end and the usage."""
    with clients(action=action, mode=mode) as pair:
        chunks, guarded = ask(pair, way, stream_options={"include_usage": True})
    assert all(type(chunk) is ChatCompletionChunk for chunk in chunks)
    seen = "".join(chunk.model_dump_json() for chunk in chunks)
    shown = mode == "observe" or action in {"allow", "annotate"}
    assert (RAW in seen) == shown
    if mode != "observe":
        assert joined(chunks) == guarded.text
    if mode == "buffer":
        assert guarded.text == EXPECTED.get(action, guarded.text)
    assert chunks[0].choices[0].delta.role == "assistant"
    ends = [n for n, chunk in enumerate(chunks) if chunk.choices and chunk.choices[0].finish_reason]
    assert len(ends) == 1
    assert not any(c.delta.content for chunk in chunks[ends[0] :] for c in chunk.choices)
    if chunks[ends[0]].choices[0].finish_reason == "stop":
        assert chunks[-1].usage.total_tokens > 0


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


@pytest.mark.parametrize("way", ["sync", "async", "stream", "astream"])
@pytest.mark.parametrize(
    "reply", [Reply('{"a": 1}', tool="look"), Reply(refusal="I would rather not.")], ids=["tool", "refusal"]
)
def test_calls_of_tools_and_refusals_are_left_alone(way, reply):
    """There is no answer to check."""
    with clients(lambda _: reply) as pair:
        got = ask(pair, way)
    if way in {"sync", "async"}:
        message, guarded, end = got.choices[0].message, got.guardrail, got.choices[0].finish_reason
    else:
        chunks, guarded = got
        deltas = [c.delta for chunk in chunks for c in chunk.choices]
        message = next(d for d in deltas if d.tool_calls or d.refusal)
        end = chunks[-1].choices[0].finish_reason
    assert guarded is None
    assert message.refusal == reply.refusal
    assert end == ("tool_calls" if reply.tool else "stop")
    if reply.tool:
        assert message.tool_calls[0].function.name == "look"
        assert message.tool_calls[0].function.arguments == '{"a": 1}'


class Scripted(OpenAIServer):
    """A server whose JSON the test writes itself: endpoints that say more than OpenAI's."""

    def __init__(self, body):
        super().__init__(lambda _: "")
        self._body = body

    def _answer(self, *request):
        reply = super()._answer(*request)
        stream = isinstance(self._body, list)
        events = [json.dumps(event) for event in self._body] if stream else []
        text = "".join(f"data: {e}\n\n" for e in [*events, "[DONE]"]) if stream else json.dumps(self._body)
        kind = "text/event-stream" if stream else "application/json"
        return type(reply)(status=200, text=text.encode(), kind=kind)


SAID = {"content": WRONG, "role": "assistant", "reasoning_content": f"{RAW} surely", "annotations": []}
TOKENS = {"content": [{"token": RAW, "logprob": -0.1, "bytes": None, "top_logprobs": []}], "refusal": None}
HEAD = {"id": "x", "created": 1, "model": "m"}


def test_drafts_and_tokens_beside_a_withheld_text_are_withheld_too():
    """Reasoning in fields of its own, tokens with probabilities, ids of tokens."""
    choice = {"index": 0, "message": SAID, "finish_reason": "stop", "logprobs": TOKENS, "token_ids": [RAW]}
    body = HEAD | {"object": "chat.completion", "choices": [choice], "provider": "p"}
    with Scripted(body) as server:
        client = GuardedOpenAI(openai.OpenAI(base_url=server.base_url, api_key="any"), guard())
        completion = client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES)
    assert RAW not in completion.model_dump_json() + repr(completion)
    assert completion.model_extra == {"provider": "p"}


def test_drafts_in_a_stream_are_withheld_too():
    """The same, in chunks whose every delta has a role."""
    pieces = [{"role": "assistant", "reasoning_content": RAW}, {"role": "assistant", "content": WRONG}, {}]
    ends = [None, None, "stop"]
    choices = [
        {"index": 0, "delta": p, "finish_reason": e, "logprobs": TOKENS} for p, e in zip(pieces, ends, strict=True)
    ]
    stray = {"index": 1, "delta": {"content": RAW}, "finish_reason": None}  # nobody asked for a second answer
    body = [
        HEAD | {"object": "chat.completion.chunk", "choices": [choice]} for choice in [*choices[:2], stray, choices[2]]
    ]
    with Scripted(body) as server:
        client = GuardedOpenAI(openai.OpenAI(base_url=server.base_url, api_key="any"), guard())
        chunks = list(client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES, stream=True))
    assert RAW not in "".join(map(repr, chunks))
    assert joined(chunks) == BLOCKED["en"]
    assert [c.delta.role for chunk in chunks for c in chunk.choices].count("assistant") == 1


@pytest.mark.parametrize("mode", ["buffer", "sentence"])
def test_words_beside_a_call_of_a_tool_are_no_answer(mode):
    """In buffer mode they pass as they are; in sentence mode it is not yet known, so they are checked."""
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    deltas = [{"role": "assistant", "content": "I ask Halloway."}, {"tool_calls": [call]}]
    choices = [{"index": 0, "delta": d, "finish_reason": None} for d in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    body = [HEAD | {"object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    with Scripted(body) as server:
        client = GuardedOpenAI(openai.OpenAI(base_url=server.base_url, api_key="any"), guard(), mode=mode)
        stream = client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES, stream=True)
        chunks = list(stream)
    assert joined(chunks) == ("I ask Halloway." if mode == "buffer" else BLOCKED["en"])
    assert (stream.guardrail is None) == (mode == "buffer")
    tools = [c.delta.tool_calls for chunk in chunks for c in chunk.choices if c.delta.tool_calls]
    assert [tool.function.name for [tool] in tools] == ["look"]


def test_a_stream_cut_short_says_so():
    """Nothing more may leave: the reason of the end is the filter, and the model's stream is closed."""
    with clients(lambda _: "Rita Halloway built it. " + "It was opened in 1963. " * 50, mode="sentence") as pair:
        chunks, guarded = ask(pair, "stream")
    assert guarded.action is Action.BLOCK
    assert [c.finish_reason for c in chunks[-1].choices] == ["content_filter"]


@pytest.mark.parametrize("way", ["stream", "astream"])
def test_a_stream_can_be_left_early(way):
    """As a context, and by closing it; then it is over, and its connection is free."""
    with clients(lambda _: "It was opened in 1963. " * 40, mode="observe") as (client, aclient, _):
        given = {"model": "m", "messages": ASKED, "passages": PASSAGES, "stream": True}

        def sync():
            with client.chat.completions.create(**given) as stream:
                next(stream)
                next(stream)
            return list(stream), stream._raw.response.is_closed

        async def awaited():
            async with aclient() as each, await each.chat.completions.create(**given) as stream:
                await anext(stream)
                await anext(stream)
                await stream.close()
                return [chunk async for chunk in stream], stream._raw.response.is_closed

        assert (sync() if way == "stream" else asyncio.run(awaited())) == ([], True)


def test_a_connection_that_breaks_is_the_callers_to_know():
    """Nothing unchecked has left by then."""
    with clients(lambda _: Reply(WRONG, cut="body")) as (client, _, _):
        stream = client.chat.completions.create(model="m", messages=ASKED, passages=PASSAGES, stream=True)
        seen = []
        with pytest.raises(Exception, match=r"incomplete|closed|peer|[Cc]onnection") as raised:
            seen.extend(stream)
        assert RAW not in joined(seen) + str(raised.value)


def test_errors_of_the_endpoint_pass():
    """With the vendor's own type."""
    with clients(lambda _: Reply("no such model", status=404)) as pair:
        for way in ("sync", "async", "stream", "astream"):
            with pytest.raises(openai.NotFoundError, match="no such model"):
                ask(pair, way)


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


@pytest.mark.parametrize(
    "use",
    [
        lambda c: c.responses.create(model="m", input="?"),
        lambda c: c.completions.create(model="m", prompt="?"),
        lambda c: c.beta.chat,
        lambda c: c.with_raw_response,
        lambda c: c.with_streaming_response,
        lambda c: c.post("/chat/completions"),
        lambda c: c.chat.with_raw_response,
        lambda c: c.chat.completions.with_raw_response.create(model="m", messages=ASKED),
        lambda c: c.chat.completions.parse(model="m", messages=ASKED),
        lambda c: c.chat.completions.stream(model="m", messages=ASKED),
        lambda c: c.chat.completions.retrieve("id"),
    ],
)
@pytest.mark.parametrize("kind", [0, 1], ids=["sync", "async"])
def test_ways_past_the_check_are_refused(use, kind):
    """Unless the caller says that he knows."""
    with clients() as pair, pytest.raises(UsageError, match="is not checked by the guard"):
        use(pair[0] if kind == 0 else pair[1]())


def test_ways_past_the_check_can_be_opened():
    """``allow_unguarded``; the text is the model's own then."""
    with clients(allow_unguarded=True) as (client, _, _):
        raw = client.chat.completions.with_raw_response.create(model="m", messages=ASKED)
        assert raw.parse().choices[0].message.content == WRONG
        assert client.completions.create


def test_everything_else_is_the_clients_own():
    """Models, addresses, options; copies are guarded too."""
    with clients() as (client, aclient, server):
        assert [m.id for m in client.models.list()] == ["scripted"]
        assert str(client.base_url).rstrip("/") == server.base_url
        assert client.embeddings.create
        again = client.with_options(timeout=7.5)
        assert isinstance(again, GuardedOpenAI)
        assert again.timeout == 7.5
        said = copy.copy(again).chat.completions.create(model="m", messages=ASKED, passages=PASSAGES)
        assert said.guardrail.action is Action.BLOCK
        assert isinstance(aclient().copy(timeout=7.5), GuardedAsyncOpenAI)
        with client as same:
            assert same is client
        assert client.is_closed()


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda c: c.chat.completions.create(model="m", messages=ASKED), r"create\(\.\.\., passages="),
        (lambda c: ask((c, None, None), "sync", passages="one"), "passages must be a list"),
        (lambda c: ask((c, None, None), "stream", n=2), "stream of n=2"),
        (lambda c: ask((c, None, None), "sync", mode="fast"), "unknown mode"),
        (lambda c: ask((c, None, None), "sync", policy="strict"), "policy must be a Policy"),
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


def test_openai_missing_names_the_line_that_installs_it():
    """And ``import guardrail`` does not need it."""
    code = """
import sys
sys.modules["openai"] = None
import guardrail
try:
    import guardrail.wrap.openai
except guardrail.MissingExtraError as error:
    print(error)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert 'pip install "rag-guardrail[openai]"' in said.stdout
