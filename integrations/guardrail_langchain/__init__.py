"""Guard a LangChain chain: ``guard_chain(chain, guard)``."""

from guardrail.errors import MissingExtraError

try:
    import langchain_core  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        'guardrail_langchain needs langchain-core. Run: pip install "rag-guardrail[langchain]"'
    ) from error

from guardrail_langchain.chain import GuardedChain, guard_chain

__all__ = ["GuardedChain", "guard_chain"]
