"""Settings that make no sense are named."""

import pytest

from guardrail import ConfigurationError
from guardrail.engines.llm.requests.calls import CallSettings


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
