"""LangSmith's feedback, against a server on loopback that keeps what it is sent."""

from guardrail_scores import LangSmith, Score

from tests.support.score_server import Taker
from tests.support.scored import guarded


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


def test_feedback_names_the_trace_of_its_run_and_overwrites_itself(taker: Taker) -> None:
    with LangSmith("key", taker.url) as sink:
        for value in (0.5, 0.25):
            sink.write_scores([Score("guardrail.score", value)], "run-1", trace_id="trace-1")
    bodies = [body for _, _, body in taker.seen]
    assert [(body["run_id"], body["trace_id"], body["score"]) for body in bodies] == [
        ("run-1", "trace-1", 0.5), ("run-1", "trace-1", 0.25),
    ]  # fmt: skip
    assert bodies[0]["id"] == bodies[1]["id"]
    assert "value" not in bodies[0]
