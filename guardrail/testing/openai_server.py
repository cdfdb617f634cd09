"""A real HTTP server on loopback that speaks the OpenAI chat protocol, with replies from a script.

with OpenAIServer(lambda body: "Hello.") as server:
    openai.OpenAI(base_url=server.base_url, api_key="any").chat.completions.create(...)
"""

from __future__ import annotations

import hmac
import json
import threading
import time
from collections import deque
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from guardrail.errors import UsageError
from guardrail.testing.chat_reply import Body, Reply, Script, error_body, prompt_tokens, wire, wire_stream
from guardrail.testing.faults import Faults
from guardrail.testing.loopback import HttpReply, Loopback

_SECRET = frozenset({"authorization", "api-key", "x-api-key", "cookie"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as it was received. Times are ``time.monotonic()`` seconds.

    Attributes:
        number: 1 for the first request that arrived.
        path: Such as ``/v1/chat/completions``.
        headers: By lower-case name, without those that hold keys.
        body: The JSON, or {} where the request held none.
        arrived: When it was read.
        seconds: Until its reply was ready to be sent.
        status: Of the reply.
        fault: What the fault plan did to the reply, None = nothing.
        tokens: Of the prompt, estimated (chat_reply.prompt_tokens).
    """

    number: int
    path: str
    headers: Mapping[str, str]
    body: Body
    arrived: float
    seconds: float
    status: int
    fault: str | None
    tokens: int


class OpenAIServer:
    """Serves ``POST {base_url}/chat/completions`` and ``GET {base_url}/models`` while its context is open.

    HTTP/1.1 with kept connections, one thread per connection; a stream sends a word per chunk. A script that raises is
    answered with status 500, and its first error is raised when the context ends, so that no test passes over it.

    Attributes:
        base_url: What a client is given, without a slash at the end.
    """

    def __init__(
        self,
        script: Script,
        *,
        faults: Faults | None = None,
        seconds: float = 0.0,
        api_key: str | None = None,
        refuses: Collection[str] = (),
        models: Collection[str] = ("scripted",),
        keep: int | None = None,
    ) -> None:
        """Open a free port; requests are answered once the context is entered.

        Args:
            script: From a request's body to the reply.
            faults: What goes wrong; None = nothing.
            seconds: Latency of each reply.
            api_key: The only key that is let in (else status 401); None = any or none.
            refuses: Names of parameters (``temperature``) and of response formats (``json_schema``) that are answered
                with status 400, as endpoints do that do not know them.
            models: Names that ``/models`` lists; any model may be asked.
            keep: How many of the latest calls are kept; None = all.

        Raises:
            UsageError: seconds is negative.
        """
        if seconds < 0:
            raise UsageError(f"seconds must be at least 0, got {seconds}.")
        self._script = script
        self._faults = faults
        self._seconds = seconds
        self._key = api_key
        self._refuses = frozenset(refuses)
        self._models = tuple(models)
        self._lock = threading.Lock()
        self._calls: deque[Call] = deque(maxlen=keep)
        self._count = self._tokens = self._rounds = self._working = self._most = 0
        self._error: Exception | None = None
        self._closing = threading.Event()
        self._http = Loopback(self._answer)
        self.base_url = f"{self._http.url}/v1"

    @property
    def calls(self) -> tuple[Call, ...]:
        """Chat requests answered so far, in the order of their arrival."""
        with self._lock:
            return tuple(sorted(self._calls, key=lambda call: call.number))

    @property
    def call_count(self) -> int:
        """Chat requests that arrived."""
        return self._count

    @property
    def tokens(self) -> int:
        """Prompt tokens of all chat requests, estimated."""
        return self._tokens

    @property
    def rounds(self) -> int:
        """Groups of requests that were at work at once: what a client has to wait for one after the other.

        A round begins with a request that arrives while none is at work. Give the server a latency (``seconds``) and
        one answer at a time, else requests that belong together need not overlap.
        """
        return self._rounds

    @property
    def most_at_once(self) -> int:
        """The largest number of requests that were at work at the same time."""
        return self._most

    def reset(self) -> None:
        """Forget calls and counters."""
        with self._lock:
            self._calls.clear()
            self._count = self._tokens = self._rounds = self._most = 0

    def __enter__(self) -> Self:
        self._http.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._closing.set()
        self._http.close()
        if error is None and self._error is not None:
            raise self._error

    def _answer(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> HttpReply:
        if method == "POST" and path.endswith("/chat/completions"):
            return self._chat(path, headers, raw)
        if method == "GET" and path.endswith("/models"):
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "script"} for name in self._models]
            return HttpReply(status=200, text=json.dumps({"object": "list", "data": models}).encode())
        return HttpReply(status=404, text=json.dumps(error_body("Unknown path.", 404)).encode())

    def _chat(self, path: str, headers: Mapping[str, str], raw: bytes) -> HttpReply:
        arrived = time.monotonic()
        body = _read(raw)
        tokens = prompt_tokens(body or {})
        with self._lock:
            self._count += 1
            self._tokens += tokens
            number = self._count
            self._rounds += self._working == 0
            self._working += 1
            self._most = max(self._most, self._working)
        reply, fault = self._reply(headers, body)
        text, kind = json.dumps(wire(reply, body or {}, number, tokens)).encode(), "application/json"
        if body is not None and body.get("stream") and reply.status < 400:
            text, kind = wire_stream(reply, body, number, tokens), "text/event-stream"
        self._closing.wait(self._seconds + reply.seconds)
        call = Call(
            number=number,
            path=path,
            headers={name: value for name, value in headers.items() if name not in _SECRET},
            body=body or {},
            arrived=arrived,
            seconds=time.monotonic() - arrived,
            status=reply.status,
            fault=fault,
            tokens=tokens,
        )
        # Before the reply is sent: what the client asks next belongs to the next round.
        with self._lock:
            self._working -= 1
            self._calls.append(call)
        wait = {} if reply.retry_after is None else {"Retry-After": f"{reply.retry_after:g}"}
        return HttpReply(status=reply.status, text=text, kind=kind, headers=wait, cut=reply.cut)

    def _reply(self, headers: Mapping[str, str], body: Body | None) -> tuple[Reply, str | None]:
        if self._key is not None and not _same(headers.get("authorization", ""), f"Bearer {self._key}"):
            return Reply("Incorrect API key provided.", status=401), None
        if body is None or not isinstance(body.get("messages"), list):
            return Reply("The body must be a JSON object with messages.", status=400), None
        form = body.get("response_format")
        named = {*body, form.get("type") if isinstance(form, dict) else None}
        if refused := sorted(self._refuses & named):
            return Reply(f"Unsupported parameter or value: '{refused[0]}'.", status=400), None
        try:
            reply = _as_reply(self._script(body))
            return (reply, None) if self._faults is None else self._faults.spoil(body, reply)
        except Exception as error:
            self._error = self._error or error
            return Reply(f"The script raised {type(error).__name__}.", status=500), None


def _as_reply(said: object) -> Reply:
    reply = Reply(said) if isinstance(said, str) else said
    if not isinstance(reply, Reply):
        raise UsageError(f"a script must return a text or a Reply, got {type(said).__name__}.")
    return reply


def _read(raw: bytes) -> Body | None:
    with suppress(ValueError, RecursionError):
        body = json.loads(raw)
        if isinstance(body, dict):
            return body
    return None


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
