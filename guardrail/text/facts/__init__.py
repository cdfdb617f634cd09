"""A gate for hard facts of a claim: numbers, units, dates, names, negation, reserve and quotations."""

from guardrail.text.facts.fact import EXACT, RELIABLE, VALUE_KINDS, Fact, FactKind, Facts, Mismatch
from guardrail.text.facts.gate import compare, extract, missing_facts
from guardrail.text.facts.yes_no import judge_yes_no, stated_in

__all__ = [
    "EXACT",
    "RELIABLE",
    "VALUE_KINDS",
    "Fact",
    "FactKind",
    "Facts",
    "Mismatch",
    "compare",
    "extract",
    "judge_yes_no",
    "missing_facts",
    "stated_in",
]
