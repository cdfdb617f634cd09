"""FactCG-DeBERTa-v3-Large (Lei et al., NAACL 2025; github.com/derenlei/FactCG, factcg/inference.py and utils.py).

One text with a question about the claim, chunks of whole sentences up to 550 words and marks, one sentence per line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.chunks import filled, words_and_marks
from guardrail.engines.cross_encoder.forward import Forward, pretrained
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.options import Options
from guardrail.engines.cross_encoder.pairs import Pair
from guardrail.engines.cross_encoder.tokens import Tokens

CHUNK_WORDS = 550
LONGEST = 2048
_BEFORE = '\n\nChoose your answer: based on the paragraph above can we conclude that "'
_AFTER = '"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '


class FactCG:
    """The model on the hub: a head of two labels."""

    joiner: str | None = "\n"

    def __init__(self, folder: Path, head: Head, options: Options) -> None:
        from transformers import AutoModelForSequenceClassification

        self._tokens = Tokens(folder)
        self._head = head
        self._size = options.window or CHUNK_WORDS
        self.limit = options.max_tokens or LONGEST
        model = pretrained(AutoModelForSequenceClassification, folder, num_labels=head.width)
        self._forward = Forward(model, options.device, self._tokens.padding)

    def cut(self, sentences: Sequence[str]) -> list[range]:
        """Sentences up to 550 words and punctuation marks."""
        return filled(sentences, words_and_marks, self._size)

    def encode(self, window: str, claim: str) -> tuple[int, ...]:
        """The window and the documented question."""
        return self._tokens.ids(self._tokens.clean(window) + _BEFORE + self._tokens.clean(claim) + _AFTER)

    def scores(self, batch: Sequence[Pair]) -> NDArray[np.float64]:
        """See PairModel.scores."""
        return self._head.probabilities(self._forward([pair.ids for pair in batch]))
