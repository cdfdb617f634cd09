"""Engines on models of the Hugging Face hub: the field's own checkers, and any cross-encoder for NLI.

Needs ``pip install "rag-guardrail[sentence-transformers]"``; nothing of it is imported before a model is loaded.
"""

from guardrail.engines.cross_encoder.catalog import SPECS, ModelSpec
from guardrail.engines.cross_encoder.engine import CrossEncoderEngine
from guardrail.engines.cross_encoder.loading import is_cross_encoder, make

__all__ = ["SPECS", "CrossEncoderEngine", "ModelSpec", "is_cross_encoder", "make"]
