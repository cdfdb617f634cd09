"""Guard a LlamaIndex query engine: ``GuardedQueryEngine(engine, guard)``."""

from guardrail.errors import MissingExtraError

try:
    import llama_index.core  # noqa: F401
except ImportError as error:
    message = 'guardrail_llamaindex needs llama-index-core. Run: pip install "rag-guardrail[llama-index]"'
    raise MissingExtraError(message) from error

from guardrail_llamaindex.query_engine import GuardedQueryEngine

__all__ = ["GuardedQueryEngine"]
