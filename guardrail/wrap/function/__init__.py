"""``@guarded(guard)``: a decorator for functions that return an answer and its passages."""

from guardrail.wrap.function.decorator import guarded

__all__ = ["guarded"]
