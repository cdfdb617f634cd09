"""A gate for hard facts: numbers, units, dates, names, negation and quotations of a claim against its evidence."""

from guardrail.facts.fact import Fact, FactKind, Facts, Mismatch
from guardrail.facts.gate import compare, extract
from guardrail.facts.ranges import widened

__all__ = ["Fact", "FactKind", "Facts", "Mismatch", "compare", "extract", "widened"]
