"""Weights of the larger embedded reader of rag-guardrail: data only, nothing is run when this is imported."""
