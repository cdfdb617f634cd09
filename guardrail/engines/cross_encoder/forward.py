"""The forward pass of a torch model over one padded batch, and loading it with all its weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import ConfigurationError


class Forward:
    """A torch model that is ready to be called from any thread."""

    def __init__(
        self, model: Any, device: str | None, padding: int, logits: Callable[[Any], Any] = lambda output: output.logits
    ) -> None:
        import torch

        wanted = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            self._model = model.to(wanted).eval()
        except (RuntimeError, AssertionError) as error:
            raise ConfigurationError(f"cannot use device {wanted!r} ({type(error).__name__}). Try 'cpu'.") from error
        self._device = wanted
        self._padding = padding
        self._logits = logits

    def __call__(self, batch: Sequence[Sequence[int]], **extra: NDArray[np.int64]) -> NDArray[np.float64]:
        """Logits of a batch of ids; shape (texts, ...) as the model gives them."""
        import torch

        ids, mask = padded(batch, self._padding)
        given = {"input_ids": ids, "attention_mask": mask, **extra}
        with torch.inference_mode():
            inputs = {name: torch.from_numpy(array).to(self._device) for name, array in given.items()}
            logits = self._logits(self._model(**inputs))
        return np.asarray(logits.float().cpu().numpy(), dtype=np.float64)


def pretrained(kind: Any, folder: Any, **options: Any) -> Any:
    """A model with all its weights; transformers itself fills missing ones with random numbers.

    Raises:
        ConfigurationError: the folder lacks some weights of this kind of model.
    """
    model, info = kind.from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=False, output_loading_info=True, **options
    )
    missing = sorted(info["missing_keys"]) + sorted(map(str, info.get("mismatched_keys", ())))
    if missing:
        raise ConfigurationError(
            f"the model in {str(folder)!r} lacks {len(missing)} weights ({missing[0]}): it is not of this kind. "
            "Name the model that was trained for this task."
        )
    return model


def padded(batch: Sequence[Sequence[int]], padding: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids and attention mask of a batch: both of shape (texts, longest text)."""
    ids = np.full((len(batch), max(map(len, batch))), padding, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask
