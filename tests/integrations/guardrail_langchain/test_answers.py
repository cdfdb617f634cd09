"""What goes with a withheld text, and what stays."""

from __future__ import annotations

import functools
import operator

from guardrail_langchain import guard_chain
from langchain_core.messages import AIMessage
from langchain_core.runnables import (
    RunnableLambda,
)

from tests.support.garage import QUESTION, RAW


def test_reasoning_and_log_probabilities_go_with_the_text_that_they_spell(document, guard):
    """And stay where the answer stays."""
    about = {"logprobs": {"content": [{"token": "invented"}]}, "model_name": "m", "usage": {"total": 7}}
    reasoning = {"reasoning_content": "a duke invented it, I guess"}
    message = AIMessage(content=RAW, id="run-1", response_metadata=about, additional_kwargs=reasoning)
    for action, kept in (("block", False), ("allow", True)):
        chain = guard_chain(RunnableLambda(lambda _: message), guard(action), passages=lambda _: [document])
        for out in (chain.invoke(QUESTION), functools.reduce(operator.add, chain.stream(QUESTION))):
            assert (out.id, out.response_metadata["model_name"]) == ("run-1", "m")
            assert out.response_metadata["usage"] == {"total": 7}
            assert ("invented" in str(out)) is kept
            assert bool(out.additional_kwargs) is kept
