"""Passages for answers that come without any (RefChecker, zero context); ``bm25`` looks them up in a folder."""

from guardrail.check.retrieve import AsyncRetriever, Retriever

__all__ = ["AsyncRetriever", "Retriever"]
