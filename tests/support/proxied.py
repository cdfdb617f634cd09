"""The service under a real uvicorn, before an upstream under another one whose every byte a test decides."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import contextmanager, suppress

import openai
import uvicorn

from guardrail.service import Settings, create_app
from guardrail.testing import FakeEngine
from tests.support.openai_clients import PASSAGES, RAW, RIGHT, WRONG

POLICIES = ("allow", "redact", "regenerate", "block")
CONTEXT = {
    "role": "system",
    "content": "<documents>" + "".join(f"<document>{p}</document>" for p in PASSAGES) + "</documents>",
}
QUESTION = {"role": "user", "content": "How high is it?"}
ASKED = [CONTEXT, QUESTION]


def engine():
    """Everything is supported but what speaks of Halloway."""
    return FakeEngine({RAW: "contradicted"})


@contextmanager
def serving(app):
    """An ASGI application at work: its address."""
    config = uvicorn.Config(app, port=0, log_level="critical", lifespan="on", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    started = threading.Event()

    class Told(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            started.set()

    server = Told(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert started.wait(60)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


class Upstream:
    """An upstream as an ASGI application.

    Attributes:
        script: From a request's JSON (None where it has none) to what is replied: bytes, a dict, a list of pieces of a
            stream, or a function of ``send`` that replies itself.
        seen: Method, raw path with the query, headers and body of each request.
        left: Set when a client left before it had its reply.
    """

    def __init__(self, script):
        self.script = script
        self.seen = []
        self.left = threading.Event()

    @property
    def bodies(self):
        return [json.loads(body) for _, _, _, body in self.seen if body]

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        self.seen.append((scope["method"], path.decode(), dict(scope["headers"]), body))
        said = None
        with suppress(ValueError):
            said = json.loads(body)
        reply = self.script(said)
        if callable(reply):
            working = asyncio.ensure_future(reply(send))
            watching = asyncio.ensure_future(receive())
            await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                working.cancel()
                self.left.set()
            watching.cancel()
            return
        status, headers, pieces = _read(reply)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def _read(reply):
    if isinstance(reply, tuple):
        return reply
    kind = b"text/event-stream" if isinstance(reply, list) else b"application/json"
    pieces = reply if isinstance(reply, list) else [reply if isinstance(reply, bytes) else json.dumps(reply).encode()]
    return 200, [(b"content-type", kind), (b"x-request-id", b"up-1"), (b"x-vendor", b"v")], pieces


@contextmanager
def proxy(script, action="block", **options):
    """The service before an upstream: the address of the service, and the upstream."""
    upstream = Upstream(script)
    policies = {"actions": {"contradicted": action}, "on_exhausted": "block", "max_attempts": 3}
    given = {key: options.pop(key) for key in ("guards", "keys", "limits", "records") if key in options}
    settings_of_upstream = options.pop("upstream", {})
    with serving(upstream) as address:
        guard = {"policy": write_policy(policies), "engine": "python:tests.support.proxied:engine"} | options.pop(
            "guard", {}
        )
        settings = Settings(
            **{"guards": {"default": guard}, **given},
            upstreams={"main": {"url": f"{address}/v1", **settings_of_upstream}},
            proxy=options,
        )
        with serving(create_app(settings)) as url:
            try:
                yield url, upstream
            finally:
                while _clients:
                    _clients.pop().close()


_written = {}


def write_policy(policy):
    """A policy file, once per policy."""
    import tempfile
    from pathlib import Path

    text = json.dumps(policy)
    if text not in _written:
        file = Path(tempfile.mkdtemp()) / "policy.json"
        file.write_text(text)
        _written[text] = str(file)
    return _written[text]


_clients = []


def client(url, **options):
    """A client that is closed with the service."""
    made = openai.OpenAI(base_url=f"{url}/v1", **({"api_key": "any", "max_retries": 0} | options))
    _clients.append(made)
    return made


def aclient(url, **options):
    return openai.AsyncOpenAI(base_url=f"{url}/v1", **({"api_key": "any", "max_retries": 0} | options))


def completion(*texts, **more):
    """A chat completion with these texts as choices."""
    choices = [
        {
            "index": n,
            "message": {"role": "assistant", "content": t, "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
        for n, t in enumerate(texts)
    ]
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 5,
        "model": "m",
        "choices": choices,
        "usage": usage,
        **more,
    }


def chunk(delta, index=0, finish=None, **more):
    choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 5, "model": "m", "choices": [choice], **more}


def sse(*events, done=True):
    """Pieces of a stream: one per event."""
    lines = [f"data: {e if isinstance(e, str) else json.dumps(e)}\n\n".encode() for e in events]
    return [*lines, b"data: [DONE]\n\n"] if done else lines


def words(text):
    return [word + " " for word in text.split(" ")[:-1]] + text.split(" ")[-1:]


def streamed(*texts, usage=True):
    """The chunks of a stream, choice after choice in turns."""
    chunks = [chunk({"role": "assistant", "content": ""}, n) for n in range(len(texts))]
    rows = [words(text) for text in texts]
    for at in range(max(map(len, rows))):
        chunks += [chunk({"content": row[at]}, n) for n, row in enumerate(rows) if at < len(row)]
    chunks += [chunk({}, n, "stop") for n in range(len(texts))]
    last = chunk({}, usage={"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}) | {"choices": []}
    return sse(*chunks, *([last] if usage else []))


def model(body):
    """Wrong at first, right when told; in the form that is asked for."""
    told = any("was checked against the passages" in str(m["content"]) for m in body["messages"])
    texts = [RIGHT if told else WRONG] * (body.get("n") or 1)
    return streamed(*texts) if body.get("stream") else completion(*texts)


async def hang(_):
    await asyncio.sleep(3_600)


def begun(*pieces):
    """A reply that begins, and goes no further."""

    async def reply(send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(3_600)

    return reply


def paced(pieces, go):
    """A stream that waits for a sign before each piece beyond the first so many."""

    async def reply(send):
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for piece in pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await go()
        await send({"type": "http.response.body", "body": b""})

    return reply
