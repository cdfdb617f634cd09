"""A text judged by its relations against evidence sentences."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.check.logic import check_logic, find_relations
from guardrail.types import LogicVerdict


def judge_text(text: str, evidence: Sequence[str]) -> LogicVerdict:
    """The verdict on all relations that the text states."""
    return check_logic("s1", text, find_relations(text), evidence)
