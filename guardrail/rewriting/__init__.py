"""Rewriters: edit an answer as little as its findings demand. The guard checks what they write like any answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guardrail.rewriting.local import LocalRewriter

if TYPE_CHECKING:
    from guardrail.rewriting.llm import LLMRewriter

__all__ = ["LLMRewriter", "LocalRewriter"]


def __getattr__(name: str) -> Any:
    """LLMRewriter is imported where it is wanted: it brings pydantic and the engine's readers along."""
    if name != "LLMRewriter":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from guardrail.rewriting.llm import LLMRewriter

    return LLMRewriter
