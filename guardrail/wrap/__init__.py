"""A guard around what is there already: functions (``@guarded``) and OpenAI clients (``guardrail.wrap.openai``)."""

from guardrail.wrap.function import guarded

__all__ = ["guarded"]
