"""Spans of OpenTelemetry with OpenInference's or the GenAI conventions: of each trace its answer and its passages.

Read are OTLP as JSON, a line or file per export request (the collector's file exporter), and spans as rows (Phoenix:
``px.Client().get_spans_dataframe().to_parquet()``, or its JSON lines).
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.columns import Columns, at_path, excerpt_of, read_passages, seconds_of
from guardrail.audit.sources.source import UNREADABLE, Raw
from guardrail.errors import UsageError
from guardrail.telemetry.labels import KEYS

_OPEN = 50_000
"""Traces that may be unfinished at once; the oldest is taken as it is when one more begins."""

_DOCUMENT = re.compile(r"retrieval\.documents\.(\d+)\.document\.(id|content|metadata)$")
_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")


@dataclass(slots=True)
class _Trace:
    """What the spans of a trace say, until it is complete."""

    place: str
    size: float = 0.0
    answer: str | None = None
    question: str | None = None
    at: float | None = None
    root: bool = False
    documents: list[dict[str, Any]] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)


def spans(rows: Iterator[Raw], columns: Columns) -> Iterator[Found]:
    """An answer per trace that has one: of its root span, else of the last span with an output."""
    open_traces: OrderedDict[str, _Trace] = OrderedDict()
    for raw in rows:
        if raw.row is None:
            yield raw.rejected(), raw.size
            continue
        try:
            found = list(_spans_of(raw.row))
            if not found:
                yield _refused(raw, "holds no span: no resourceSpans, and no trace id"), raw.size
            for span in found:
                _add(open_traces.setdefault(span.trace, _Trace(place=raw.place)), span, columns)
                open_traces[span.trace].size += raw.size / len(found)
        except UNREADABLE as error:
            yield _refused(raw, f"cannot be read: {error}"), 0.0
        while len(open_traces) > _OPEN:
            ident, trace = open_traces.popitem(last=False)
            yield _answer(ident, trace), trace.size
    for ident, trace in open_traces.items():
        yield _answer(ident, trace), trace.size


def _refused(raw: Raw, reason: str) -> Rejected:
    return Rejected(place=raw.place, reason=reason, excerpt=excerpt_of(raw.row))


@dataclass(frozen=True, slots=True)
class _Span:
    trace: str
    parent: str | None
    start: Any
    attributes: Mapping[str, Any]


def _spans_of(row: Mapping[str, Any]) -> Iterator[_Span]:
    if "resourceSpans" in row or "resource_spans" in row:
        for resource in row.get("resourceSpans") or row.get("resource_spans") or ():
            shared = _attributes((resource.get("resource") or {}).get("attributes"))
            for scope in resource.get("scopeSpans") or resource.get("scope_spans") or ():
                for span in scope.get("spans") or ():
                    own = _attributes(span.get("attributes"))
                    start = span.get("startTimeUnixNano")
                    yield _Span(str(span.get("traceId")), span.get("parentSpanId") or None, start, {**shared, **own})
        return
    trace = next((value for path in ("context.trace_id", "trace_id", "traceId") if (value := at_path(row, path))), None)
    if trace is None:
        return
    inner = row.get("attributes")
    flat = dict(_flat(json.loads(inner) if isinstance(inner, str) else inner or {}))
    flat |= {key.removeprefix("attributes."): value for key, value in row.items() if key.startswith("attributes.")}
    yield _Span(str(trace), row.get("parent_id") or None, row.get("start_time"), flat)


def _attributes(given: Any) -> dict[str, Any]:
    return {str(one.get("key")): _value(one.get("value") or {}) for one in given or () if isinstance(one, Mapping)}


def _value(value: Mapping[str, Any]) -> Any:
    if "arrayValue" in value:
        return [_value(one) for one in value["arrayValue"].get("values") or ()]
    return next((value[kind] for kind in _VALUES if kind in value), None)


def _flat(given: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in given.items():
        yield f"{before}{key}", value
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")


def _add(trace: _Trace, span: _Span, columns: Columns) -> None:
    known = span.attributes
    trace.documents += _documents(known)
    labels = {key: known[key] for key in KEYS if key in known}
    if model := known.get("llm.model_name") or known.get("gen_ai.request.model"):
        labels.setdefault("model", model)
    labels |= {name: known[column] for name, column in columns.labels.items() if column in known}
    trace.labels |= {key: str(value) for key, value in labels.items() if isinstance(value, (str, int, float))}
    output = known.get("output.value")
    if isinstance(output, str) and output and not trace.root and known.get("openinference.span.kind") != "RETRIEVER":
        trace.answer = _said(output)
        trace.root = span.parent is None
        asked = known.get("input.value")
        trace.question = _asked(asked) if isinstance(asked, str) else trace.question
        trace.at = None if span.start is None else seconds_of(span.start)


def _documents(known: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = known.get("retrieval.documents")
    if isinstance(listed, str):
        listed = json.loads(listed)
    if listed is not None:
        return [dict(_flat(one)) for one in listed if isinstance(one, Mapping)]
    found: dict[int, dict[str, Any]] = {}
    for key, value in known.items():
        if part := _DOCUMENT.match(key):
            found.setdefault(int(part[1]), {})[f"document.{part[2]}"] = value
    return [found[number] for number in sorted(found)]


def _said(output: str) -> str:
    """The text of an output, which many frameworks write as JSON with one of the usual keys."""
    return _text_in(output, ("answer", "result", "output", "response", "content", "text"))


def _asked(given: str) -> str:
    return _text_in(given, ("question", "query", "input", "query_str"))


def _text_in(text: str, keys: tuple[str, ...]) -> str:
    if text.lstrip().startswith("{"):
        try:
            inside = json.loads(text)
        except ValueError:
            return text
        return next((inside[key] for key in keys if isinstance(inside.get(key), str)), text)
    return text


def _answer(ident: str, trace: _Trace) -> LoggedAnswer | Rejected:
    if trace.answer is None:
        return Rejected(place=trace.place, id=ident, reason="no span of the trace has an output (output.value)")
    named = {"text": "document.content", "id": "document.id", "metadata": "document.metadata"}
    passages = [{key: one.get(path) for key, path in named.items()} for one in trace.documents]
    for one in passages:
        one["source"] = _source(one.pop("metadata"))
    try:
        read, documents = read_passages(passages)
    except UsageError as error:
        return Rejected(place=trace.place, id=ident, reason=str(error))
    return LoggedAnswer(
        id=ident,
        answer=trace.answer,
        passages=read,
        documents=documents,
        question=trace.question,
        at=trace.at,
        labels=trace.labels,
        place=trace.place,
    )


def _source(metadata: Any) -> str | None:
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except ValueError:
            return None
    if not isinstance(metadata, Mapping):
        return None
    return next((str(metadata[key]) for key in ("source", "title", "file_name") if metadata.get(key)), None)
