"""Weights of ``Guard(engine="local:base")``: a reader of whole passages, and the scorer of what it reads."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Holds model.onnx, which reads weights.onnx beside it, tokenizer.json, packs.json and scorer.json."""
