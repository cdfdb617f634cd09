"""AlignScore (Zha et al., ACL 2023; github.com/yuh-zha/AlignScore, src/alignscore/inference.py, mode ``nli_sp``).

A RoBERTa with a head of three labels on the pooled first token; chunks of equally many sentences, about 350 words each;
a pair of texts; best chunk. The authors publish a checkpoint of PyTorch Lightning, which is read as data only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.chunks import even
from guardrail.engines.cross_encoder.forward import Forward
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.options import Options
from guardrail.engines.cross_encoder.pairs import Pair
from guardrail.engines.cross_encoder.tokens import Tokens
from guardrail.errors import ConfigurationError

CHUNK_WORDS = 350
LONGEST = 512
_ENCODER, _HEAD = "base_model.", "tri_layer."


class AlignScore:
    """The 3-way head: aligned, neutral, contradicted."""

    joiner: str | None = " "

    def __init__(self, weights: Path, base: Path, head: Head, options: Options) -> None:
        self._tokens = Tokens(base)
        self._head = head
        self._size = options.window or CHUNK_WORDS
        self.limit = options.max_tokens or LONGEST
        model = _model(weights, base, head.width)
        self._forward = Forward(
            model, options.device, self._tokens.padding, lambda output: model.tri_layer(output.pooler_output)
        )

    def cut(self, sentences: Sequence[str]) -> list[range]:
        """Equally many sentences, about 350 words."""
        return even(sentences, self._size)

    def encode(self, window: str, claim: str) -> tuple[int, ...]:
        """A pair of texts."""
        return self._tokens.pair(self._tokens.clean(window), self._tokens.clean(claim))

    def scores(self, batch: Sequence[Pair]) -> NDArray[np.float64]:
        """See PairModel.scores."""
        return self._head.probabilities(self._forward([pair.ids for pair in batch]))


def find_weights(folder: Path, name: str | None) -> Path:
    """The checkpoint in a folder: the one named, else the only one.

    Raises:
        ConfigurationError: there is none, or several.
    """
    found = sorted([*folder.glob("*.ckpt"), *folder.glob("*.safetensors")])
    chosen = [path for path in found if path.name == name] or found
    if len(chosen) != 1:
        raise ConfigurationError(
            f"{len(found)} checkpoints of AlignScore in {str(folder)!r}, need one. "
            "Put AlignScore-large.ckpt or AlignScore-base.ckpt there."
        )
    return chosen[0]


def _state(weights: Path) -> dict[str, Any]:
    if weights.suffix == ".safetensors":
        from safetensors.torch import load_file

        return dict(load_file(str(weights)))
    import pickle

    import torch

    try:
        # Only tensors and plain values: a pickle could run code.
        content = torch.load(str(weights), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ConfigurationError(
            f"{weights.name} holds more than weights and is not read, for it could run code. Where you trust it, save "
            "torch.load(path, weights_only=False)['state_dict'] with safetensors, and name that folder."
        ) from error
    state = content.get("state_dict", content) if isinstance(content, dict) else {}
    return dict(state)


def _model(weights: Path, base: Path, width: int) -> Any:
    import torch
    from transformers import AutoConfig, RobertaModel

    state = _state(weights)
    config = AutoConfig.from_pretrained(str(base), local_files_only=True, trust_remote_code=False)
    encoder = RobertaModel(config)
    own = {name.removeprefix(_ENCODER): tensor for name, tensor in state.items() if name.startswith(_ENCODER)}
    head = torch.nn.Linear(config.hidden_size, width)
    top = {name.removeprefix(_HEAD): tensor for name, tensor in state.items() if name.startswith(_HEAD)}
    try:
        missing = encoder.load_state_dict(own, strict=False).missing_keys
        head.load_state_dict(top)
    except RuntimeError as error:  # shapes differ, or there is no head
        raise ConfigurationError(
            f"{weights.name} does not fit the config in {str(base)!r}. Set base= to the RoBERTa it was trained from."
        ) from error
    if missing:
        raise ConfigurationError(f"{weights.name} is no AlignScore checkpoint: it lacks {missing[0]}.")

    encoder.tri_layer = head  # so that it moves to the device with the rest
    return encoder
