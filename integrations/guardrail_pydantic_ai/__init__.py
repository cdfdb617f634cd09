"""The guard for Pydantic AI: ``Agent(..., capabilities=[Grounding(guard)])``."""

from guardrail.errors import MissingExtraError

try:
    import pydantic_ai.capabilities  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        'guardrail_pydantic_ai needs pydantic-ai with capabilities. Run: pip install "rag-guardrail[pydantic-ai]"'
    ) from error

from guardrail_pydantic_ai.grounding import Grounding

__all__ = ["Grounding"]
