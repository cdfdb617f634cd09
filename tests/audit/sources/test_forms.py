import json

import pytest

from guardrail.audit import open_source
from guardrail.audit.answer import LoggedAnswer, Rejected
from tests.support.audited import write_lines, write_parquet
from tests.support.recorded_answers import RECORDED_UNTIL, write_store

pytest.importorskip("pyarrow")


def read(source):
    opened = open_source(str(source))
    return [found for piece in opened.pieces() for found, _ in opened.read(piece)]


def told(one):
    return (one.id, one.question, one.answer, [p.text for p in one.passages], one.documents, dict(one.labels))


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
    found = read(write_lines(tmp_path / "traces.jsonl", rows))
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
    found = read(path)
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
    (answer,) = read(write_parquet(tmp_path / "spans.parquet", rows, group=1))
    assert told(answer) == ("t1", "When?", "In 2021.", ["The dam was closed in 2021."], ("d1",), {})
    assert answer.day == "2026-11-03"


def test_langfuse_traces_and_observations(tmp_path):
    retrieved = {
        "type": "RETRIEVER",
        "output": json.dumps([{"page_content": "Closed in 2021.", "metadata": {"source": "a.md"}}]),
    }
    trace = {"id": "t1", "timestamp": "2026-11-03T10:00:00Z", "input": {"question": "When?"}, "output": "In 2021.",
             "metadata": {"release": "v3"}, "observations": [retrieved]}  # fmt: skip
    (answer,) = read(write_lines(tmp_path / "a.jsonl", [trace]))
    assert told(answer) == ("t1", "When?", "In 2021.", ["Closed in 2021."], ("a.md",), {"release": "v3"})
    outer = {"id": "o2", "trace_id": "t2", "parent_observation_id": None, "type": "SPAN", "input": '{"query": "When?"}',
             "output": '{"answer": "In 2021."}', "start_time": "2026-11-03T10:00:00Z"}  # fmt: skip
    inner = {"id": "o1", "trace_id": "t2", "parent_observation_id": "o2", "start_time": "2026-11-03T10:00:01Z"}
    rows = [
        {**inner, **retrieved},
        {**inner, "type": "GENERATION", "output": "draft"},
        outer,
        {"id": "t9", "observations": []},
    ]
    answer, lost = read(write_lines(tmp_path / "b.jsonl", rows))
    assert told(answer)[:5] == ("t2", "When?", "In 2021.", ["Closed in 2021."], ("a.md",))
    assert lost.reason == "the trace has no output that is a text"


BODY = {"model": "m1", "messages": [
    {"role": "system", "content": [{"type": "grounding_source", "text": "Closed in 2021.", "id": "d1", "title": "Dams"}]},
    {"role": "user", "content": "When?"},
]}  # fmt: skip
REPLY = {"created": 1_700_000_000, "choices": [{"message": {"role": "assistant", "content": "In 2021."}}]}


def test_an_openai_batch_is_joined_by_its_ids(tmp_path):
    rows = [
        {"custom_id": "r1", "method": "POST", "body": BODY},
        {"custom_id": "r2", "method": "POST", "body": BODY},
        {"custom_id": "r1", "response": {"status_code": 200, "body": REPLY}},
        {"custom_id": "r3", "response": {"status_code": 200, "body": REPLY}},
        {"custom_id": "r2", "response": None, "error": {"message": "x"}},
    ]
    found = read(write_lines(tmp_path / "batch.jsonl", rows))
    assert told(found[0]) == ("r1", "When?", "In 2021.", ["Closed in 2021."], ("Dams",), {"model": "m1"})
    assert found[0].at == 1_700_000_000
    assert [(one.id, one.reason.split(";")[0]) for one in found[1:]] == [
        ("r3", "its request is not in the file"),
        ("r2", "has no text of an answer (choices[0].message.content)"),
    ]


def test_spend_logs_of_litellm(tmp_path):
    row = {
        "request_id": "q1",
        "call_type": "acompletion",
        "model": "m1",
        "startTime": "2026-11-03 10:00:00",
        "metadata": {"user_api_key_alias": "shop"},
    }
    rows = [row | {"messages": json.dumps(BODY["messages"]), "response": json.dumps(REPLY)},
            row | {"request_id": "q2", "messages": "{}", "response": "{}"}]  # fmt: skip
    answer, lost = read(write_lines(tmp_path / "spend.jsonl", rows))
    assert told(answer)[:4] == ("q1", "When?", "In 2021.", ["Closed in 2021."])
    assert answer.labels == {"model": "m1", "application": "shop"}
    assert (answer.day, lost.id) == ("2026-11-03", "q2")


def test_our_record_store(tmp_path):
    write_store(tmp_path / "guardrail.db", 30, now=RECORDED_UNTIL)
    found = read(tmp_path / "guardrail.db")
    assert len(found) == 30
    assert all(isinstance(one, LoggedAnswer) and one.passages and one.at for one in found)
