"""Work of the LLM engine as generators: they yield rounds of prompts and are sent what came back, in order.

So each plan is written once for sync and async (calls.py performs the rounds).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from guardrail.check.contract import NotJudged
from guardrail.engines.llm.json_text import read_object
from guardrail.engines.llm.protocol import Completion, LLMError, Prompt
from guardrail.types import Cause

Reply = Completion | LLMError
Round = tuple[Prompt, ...]
Replies = tuple[Reply, ...]

T = TypeVar("T")
Steps = Generator[Round, Replies, T]
"""Prompts of one round are at work at once; an empty round is never yielded."""


def answer_of(reply: Reply) -> dict[str, Any] | NotJudged:
    """The JSON object of a reply, or why there is none."""
    if isinstance(reply, LLMError):
        return NotJudged(f"the judge could not be asked: {reply}", reply.cause)
    raw = read_object(reply.text)
    if raw is None:
        why = "was cut off" if reply.cut_off else "holds no JSON object"
        return NotJudged(f"the judge's reply {why}", Cause.REPLY)
    return raw
