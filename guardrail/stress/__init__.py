"""Stress test: labelled wrong and right answers made from a user's own passages (Face4RAG's error types)."""

from guardrail.stress.injection import inject
from guardrail.stress.sentences import right_versions, wrong_versions

__all__ = ["inject", "right_versions", "wrong_versions"]
