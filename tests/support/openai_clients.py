"""Guarded clients of both kinds, and a server that answers about a dam."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager

import openai

from guardrail import Guard, Policy
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
        with openai.OpenAI(**common) as client:
            yield (
                GuardedOpenAI(client, guard(action), **options),
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


TOKENS = {"content": [{"token": RAW, "logprob": -0.1, "bytes": None, "top_logprobs": []}], "refusal": None}


HEAD = {"id": "x", "created": 1, "model": "m"}


class Responding(OpenAIServer):
    """A server of ``/responses``: a script makes the items of the output from the request's body."""

    def __init__(self, script):
        super().__init__(lambda _: "")
        self._items = script
        self.bodies = []

    def _answer(self, method, path, headers, raw):
        reply = super()._answer("GET", "/models", headers, b"")
        body = json.loads(raw)
        self.bodies.append(body)
        said = {"id": "r", "object": "response", "created_at": 0, "model": "m", "output": self._items(body)}
        said |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "status": "completed"}
        return type(reply)(status=200, text=json.dumps(said).encode())


def message(*texts):
    """A message of a response."""
    note = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 3}
    parts = [{"type": "output_text", "text": text, "annotations": [note], "logprobs": []} for text in texts]
    return {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": parts}
