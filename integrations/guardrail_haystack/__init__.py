"""The guard for Haystack: a component between a generator and what reads its replies."""

from guardrail.errors import MissingExtraError

try:
    import haystack  # noqa: F401
except ImportError as error:
    raise MissingExtraError(
        'guardrail_haystack needs haystack-ai. Run: pip install "rag-guardrail[haystack]"'
    ) from error

from guardrail_haystack.checker import GroundingChecker

__all__ = ["GroundingChecker"]
