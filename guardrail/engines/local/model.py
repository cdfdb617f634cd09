"""The embedded cross-encoder: (premise, claim) -> supported, contradicted or neutral, and the likeliest error."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from guardrail.errors import ConfigurationError
from guardrail.text.language import may_be_english
from guardrail.types import ErrorType

MODEL_FOLDER = Path(__file__).parent / "model"
LANGUAGES_FOLDER = Path(__file__).parent / "languages"
"""Where the model lies that reads other languages than English."""

MAX_TOKENS = 320
MAX_CLAIM_TOKENS = 128
CLAIM_WORDS = 85
"""Words of a segment read at once: 128 tokens hold them unless most are rare."""

VERDICTS = 3
"""Columns of ``probabilities`` that hold supported, contradicted, neutral; those after them hold ERROR_TYPES."""

ERROR_TYPES = tuple(kind for kind in ErrorType if kind is not ErrorType.MIXED_ENTITIES)
"""Error types that the model tells apart; for namesakes one passage is not enough."""

OUTPUTS = VERDICTS + len(ERROR_TYPES)

TOKEN_KINDS = 6
"""How many values token types take: see ``token_types``."""

FILES = ("model.onnx", "tokenizer.json", "scorer.json")
"""What a folder of weights must hold."""

PACKS = "packs.json"
"""A file of a model's folder: there where guardrail.engines.local.packs reads the model."""

_START, _SEPARATOR = 101, 102

_SURROGATE = re.compile("[\ud800-\udfff]")


class Reader(Protocol):
    """What the engine asks of a loaded model; threads may share it."""

    statements: bool
    """Whether it reads table rows, objects and list items as statements (guardrail.text.records)."""

    def __init__(self, folder: Path, threads: int) -> None: ...

    def reads(self, text: str) -> bool:
        """Whether a text is in a language that the model was trained on, as far as can be told."""
        ...

    def tokens(self, text: str) -> int:
        """How many tokens a text has, without special ones."""
        ...

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], stop: Callable[[], bool] = lambda: False
    ) -> NDArray[np.float32]:
        """P(supported), P(contradicted), P(neutral), then P(error type | not supported): shape (pairs, 13).

        Args:
            pairs: (premise, claim) texts; a premise that is too long is cut.
            stop: Asked before each pass; once True, rows not yet computed stay NaN.
        """
        ...


def session(folder: Path, threads: int) -> InferenceSession:
    """The model's graph, loaded.

    Raises:
        ConfigurationError: its outputs are those of another version.
    """
    options = SessionOptions()
    options.intra_op_num_threads = threads
    # Workers spin within a forward pass (up to twice as fast on short batches), but never between two: the guard
    # lives inside somebody's service.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    options.log_severity_level = 3
    made = InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    width = made.get_outputs()[0].shape[-1]
    if width != OUTPUTS:
        raise ConfigurationError(
            f"the model in {str(folder)!r} gives {width} outputs, this version reads {OUTPUTS}. "
            "Export it again with this version's training/export.py."
        )
    return made


def encoder(folder: Path) -> Callable[[str], tuple[int, ...]]:
    """From a text to the ids of its tokens, without special ones; texts seen lately are kept."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    @lru_cache(maxsize=4096)
    def encode(text: str) -> tuple[int, ...]:
        # A lone surrogate has no UTF-8 form, which the tokenizer needs.
        text = text.encode("utf-8", "replace").decode("utf-8") if _SURROGATE.search(text) else text
        return tuple(tokenizer.encode(text, add_special_tokens=False).ids)

    return encode


class CrossEncoder:
    """The model that reads each pair by itself; one per process and folder is enough."""

    statements = False

    def __init__(self, folder: Path = MODEL_FOLDER, threads: int = 0) -> None:
        self._session = session(folder, threads)
        self._encode = encoder(folder)

    def reads(self, text: str) -> bool:
        """See Reader.reads."""
        return may_be_english(text)

    def tokens(self, text: str) -> int:
        """See Reader.tokens."""
        return len(self._encode(text))

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], stop: Callable[[], bool] = lambda: False
    ) -> NDArray[np.float32]:
        """See Reader.probabilities; a premise is cut to what fits MAX_TOKENS with its claim.

        Each pair is read alone: the int8 model scales a batch as a whole, so that a pair's score would depend on its
        neighbours (by up to 1.0 in log-odds). On a CPU batches are no faster.
        """
        result = np.full((len(pairs), OUTPUTS), np.nan, dtype=np.float32)
        for row, (premise, claim) in enumerate(pairs):
            if stop():
                break
            result[row] = self._run(premise, claim)
        return result

    def _run(self, premise: str, claim: str) -> NDArray[np.float32]:
        right = self._encode(claim)[:MAX_CLAIM_TOKENS]
        left = self._encode(premise)[: MAX_TOKENS - 4 - len(right)]
        tokens = [_START, *left, _SEPARATOR, *right, _SEPARATOR]
        ids, kinds = (np.array([each], dtype=np.int64) for each in (tokens, token_types(left, right)))
        feed = {"input_ids": ids, "token_type_ids": kinds, "attention_mask": np.ones_like(ids)}
        [logits] = self._session.run(None, feed)[0]
        return as_probabilities(logits)


def as_probabilities(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Verdicts and error types, each group of logits by itself."""
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


def claim_pieces(text: str) -> list[str]:
    """The text in pieces that the model reads whole; what it does not read must not count as supported."""
    words = text.split()
    if len(words) <= CLAIM_WORDS:
        return [text]
    return [" ".join(words[start : start + CLAIM_WORDS]) for start in range(0, len(words), CLAIM_WORDS)]
