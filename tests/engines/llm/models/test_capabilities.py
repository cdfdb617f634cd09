"""What an endpoint refuses is learned, once."""

import json
from dataclasses import replace

import pytest

from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.calls import Calls, CallSettings
from guardrail.testing import OpenAIServer, Reply

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)
GOOD = '{"verdict": "supported"}'


@pytest.mark.parametrize(
    ("refuses", "form"),
    [(["json_schema"], "json_object"), (["json_schema", "json_object"], None), (["response_format"], None)],
)
def test_what_an_endpoint_refuses_is_learned_once(perform, refuses, form, prompt, budget, script):
    with OpenAIServer(script(GOOD), refuses=[*refuses, "temperature", "seed", "max_tokens"]) as server:
        llm = OpenAILLM("m", server.base_url, seed=7)
        account = budget()
        (reply,) = perform(llm, FAST, (prompt,), account)
        assert reply.text == GOOD
        learning = server.call_count
        assert learning == account.usage.calls == (6 if form is None else 5)
        assert account.usage.retries == learning - 1
        perform(llm, FAST, (prompt,) * 3, budget())
        assert server.call_count == learning + 3
    body = server.calls[-1].body
    assert body.get("response_format", {}).get("type") == form
    assert "temperature" not in body
    assert "seed" not in body
    assert body["max_completion_tokens"] == 500
    system = body["messages"][0]["content"]
    assert system.startswith("Judge.\n\n")
    assert json.loads(system.splitlines()[-1]) == prompt.schema


def test_eight_learn_at_once(prompt, budget, script, in_threads):
    with OpenAIServer(script(GOOD), refuses=["json_schema", "temperature"], seconds=0.02) as server:
        llm = OpenAILLM("m", server.base_url)
        replies = in_threads(llm, FAST, (prompt,) * 8, budget())
        assert [r.text for r in replies] == [GOOD] * 8
        before = server.call_count
        in_threads(llm, FAST, (prompt,) * 8, budget())
        assert server.call_count == before + 8


def test_a_refusal_of_something_else_teaches_nothing(prompt, budget, script, in_threads):
    """The text may speak of anything: an endpoint that still refuses is asked in full the next time."""
    bad = Reply("max_tokens and temperature: your text is too long", status=400)
    with OpenAIServer(script(bad, bad, bad, GOOD)) as server:
        llm = OpenAILLM("m", server.base_url)
        (reply,) = in_threads(llm, FAST, (prompt,), budget())
        assert "400" in str(reply)
        in_threads(llm, FAST, (prompt,), budget())
    assert server.calls[-1].body["temperature"] == 0.0
    assert server.calls[-1].body["response_format"]["type"] == "json_schema"


def test_a_fixed_form_is_kept_to(script, in_threads, one):
    with OpenAIServer(script(GOOD), refuses=["json_schema"]) as server:
        assert "400" in str(one(in_threads, server, structured="json_schema"))
        assert server.call_count == 1
        assert one(in_threads, server, structured="none", temperature=None).text == GOOD
    body = server.calls[-1].body
    assert "response_format" not in body
    assert "temperature" not in body


def test_free_text_needs_no_form(prompt, budget, script):
    with OpenAIServer(script("Hello.")) as server:
        Calls(OpenAILLM("m", server.base_url)).perform((replace(prompt, schema=None),), budget())
    assert "response_format" not in server.calls[0].body
