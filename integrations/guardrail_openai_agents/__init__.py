"""The guard for the OpenAI Agents SDK: an output guardrail that knows what the tools returned."""

from guardrail.errors import MissingExtraError

try:
    import agents  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        'guardrail_openai_agents needs openai-agents. Run: pip install "rag-guardrail[openai-agents]"'
    ) from error

from guardrail_openai_agents.grounding import Grounding, delivered

__all__ = ["Grounding", "delivered"]
