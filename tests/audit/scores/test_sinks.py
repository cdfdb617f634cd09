"""Where scores can be written, by real servers on loopback."""

import pytest

from guardrail.audit.scores import open_sink, write_scores
from tests.support.score_server import KEYS

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("httpx")


def send(audited, name, server, **more):
    with open_sink(name, server.url, KEYS) as sink:
        return write_scores(audited, sink, **more)


def test_langsmith_and_phoenix(audited, taker):
    send(audited, "langsmith", taker, bad_only=True)
    assert {path for path, _, _ in taker.seen} == {"/feedback"}
    assert {body["run_id"] for _, _, body in taker.seen} == {"a0", "a3", "a6"}
    taker.seen.clear()
    send(audited, "phoenix", taker, bad_only=True)
    path, headers, body = taker.seen[0]
    assert (path, headers["authorization"]) == ("/v1/trace_annotations?sync=true", "Bearer k")
    assert [(one["name"], one["identifier"]) for one in body["data"]] == [
        ("guardrail.verdict", "rag-guardrail"), ("guardrail.score", "rag-guardrail"),
    ]  # fmt: skip
    assert sorted(body["data"][0]["trace_id"] for _, _, body in taker.seen) == ["a0", "a3", "a6"]
