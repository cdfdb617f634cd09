"""Models that read one window and one claim at a time: everything but the model itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.reading import PassageScores, Reading, over_all
from guardrail.engines.cross_encoder.torch_model import Tokens
from guardrail.engines.cross_encoder.windows import Cut, Window, fitted, pieces, windows
from guardrail.engines.local.passage_index import Library

_BLOCK = 64
"""Pairs sorted by length together: enough to save padding, few enough that early segments are done early."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A window and a claim as the model takes them."""

    ids: tuple[int, ...]
    window: str
    claim: str


@dataclass(frozen=True, slots=True)
class PairModel:
    """A loaded model of (window, claim).

    Attributes:
        tokens: Its tokenizer.
        cut: Its chunking rule.
        encode: Token ids of the documented input, never cut, from a clean window and a clean claim.
        scores: P(supported) and P(contradicted) of a batch: shape (pairs, 2).
        limit: Most tokens of an input.
        joiner: What stands between two sentences of a window; None = what stands there in the passage.
    """

    tokens: Tokens
    cut: Cut
    encode: Callable[[str, str], tuple[int, ...]]
    scores: Callable[[Sequence[Pair]], NDArray[np.float64]]
    limit: int
    joiner: str | None = None

    def pair(self, window: str, claim: str) -> Pair:
        """The two as the model takes them."""
        window, claim = self.tokens.clean(window), self.tokens.clean(claim)
        return Pair(self.encode(window, claim), window, claim)


@dataclass(frozen=True, slots=True)
class _Task:
    segment: int
    piece: int
    window: Window
    pair: Pair


class PairJudge:
    """Reads each segment against each window of each passage.

    A passage supports a segment as much as its best window does, and all passages as much as the best of them
    (MiniCheck, FactCG and AlignScore: the maximum over chunks). A segment too long for the model is read in pieces and
    is as good as the worst of them.
    """

    def __init__(self, model: PairModel, batch_tokens: int) -> None:
        self._model = model
        self._batch_tokens = batch_tokens

    def read(
        self,
        segments: Sequence[str],
        library: Library,
        passages: Sequence[int],
        question: str | None,  # noqa: ARG002  these models were trained without it
        stop: Callable[[], bool],
    ) -> list[Reading | None]:
        """See Judge.read."""
        cut: list[Window] = []
        for number in passages:
            if stop():
                return [None] * len(segments)
            cut += windows(library, number, self._model.cut, self._model.joiner)
        done: list[list[tuple[_Task, float, float]]] = [[] for _ in segments]
        wanted: list[int | None] = [None] * len(segments)  # pairs of a segment; None = not even encoded
        block: list[_Task] = []
        for number, text in enumerate(segments):
            if stop():
                break
            tasks = list(takewhile(lambda _: not stop(), self._tasks(number, text, library, cut)))
            if stop():
                break
            wanted[number] = len(tasks)
            block.extend(tasks)
            if len(block) >= _BLOCK or number == len(segments) - 1:
                for task, supported, contradicted in self._scored(block, stop):
                    done[task.segment].append((task, supported, contradicted))
                block = []
        return [
            _reading(found, passages) if count == len(found) else None
            for found, count in zip(done, wanted, strict=True)
        ]

    def _tasks(self, segment: int, text: str, library: Library, cut: Sequence[Window]) -> Iterator[_Task]:
        for number, span in enumerate(pieces(text, self._short)):
            claim = span.of(text)

            def encode(window: Window, claim: str = claim) -> Pair | None:
                pair = self._model.pair(window.text, claim)
                return pair if len(pair.ids) <= self._model.limit else None

            refusal = "a character of a passage does not fit into the model beside the claim"
            for window, pair in fitted(library, cut, self._model.joiner, encode, refusal):
                yield _Task(segment, number, window, pair)

    def _short(self, claim: str) -> bool:
        return len(self._model.pair("", claim).ids) <= self._model.limit // 2

    def _scored(self, block: Sequence[_Task], stop: Callable[[], bool]) -> Iterator[tuple[_Task, float, float]]:
        order = sorted(block, key=lambda task: len(task.pair.ids))
        start = 0
        while start < len(order) and not stop():
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(order[end].pair.ids) <= self._batch_tokens:
                end += 1
            table = self._model.scores([task.pair for task in order[start:end]])
            for task, (supported, contradicted) in zip(order[start:end], table.tolist(), strict=True):
                yield task, supported, contradicted
            start = end


def _reading(found: Sequence[tuple[_Task, float, float]], passages: Sequence[int]) -> Reading:
    scores = {number: _scores([item for item in found if item[0].window.passage == number]) for number in passages}
    count = 1 + max((task.piece for task, _, _ in found), default=0)
    if count == 1:
        return Reading(scores, *over_all(scores))
    by_piece = [[item for item in found if item[0].piece == piece] for piece in range(count)]
    # Pieces may rest on different passages, yet none may go unsupported.
    supported = min(max(item[1] for item in items) for items in by_piece)
    return Reading(scores, supported, max(item[2] for item in found))


def _scores(found: Sequence[tuple[_Task, float, float]]) -> PassageScores:
    """One passage: the best window for each piece, the worst piece; a passage without text supports nothing."""
    if not found:
        return PassageScores(0.0, 0.0)
    best = [
        max((item for item in found if item[0].piece == piece), key=lambda item: item[1])
        for piece in sorted({task.piece for task, _, _ in found})
    ]
    worst = min(best, key=lambda item: item[1])
    against = max(found, key=lambda item: item[2])
    telling = against if against[2] > worst[1] else worst
    return PassageScores(worst[1], against[2], telling[0].window.parts)
