"""Langfuse's scores, against a server on loopback that keeps what it is sent."""

import base64

import pytest
from guardrail_scores import Langfuse

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
