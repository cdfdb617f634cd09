"""Where scores can be written, by real servers on loopback."""

import re

import pytest
from guardrail_scores import Score

from guardrail.audit.scores import open_sink, write_scores
from guardrail.errors import UsageError
from tests.support.score_server import KEYS, Taker

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


@pytest.mark.parametrize(
    ("name", "keys", "reason"),
    [
        ("langfuse", {}, "LANGFUSE_PUBLIC_KEY is not set"),
        ("langfuse", {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": ""}, "LANGFUSE_SECRET_KEY is not set"),
        ("langsmith", {}, "LANGSMITH_API_KEY is not set"),
        ("phonix", {}, "'phonix'. Did you mean 'phoenix'?"),
    ],
)
def test_a_key_that_is_missing_and_a_sink_that_is_none_are_named(name: str, keys: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=re.escape(reason)):
        open_sink(name, environment=keys)


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("langfuse", "LANGFUSE_HOST", "/api/public/scores"),
        ("langfuse", "LANGFUSE_BASE_URL", "/api/public/scores"),
        ("langsmith", "LANGSMITH_ENDPOINT", "/feedback"),
        ("phoenix", "PHOENIX_COLLECTOR_ENDPOINT", "/v1/trace_annotations?sync=true"),
    ],
)
def test_the_environment_says_where_it_is(name: str, variable: str, path: str, taker: Taker) -> None:
    with open_sink(name, environment={**KEYS, variable: taker.url}) as sink:
        sink.write_scores([Score("guardrail.score", 0.5)], "t1")
    assert [seen for seen, _, _ in taker.seen] == [path]


def test_phoenix_needs_no_key(taker: Taker) -> None:
    with open_sink("phoenix", taker.url, {}) as sink:
        sink.write_scores([Score("guardrail.score", 0.5)], "t1")
    ((_, headers, _),) = taker.seen
    assert "authorization" not in headers
