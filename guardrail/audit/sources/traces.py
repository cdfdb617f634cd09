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
    broken: bool = False
    documents: list[dict[str, Any]] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)


def spans(rows: Iterator[Raw], columns: Columns) -> Iterator[Found]:
    """An answer per trace that has one: of its root span, else of the last span with an output."""
    open_traces: OrderedDict[str, _Trace] = OrderedDict()
    for raw in rows:
        if raw.row is None:
            yield raw.rejected(), raw.size
            continue
        found = list(_raw_spans(raw.row))
        if not found:
            yield _refused(raw, raw.row, "holds no span: no resourceSpans, and no trace id"), raw.size
        for shared, given in found:
            size, ident = raw.size / len(found), None
            try:
                ident = _trace_of(given)
                trace = open_traces.setdefault(ident, _Trace(place=raw.place))
                trace.size, size = trace.size + size, 0.0
                _add(trace, _span(given, shared), columns)
            except UNREADABLE as error:  # one span is lost, and with it its trace, but not the others of its line
                yield _refused(raw, given, f"a span cannot be read: {error}"), size
                if ident is not None:
                    open_traces[ident].broken = True
        while len(open_traces) > _OPEN:
            ident, trace = open_traces.popitem(last=False)
            yield _answer(ident, trace), trace.size
    for ident, trace in open_traces.items():
        yield _answer(ident, trace), trace.size


def _refused(raw: Raw, given: Any, reason: str) -> Rejected:
    return Rejected(place=raw.place, reason=reason, excerpt=excerpt_of(given))


@dataclass(frozen=True, slots=True)
class _Span:
    parent: str | None
    start: Any
    attributes: Mapping[str, Any]


def _raw_spans(row: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Each span as it stands, with the attributes of its resource; what is none is given too, to be refused."""
    if "resourceSpans" not in row and "resource_spans" not in row:
        if _trace(row) is not None:
            yield None, row
        return
    for resource in _listed(row.get("resourceSpans") or row.get("resource_spans")):
        inner = resource if isinstance(resource, Mapping) else {"scopeSpans": [resource]}
        about = inner.get("resource")
        shared = about.get("attributes") if isinstance(about, Mapping) else None
        for scope in _listed(inner.get("scopeSpans") or inner.get("scope_spans")):
            for span in _listed(scope.get("spans") if isinstance(scope, Mapping) else [scope]):
                yield shared or (), span


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given] if given else []


def _trace(span: Mapping[str, Any]) -> Any:
    return next((value for path in ("context.trace_id", "trace_id", "traceId") if (value := at_path(span, path))), None)


def _trace_of(span: Any) -> str:
    ident = _trace(span) if isinstance(span, Mapping) else None
    if ident is None:
        raise UsageError("it has no traceId")
    return str(ident)


def _span(given: Mapping[str, Any], shared: Any) -> _Span:
    """A span of OTLP with the attributes of its resource; ``shared`` None: a span that is a row."""
    if shared is not None:
        own = {**_attributes(shared), **_attributes(given.get("attributes"))}
        return _Span(given.get("parentSpanId") or None, given.get("startTimeUnixNano"), own)
    inner = given.get("attributes")
    flat = dict(_flat(json.loads(inner) if isinstance(inner, str) else inner or {}))
    flat |= {key.removeprefix("attributes."): value for key, value in given.items() if key.startswith("attributes.")}
    return _Span(given.get("parent_id") or None, given.get("start_time"), flat)


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
    if trace.broken:  # its passages may have been in the span that is lost
        return Rejected(place=trace.place, id=ident, reason="a span of the trace cannot be read")
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
