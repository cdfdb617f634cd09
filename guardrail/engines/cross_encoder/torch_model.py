"""A torch model, used from any thread: its tokenizer, its weights, and the forward pass over one padded batch."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.errors import ConfigurationError

_SURROGATE = re.compile("[\ud800-\udfff]")


class Tokens:
    """A model's tokenizer: nothing is cut off, and no text is read as a control token.

    Its Rust part is not thread-safe while it is configured, hence the lock.
    """

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        if not getattr(tokenizer, "is_fast", False):
            raise ConfigurationError(f"the tokenizer in {str(folder)!r} is not a fast one. Add a tokenizer.json.")
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        control = sorted(filter(None, tokenizer.all_special_tokens), key=len, reverse=True)
        unknown = tokenizer.unk_token_id  # what any text may become
        self._control_ids = frozenset(tokenizer.all_special_ids) - {unknown}
        self._control = re.compile("|".join(map(re.escape, control)) or r"(?!)")

    @property
    def end(self) -> str:
        """The token that ends a text, as text."""
        return str(self._tokenizer.eos_token or self._tokenizer.sep_token)

    @property
    def padding(self) -> int:
        """Id of the token that fills up a batch."""
        return int(self._tokenizer.pad_token_id or 0)

    @property
    def longest(self) -> int:
        """Most tokens the tokenizer's config allows; a huge number where it says nothing."""
        return int(self._tokenizer.model_max_length)

    def clean(self, text: str) -> str:
        """The text, as long as before, without what a tokenizer fails on or takes for a control token.

        A passage that holds ``</s>`` or ``[SEP]`` must not end the premise; nor look-alikes such as ``＜/s＞``, which
        some tokenizers normalise to them.
        """
        text = self._without_control(text)
        while spans := self._taken_for_control(text):
            for start, end in spans:
                text = text[:start] + "(" * (end - start) + text[end:]
        return text

    def _without_control(self, text: str) -> str:
        return self._control.sub(lambda found: "(" + found.group()[1:], _SURROGATE.sub("\ufffd", text))

    def _taken_for_control(self, text: str) -> list[tuple[int, int]]:
        encoded = self._encode(text, add_special_tokens=False, return_offsets_mapping=True)
        tokens = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
        return [(start, end) for ident, (start, end) in tokens if ident in self._control_ids and start < end]

    def count(self, text: str) -> int:
        """Number of tokens of a text by itself."""
        return len(self._encode(self._without_control(text), add_special_tokens=False)["input_ids"])

    def ids(self, text: str) -> tuple[int, ...]:
        """Ids of one text, with the model's control tokens; the text is a prompt, already clean."""
        return tuple(self._encode(text)["input_ids"])

    def pair(self, first: str, second: str) -> tuple[int, ...]:
        """Ids of two clean texts, with the model's control tokens."""
        return tuple(self._encode(first, second)["input_ids"])

    def second_of_pair(self, first: str, second: str) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
        """Ids of a pair, and (number of token, start, end) of each token that stands for some of the second text."""
        encoded = self._encode(first, second, return_offsets_mapping=True)
        offsets = encoded["offset_mapping"]
        own = [
            (number, int(offsets[number][0]), int(offsets[number][1]))
            for number, which in enumerate(encoded.sequence_ids(0))
            if which == 1 and offsets[number][0] < offsets[number][1]
        ]
        return tuple(encoded["input_ids"]), tuple(own)

    def _encode(self, *texts: str, **options: Any) -> Any:
        with self._lock:
            return self._tokenizer(*texts, truncation=False, padding=False, verbose=False, **options)


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
