"""Langfuse's scores, against a server on loopback that keeps what it is sent."""

import base64

from guardrail_scores import Langfuse, Score

from tests.support.score_server import Taker
from tests.support.scored import guarded


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


def test_scores_of_a_trace_are_of_no_observation(taker: Taker) -> None:
    with Langfuse("pk", "sk", taker.url) as sink:
        sink.write_scores([Score("guardrail.score", 0.5, "low")], "trace-1")
        sink.write_scores([Score("guardrail.score", 0.5, "low")], "trace-2")
    first, second = (body for _, _, body in taker.seen)
    assert "observationId" not in first
    assert (first["value"], first["comment"], first["dataType"]) == (0.5, "low", "NUMERIC")
    assert first["id"] != second["id"]
