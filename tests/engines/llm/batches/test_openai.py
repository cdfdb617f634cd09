"""OpenAI's batches over real HTTP: a batch is known by its name, and its results by their ids."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from guardrail import Cause
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt, Reply
from tests.support.batch_server import BatchServer, Plan
from tests.support.batched import model

PROMPTS = {f"key{n}": Prompt(identity="judge.en.v1.abc", system="Judge.", user=f"data {n}") for n in range(3)}


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(lambda body: body["messages"][1]["content"].upper(), Plan(looks=0)) as running:
        yield running


@pytest.fixture
def service(server: BatchServer) -> Any:
    return model(server, "openai").batch_service()


def sent(service: Any, intent: str = "mine") -> str:
    return str(service.submit([service.line(key, prompt) for key, prompt in PROMPTS.items()], intent))


def results(service: Any, batch: str) -> dict[str, Reply]:
    return dict(service.results(batch))


def test_a_line_is_a_whole_request_with_its_id(service: Any) -> None:
    line = json.loads(service.line("key0", PROMPTS["key0"]))
    assert (line["custom_id"], line["method"], line["url"]) == ("key0", "POST", "/v1/chat/completions")
    assert line["body"]["messages"][1] == {"role": "user", "content": "data 0"}
    assert b"\n" not in service.line("x", Prompt(identity="x", system="a\nb", user="c\nd"))


def test_replies_are_matched_by_id_and_cost_half(service: Any) -> None:
    batch = sent(service)
    seen = service.progress(batch)
    assert (seen.ended, seen.done, seen.total, seen.failed) == (True, 3, 3, "")
    found = results(service, batch)
    assert {key: reply.text for key, reply in found.items() if isinstance(reply, Completion)} == {
        "key0": "DATA 0", "key1": "DATA 1", "key2": "DATA 2",
    }  # fmt: skip
    assert {reply.price_share for reply in found.values() if isinstance(reply, Completion)} == {0.5}


@pytest.mark.parametrize(
    ("fault", "says", "cause", "again", "paid"),
    [
        ("error", r"failed in the batch \(HTTP 500\)", Cause.ENGINE, True, False),
        ("expired", "expired before this request was answered", Cause.TIMEOUT, True, False),
        ("refused", "refused", None, False, True),
    ],
)
def test_a_request_that_failed_says_how(
    service: Any, server: BatchServer, fault: str, says: str, cause: Cause | None, again: bool, paid: bool
) -> None:
    batch = sent(service)
    server.plan.lines = [fault]
    service.progress(batch)
    [failed] = [reply for reply in results(service, batch).values() if isinstance(reply, LLMError)]
    with pytest.raises(LLMError, match=says):
        raise failed
    assert failed.retryable is again
    assert cause in (None, failed.cause)
    assert (failed.spent is not None and failed.spent.price_share == 0.5) is paid


def test_a_batch_is_found_by_the_name_that_it_was_sent_under(service: Any) -> None:
    batch = sent(service, "mine")
    sent(service, "another")
    assert service.find("mine", set(PROMPTS), time.time(), set()) == batch
    assert service.find("nobody's", set(PROMPTS), time.time(), set()) is None


def test_a_batch_that_the_provider_forgot_has_failed(service: Any) -> None:
    seen = service.progress("batch_99")
    assert (seen.ended, seen.failed) == (True, "the provider knows the batch no more")


def test_a_batch_refused_as_a_whole_gives_its_code(service: Any, server: BatchServer) -> None:
    server.plan.fails = "token_limit_exceeded"
    assert service.progress(sent(service)).failed == "the batch was refused (token_limit_exceeded)"


def test_replies_of_one_endpoint_are_not_those_of_another(service: Any, server: BatchServer) -> None:
    assert service.address == f"openai {server.url}/v1/"
