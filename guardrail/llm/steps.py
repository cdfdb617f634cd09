"""Work of the LLM engine as generators: they yield rounds of prompts and are sent what came back, in order.

So each plan is written once for sync and async (calls.py performs the rounds).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from guardrail.llm.protocol import Completion, LLMError, Prompt

Reply = Completion | LLMError
Round = tuple[Prompt, ...]
Replies = tuple[Reply, ...]

T = TypeVar("T")
Steps = Generator[Round, Replies, T]
"""Prompts of one round are at work at once; an empty round is never yielded."""
