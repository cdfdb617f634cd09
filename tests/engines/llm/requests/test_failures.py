"""Failures that are told without secrets, what requests cost, and settings that make no sense."""

from dataclasses import replace

import pytest

from guardrail import ConfigurationError, UsageError
from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings, Prices
from guardrail.errors import EngineError

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=2.0)


class _SecretError(Exception):
    def __init__(self):
        super().__init__("key sk-123 refused for text 'the answer'")


@pytest.mark.parametrize("error", [_SecretError(), StopIteration("sk-123"), RuntimeError("sk-123")])
def test_foreign_errors_are_named_and_not_quoted(kind, perform, error, prompts, budget):
    (reply,) = perform(Calls(kind(error), FAST), prompts(), budget())
    assert isinstance(reply, LLMError)
    assert "sk-123" not in repr(reply)
    assert (reply.__cause__, reply.__context__, reply.__traceback__) == (None, None, None)
    if not isinstance(error, StopIteration):
        assert str(reply) == type(error).__name__


def test_other_kinds_of_failure(kind, perform, prompts, budget):
    replies = [
        perform(Calls(kind(step), replace(FAST, attempts=1)), prompts(), budget())[0]
        for step in (EngineError("no licence"), ConnectionResetError(), TimeoutError(), "not a completion")
    ]
    assert [str(r) for r in replies] == [
        "no licence",
        "ConnectionResetError",
        "TimeoutError",
        "the model object returned str instead of a Completion",
    ]
    assert [r.retryable for r in replies] == [False, True, True, False]


def test_the_callers_mistakes_pass_through(kind, perform, prompts, budget):
    with pytest.raises(UsageError, match="no such model"):
        perform(Calls(kind(UsageError("no such model")), FAST), prompts(3), budget())


def test_what_a_failure_cost_is_counted(kind, perform, prompts, budget):
    refusal = LLMError("refused", spent=Completion(text="", input_tokens=7, output_tokens=2, calls=2))
    account = budget()
    perform(Calls(kind(refusal), FAST), prompts(), account)
    usage = account.usage
    assert (usage.calls, usage.retries, usage.input_tokens, usage.output_tokens) == (2, 1, 7, 2)
    assert usage.cost is None


def test_no_counts_are_no_tokens(prompts, budget, blocking):
    account = budget(prices=Prices(input=1.0, output=1.0))
    Calls(blocking(Completion(text="x")), FAST).perform(prompts(), account)
    assert (account.usage.input_tokens, account.usage.cost) == (0, 0.0)


def test_cached_input_costs_as_other_input_where_it_has_no_price():
    completion = Completion(text="", input_tokens=1_000_000, cached_tokens=400_000)
    assert Prices(input=3.0, output=0.0).of(completion) == pytest.approx(3.0)
    assert Prices(input=3.0, output=0.0, cached=0.0).of(completion) == pytest.approx(1.8)
    assert Prices(input=3.0, output=0.0, cached=0.0).of(replace(completion, cached_tokens=10**9)) == 0.0


def test_a_model_that_can_only_be_awaited_says_what_to_call(prompts, budget, awaited):
    calls = Calls(awaited(), FAST)
    with pytest.raises(UsageError, match=r"guard\.acheck"):
        calls.perform(prompts(), budget())


def test_what_is_no_model_is_refused():
    class Wrong:
        model = "x"

        async def complete(self, prompt, *, timeout):  # noqa: ASYNC109
            raise AssertionError

    with pytest.raises(UsageError, match="acomplete"):
        Calls(Wrong())
    with pytest.raises(UsageError, match="OpenAILLM"):
        Calls("gpt")


@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout": 0},
        {"timeout": float("nan")},
        {"attempts": 0},
        {"attempts": 2.0},
        {"concurrency": 0},
        {"first_wait": -1},
        {"max_calls": -1},
        {"breaker_failures": True},
        {"breaker_seconds": 0},
    ],
)
def test_wrong_settings_are_named(wrong):
    (name,) = wrong
    with pytest.raises(ConfigurationError, match=name):
        CallSettings(**wrong)


def test_wrong_prices_are_named():
    with pytest.raises(ConfigurationError, match="cached"):
        Prices(input=1.0, output=1.0, cached=-1.0)
