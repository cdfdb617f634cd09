"""From a decision to a text: edit, rewrite or regenerate an answer, told what was wrong with it.

The guard checks what a rewriter or a generator writes like any other answer. The rewriter that asks a language model is
``guardrail.engines.llm.LLMRewriter``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from guardrail.repair.local.rewriter import LocalRewriter

__all__ = ["LocalRewriter"]


def __getattr__(name: str) -> Any:
    """The rewriter is imported where it is wanted: it brings the rules of checks along."""
    if name == "LocalRewriter":
        from guardrail.repair.local.rewriter import LocalRewriter

        return LocalRewriter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
