"""Phoenix's annotations, against a server on loopback that keeps what it is sent."""

import pytest
from guardrail_scores import Phoenix

from guardrail import Guard, Policy
from guardrail.testing import FakeEngine
from tests.support.dialect_server import RIGHT, SOURCE, VERDICTS, WRONG
from tests.support.score_server import score_server


@pytest.fixture
def taker():
    with score_server() as server:
        yield server


def guarded(answer=f"{RIGHT} {WRONG}", passages=(SOURCE, "Bread is baked.")):
    guard = Guard(policy=Policy.load("monitor"), engine=FakeEngine(VERDICTS))
    return guard.run(answer, passages)


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
