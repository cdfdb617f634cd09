"""Spans of OpenTelemetry, joined by their traces."""

import pytest

from guardrail.audit import open_source
from guardrail.audit.answer import LoggedAnswer, Rejected
from tests.support.audited import read_source, told, write_lines, write_parquet

pytest.importorskip("pyarrow")


def attribute(key, value):
    return {"key": key, "value": {"stringValue": value}}


def otlp_span(trace, parent, attributes, name="x"):
    listed = [attribute(key, value) for key, value in attributes.items()]
    span = {
        "traceId": trace,
        "spanId": name,
        "name": name,
        "attributes": listed,
        "startTimeUnixNano": "1700000000000000000",
    }
    return span | ({"parentSpanId": parent} if parent else {})


def export(*spans, release="v3"):
    resource = {"attributes": [attribute("release", release)]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


RETRIEVED = {
    "openinference.span.kind": "RETRIEVER",
    "output.value": "ignored",
    "retrieval.documents.0.document.content": "The dam was closed in 2021.",
    "retrieval.documents.0.document.id": "d1",
    "retrieval.documents.0.document.metadata": '{"source": "dams.pdf"}',
    "retrieval.documents.1.document.content": "It opened in 2022.",
}


CHAIN = {"input.value": '{"query": "When?"}', "output.value": '{"result": "In 2021."}'}


def test_spans_of_a_collector_are_joined_by_trace(tmp_path):
    rows = [
        export(otlp_span("t1", "c", RETRIEVED), otlp_span("t2", "c", RETRIEVED)),
        export(otlp_span("t1", "c", {"llm.model_name": "m1", "output.value": "draft", "input.value": "prompt"})),
        export(otlp_span("t1", None, CHAIN)),
        {"other": 1},
        export(otlp_span("t3", None, {**CHAIN, "retrieval.documents": "{not json"})),
    ]
    rows[0]["resourceSpans"][0]["scopeSpans"][0]["spans"][1]["traceId"] = "t2"
    found = read_source(write_lines(tmp_path / "traces.jsonl", rows))
    (answer,) = [one for one in found if isinstance(one, LoggedAnswer)]
    texts = ["The dam was closed in 2021.", "It opened in 2022."]
    assert told(answer)[:4] == ("t1", "When?", "In 2021.", texts)
    assert answer.documents[0] == "dams.pdf"
    assert answer.labels == {"release": "v3", "model": "m1"}
    assert answer.at == 1_700_000_000
    reasons = sorted(one.reason for one in found if isinstance(one, Rejected))
    parts = ("a span cannot be read", "a span of the trace cannot be read", "holds no span", "no span of the trace")
    assert len(reasons) == len(parts)
    assert all(part in reason for part, reason in zip(parts, reasons, strict=True))


def test_a_bad_span_costs_its_trace_and_not_the_rest_of_its_line(tmp_path):
    good = export(otlp_span("t1", "c", RETRIEVED), 7, otlp_span("t2", "c", {"retrieval.documents": "{"}), {"spanId": "x"},
                  otlp_span("t1", None, CHAIN), otlp_span("t2", None, CHAIN))  # fmt: skip
    good["resourceSpans"] += [
        3,
        {"scopeSpans": [4, *export(otlp_span("t3", None, CHAIN))["resourceSpans"][0]["scopeSpans"]]},
    ]
    path = write_lines(tmp_path / "traces.jsonl", [good])
    found = read_source(path)
    assert [told(one)[0] for one in found if isinstance(one, LoggedAnswer)] == ["t1", "t3"]
    lost = [one for one in found if isinstance(one, Rejected)]
    assert [one.id for one in lost] == [None, None, None, None, None, "t2"]
    assert "it has no traceId" in lost[0].reason
    assert lost[0].excerpt == "7"
    opened = open_source(str(path))
    assert sum(share for piece in opened.pieces() for _, share in opened.read(piece)) == pytest.approx(opened.size)


def test_spans_as_rows_of_phoenix(tmp_path):
    document = {"document.content": "The dam was closed in 2021.", "document.id": "d1", "document.metadata": None}
    rows = [
        {"context.trace_id": "t1", "parent_id": "s", "span_kind": "RETRIEVER", "attributes.retrieval.documents": [document],
         "attributes.input.value": "When?", "attributes.output.value": None, "start_time": None},
        {"context.trace_id": "t1", "parent_id": None, "span_kind": "CHAIN", "attributes.retrieval.documents": None,
         "attributes.input.value": "When?", "attributes.output.value": "In 2021.", "start_time": "2026-11-03T10:00:00+00:00"},
    ]  # fmt: skip
    (answer,) = read_source(write_parquet(tmp_path / "spans.parquet", rows, group=1))
    assert told(answer) == ("t1", "When?", "In 2021.", ["The dam was closed in 2021."], ("d1",), {})
    assert answer.day == "2026-11-03"
