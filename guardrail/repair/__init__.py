"""From a decision to a text: edit, rewrite or regenerate an answer, told what was wrong with it.

The guard checks what a rewriter or a generator writes like any other answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from guardrail.repair.local.rewriter import LocalRewriter

if TYPE_CHECKING:
    from guardrail.repair.llm import LLMRewriter

__all__ = ["LLMRewriter", "LocalRewriter"]


def __getattr__(name: str) -> Any:
    """LLMRewriter is imported where it is wanted: it brings pydantic and the engine's readers along."""
    if name != "LLMRewriter":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from guardrail.repair.llm import LLMRewriter

    return LLMRewriter
