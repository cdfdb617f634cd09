"""Guard LangChain: ``guard_chain`` for chains, ``GuardrailMiddleware`` for agents, ``guardrail_node`` for LangGraph."""

from typing import TYPE_CHECKING

from guardrail.errors import MissingExtraError

try:
    import langchain_core  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        'guardrail_langchain needs langchain-core. Run: pip install "rag-guardrail[langchain]"'
    ) from error

from guardrail_langchain.chain import GuardedChain, guard_chain
from guardrail_langchain.documents import to_passages
from guardrail_langchain.evaluator import GuardrailRunEvaluator, guardrail_evaluator
from guardrail_langchain.graph import GuardrailNode, guardrail_node

if TYPE_CHECKING:
    from guardrail_langchain.middleware import GuardrailMiddleware

__all__ = [
    "GuardedChain",
    "GuardrailMiddleware",
    "GuardrailNode",
    "GuardrailRunEvaluator",
    "guard_chain",
    "guardrail_evaluator",
    "guardrail_node",
    "to_passages",
]


def __getattr__(name: str) -> object:
    if name != "GuardrailMiddleware":  # the one name that needs more than langchain-core
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from guardrail_langchain.middleware import GuardrailMiddleware
    except ImportError as error:
        raise MissingExtraError(
            'GuardrailMiddleware needs langchain 1.x. Run: pip install "rag-guardrail[langchain-agents]"'
        ) from error
    return GuardrailMiddleware
