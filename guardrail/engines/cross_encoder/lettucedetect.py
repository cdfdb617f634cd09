"""LettuceDetect (Kovács and Recski, 2025; github.com/KRLabsOrg/LettuceDetect, lettucedetect/detectors/transformer.py).

A token classifier on the pair (prompt with question and passages, answer): P(hallucinated) for each token of the
answer. A segment is as good as its worst token; the tokens at fault are its focus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from guardrail.engines.cross_encoder.catalog import Options
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.reading import PassageScores, Reading
from guardrail.engines.cross_encoder.torch_model import Forward, Tokens, pretrained
from guardrail.engines.cross_encoder.windows import Window, filled, fitted, pieces, windows
from guardrail.engines.local.passage_index import Library
from guardrail.types import Span

LONGEST = 4096
ANSWER_SHARE = 4
"""A quarter of the tokens at most are for the answer, so that passages always have room."""

_FAULT = 0.5
"""P(hallucinated) above which a token is at fault: the likelier of the two labels, as the authors have it."""


@dataclass(frozen=True, slots=True)
class Part:
    """``span`` of a segment (all of it, unless it is very long), which begins at ``start`` of the answer."""

    segment: int
    span: Span
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the answer."""
        return self.start + self.span.end - self.span.start


@dataclass(frozen=True, slots=True)
class Answer:
    """Consecutive segments with spaces between them."""

    text: str
    parts: tuple[Part, ...]


def prompt(passages: Sequence[str], question: str | None) -> str:
    """The documented English prompt; without a question, the one for summaries."""
    block = "\n".join(f"passage {number}: {text}" for number, text in enumerate(passages, 1))
    if question is None:
        return f"Summarize the following text:\n{block}\noutput:"
    return (
        f"Briefly answer the following question:\n{question}\n"
        f"Bear in mind that your response should be strictly based on the following {len(passages)} passages:\n"
        f"{block}\n"
        "In case the passages do not contain the necessary information to answer the question, please reply with: "
        '"Unable to answer based on given passages."\noutput:'
    )


class LettuceDetect:
    """Reads all segments of an answer at once: with each passage alone (cells), and with all of them (rows).

    Passages that do not fit together are read in groups, and the best group counts. The authors take the worst, which
    flags what only one group holds (their issue 74).
    """

    def __init__(self, folder: Path, head: Head, options: Options) -> None:
        from transformers import AutoModelForTokenClassification

        self._tokens = Tokens(folder)
        self._head = head
        self._limit = options.max_tokens or LONGEST
        self._batch_tokens = options.batch_tokens
        self._size = options.window or self._limit // 2
        model = pretrained(AutoModelForTokenClassification, folder, num_labels=head.width)
        self._forward = Forward(model, options.device, self._tokens.padding)

    def read(
        self,
        segments: Sequence[str],
        library: Library,
        passages: Sequence[int],
        question: str | None,
        stop: Callable[[], bool],
    ) -> list[Reading | None]:
        """See Judge.read."""
        whole = [window for number in passages for window in windows(library, number, self._cut, None)]
        found: list[list[Reading]] = [[] for _ in segments]
        wanted = [0] * len(segments)
        answers = list(put_together(segments, self._tokens.count, self._limit // ANSWER_SHARE))
        for answer in answers:
            for part in answer.parts:
                wanted[part.segment] += 1
        for answer in answers:
            readings = self._read(answer, whole, library, passages, question, stop)
            for part, reading in zip(answer.parts, readings, strict=False):
                found[part.segment].append(reading)
        return [combined(own) if len(own) == count else None for own, count in zip(found, wanted, strict=True)]

    def _cut(self, sentences: Sequence[str]) -> list[range]:
        return filled(sentences, self._tokens.count, self._size)

    def _read(
        self,
        answer: Answer,
        whole: Sequence[Window],
        library: Library,
        passages: Sequence[int],
        question: str | None,
        stop: Callable[[], bool],
    ) -> list[Reading]:
        """A reading per part of the answer; none if time ran out."""

        def whole_or_none(window: Window) -> Window | None:
            return window if self._fits([window], answer, question) else None

        fitting: list[Window] = []
        refusal = "the question and the answer leave no room for a passage"
        for window, _ in fitted(library, whole, None, whole_or_none, refusal):
            if stop():
                return []
            fitting.append(window)
        groups = [[window] for window in fitting]
        groups += [group for group in self._together(fitting, answer, question) if len(group) > 1]
        verdicts = self._verdicts(groups, answer, question, stop)
        if len(verdicts) < len(groups):
            return []
        return [
            _reading([verdict[number] for verdict in verdicts], groups, passages) for number in range(len(answer.parts))
        ]

    def _together(self, fitting: Sequence[Window], answer: Answer, question: str | None) -> list[list[Window]]:
        groups: list[list[Window]] = []
        for window in fitting:
            if groups and self._fits([*groups[-1], window], answer, question):
                groups[-1].append(window)
            else:
                groups.append([window])
        return groups

    def _fits(self, group: Sequence[Window], answer: Answer, question: str | None) -> bool:
        return len(self._encode(group, answer, question)[0]) <= self._limit

    def _encode(
        self, group: Sequence[Window], answer: Answer, question: str | None
    ) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
        text = prompt([window.text for window in group], question)
        return self._tokens.second_of_pair(self._tokens.clean(text), self._tokens.clean(answer.text))

    def _verdicts(
        self, groups: Sequence[Sequence[Window]], answer: Answer, question: str | None, stop: Callable[[], bool]
    ) -> list[list[tuple[float, tuple[Span, ...]]]]:
        """For each group, P(supported) and the faults of each part of the answer; fewer if time ran out."""
        encoded = [self._encode(group, answer, question) for group in groups]
        verdicts: list[list[tuple[float, tuple[Span, ...]]]] = []
        while len(verdicts) < len(encoded) and not stop():
            start = end = len(verdicts)
            longest = 0
            while end < len(encoded):
                longest = max(longest, len(encoded[end][0]))
                if end > start and (end + 1 - start) * longest > self._batch_tokens:
                    break
                end += 1
            logits = self._forward([ids for ids, _ in encoded[start:end]])
            for row, (_, tokens) in zip(logits, encoded[start:end], strict=True):
                supported = self._head.probabilities(row)[:, 0]
                scored = [(Span(a, b), 1.0 - float(supported[number])) for number, a, b in tokens]
                verdicts.append([_verdict(part, scored) for part in answer.parts])
        return verdicts


def _verdict(part: Part, scored: Sequence[tuple[Span, float]]) -> tuple[float, tuple[Span, ...]]:
    """P(supported) of a part and its faults as stretches of its segment; a part without tokens is not supported."""
    own = [(span, fault) for span, fault in scored if span.start < part.end and part.start < span.end]
    faults: list[Span] = []
    joined = False
    shift = part.span.start - part.start
    for span, fault in own:
        if fault > _FAULT:
            start = max(span.start, part.start) + shift
            end = min(span.end, part.end) + shift
            faults = [*faults[:-1], Span(faults[-1].start, end)] if joined else [*faults, Span(start, end)]
        joined = fault > _FAULT
    return 1.0 - max((fault for _, fault in own), default=1.0), tuple(faults)


def _reading(
    verdicts: Sequence[tuple[float, tuple[Span, ...]]], groups: Sequence[Sequence[Window]], passages: Sequence[int]
) -> Reading:
    scores: dict[int, PassageScores] = {}
    for number in passages:
        own = [
            (verdict[0], group[0].parts)
            for verdict, group in zip(verdicts, groups, strict=True)
            if len(group) == 1 and group[0].passage == number
        ]
        best = max(own, key=lambda item: item[0], default=(0.0, ()))
        scores[number] = PassageScores(best[0], 0.0, best[1])
    grouped = {window for group in groups if len(group) > 1 for window in group}
    joint = [v for v, group in zip(verdicts, groups, strict=True) if len(group) > 1 or group[0] not in grouped]
    supported, faults = max(joint, key=lambda verdict: verdict[0], default=(0.0, ()))
    return Reading(scores, supported, 0.0, faults)


def put_together(segments: Sequence[str], count: Callable[[str], int], limit: int) -> Iterator[Answer]:
    """Answers of at most about ``limit`` tokens; a segment longer than that is cut into pieces, none is left out."""
    text, parts, tokens = "", list[Part](), 0
    for number, segment in enumerate(segments):
        for span in pieces(segment, lambda piece: count(piece) <= limit):
            piece = span.of(segment)
            length = count(piece) + 1
            if parts and tokens + length > limit:
                yield Answer(text, tuple(parts))
                text, parts, tokens = "", [], 0
            text += " " if parts else ""
            parts.append(Part(number, span, len(text)))
            text += piece
            tokens += length
    if parts:
        yield Answer(text, tuple(parts))


def combined(readings: Sequence[Reading]) -> Reading:
    """The reading of a segment from those of its pieces: as good as the worst, with all their faults."""
    if len(readings) == 1:
        return readings[0]
    scores: dict[int, PassageScores] = {}
    for number in readings[0].scores:
        scores[number] = min((reading.scores[number] for reading in readings), key=lambda one: one.supported)
    return Reading(
        scores,
        min(reading.supported for reading in readings),
        max(reading.contradicted for reading in readings),
        tuple(fault for reading in readings for fault in reading.focus),
    )
