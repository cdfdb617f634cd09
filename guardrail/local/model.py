"""The embedded cross-encoder: (premise, claim) -> probabilities of supported, contradicted, neutral."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

MODEL_FOLDER = Path(__file__).parent / "model"
MAX_TOKENS = 320
MAX_CLAIM_TOKENS = 128
BATCH_TOKENS = 1024
"""Larger batches are no faster on a CPU, take memory, and pad short pairs to the length of long ones."""

_CLS, _SEP = 101, 102
_SURROGATE = re.compile("[\ud800-\udfff]")


class CrossEncoder:
    """A loaded model; one per process and folder is enough, threads may share it."""

    def __init__(self, folder: Path = MODEL_FOLDER, threads: int = 0) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = threads
        # Workers spin within a forward pass (up to twice as fast on short batches), but never between two: the guard
        # lives inside somebody's service.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        options.log_severity_level = 3
        self._session = InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._encode = lru_cache(maxsize=4096)(self._encode_uncached)

    def _encode_uncached(self, text: str) -> tuple[int, ...]:
        # A lone surrogate has no UTF-8 form, which the tokenizer needs.
        text = text.encode("utf-8", "replace").decode("utf-8") if _SURROGATE.search(text) else text
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], stop: Callable[[], bool] = lambda: False
    ) -> NDArray[np.float32]:
        """P(supported), P(contradicted), P(neutral) per pair: array of shape (pairs, 3).

        Args:
            pairs: (premise, claim) texts; a premise is cut to what fits MAX_TOKENS with its claim.
            stop: Asked before each pair is encoded and each batch read; once True, rows not yet computed stay NaN.
        """
        result = np.full((len(pairs), 3), np.nan, dtype=np.float32)
        encoded = []
        for premise, claim in pairs:
            if stop():
                return result
            encoded.append(self._pair(premise, claim))
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i][0]))
        start = 0
        while start < len(order) and not stop():
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(encoded[order[end]][0]) <= BATCH_TOKENS:
                end += 1
            batch = order[start:end]
            result[batch] = self._run([encoded[i] for i in batch])
            start = end
        return result

    def _pair(self, premise: str, claim: str) -> tuple[list[int], int]:
        """Token ids of [CLS] premise [SEP] claim [SEP], and where the claim begins."""
        right = self._encode(claim)[:MAX_CLAIM_TOKENS]
        left = self._encode(premise)[: MAX_TOKENS - 3 - len(right)]
        return [_CLS, *left, _SEP, *right, _SEP], len(left) + 2

    def _run(self, batch: list[tuple[list[int], int]]) -> NDArray[np.float32]:
        longest = max(len(ids) for ids, _ in batch)
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        types, mask = np.zeros_like(ids), np.zeros_like(ids)
        for row, (tokens, claim_start) in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            types[row, claim_start : len(tokens)] = 1
            mask[row, : len(tokens)] = 1
        logits = self._session.run(None, {"input_ids": ids, "token_type_ids": types, "attention_mask": mask})[0]
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities: NDArray[np.float32] = shifted / shifted.sum(axis=1, keepdims=True)
        return probabilities


_LOADED: dict[tuple[Path, int], CrossEncoder] = {}
_LOCK = threading.Lock()


def load(folder: Path = MODEL_FOLDER, threads: int = 0) -> CrossEncoder:
    """The model in that folder, loaded on first use and shared by all guards of the process."""
    with _LOCK:
        key = (folder, threads)
        if key not in _LOADED:
            _LOADED[key] = CrossEncoder(folder, threads)
        return _LOADED[key]
