"""Anthropic's messages against a real HTTP server on loopback: what is sent, what comes back, and what is learned."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from guardrail import ConfigurationError
from guardrail.engines.llm.models.anthropic import VERSION, AnthropicLLM
from guardrail.engines.llm.protocol import LLM, Completion, LLMError, Prompt
from guardrail.testing.loopback import HttpReply, Loopback
from tests.support.anthropic_messages import GOOD, message

SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}}
PROMPT = Prompt(identity="judge.en.v1.abc", system="Judge.", user="the data", schema=SCHEMA, max_tokens=500)


class Asked(list[tuple[str, Mapping[str, str], dict[str, Any]]]):
    """Requests as they came: path, headers, body."""

    url = ""


@contextmanager
def server(*replies: tuple[int, object]) -> Iterator[Asked]:
    """Gives the replies (status, body) one by one, the last again and again."""
    left, asked = list(replies), Asked()

    def answer(method: str, path: str, headers: Mapping[str, str], raw: bytes) -> HttpReply:
        asked.append((path, headers, json.loads(raw)))
        status, body = left.pop(0) if len(left) > 1 else left[0]
        return HttpReply(status=status, text=json.dumps(body).encode())

    running = Loopback(answer)
    running.start()
    asked.url = running.url
    try:
        yield asked
    finally:
        running.close()


def refused(said: str) -> tuple[int, object]:
    return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_request_and_its_reply() -> None:
    with server((200, message())) as asked:
        llm = AnthropicLLM("claude-9", asked.url + "/v1/", " sk-test\n", body={"thinking": "off"})
        reply = llm.complete(PROMPT, timeout=60)
    assert reply == Completion(text=GOOD, model="claude-9", input_tokens=100, cached_tokens=20, output_tokens=5)
    [(path, headers, body)] = asked
    assert (path, headers["x-api-key"], headers["anthropic-version"]) == ("/v1/messages", "sk-test", VERSION)
    assert body == {
        "model": "claude-9",
        "max_tokens": 500,
        "system": [{"type": "text", "text": "Judge.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "the data"}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "thinking": "off",
    }
    assert isinstance(llm, LLM)


def test_an_endpoint_without_forms_is_told_the_schema_in_words_and_asked_once_only() -> None:
    with server(refused("output_config: unknown field"), (200, message())) as asked:
        llm = AnthropicLLM("m", asked.url)
        assert llm.complete(PROMPT, timeout=60).calls == 2
        assert llm.complete(PROMPT, timeout=60).calls == 1
    assert ["output_config" in body for _, _, body in asked] == [True, False, False]
    system = asked[-1][2]["system"][0]["text"]
    assert system.startswith("Judge.\n\n")
    assert json.loads(system.splitlines()[-1]) == SCHEMA


def test_a_refusal_of_something_else_teaches_nothing() -> None:
    with server(refused("your prompt is too long"), (200, message())) as asked:
        llm = AnthropicLLM("m", asked.url)
        with pytest.raises(LLMError, match="HTTP 400"):
            llm.complete(PROMPT, timeout=60)
        llm.complete(PROMPT, timeout=60)
    assert ["output_config" in body for _, _, body in asked] == [True, True]


@pytest.mark.parametrize(("status", "again"), [(401, False), (404, False), (429, True), (500, True), (529, True)])
def test_failures_that_may_pass_are_marked(status: int, again: bool) -> None:
    with server((status, {"error": {"message": "sk-secret"}})) as asked, pytest.raises(LLMError) as failed:
        AnthropicLLM("m", asked.url, "sk-secret").complete(PROMPT, timeout=60)
    assert failed.value.retryable is again
    assert f"HTTP {status}" in str(failed.value)
    assert "sk-secret" not in str(failed.value)


def test_nobody_listens() -> None:
    with server((200, message())) as asked:
        pass
    with pytest.raises(LLMError) as failed:
        AnthropicLLM("m", asked.url).complete(PROMPT, timeout=60)
    assert (str(failed.value), failed.value.retryable) == ("ConnectError", True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"model": "m"}, "Set ANTHROPIC_API_KEY"),
        ({"model": " ", "api_key": "k"}, "got ' '"),
        ({"model": 7, "api_key": "k"}, "got 7"),
        ({"model": "m", "base_url": "localhost:8000"}, "http:// or https://"),
    ],
)
def test_options_are_checked_when_it_is_made(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        AnthropicLLM(**options)


def test_key_and_address_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-from-env")
    assert AnthropicLLM("m").address == "https://api.anthropic.com"
    with server((200, message())) as asked:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", asked.url)
        llm = AnthropicLLM("m")
        llm.complete(PROMPT, timeout=60)
    assert asked[0][1]["x-api-key"] == "sk-from-env"
    assert repr(llm) == "AnthropicLLM(model='m')"
