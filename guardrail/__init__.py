"""Check every answer of a RAG application against its passages: facts, logic and namesakes.

from guardrail import Guard, Policy
report = Guard(policy=Policy.monitor()).check(answer, passages)
"""

from importlib import metadata as _metadata

from guardrail.errors import (
    ConfigurationError,
    EngineError,
    EngineTimeout,
    GuardrailError,
    MissingExtraError,
    UsageError,
)
from guardrail.guard import Guard
from guardrail.policy import Policy
from guardrail.types import (
    Action,
    Decision,
    ErrorType,
    Evidence,
    Finding,
    GuardedAnswer,
    Passage,
    Report,
    Scores,
    Span,
    Verdict,
)

__all__ = [
    "Action",
    "ConfigurationError",
    "Decision",
    "EngineError",
    "EngineTimeout",
    "ErrorType",
    "Evidence",
    "Finding",
    "Guard",
    "GuardedAnswer",
    "GuardrailError",
    "MissingExtraError",
    "Passage",
    "Policy",
    "Report",
    "Scores",
    "Span",
    "UsageError",
    "Verdict",
]

try:
    __version__ = _metadata.version("rag-guardrail")
except _metadata.PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0"
