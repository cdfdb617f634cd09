"""The embedded cross-encoder: (premise, claim) -> supported, contradicted or neutral, and the likeliest error."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from guardrail.errors import ConfigurationError
from guardrail.types import ErrorType

MODEL_FOLDER = Path(__file__).parent / "model"
MAX_TOKENS = 320
MAX_CLAIM_TOKENS = 128
VERDICTS = 3
"""Columns of ``probabilities`` that hold supported, contradicted, neutral; those after them hold ERROR_TYPES."""

ERROR_TYPES = tuple(kind for kind in ErrorType if kind is not ErrorType.MIXED_ENTITIES)
"""Error types that the model tells apart; for namesakes one passage is not enough."""

TOKEN_KINDS = 6
"""How many values token types take: see ``token_types``."""

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """Ids around premise and claim; a model that is no BERT brings its own in ``tokens.json``."""

    start: tuple[int, ...] = (101,)
    between: tuple[int, ...] = (102,)
    end: tuple[int, ...] = (102,)

    @classmethod
    def of(cls, folder: Path) -> SpecialTokens:
        """Those of the model in a folder."""
        path = folder / "tokens.json"
        own = json.loads(path.read_text()) if path.exists() else {}
        return cls(**{name: tuple(ids) for name, ids in own.items()})

    def pair(self, left: Sequence[int], right: Sequence[int]) -> tuple[list[int], list[int]]:
        """Token ids of a pair, and their types; further separators between the two count to the claim's side."""
        types = token_types(left, right)
        border = len(left) + 2
        types[border:border] = [1] * (len(self.between) - 1)
        return [*self.start, *left, *self.between, *right, *self.end], types


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
        width = self._session.get_outputs()[0].shape[-1]
        wanted = VERDICTS + len(ERROR_TYPES)
        if width != wanted:
            raise ConfigurationError(
                f"the model in {str(folder)!r} gives {width} outputs, this version reads {wanted}. "
                "Export it again with this version's training/export.py."
            )
        self._special = SpecialTokens.of(folder)
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
        """P(supported), P(contradicted), P(neutral), then P(error type | not supported): shape (pairs, 13).

        Each pair is read alone: the int8 model scales a batch as a whole, so that a pair's score would depend on its
        neighbours (by up to 1.0 in log-odds). On a CPU batches are no faster.

        Args:
            pairs: (premise, claim) texts; a premise is cut to what fits MAX_TOKENS with its claim.
            stop: Asked before each pair is read; once True, rows not yet computed stay NaN.
        """
        result = np.full((len(pairs), VERDICTS + len(ERROR_TYPES)), np.nan, dtype=np.float32)
        for row, (premise, claim) in enumerate(pairs):
            if stop():
                break
            result[row] = self._run(*self._pair(premise, claim))
        return result

    def _pair(self, premise: str, claim: str) -> tuple[list[int], list[int]]:
        right = self._encode(claim)[:MAX_CLAIM_TOKENS]
        left = self._encode(premise)[: MAX_TOKENS - 4 - len(right)]
        return self._special.pair(left, right)

    def _run(self, tokens: list[int], types: list[int]) -> NDArray[np.float32]:
        ids, kinds = (np.array([each], dtype=np.int64) for each in (tokens, types))
        feed = {"input_ids": ids, "token_type_ids": kinds, "attention_mask": np.ones_like(ids)}
        [logits] = self._session.run(None, feed)[0]
        return np.concatenate([_softmax(logits[:VERDICTS]), _softmax(logits[VERDICTS:])])


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = np.exp(logits - np.max(logits))
    return np.asarray(shifted / shifted.sum(), dtype=np.float32)


def token_types(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Type of each token of [CLS] left [SEP] right [SEP]: which side it is on, and whether the other side has it.

    Premise: 0 = the claim lacks it, 2 = has it, 4 = has it after the same token; claim: 3, 1, 5 likewise. So six layers
    need not spend themselves on finding what is copied: what is changed or has changed places shows at once.
    """
    return [0, *_kinds(left, right, (0, 2, 4)), 0, *_kinds(right, left, (3, 1, 5)), 1]


def _kinds(own: Sequence[int], other: Sequence[int], kinds: tuple[int, int, int]) -> list[int]:
    absent, present, follows = kinds
    known, runs = set(other), set(pairwise(other))
    found = [present if token in known else absent for token in own]
    for position, run in enumerate(pairwise(own), 1):
        if run in runs:
            found[position] = follows
    return found


_LOADED: dict[tuple[Path, int], CrossEncoder] = {}
_LOCK = threading.Lock()


def load(folder: Path = MODEL_FOLDER, threads: int = 0) -> CrossEncoder:
    """The model in that folder, loaded on first use and shared by all guards of the process."""
    with _LOCK:
        key = (folder, threads)
        if key not in _LOADED:
            _LOADED[key] = CrossEncoder(folder, threads)
        return _LOADED[key]
