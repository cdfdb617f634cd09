"""Engines on models of the Hugging Face hub: the field's own checkers, and any cross-encoder for NLI.

Needs ``pip install "rag-guardrail[sentence-transformers]"``; nothing of it is imported before a model is loaded.
"""

from guardrail.engines.cross_encoder.catalog import CARDS, Card
from guardrail.engines.cross_encoder.engine import CrossEncoderEngine
from guardrail.engines.cross_encoder.making import is_cross_encoder, make

__all__ = ["CARDS", "Card", "CrossEncoderEngine", "is_cross_encoder", "make"]
