"""A gate for hard facts: numbers, units, dates, names, negation and quotations of a claim against its evidence."""

from guardrail.facts.fact import Fact, FactKind, Facts, Mismatch
from guardrail.facts.gate import compare, extract

__all__ = ["Fact", "FactKind", "Facts", "Mismatch", "compare", "extract"]
