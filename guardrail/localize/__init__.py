"""Where in the answer the fault lies, and which words of the passages speak of it."""

from guardrail.localize.faults import find_fault, known_stems, relation_around

__all__ = ["find_fault", "known_stems", "relation_around"]
