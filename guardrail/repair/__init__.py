"""From a decision to a text: edit, rewrite or regenerate an answer, told what was wrong with it.

The guard checks what a rewriter or a generator writes like any other answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.repair.llm import LLMRewriter
    from guardrail.repair.local.rewriter import LocalRewriter

__all__ = ["LLMRewriter", "LocalRewriter"]


def __getattr__(name: str) -> Any:
    """Rewriters are imported where they are wanted: they bring the rules of checks, or pydantic, along."""
    if name == "LocalRewriter":
        from guardrail.repair.local.rewriter import LocalRewriter

        return LocalRewriter
    if name == "LLMRewriter":
        from guardrail.repair.llm import LLMRewriter

        return LLMRewriter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
