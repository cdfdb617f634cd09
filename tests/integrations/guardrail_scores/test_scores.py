"""Scores against a server on loopback that keeps what it is sent, as the vendors' would."""

import base64

import pytest
from guardrail_scores import Langfuse, LangSmith, NotWrittenError, Phoenix, scores_of

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.dialect_server import RIGHT, SOURCE, UNJUDGED, VERDICTS, WRONG
from tests.support.score_server import score_server


@pytest.fixture
def taker():
    with score_server() as server:
        yield server


def guarded(answer=f"{RIGHT} {WRONG}", passages=(SOURCE, "Bread is baked.")):
    guard = Guard(policy=Policy.load("monitor"), engine=FakeEngine(VERDICTS))
    return guard.run(answer, passages)


def test_what_is_told():
    assert [(s.name, s.value) for s in scores_of(guarded())] == [
        ("guardrail.verdict", "contradicted"),
        ("guardrail.score", 0.03),
        ("guardrail.faithfulness", 0.5),
    ]
    assert scores_of(guarded())[0].comment == "1 supported, 1 contradicted"
    assert not any(WRONG in score.comment for score in scores_of(guarded()))


def test_what_was_not_verified_has_no_score():
    assert "guardrail.score" not in [s.name for s in scores_of(guarded(UNJUDGED))]


def test_langfuse(taker):
    with Langfuse("pk", "sk", taker.url) as sink:
        for _ in range(2):
            sink.write(guarded(), "trace-1", "span-1")
    paths, headers, bodies = zip(*taker.seen, strict=True)
    assert set(paths) == {"/api/public/scores"}
    assert headers[0]["Authorization"] == "Basic " + base64.b64encode(b"pk:sk").decode()
    first = bodies[0]
    assert {k: first[k] for k in ("traceId", "observationId", "name", "value", "dataType")} == {
        "traceId": "trace-1",
        "observationId": "span-1",
        "name": "guardrail.verdict",
        "value": "contradicted",
        "dataType": "CATEGORICAL",
    }
    assert [b["dataType"] for b in bodies[:3]] == ["CATEGORICAL", "NUMERIC", "NUMERIC"]
    ids = [b["id"] for b in bodies]
    assert ids[:3] == ids[3:]  # a second audit overwrites
    assert len(set(ids)) == 3


def test_langsmith(taker):
    run = "0b3e3f0e-6a52-4a5d-8c0c-0d7c7e3b8f11"
    with LangSmith("key", taker.url) as sink:
        sink.write(guarded(), run)
    path, headers, body = taker.seen[0]
    assert (path, headers["x-api-key"]) == ("/feedback", "key")
    assert (body["run_id"], body["trace_id"], body["key"], body["value"]) == (
        run,
        run,
        "guardrail.verdict",
        "contradicted",
    )
    assert taker.seen[1][2]["score"] == 0.03


def test_phoenix_with_documents(taker):
    with Phoenix(taker.url, api_key="k") as sink:
        sink.write(guarded(), "67f6740bbe1ddc3f", retriever_span_id="aaaaaaaaaaaaaaaa")
    (spans, headers, body), (documents, _, positions) = taker.seen
    assert (spans, documents) == ("/v1/span_annotations?sync=true", "/v1/document_annotations?sync=true")
    assert headers["authorization"] == "Bearer k"
    assert body["data"][0]["result"] == {"label": "contradicted", "explanation": "1 supported, 1 contradicted"}
    assert {each["annotator_kind"] for each in body["data"]} == {"CODE"}
    assert [(d["document_position"], d["result"]["label"]) for d in positions["data"]] == [
        (0, "contradicts"),
        (1, "not used"),
    ]


def test_what_is_not_taken_is_said(taker):
    taker.status = 401
    with Langfuse("pk", "sk", taker.url) as sink, pytest.raises(NotWrittenError, match="401") as error:
        sink.write(guarded(), "trace-1")
    assert error.value.status == 401
    assert "sk" not in str(error.value).split()


def test_what_cannot_be_reached():
    with Phoenix("http://127.0.0.1:9") as sink, pytest.raises(NotWrittenError, match="could not be reached"):
        sink.write(guarded(), "67f6740bbe1ddc3f")
