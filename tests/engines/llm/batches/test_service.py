"""What batches need: settings in their range, and a model with a batch endpoint."""

from __future__ import annotations

import math

import pytest

from guardrail.engines.llm import BatchSettings, LLMEngine
from guardrail.errors import ConfigurationError


class Own:
    """A model of somebody's own."""

    model = "m"

    def complete(self, prompt, *, timeout):
        raise NotImplementedError


def test_a_model_without_a_batch_endpoint_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"Own has no batch endpoint\. Use OpenAILLM or AnthropicLLM"):
        LLMEngine(llm=Own(), batches=BatchSettings(state=tmp_path / "s"))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"wait": 0}, "wait must be seconds above 0, got 0"),
        ({"wait": math.inf}, "got inf"),
        ({"longest_poll": -1}, "longest_poll must be seconds above 0, got -1"),
        ({"longest_poll": math.nan}, "got nan"),
        ({"retry_share": 2}, "retry_share must be from 0 to 1, got 2"),
        ({"at_once": 0}, "at_once must be at least 1, got 0"),
        ({"at_once": True}, "got True"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(wrong, says):
    with pytest.raises(ConfigurationError, match=says):
        BatchSettings(state="s", **wrong)


@pytest.mark.parametrize("edge", [{"wait": 0.01}, {"retry_share": 0}, {"retry_share": 1}, {"at_once": 1}])
def test_settings_at_the_edge_are_taken(edge):
    [(name, value)] = edge.items()
    assert getattr(BatchSettings(state="s", **edge), name) == value
