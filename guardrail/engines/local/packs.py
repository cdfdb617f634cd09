"""A model that reads a premise once for all claims: (premise, claims) -> verdicts and error types of each claim.

One forward pass holds ``<s> premise </s>`` and, for each claim, ``<s> claim </s>``. The premise is read without the
claims, each claim with the premise and without the other claims, so a passage costs little more for five claims than
for one. Activations are quantized over the whole pass, so a claim's log-odds depend on its neighbours a little (0.1).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.local.model import (
    MAX_CLAIM_TOKENS,
    OUTPUTS,
    PACKS,
    as_probabilities,
    encoder,
    session,
    token_types,
)
from guardrail.text.language import language_of

START, END, FIRST_POSITION = 0, 2, 2
MAX_PREMISE_TOKENS = 300
CLAIMS = 12
"""Claims of one pass at most: what a deadline may have to wait for."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A pack as numbers, one per token: word, position, segment (0 = the premise, n = the n-th claim), token type."""

    ids: list[int]
    positions: list[int]
    segments: list[int]
    kinds: list[int]


def layout(premise: Sequence[int], claims: Sequence[Sequence[int]]) -> Layout:
    """The pack of a premise and claims, given as tokens; the positions of each claim go on from the premise's end."""
    length = len(premise) + 2
    made = Layout(
        [START, *premise, END], list(range(FIRST_POSITION, FIRST_POSITION + length)), [0] * length, [0] * length
    )
    for number, claim in enumerate(claims, 1):
        size = len(claim) + 2
        made.ids.extend([START, *claim, END])
        made.positions.extend(range(FIRST_POSITION + length, FIRST_POSITION + length + size))
        made.segments.extend([number] * size)
        made.kinds.extend(token_types(premise, claim)[len(premise) + 1 :])
    return made


def reader_languages(folder: Path) -> frozenset[str]:
    """Codes (ISO 639-1) of the languages that the model of that folder was trained on."""
    return frozenset(json.loads((folder / PACKS).read_text(encoding="utf-8")).get("languages", ("en",)))


class PackReader:
    """A loaded model; threads may share it."""

    statements = True
    """Whether it reads table rows, objects and list items as statements (guardrail.text.records)."""

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._session = session(folder, threads)
        self._encode = encoder(folder)
        self._languages = reader_languages(folder)

    def reads(self, text: str) -> bool:
        """See Reader.reads."""
        return language_of(text) in self._languages

    def tokens(self, text: str) -> int:
        """See Reader.tokens."""
        return len(self._encode(text))

    def probabilities(
        self, pairs: Sequence[tuple[str, str]], stop: Callable[[], bool] = lambda: False
    ) -> NDArray[np.float32]:
        """See CrossEncoder.probabilities; pairs with the same premise are read together."""
        result = np.full((len(pairs), OUTPUTS), np.nan, dtype=np.float32)
        rows: dict[str, list[int]] = {}
        for row, (premise, _) in enumerate(pairs):
            rows.setdefault(premise, []).append(row)
        for premise, members in rows.items():
            for start in range(0, len(members), CLAIMS):
                if stop():
                    return result
                part = members[start : start + CLAIMS]
                result[part] = self._run(premise, [pairs[row][1] for row in part])
        return result

    def _run(self, premise: str, claims: Sequence[str]) -> NDArray[np.float32]:
        left = self._encode(premise)[:MAX_PREMISE_TOKENS]
        made = layout(left, [self._encode(claim)[:MAX_CLAIM_TOKENS] for claim in claims])
        names = ("ids", "positions", "segments", "kinds")
        feed = {name: np.array([getattr(made, name)], dtype=np.int64) for name in names}
        [logits] = self._session.run(None, feed)[0]
        return np.stack([as_probabilities(row) for row in logits])
