"""LangSmith's feedback, against a server on loopback that keeps what it is sent."""

import pytest
from guardrail_scores import LangSmith

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
