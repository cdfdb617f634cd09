"""MiniCheck (Tang et al., EMNLP 2024; github.com/Liyan06/MiniCheck, minicheck/inference.py).

Document and claim are one text with the tokenizer's end token between them. Chunks of whole sentences: 400 tokens for
the encoders, 500 words for Flan-T5. The score is the best chunk's; above 0.5 the claim is supported.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.chunks import filled, words
from guardrail.engines.cross_encoder.folders import read_config
from guardrail.engines.cross_encoder.forward import Forward, pretrained
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.options import Options
from guardrail.engines.cross_encoder.pairs import Pair
from guardrail.engines.cross_encoder.tokens import Tokens

ENCODER_TOKENS, FLAN_T5_WORDS = 400, 500
ENCODER_LIMITS = {"roberta": 512}
LONGEST = 2048
NO, YES = 3, 209
"""Token ids whose logits Flan-T5's answer is read from, after one decoder step."""


def minicheck(folder: Path, head: Head, options: Options) -> MiniCheckEncoder | MiniCheckFlanT5:
    """The model in a folder: an encoder or a Flan-T5, as its config says."""
    kind = MiniCheckFlanT5 if read_config(folder).get("model_type") == "t5" else MiniCheckEncoder
    return kind(folder, head, options)


class MiniCheckEncoder:
    """MiniCheck-RoBERTa-Large and MiniCheck-DeBERTa-v3-Large: a head of two labels on the whole text."""

    joiner: str | None = None

    def __init__(self, folder: Path, head: Head, options: Options) -> None:
        from transformers import AutoModelForSequenceClassification

        self._tokens = Tokens(folder)
        self._head = head
        self._size = options.window or ENCODER_TOKENS
        self.limit = options.max_tokens or ENCODER_LIMITS.get(str(read_config(folder).get("model_type")), LONGEST)
        model = pretrained(AutoModelForSequenceClassification, folder, num_labels=head.width)
        self._forward = Forward(model, options.device, self._tokens.padding)

    def cut(self, sentences: Sequence[str]) -> list[range]:
        """Sentences up to 400 tokens."""
        return filled(sentences, self._tokens.count, self._size)

    def encode(self, window: str, claim: str) -> tuple[int, ...]:
        """Window, end token, claim."""
        return self._tokens.ids(self._tokens.clean(window) + self._tokens.end + self._tokens.clean(claim))

    def scores(self, batch: Sequence[Pair]) -> NDArray[np.float64]:
        """See PairModel.scores."""
        return self._head.probabilities(self._forward([pair.ids for pair in batch]))


class MiniCheckFlanT5:
    """MiniCheck-Flan-T5-Large: the text after ``predict:``; the first token of the answer says no or yes."""

    joiner: str | None = None

    def __init__(self, folder: Path, head: Head, options: Options) -> None:
        from transformers import AutoModelForSeq2SeqLM

        self._tokens = Tokens(folder)
        self._head = head
        self._size = options.window or FLAN_T5_WORDS
        self.limit = options.max_tokens or LONGEST
        model = _with_own_embeddings(pretrained(AutoModelForSeq2SeqLM, folder), folder)
        self._forward = Forward(model, options.device, self._tokens.padding)

    def cut(self, sentences: Sequence[str]) -> list[range]:
        """Sentences up to 500 words."""
        return filled(sentences, words, self._size)

    def encode(self, window: str, claim: str) -> tuple[int, ...]:
        """``predict:``, window, end token, claim."""
        clean = self._tokens.clean
        return self._tokens.ids(f"predict: {clean(window)}{self._tokens.end}{clean(claim)}")

    def scores(self, batch: Sequence[Pair]) -> NDArray[np.float64]:
        """See PairModel.scores; the decoder starts with token 0, as in training."""
        start = np.zeros((len(batch), 1), dtype=np.int64)
        logits = self._forward([pair.ids for pair in batch], decoder_input_ids=start)
        return self._head.probabilities(logits[:, 0, [NO, YES]])


_EMBEDDINGS = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")


def _with_own_embeddings(model: Any, folder: Path) -> Any:
    """The model with the input embeddings of its files.

    Files keep a shared matrix under one of three names. Where that is not the first, transformers 5 takes the output
    matrix instead, without a word (huggingface/transformers issue 48154).
    """
    import torch
    from safetensors import safe_open

    for file in sorted(folder.glob("model*.safetensors")):
        with safe_open(str(file), framework="pt") as stored:
            names = [name for name in _EMBEDDINGS if name in stored.keys()]  # noqa: SIM118  it is no mapping
            if names:
                weights = stored.get_tensor(names[0]).to(model.dtype)
                model.set_input_embeddings(torch.nn.Embedding.from_pretrained(weights))
                return model
    return model
