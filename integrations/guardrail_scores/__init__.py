"""Scores of a checked answer, written to the trace it belongs to: Langfuse, LangSmith, Phoenix."""

from guardrail.errors import MissingExtraError

try:
    import httpx  # noqa: F401
except ImportError as error:
    raise MissingExtraError('guardrail_scores needs httpx. Run: pip install "rag-guardrail[scores]"') from error

from guardrail_scores.langfuse import Langfuse
from guardrail_scores.langsmith import LangSmith
from guardrail_scores.phoenix import Phoenix
from guardrail_scores.scores import NotWrittenError, Score, scores_of

__all__ = ["LangSmith", "Langfuse", "NotWrittenError", "Phoenix", "Score", "scores_of"]
