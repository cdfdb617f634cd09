"""Stress test: labelled wrong and right answers made from a user's own passages (Face4RAG's error types)."""

from guardrail.evaluation.stress.injection import RuleCount, count_rules, inject
from guardrail.evaluation.stress.sentences import right_versions, wrong_versions

__all__ = ["RuleCount", "count_rules", "inject", "right_versions", "wrong_versions"]
