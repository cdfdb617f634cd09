"""The nouns of the pipeline, in the order in which they come to be. All are immutable and safe to share.

Offsets are Python string offsets (code points), end exclusive.
"""

from guardrail.types.delivery import Action, Decision, GuardedAnswer
from guardrail.types.parts import (
    LOGIC_ERRORS,
    Cause,
    Cell,
    Claim,
    Decomposition,
    Entity,
    EntityGroup,
    ErrorType,
    LogicVerdict,
    Passage,
    Relation,
    RelationKind,
    Row,
    Segment,
    Span,
    SupportMatrix,
    Usage,
    Verdict,
)
from guardrail.types.report import BiographyCategory, ClaimFinding, Evidence, Finding, Report, Scores

__all__ = [
    "LOGIC_ERRORS",
    "Action",
    "BiographyCategory",
    "Cause",
    "Cell",
    "Claim",
    "ClaimFinding",
    "Decision",
    "Decomposition",
    "Entity",
    "EntityGroup",
    "ErrorType",
    "Evidence",
    "Finding",
    "GuardedAnswer",
    "LogicVerdict",
    "Passage",
    "Relation",
    "RelationKind",
    "Report",
    "Row",
    "Scores",
    "Segment",
    "Span",
    "SupportMatrix",
    "Usage",
    "Verdict",
]
