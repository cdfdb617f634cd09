"""Messages of Anthropic's protocol: their text, what they cost, and what is none."""

from __future__ import annotations

import pytest

from guardrail import Cause
from guardrail.engines.llm.models.messages import read_message
from guardrail.engines.llm.protocol import LLMError
from tests.support.anthropic_messages import GOOD, message


@pytest.mark.parametrize(
    ("raw", "says", "again"),
    [
        (message(stop_reason="refusal"), "refused", False),
        (message("", stop_reason="max_tokens"), "token limit", False),
        (message(""), "no text", True),
        (message(content=[{"type": "tool_use", "text": "x"}, 7]), "no text", True),
        (message(content=None), "no message", True),
        ([], "no message", True),
        (None, "no message", True),
    ],
)
def test_replies_without_a_text(raw: object, says: str, again: bool) -> None:
    with pytest.raises(LLMError, match=says) as failed:
        read_message(raw)
    assert failed.value.retryable is again
    assert failed.value.spent is not None
    assert failed.value.spent.calls == 1  # it is paid for


def test_a_reply_cut_at_the_limit_says_so_and_usage_is_not_trusted() -> None:
    cut = read_message(message('{"verd', stop_reason="max_tokens"))
    assert (cut.text, cut.cut_off) == ('{"verd', True)
    odd = read_message(message(model=7, usage={"input_tokens": "many", "cache_read_input_tokens": 9}))
    assert (odd.text, odd.model, odd.input_tokens) == (GOOD, "", None)
    assert read_message(message(usage=None)).output_tokens is None
    with pytest.raises(LLMError) as failed:
        read_message({})
    assert failed.value.cause is Cause.REPLY
