"""Passages for answers that come without any (RefChecker, zero context): the protocol, and BM25 over a folder."""

from guardrail.retrieval.bm25 import BM25Retriever
from guardrail.retrieval.protocol import AsyncRetriever, Retriever

__all__ = ["AsyncRetriever", "BM25Retriever", "Retriever"]
