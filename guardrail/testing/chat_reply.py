"""What a scripted model replies, and how it looks in the OpenAI chat protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Body = dict[str, Any]
"""A request body as JSON gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply, or one failure.

    Attributes:
        text: The message's content.
        finish_reason: ``stop``, ``length``, ``content_filter``, ...
        refusal: The model declines; the content is null then.
        tool: The text is the arguments of a call of this tool (function).
        choices: How many choices hold the text; 0 = an empty list.
        input_tokens: As the provider counts; None = ``estimate_tokens`` of the request.
        output_tokens: None = ``estimate_tokens`` of the text.
        cached_tokens: Part of the input tokens that the provider's prompt cache held.
        status: HTTP status; from 400 on, the text is the message of the error.
        retry_after: Seconds, sent as the header Retry-After.
        seconds: The reply waits as long, beyond the latency of the server.
        cut: The connection ends after the headers, or in the middle of the body.
    """

    text: str = field(default="", kw_only=False)
    finish_reason: str = "stop"
    refusal: str | None = None
    tool: str | None = None
    choices: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    status: int = 200
    retry_after: float | None = None
    seconds: float = 0.0
    cut: Literal["", "headers", "body"] = ""


_PIECE = re.compile(r"\s*\S+|\s+$")

Script = Callable[[Body], "str | Reply"]
"""A scripted model: from the request's body to its reply. Called from many threads at once."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text by rule: one per 4 bytes of UTF-8, rounded up.

    Close to the tokenizers of large models for English prose, JSON costs them more; the same for every client, so that
    clients can be compared, and not what a provider will bill.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def prompt_tokens(body: Body) -> int:
    """Tokens of a request by ``estimate_tokens``: contents of all messages, and the JSON of tools and reply schema."""
    texts = [message_text(message) for message in body.get("messages") or ()]
    extra = [body[key] for key in ("tools", "functions", "response_format") if body.get(key)]
    return sum(map(estimate_tokens, texts)) + sum(estimate_tokens(json.dumps(e, ensure_ascii=False)) for e in extra)


def message_text(message: Mapping[str, Any]) -> str:
    """The text of a chat message, whose content may be a string or a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def wire(reply: Reply, body: Body, number: int, tokens: int) -> Body:
    """The reply as the protocol's JSON; ``tokens`` are those of the request."""
    if reply.status >= 400:
        return error_body(reply.text or "scripted failure", reply.status)
    counted = tokens if reply.input_tokens is None else reply.input_tokens
    written = estimate_tokens(reply.text) if reply.output_tokens is None else reply.output_tokens
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "scripted"),
        "choices": [_choice(reply, index) for index in range(reply.choices)],
        "usage": {
            "prompt_tokens": counted,
            "completion_tokens": written,
            "total_tokens": counted + written,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        },
    }


def wire_stream(reply: Reply, body: Body, number: int, tokens: int) -> bytes:
    """The reply as server-sent events, a word per chunk; all choices say the same, one after the other."""
    whole = wire(reply, body, number, tokens)
    head = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    chunks = [{**head, "choices": [piece]} for choice in whole["choices"] for piece in _pieces(choice)]
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks = [{**chunk, "usage": None} for chunk in chunks] + [{**head, "choices": [], "usage": whole["usage"]}]
    lines = [*(json.dumps(chunk) for chunk in chunks), "[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def _pieces(choice: Body) -> Iterator[Body]:
    message = choice["message"]
    deltas: list[Body] = [{"role": "assistant", "content": "" if message["content"] is not None else None}]
    deltas += [{"content": piece} for piece in _PIECE.findall(message["content"] or "")]
    deltas += [{"refusal": message["refusal"]}] if message["refusal"] is not None else []
    deltas += [{"tool_calls": [{"index": n, **call}]} for n, call in enumerate(message.get("tool_calls", ()))]
    for delta in deltas:
        yield {"index": choice["index"], "delta": delta, "logprobs": None, "finish_reason": None}
    yield {"index": choice["index"], "delta": {}, "logprobs": None, "finish_reason": choice["finish_reason"]}


def error_body(message: str, status: int, param: str | None = None) -> Body:
    """An error as the protocol words it."""
    kind = "rate_limit_error" if status == 429 else "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": None}}


def _choice(reply: Reply, index: int) -> Body:
    silent = reply.refusal is not None or reply.tool is not None
    message: Body = {"role": "assistant", "content": None if silent else reply.text, "refusal": reply.refusal}
    if reply.tool is not None:
        function = {"name": reply.tool, "arguments": reply.text}
        message["tool_calls"] = [{"id": f"call_{index}", "type": "function", "function": function}]
    finish = "tool_calls" if reply.tool is not None and reply.finish_reason == "stop" else reply.finish_reason
    return {"index": index, "message": message, "logprobs": None, "finish_reason": finish}
