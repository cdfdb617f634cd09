"""Any cross-encoder for natural language inference, loaded through ``sentence_transformers.CrossEncoder``.

The label order is that of its config; heads of 2 and 3 labels, or of 1 where ``labels`` says so. Premise first.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.chunks import filled
from guardrail.engines.cross_encoder.folders import read_config
from guardrail.engines.cross_encoder.forward import pretrained
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.options import Options
from guardrail.engines.cross_encoder.pairs import Pair
from guardrail.engines.cross_encoder.tokens import Tokens

WINDOW_TOKENS = 400
LONGEST = 512
"""Used where the tokenizer's config has no limit, and as a ceiling: models for NLI were trained on short texts."""


_OFFSET = 2
"""Positions that RoBERTa and its kin keep for themselves."""


def _positions(config: Mapping[str, Any]) -> int:
    """Tokens that the model has positions for."""
    positions = config.get("max_position_embeddings")
    offset = _OFFSET if "roberta" in str(config.get("model_type")) else 0
    return positions - offset if isinstance(positions, int) and positions > 0 else LONGEST


class CrossEncoderNLI:
    """A sentence-transformers CrossEncoder."""

    joiner: str | None = None

    def __init__(self, folder: Path, head: Head, options: Options) -> None:
        import torch
        from sentence_transformers import CrossEncoder
        from transformers import AutoModelForSequenceClassification

        # CrossEncoder would fill a missing head with random numbers, without a word.
        pretrained(AutoModelForSequenceClassification, folder, num_labels=head.width)
        self._tokens = Tokens(folder)
        self._head = head
        self._plain = torch.nn.Identity()
        self.limit = options.max_tokens or min(self._tokens.longest, LONGEST, _positions(read_config(folder)))
        self._size = options.window or min(WINDOW_TOKENS, self.limit - self.limit // 4)
        self._model = CrossEncoder(
            str(folder),
            device=options.device,
            max_length=self.limit,
            num_labels=head.width,
            local_files_only=True,
            trust_remote_code=False,
        )
        self._lock = threading.Lock()  # predict configures the shared tokenizer

    def cut(self, sentences: Sequence[str]) -> list[range]:
        """Sentences up to 400 tokens."""
        return filled(sentences, self._tokens.count, self._size)

    def encode(self, window: str, claim: str) -> tuple[int, ...]:
        """A pair of texts; the ids tell whether it fits."""
        return self._tokens.pair(self._tokens.clean(window), self._tokens.clean(claim))

    def scores(self, batch: Sequence[Pair]) -> NDArray[np.float64]:
        """See PairModel.scores."""
        clean = self._tokens.clean
        texts = [(clean(pair.window), clean(pair.claim)) for pair in batch]
        with self._lock:
            logits = self._model.predict(
                texts, batch_size=len(texts), activation_fn=self._plain, show_progress_bar=False
            )
        return self._head.probabilities(np.asarray(logits))
