"""Responses of an upstream behind the service, streamed and not, in the vendor's order."""

from __future__ import annotations

import json

from guardrail.repair.edits import BLOCKED
from tests.support.proxied import PASSAGES, RAW, RIGHT, WRONG, client, words

EXPECTED = {"allow": WRONG, "redact": RIGHT, "regenerate": RIGHT, "block": BLOCKED["en"]}


INPUT = [
    {"role": "user", "content": "How high is it?"},
    {"type": "function_call", "name": "search", "call_id": "c", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": json.dumps([{"text": p} for p in PASSAGES])},
]


THOUGHT = {
    "type": "reasoning",
    "id": "t",
    "summary": [{"type": "summary_text", "text": f"{RAW}?"}],
    "encrypted_content": "e",
}


LONG = f"{RIGHT} It was opened in the year 1963 by the regional water board. {WRONG} And so on, as far as known."


CHECKED = f"{RIGHT} It was opened in the year 1963 by the regional water board. {RIGHT}"


def message(text, ident="m1"):
    note = {"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 3}
    part = {"type": "output_text", "text": text, "annotations": [note], "logprobs": []}
    return {"type": "message", "id": ident, "role": "assistant", "status": "completed", "content": [part]}


def response(*output, **more):
    said = {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": list(output),
        "status": "completed",
    }
    return said | {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "incomplete_details": None} | more


def streamed(*output):
    """The events of a response, in the vendor's order."""
    events = [("response.created", {"response": response(status="in_progress")})]
    for at, item in enumerate(output):
        empty = item | ({"content": [], "status": "in_progress"} if item["type"] == "message" else {})
        events.append(("response.output_item.added", {"output_index": at, "item": empty}))
        if item["type"] == "reasoning":
            events.append(
                (
                    "response.reasoning_summary_text.delta",
                    {"output_index": at, "delta": f"{RAW}?", "summary_index": 0, "item_id": "t"},
                )
            )
        if item["type"] == "message":
            (part,) = item["content"]
            where = {"output_index": at, "content_index": 0, "item_id": item["id"]}
            events.append(("response.content_part.added", where | {"part": part | {"text": "", "annotations": []}}))
            events += [
                ("response.output_text.delta", where | {"delta": w, "logprobs": [], "obfuscation": w})
                for w in words(part["text"])
            ]
            events.append(
                (
                    "response.output_text.annotation.added",
                    where | {"annotation_index": 0, "annotation": part["annotations"][0]},
                )
            )
            events.append(("response.output_text.done", where | {"text": part["text"], "logprobs": []}))
            events.append(("response.content_part.done", where | {"part": part}))
        events.append(("response.output_item.done", {"output_index": at, "item": item}))
    events.append(("response.completed", {"response": response(*output)}))
    return [
        f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': n} | data)}\n\n".encode()
        for n, (kind, data) in enumerate(events)
    ]


def script(body):
    told = "was checked against the passages" in json.dumps(body["input"])
    output = [THOUGHT, message(RIGHT if told else WRONG)]
    return streamed(*output) if body.get("stream") else response(*output)


def ask(url, **more):
    return client(url).responses.create(**({"model": "m", "input": INPUT} | more))
