"""Prices, tokens and what an answer may ask."""

from dataclasses import replace

import pytest

from guardrail import ConfigurationError
from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.calls import Calls, CallSettings, Prices

FAST = CallSettings(first_wait=0.01, longest_wait=0.02, timeout=60.0)


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


def test_wrong_prices_are_named():
    with pytest.raises(ConfigurationError, match="cached"):
        Prices(input=1.0, output=1.0, cached=-1.0)


DOWN = LLMError("HTTP 500", retryable=True)


def test_the_budget_counts_retries_and_ends_them(kind, perform, prompts, budget):
    account = budget(calls=2)
    (reply,) = perform(Calls(kind(*[DOWN] * 9), FAST), prompts(), account)
    assert str(reply) == "HTTP 500"  # what went wrong, not that it was not asked again
    assert account.usage.calls == 2
    (reply,) = perform(Calls(kind(), FAST), prompts(), account)
    assert "budget" in str(reply)
    assert account.usage.calls == 2
    assert account.usage.rounds == 1


def test_a_budget_smaller_than_the_round(kind, perform, prompts, budget):
    account = budget(calls=3)
    model = kind(seconds=0.01)
    replies = perform(Calls(model, FAST), prompts(10), account)
    assert sum(isinstance(r, Completion) for r in replies) == 3
    assert all("budget" in str(r) for r in replies if isinstance(r, LLMError))
    assert len(model.timeouts) == account.usage.calls == 3
