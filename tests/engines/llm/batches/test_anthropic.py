"""Anthropic's message batches: what is sent and read, and whose batch is whose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from guardrail import Cause
from guardrail.engines.llm.protocol import LLMError, Prompt
from tests.support.batch_server import BatchServer, Plan
from tests.support.batched import checked, model, others_batch, rows
from tests.support.judge_script import ReadingJudge

PROMPTS = {f"key{n}": Prompt(identity="judge.en.v1.abc", system="Judge.", user=f"data {n}") for n in range(3)}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(lambda body: body["messages"][1]["content"].upper(), Plan(looks=0)) as running:
        yield running


@pytest.fixture
def service(server: BatchServer) -> Any:
    return model(server, "anthropic").batch_service()


def sent(service: Any) -> str:
    return str(service.submit([service.line(key, prompt) for key, prompt in PROMPTS.items()], "kept nowhere"))


def test_replies_are_matched_by_id_and_cost_half(service: Any) -> None:
    batch = sent(service)
    seen = service.progress(batch)
    assert (seen.ended, seen.done, seen.total, seen.failed) == (True, 3, 3, "")
    found = dict(service.results(batch))
    assert {key: reply.text for key, reply in found.items()} == {f"key{n}": f"DATA {n}" for n in range(3)}
    assert {(reply.price_share, reply.input_tokens) for reply in found.values()} == {(0.5, 100)}


@pytest.mark.parametrize(
    ("fault", "says", "cause"),
    [("error", r"failed in the batch \(errored\)", Cause.ENGINE), ("expired", "expired before", Cause.TIMEOUT)],
)
def test_a_request_that_failed_says_how(service: Any, server: BatchServer, fault: str, says: str, cause: Cause) -> None:
    batch = sent(service)
    server.plan.lines = [fault]
    service.progress(batch)
    [failed] = [reply for _, reply in service.results(batch) if isinstance(reply, LLMError)]
    with pytest.raises(LLMError, match=says):
        raise failed
    assert (failed.retryable, failed.cause, failed.spent) == (True, cause, None)


@pytest.mark.parametrize(
    ("keys", "since", "known", "found"),
    [
        (["key0", "key1", "key2"], 0.0, [], True),
        (["key0", "key1"], 0.0, [], False),  # of another size
        (["a", "b", "c"], 0.0, [], False),  # its results are not ours
        (["key0", "key1", "key2"], 0.0, ["batch_0"], False),  # another of ours
    ],
)
def test_a_batch_is_found_by_size_and_the_ids_of_its_results(
    service: Any, keys: list[str], since: float, known: list[str], found: bool
) -> None:
    batch = sent(service)
    assert service.progress(batch).ended
    assert (service.find("kept nowhere", set(keys), since, set(known)) == batch) is found


def test_a_batch_that_the_provider_forgot_has_failed(service: Any) -> None:
    seen = service.progress("batch_99")
    assert (seen.ended, seen.failed) == (True, "the provider knows the batch no more")


@pytest.mark.parametrize("fault", [429, 529, 503, "lost"])
def test_somebody_elses_batch_of_the_same_size_is_not_ours(fault, tmp_path):
    with BatchServer(ReadingJudge(), Plan(submits=[fault])) as server:
        theirs = others_batch(server, 3)
        ordinary = server._said

        def said(body, ours):
            return ordinary(body, ours) if body["messages"] else (200, {})

        server._said = said
        told = []
        reports = checked(server, "anthropic", rows(4), tmp_path / "state", tell=told.append)
        assert {report.verdict for report in reports} == {"supported", "contradicted"}
        assert server.sizes == [3, 3, 4]  # theirs, and one of ours for each round
        assert any(theirs in line for line in told) is (fault not in {429, 529})
        assert server.counts["chat"] == 1
    assert not (tmp_path / "state").exists()
