"""Langfuse's exports: observations, or traces with their observations, as JSON lines, JSON or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.columns import Columns, excerpt_of, read_passages, seconds_of
from guardrail.audit.sources.source import UNREADABLE, Raw
from guardrail.telemetry.labels import KEYS

_ANSWER = ("answer", "response", "output", "content", "text")
_QUESTION = ("question", "query", "input")
_PASSAGES = ("documents", "passages", "contexts", "context", "source_documents")
_MOST = 200_000


def langfuse(rows: Iterator[Raw], columns: Columns) -> Iterator[Found]:
    """An answer per trace. The passages are what a retriever's observation put out, or stand in input or metadata.

    Rows of observations are joined by their trace id within a file; the oldest traces of more than 200,000 that are
    open are taken as they are.
    """
    traces: dict[str, tuple[list[Mapping[str, Any]], str, float]] = {}
    for raw in rows:
        if raw.row is None:
            yield raw.rejected(), raw.size
            continue
        nested = _json(raw.row.get("observations"))
        own = raw.row.get("trace_id") or raw.row.get("traceId") or raw.row.get("id")
        if own is None:
            yield (
                Rejected(place=raw.place, reason="has neither 'trace_id' nor 'id'", excerpt=excerpt_of(raw.row)),
                raw.size,
            )
            continue
        parts = [raw.row, *(one for one in nested or () if isinstance(one, Mapping))]
        before, place, size = traces.pop(str(own), ([], raw.place, 0.0))
        traces[str(own)] = ([*before, *parts], place, size + raw.size)
        if len(traces) > _MOST:
            ident = next(iter(traces))
            found, place, size = traces.pop(ident)
            yield _answer(ident, found, place, columns), size
    for ident, (found, place, size) in traces.items():
        yield _answer(ident, found, place, columns), size


def _answer(ident: str, parts: list[Mapping[str, Any]], place: str, columns: Columns) -> LoggedAnswer | Rejected:
    # The trace itself, else its outermost observation, says what was asked and answered.
    ordered = sorted(parts, key=_depth)
    try:
        retrieved = [one for one in parts if str(one.get("type", "")).upper() == "RETRIEVER"]
        spoken = [one for one in ordered if one not in retrieved]
        answer = _first(spoken, "output", _ANSWER)
        if answer is None:
            return Rejected(place=place, id=ident, reason="the trace has no output that is a text")
        given = [doc for one in retrieved for doc in _listed(_json(one.get("output")))]
        given = given or next(filter(None, map(_inside, spoken)), [])
        started = next((v for one in ordered for k in _TIMES if (v := one.get(k)) is not None), None)
        passages, documents = read_passages(given)
        return LoggedAnswer(
            id=ident,
            answer=answer,
            passages=passages,
            documents=documents,
            question=_first(spoken, "input", _QUESTION),
            at=None if started is None else seconds_of(started),
            labels=_labels(parts, columns),
            place=place,
        )
    except UNREADABLE as error:
        return Rejected(place=place, id=ident, reason=str(error))


_TIMES = ("timestamp", "start_time", "startTime", "createdAt")


def _first(parts: list[Mapping[str, Any]], name: str, keys: tuple[str, ...]) -> str | None:
    return next(filter(None, (_text(one.get(name), keys) for one in parts)), None)


def _depth(one: Mapping[str, Any]) -> int:
    if "observations" in one or not (one.get("trace_id") or one.get("traceId")):
        return 0
    return 2 if one.get("parent_observation_id") or one.get("parentObservationId") else 1


def _labels(parts: list[Mapping[str, Any]], columns: Columns) -> dict[str, str]:
    found: dict[str, Any] = {}
    for one in parts:
        metadata = _json(one.get("metadata"))
        for inside in (metadata if isinstance(metadata, Mapping) else {}, one):
            named = {**dict(zip(KEYS, KEYS, strict=True)), "prompt": "promptName", "environment": "environment"}
            for label, column in {**named, **columns.labels}.items():
                if inside.get(column) is not None:
                    found.setdefault(label, inside[column])
    return {key: str(value) for key, value in found.items() if isinstance(value, (str, int, float))}


def _inside(one: Mapping[str, Any]) -> list[Any]:
    for place in ("metadata", "input", "output"):
        given = _json(one.get(place))
        if isinstance(given, Mapping):
            for key in _PASSAGES:
                if given.get(key):
                    return _listed(given[key])
    return []


def _listed(given: Any) -> list[Any]:
    if isinstance(given, Mapping):
        inner = next((given[key] for key in _PASSAGES if isinstance(given.get(key), list)), None)
        return [given] if inner is None else inner
    return list(given) if isinstance(given, list) else [given] if given else []


def _text(given: Any, keys: tuple[str, ...]) -> str | None:
    given = _json(given)
    if isinstance(given, list) and given and isinstance(given[-1], Mapping):
        given = given[-1]  # messages
    if isinstance(given, Mapping):
        given = next((given[key] for key in (*keys, "content") if isinstance(given.get(key), str)), None)
    return given if isinstance(given, str) and given.strip() else None


def _json(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
