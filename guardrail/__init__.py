"""Check every answer of a RAG application against its passages: facts, logic and namesakes.

from guardrail import Guard, Policy
report = Guard(policy=Policy.monitor()).check(answer, passages)
"""

from guardrail.engines import moved as _moved
from guardrail.errors import (
    ConfigurationError,
    EngineError,
    EngineTimeout,
    GuardrailError,
    MissingExtraError,
    UsageError,
)
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.repair.feedback import Feedback
from guardrail.types import (
    Action,
    Cause,
    Claim,
    ClaimFinding,
    Decision,
    ErrorType,
    Evidence,
    Finding,
    GuardedAnswer,
    Passage,
    Report,
    Scores,
    Span,
    Usage,
    Verdict,
)

__all__ = [
    "Action",
    "Cause",
    "Claim",
    "ClaimFinding",
    "ConfigurationError",
    "Decision",
    "EngineError",
    "EngineTimeout",
    "ErrorType",
    "Evidence",
    "Feedback",
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
    "Usage",
    "UsageError",
    "Verdict",
]

_moved.install()


def __getattr__(name: str) -> str:
    """``__version__``, looked up when somebody asks."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from guardrail.telemetry.version import version

    return version()
