"""An LLM as judge: the three seed methods in two round trips (docs/llm.md)."""

from guardrail.llm.cache import Cache, MemoryCache
from guardrail.llm.calls import CallSettings, Prices
from guardrail.llm.disk_cache import DiskCache
from guardrail.llm.engine import PLANS, LLMEngine
from guardrail.llm.langchain import LangChainLLM
from guardrail.llm.llama_index import LlamaIndexLLM
from guardrail.llm.openai import OpenAILLM
from guardrail.llm.protocol import LLM, AsyncLLM, Completion, LLMError, Prompt
from guardrail.llm.redis_cache import RedisCache

__all__ = [
    "LLM",
    "PLANS",
    "AsyncLLM",
    "Cache",
    "CallSettings",
    "Completion",
    "DiskCache",
    "LLMEngine",
    "LLMError",
    "LangChainLLM",
    "LlamaIndexLLM",
    "MemoryCache",
    "OpenAILLM",
    "Prices",
    "Prompt",
    "RedisCache",
]
