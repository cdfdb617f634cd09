"""Logic: which relations a segment states, and whether the evidence licenses them (L-Face4RAG, section 4.3)."""

from guardrail.check.logic.check import check_logic
from guardrail.check.logic.relations import find_relations

__all__ = ["check_logic", "find_relations"]
