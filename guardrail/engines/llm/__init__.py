"""An LLM as judge: the three seed methods in two round trips (docs/llm.md)."""

from guardrail.engines.llm.batches.service import BatchSettings
from guardrail.engines.llm.caches.disk import DiskCache
from guardrail.engines.llm.caches.memory import Cache, MemoryCache
from guardrail.engines.llm.caches.redis import RedisCache
from guardrail.engines.llm.engine import PLANS, LLMEngine
from guardrail.engines.llm.models.anthropic import AnthropicLLM
from guardrail.engines.llm.models.langchain import LangChainLLM
from guardrail.engines.llm.models.llama_index import LlamaIndexLLM
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.protocol import LLM, AsyncLLM, Completion, LLMError, Prompt
from guardrail.engines.llm.requests.calls import CallSettings, Prices
from guardrail.engines.llm.rewriter import LLMRewriter

__all__ = [
    "LLM",
    "PLANS",
    "AnthropicLLM",
    "AsyncLLM",
    "BatchSettings",
    "Cache",
    "CallSettings",
    "Completion",
    "DiskCache",
    "LLMEngine",
    "LLMError",
    "LLMRewriter",
    "LangChainLLM",
    "LlamaIndexLLM",
    "MemoryCache",
    "OpenAILLM",
    "Prices",
    "Prompt",
    "RedisCache",
]
