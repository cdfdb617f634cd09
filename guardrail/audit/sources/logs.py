"""Logs of models' calls: OpenAI batch files and LiteLLM's spend logs. The passages are found in the request.

How a request carries its passages is that of the proxy (guardrail.service.proxy): fields of its own, parts that are
tagged, tool results, and blocks in the prompt.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.columns import Columns, at_path, excerpt_of, read_passages, seconds_of
from guardrail.audit.sources.source import UNREADABLE, Raw
from guardrail.errors import UsageError
from guardrail.retrieval.request.evidence import find_evidence

_LABELS = (
    ("model", "model"),
    ("application", "metadata.user_api_key_alias"),
    ("team", "metadata.user_api_key_team_alias"),
)


def openai_batch(rows: Iterator[Raw], columns: Columns) -> Iterator[Found]:  # noqa: ARG001  as all forms
    """Requests and results of OpenAI's batch API, in one file.

    A line of the input file has ``custom_id`` and ``body``; a line of the output file ``custom_id`` and ``response``.
    Results join the requests of the same file; a result whose request is not in it is rejected. A batch has at most
    50,000 requests and 200 MB, so a file's requests are held in memory.
    """
    requests: dict[str, tuple[Mapping[str, Any], float]] = {}
    waiting: list[tuple[str, Raw]] = []
    for raw in rows:
        if raw.row is None:
            yield raw.rejected(), raw.size
            continue
        ident, body = str(raw.row.get("custom_id", "")), raw.row.get("body")
        if isinstance(body, Mapping):
            requests[ident] = (body, raw.size)
        elif "response" in raw.row:
            waiting.append((ident, raw))
        else:
            yield (
                Rejected(place=raw.place, reason="has neither 'body' nor 'response'", excerpt=excerpt_of(raw.row)),
                raw.size,
            )
    for ident, raw in waiting:
        body, size = requests.pop(ident, (None, 0.0))
        response = (raw.row or {}).get("response")
        reply = response.get("body") if isinstance(response, Mapping) else None
        if body is None:
            reason = "its request is not in the file; join input and output: cat input.jsonl output.jsonl > batch.jsonl"
            yield Rejected(place=raw.place, id=ident, reason=reason), raw.size
        else:
            yield _exchange(ident, body, reply, raw.place, {}, None), raw.size + size
    for ident, (_, size) in requests.items():
        yield Rejected(place=ident, id=ident, reason="has no result in the file"), size


def litellm(raw: Mapping[str, Any], place: str) -> LoggedAnswer | Rejected:
    """A row of LiteLLM_SpendLogs; ``store_prompts_in_spend_logs`` must be on, else it has no texts."""
    labels = {label: str(value) for label, path in _LABELS if (value := at_path(raw, path)) is not None}
    messages, reply = _json(raw.get("messages")), _json(raw.get("response"))
    asked = _json(raw.get("proxy_server_request"))
    body: dict[str, Any] = dict(asked) if isinstance(asked, Mapping) else {}
    if isinstance(messages, list) and messages:
        body["messages"] = messages
    at = raw.get("startTime")
    return _exchange(str(raw.get("request_id")), body, reply, place, labels, at)


def _exchange(
    ident: str, body: Mapping[str, Any], reply: Any, place: str, labels: Mapping[str, str], at: Any
) -> LoggedAnswer | Rejected:
    try:
        answer = _answer(reply)
        evidence = find_evidence(body)
        if not labels and isinstance(body.get("model"), str):
            labels = {"model": body["model"]}
        moment = at if at is not None else reply.get("created")
        passages, documents = read_passages([{"id": p.id, "title": p.title, "text": p.text} for p in evidence.passages])
        return LoggedAnswer(
            id=ident,
            answer=answer,
            passages=passages,
            documents=documents,
            question=evidence.question,
            at=None if moment is None else seconds_of(moment),
            labels=labels,
            place=place,
        )
    except UNREADABLE as error:
        return Rejected(place=place, id=ident, reason=str(error), excerpt=excerpt_of(body))


def _answer(reply: Any) -> str:
    choices = reply.get("choices") if isinstance(reply, Mapping) else None
    message = (choices[0].get("message") or {}) if choices else {}
    answer = message.get("content")
    if not isinstance(answer, str) or not answer.strip():
        raise UsageError("has no text of an answer (choices[0].message.content)")
    return answer


def _json(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
