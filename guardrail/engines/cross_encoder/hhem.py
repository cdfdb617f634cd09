"""HHEM-2.1-Open (model card of vectara/hallucination_evaluation_model), without running the code in its repository.

That code only wraps a T5ForTokenClassification of transformers: it fills in the prompt below and reads the logits at
the first token, a ``<pad>`` that stands where other models have ``[CLS]``. The weights lie under ``t5.``; config and
tokenizer are those of google/flan-t5-base.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.chunks import filled
from guardrail.engines.cross_encoder.forward import Forward
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.options import Options
from guardrail.engines.cross_encoder.pairs import Pair
from guardrail.engines.cross_encoder.tokens import Tokens
from guardrail.errors import ConfigurationError

LONGEST = 2048
"""The model has no limit of its own; the card times it on 2k tokens, and memory grows with the square."""

_PREFIX = "t5."
_EMBEDDINGS = ("transformer.shared.weight", "transformer.encoder.embed_tokens.weight")


class HHEM:
    """A T5 encoder with a head of two labels."""

    joiner: str | None = None

    def __init__(self, folder: Path, base: Path, head: Head, options: Options) -> None:
        self._tokens = Tokens(base)
        self._head = head
        self.limit = options.max_tokens or LONGEST
        self._size = options.window or self.limit // 2
        self._forward = Forward(_model(folder, base, head.width), options.device, self._tokens.padding)

    def cut(self, sentences: Sequence[str]) -> list[range]:
        """Whole passages; very long ones in windows of half of what the model reads at once."""
        return filled(sentences, self._tokens.count, self._size)

    def encode(self, window: str, claim: str) -> tuple[int, ...]:
        """The documented prompt."""
        clean = self._tokens.clean
        question = "<pad> Determine if the hypothesis is true given the premise?"
        return self._tokens.ids(f"{question}\n\nPremise: {clean(window)}\n\nHypothesis: {clean(claim)}")

    def scores(self, batch: Sequence[Pair]) -> NDArray[np.float64]:
        """See PairModel.scores."""
        return self._head.probabilities(self._forward([pair.ids for pair in batch])[:, 0, :])


def _model(folder: Path, base: Path, width: int) -> Any:
    from safetensors.torch import load_file
    from transformers import AutoConfig, T5ForTokenClassification

    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise ConfigurationError(f"no model.safetensors in {str(folder)!r}. Name the folder of HHEM-2.1-Open.")
    state: dict[str, Any] = {}
    for file in files:
        state.update({name.removeprefix(_PREFIX): tensor for name, tensor in load_file(str(file)).items()})
    stored = [name for name in _EMBEDDINGS if name in state]
    if stored:  # one matrix under two names, of which files keep one
        state = dict.fromkeys(_EMBEDDINGS, state[stored[0]]) | state
    config = AutoConfig.from_pretrained(str(base), local_files_only=True, trust_remote_code=False, num_labels=width)
    model = T5ForTokenClassification(config)
    try:
        found = model.load_state_dict(state, strict=False)
    except RuntimeError as error:  # shapes differ
        raise ConfigurationError(
            f"the weights in {str(folder)!r} do not fit the config in {str(base)!r}. Set base= to google/flan-t5-base."
        ) from error
    wrong = [*found.missing_keys, *found.unexpected_keys]
    if wrong:
        raise ConfigurationError(
            f"the weights in {str(folder)!r} are not those of HHEM-2.1-Open: {wrong[0]} is missing or unknown. "
            "Name the folder of vectara/hallucination_evaluation_model."
        )
    return model
