"""``@guarded(guard)``: a decorator for functions that return an answer and its passages."""

from guardrail.guarded.decorator import guarded

__all__ = ["guarded"]
