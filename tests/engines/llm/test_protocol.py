"""A prompt as endpoints want it, and who counts as a model."""

from __future__ import annotations

import json

import pytest

from guardrail.engines.llm.protocol import LLM, AsyncLLM, Completion, Prompt, provider_of

SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}}


class Blocking:
    model = "m"

    def complete(self, prompt, *, timeout):
        return Completion(text="{}")


class Awaited:
    model = "m"
    provider = "openai"

    async def acomplete(self, prompt, *, timeout):  # noqa: ASYNC109
        return Completion(text="{}")


def test_the_schema_stands_after_the_instructions_so_that_prompt_caches_hold_both():
    prompt = Prompt(identity="judge.en.v1.abc", system="Judge.", user="data", schema=SCHEMA)
    before, _, schema = prompt.system_with_schema.rpartition("\n")
    assert before.startswith("Judge.\n\n")
    assert json.loads(schema) == SCHEMA
    assert Prompt(identity="a", system="Judge.", user="data").system_with_schema == "Judge."


@pytest.mark.parametrize(
    ("identity", "name"), [("judge.en.v1.abc", "judge_en_v1_abc"), ("", "reply"), ("x" * 80, "x" * 64)]
)
def test_a_schema_has_a_name_that_endpoints_accept(identity, name):
    assert Prompt(identity=identity, system="", user="").schema_name == name


def test_a_model_blocks_or_is_awaited():
    assert isinstance(Blocking(), LLM)
    assert not isinstance(Blocking(), AsyncLLM)
    assert isinstance(Awaited(), AsyncLLM)
    assert not isinstance(Awaited(), LLM)
    assert (provider_of(Blocking()), provider_of(Awaited())) == (None, "openai")
