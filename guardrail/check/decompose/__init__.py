"""Decompose an answer into segments that can be checked alone (L-Face4RAG: Face4RAG, KDD'24, section 4.1)."""

from guardrail.check.decompose.decomposition import Reader, Readers, decompose

__all__ = ["Reader", "Readers", "decompose"]
