"""Scores of a real audit, sent to a real server on loopback."""

import json

import pytest

from guardrail.audit import audit
from guardrail.audit.scores import open_sink, write_scores
from guardrail.errors import UsageError
from tests.support.audited import FAKE, logged, write_lines
from tests.support.score_server import KEYS

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("httpx")


def send(audited, name, server, **more):
    with open_sink(name, server.url, KEYS) as sink:
        return write_scores(audited, sink, **more)


def test_langfuse_gets_each_verdict_once_however_often_it_is_written(audited, taker):
    for _ in range(2):
        assert send(audited, "langfuse", taker).written == 10
    bodies = [body for _, _, body in taker.seen]
    kept = {body["id"]: body for body in bodies}
    assert len(bodies) == 2 * len(kept)
    verdicts = {b["traceId"]: b["value"] for b in kept.values() if b["name"] == "guardrail.verdict"}
    assert verdicts == {f"a{n}": "supported" if n % 3 else "contradicted" for n in range(9)} | {"a20": "unverified"}
    scored = [b for b in kept.values() if b["name"] == "guardrail.score"]
    assert len(scored) == 9  # what was not verified has no score
    assert {b["dataType"] for b in scored} == {"NUMERIC"}
    assert not any("Valve" in json.dumps(body) for body in bodies)


def test_the_ids_are_those_that_a_guard_writes(audited, taker):
    from guardrail_scores import Langfuse

    from guardrail import Guard

    send(audited, "langfuse", taker)
    ids = {body["id"] for _, _, body in taker.seen if body["traceId"] == "a1"}
    before = len(taker.seen)
    with Langfuse("pk", "sk", taker.url) as live:
        live.write(Guard(engine=FAKE).check("Valve 1 closes.", ["Valve 1 closes."]), "a1")
    assert ids <= {body["id"] for _, _, body in taker.seen[before:]}


def test_what_passes_is_tried_again(audited, taker):
    waited = []
    taker.first = [503, 429]
    found = send(audited, "phoenix", taker, at_once=1, wait=waited.append)
    assert (found.written, found.refused, waited) == (10, 0, [1.0, 2.0])


def test_one_that_is_not_taken_costs_only_itself(audited, taker):
    waited = []
    taker.first = [404]
    found = send(audited, "phoenix", taker, at_once=1, wait=waited.append)
    assert (found.written, found.refused, waited) == (9, 1, [])
    assert "404" in found.reason


def test_a_wrong_key_ends_it_soon(tmp_path, taker):
    rows = [logged(n) for n in range(60)]
    audit(write_lines(tmp_path / "log.jsonl", rows), tmp_path / "many", engine=FAKE, workers=0)
    taker.status = 401
    with pytest.raises(UsageError, match=r"20 answers in a row were not taken.*401"):
        send(tmp_path / "many", "phoenix", taker, at_once=1)
    assert len(taker.seen) == 20


def test_an_empty_audit_and_one_without_ids(tmp_path, taker):
    audit(write_lines(tmp_path / "none.jsonl", ["{"]), tmp_path / "empty", engine=FAKE, workers=0)
    assert send(tmp_path / "empty", "phoenix", taker).written == 0
    row = {key: value for key, value in logged(1).items() if key != "id"}
    audit(write_lines(tmp_path / "bare.jsonl", [row]), tmp_path / "bare", engine=FAKE, workers=0)
    with pytest.raises(UsageError, match="no ids of traces"):
        send(tmp_path / "bare", "phoenix", taker)
    assert taker.seen == []
