"""The guard in LlamaIndex: query engines, chat engines, agents, an evaluator and a node postprocessor."""

from guardrail.errors import MissingExtraError

try:
    import llama_index.core  # noqa: F401
except ImportError as error:
    message = 'guardrail_llamaindex needs llama-index-core. Run: pip install "rag-guardrail[llama-index]"'
    raise MissingExtraError(message) from error

from guardrail_llamaindex.agent import GuardedAgent
from guardrail_llamaindex.answers import GuardedRecord, to_passages
from guardrail_llamaindex.chat_engine import GuardedChatEngine
from guardrail_llamaindex.evaluator import GuardrailEvaluator
from guardrail_llamaindex.events import GuardrailCheckEndEvent, GuardrailCheckStartEvent, NamesakesEvent
from guardrail_llamaindex.namesakes import NamesakePostprocessor
from guardrail_llamaindex.query_engine import GuardedQueryEngine

__all__ = [
    "GuardedAgent",
    "GuardedChatEngine",
    "GuardedQueryEngine",
    "GuardedRecord",
    "GuardrailCheckEndEvent",
    "GuardrailCheckStartEvent",
    "GuardrailEvaluator",
    "NamesakePostprocessor",
    "NamesakesEvent",
    "to_passages",
]
