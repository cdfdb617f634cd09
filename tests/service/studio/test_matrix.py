"""The support matrix of one check."""

from __future__ import annotations

import asyncio

import pytest

from guardrail.check.contract import AsyncEngine, Engine, VerifyRequest
from guardrail.service.studio.matrix import Kept, keeping, matrix_record, relation_records
from guardrail.service.studio.studio import Studio
from guardrail.testing import FakeEngine
from guardrail.types import Passage, Segment, Span
from tests.support.service_engines import AwaitedEngine
from tests.support.studio_api import example, opened


@pytest.fixture(scope="module")
def client():
    yield from opened(Studio())


def test_the_matrix_has_a_row_for_each_finding(client):
    got = client.post("/api/check", json=example(client)).json()
    assert [row["segment_id"] for row in got["matrix"]["rows"]] == [found["id"] for found in got["findings"]]
    for row, found in zip(got["matrix"]["rows"], got["findings"], strict=True):
        read = {got["passages"][number]["id"] for number, _, _ in row["cells"]}
        assert {quote["passage_id"] for quote in found["evidence"]} <= read


def test_the_reversed_cause_is_a_relation_that_the_passages_do_not_license(client):
    (relation,) = client.post("/api/check", json=example(client)).json()["relations"]
    assert relation["kind"] == "cause"
    assert relation["consistent"] is False
    assert relation["first"].startswith("engineers")


def request_of(*texts: str) -> VerifyRequest:
    segments = tuple(Segment(id=f"s{n}", span=Span(0, len(text)), text=text) for n, text in enumerate(texts))
    return VerifyRequest(segments=segments, passages=(Passage(id="p", text="It is so."),), answer=" ".join(texts))


def test_the_engine_is_the_same_and_what_it_said_is_kept() -> None:
    engine, kept = FakeEngine({"wrong": "contradicted", "late": "unverified"}), Kept()
    same = keeping(engine, kept)
    assert isinstance(same, Engine)
    assert not isinstance(same, AsyncEngine)
    assert same.name == "fake"
    asked = request_of("It is so.", "It is wrong.", "It is late.")
    assert same.verify(asked) == engine.verify(asked)
    assert kept.request is asked
    rows = matrix_record(kept)["rows"]
    assert [(row["segment_id"], row["supported"]) for row in rows] == [("s0", 0.95), ("s1", 0.03), ("s2", None)]
    assert (rows[0]["cells"], rows[2]["cells"]) == ([[0, 0.95, 0.02]], [])


def test_an_engine_that_is_awaited_is_kept_too() -> None:
    kept = Kept()
    same = keeping(AwaitedEngine(), kept)
    assert isinstance(same, AsyncEngine)
    assert not isinstance(same, Engine)
    asyncio.run(same.averify(request_of("It is wrong.")))
    assert matrix_record(kept)["rows"][0]["contradicted"] == 0.96


def test_once_stopped_its_time_is_over() -> None:
    kept = Kept()
    same = keeping(FakeEngine(), kept)
    assert isinstance(same, Engine)
    kept.stop.set()
    (row,) = same.verify(request_of("It is so.")).rows
    assert row.unverified is not None


def test_before_anything_was_asked_there_is_nothing_to_show() -> None:
    assert (matrix_record(Kept()), relation_records(Kept())) == ({"rows": []}, [])
