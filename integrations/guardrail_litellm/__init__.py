"""The guard inside the LiteLLM proxy: ``guardrail: guardrail_litellm.GroundingGuardrail`` in its settings."""

from guardrail.errors import MissingExtraError

try:
    import litellm.integrations.custom_guardrail  # noqa: F401
except ImportError as error:
    raise MissingExtraError('guardrail_litellm needs litellm. Run: pip install "rag-guardrail[litellm]"') from error

from guardrail_litellm.guardrail import GroundingGuardrail

__all__ = ["GroundingGuardrail"]
