"""Stress test: labelled wrong and right answers made from a user's own passages (Face4RAG's error types)."""

from guardrail.evaluation.stress.injection import inject
from guardrail.evaluation.stress.sentences import right_versions, wrong_versions

__all__ = ["inject", "right_versions", "wrong_versions"]
