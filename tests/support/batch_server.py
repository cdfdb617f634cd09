"""A real HTTP server on loopback that speaks both batch protocols, with replies from a script and faults by plan.

OpenAI: /v1/files, /v1/batches, /v1/chat/completions. Anthropic: /v1/messages, /v1/messages/batches. Results come in
the reverse order of the requests, always.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from guardrail.testing.chat_reply import Reply, error_body, prompt_tokens, wire
from guardrail.testing.loopback import HttpReply, Loopback

_FILE = re.compile(rb'filename="[^"]*"\r\n(?:[^\r\n]+\r\n)*\r\n(.*?)\r\n--', re.DOTALL)


@dataclass
class Plan:
    """What goes wrong. Each of ``lines`` is done to one request of the next batch, in turn; "" does nothing.

    Attributes:
        lines: Of: error, expired, malformed, missing, stranger (a result with an id that nobody asked), refused.
        submits: Statuses of the next attempts to make a batch; "lost": it is made, but the reply breaks off.
        looks: How often a batch is looked at before it has ended.
        stuck: Batches never end.
        polls: Statuses of the next looks.
        fails: Code with which the next batches are refused as a whole (OpenAI).
    """

    lines: list[str] = field(default_factory=list)
    submits: list[Any] = field(default_factory=list)
    looks: int = 1
    stuck: bool = False
    polls: list[int] = field(default_factory=list)
    fails: str = ""


class BatchServer:
    """Serves while its context is open.

    Attributes:
        counts: How often each of "submit", "poll", "chat" was asked.
        billed: How often each request was answered in a batch, by its text.
        headers: Of the last request.
    """

    def __init__(self, script, plan=None):
        self._script, self.plan = script, plan or Plan()
        self._lock = threading.Lock()
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, dict[str, Any]] = {}
        self.counts, self.billed, self.headers = Counter(), Counter(), {}
        self._http = Loopback(self._answer)
        self.url = self._http.url

    def __enter__(self):
        self._http.start()
        return self

    def __exit__(self, *_):
        self._http.close()

    @property
    def sizes(self):
        """Requests of each batch that was made."""
        return [len(batch["lines"]) for batch in self._batches.values()]

    def _answer(self, method, path, headers, raw):
        with self._lock:
            self.headers = headers
            status, text, cut = self._routed(method, path, raw)
        if not isinstance(text, bytes):
            text = json.dumps(text).encode()
        wait = {"Retry-After": "0"} if status == 429 else {}
        return HttpReply(status=status, text=text, headers=wait, cut=cut)

    def _routed(self, method, path, raw):
        ours = path.startswith("/v1/messages")
        if method == "POST" and path in {"/v1/chat/completions", "/v1/messages"}:
            self.counts["chat"] += 1
            return (*self._said(json.loads(raw), ours), "")
        if method == "POST" and path == "/v1/files":
            name = f"file-{len(self._files)}"
            self._files[name] = _FILE.search(raw)[1]
            return 200, {"id": name, "object": "file"}, ""
        if method == "GET" and path.startswith("/v1/files/"):
            return 200, self._files[path.split("/")[3]], ""
        if method == "POST":
            return self._submitted(json.loads(raw), ours)
        name = path.removesuffix("/results").rpartition("/")[2]
        if path.endswith("/results"):
            return 200, self._files[name], ""
        if name == "batches":
            return 200, {"object": "list", "data": [self._shown(n) for n in self._batches]}, ""
        self.counts["poll"] += 1
        if self.plan.polls:
            return self.plan.polls.pop(0), error_body("No.", 503), ""
        if name not in self._batches:
            return 404, error_body("No such batch.", 404), ""
        batch = self._batches[name]
        batch["looks"] += 1
        if not self.plan.stuck and batch["looks"] > self.plan.looks and not batch["ended"]:
            self._end(name, batch)
        return 200, self._shown(name), ""

    def _said(self, body, ours):
        """Status and body of an ordinary reply."""
        if ours and "temperature" in body:
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "temperature"}}
        said = self._script(_as_chat(body) if ours else body)
        reply = Reply(said) if isinstance(said, str) else said
        if reply.status >= 400 or not ours:
            return reply.status, wire(reply, body, 1, prompt_tokens(body))
        usage = {"input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 10}
        text = [{"type": "text", "text": reply.text}]
        return 200, {"type": "message", "model": "m", "content": text, "stop_reason": "end_turn", "usage": usage}

    def _submitted(self, body, ours):
        self.counts["submit"] += 1
        fault = self.plan.submits.pop(0) if self.plan.submits else ""
        if isinstance(fault, int):
            return fault, error_body("No.", fault), ""
        if ours:
            lines = [(each["custom_id"], each["params"]) for each in body["requests"]]
        else:
            file = self._files[body["input_file_id"]].splitlines()
            lines = [(each["custom_id"], each["body"]) for each in map(json.loads, file)]
        assert len(dict(lines)) == len(lines), "ids must be unique"
        name = f"batch_{len(self._batches)}"
        made = {"lines": lines, "ours": ours, "looks": 0, "ended": False, "metadata": body.get("metadata")}
        self._batches[name] = made | {"failed": self.plan.fails}
        return 200, self._shown(name), "headers" if fault == "lost" else ""

    def _end(self, name, batch):
        batch["ended"] = True
        if batch["failed"]:
            return
        faults = deque(self.plan.lines)
        self.plan.lines = []
        good, bad = [], []
        for ident, body in reversed(batch["lines"]):
            fault = faults.popleft() if faults else ""
            status, said = self._said(body, batch["ours"])
            if not fault:
                self.billed[json.dumps(body["messages"])] += 1
            line = _result(ident, status, said, fault, ours=batch["ours"])
            (bad if fault in {"error", "expired"} and not batch["ours"] else good).append(line)
        self._files[name], self._files[f"{name}-errors"] = b"\n".join(good) + b"\n", b"\n".join(bad)

    def _shown(self, name):
        batch = self._batches[name]
        count, ended = len(batch["lines"]), batch["ended"]
        if batch["ours"]:
            counts = {"processing": 0 if ended else count, "succeeded": count if ended else 0}
            status = "ended" if ended else "in_progress"
            return {"id": name, "type": "message_batch", "processing_status": status, "request_counts": counts}
        shown = {"id": name, "object": "batch", "metadata": batch["metadata"], "status": "in_progress"}
        shown["request_counts"] = {"total": count, "completed": count if ended else 0, "failed": 0}
        if ended and batch["failed"]:
            return shown | {"status": "failed", "errors": {"data": [{"code": batch["failed"]}]}}
        if ended:
            shown |= {"status": "completed", "output_file_id": name, "error_file_id": f"{name}-errors"}
        return shown


def _as_chat(body):
    """A request to Anthropic as one to OpenAI, for scripts that read those."""
    system = "".join(block["text"] for block in body["system"])
    form = {}
    if "output_config" in body:
        schema = body["output_config"]["format"]["schema"]
        form = {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    return {"messages": [{"role": "system", "content": system}, *body["messages"]], **form}


def _result(ident, status, said, fault, *, ours):
    if fault == "malformed":
        return b'{"custom_id": "' + ident.encode() + b'", "resp'
    if fault == "missing":
        return b""
    ident = "nobody" if fault == "stranger" else ident
    if ours:
        kind = {"error": "errored", "expired": "expired"}.get(fault, "succeeded")
        return json.dumps({"custom_id": ident, "result": {"type": kind, "message": said}}).encode()
    response, error = {"status_code": status, "body": said}, None
    if fault == "error":
        response = {"status_code": 500, "body": error_body("No.", 500)}
    elif fault == "expired":
        response, error = None, {"code": "batch_expired", "message": "This request could not be executed."}
    elif fault == "refused":
        said["choices"][0]["message"] |= {"content": None, "refusal": "I cannot."}
    return json.dumps({"id": "x", "custom_id": ident, "response": response, "error": error}).encode()
