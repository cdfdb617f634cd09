"""The default engine: a small cross-encoder on the CPU, a gate for hard facts, and a calibrated scorer.

No key, no network. What is not in English is read by a second model with a scorer of its own; it may read English
beside the first one. Texts that neither reads are judged by rules where a rule is sure, else left unverified.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from guardrail.check.contract import NotJudged, PartialRows, VerifyRequest, seconds_left
from guardrail.check.threads import cpu_turn
from guardrail.engines.local.judgement import Reading, judge_readings, readings_of
from guardrail.engines.local.loading import load, reader_class
from guardrail.engines.local.model import LANGUAGES_FOLDER, MODEL_FOLDER, VERDICTS, claim_pieces
from guardrail.engines.local.passage_index import Library, SegmentViews, View
from guardrail.engines.local.passage_reader import Whole, read_passages
from guardrail.engines.local.rules import bare, judge_by_rules
from guardrail.engines.local.scorer import ALONE, BESIDE, LONGEST, load_scorer
from guardrail.text.facts import extract
from guardrail.text.language import is_english_among, may_be_english
from guardrail.text.restatement import after_question, restate, statement_of
from guardrail.text.words import content_words
from guardrail.types import Cause, Cell, Row, Segment, SupportMatrix

_OUT_OF_TIME = NotJudged("the deadline passed before this segment was read", Cause.TIMEOUT)
_TOO_SHORT = NotJudged("it says too little by itself to be judged", Cause.LENGTH)
_BARE = frozenset(content_words("yes no true false correct incorrect right wrong ok okay sure indeed 是 否 对 错 不"))


class SegmentRead(NamedTuple):
    """What the models make of a segment: of its views, of whole passages; and the file of the scorer of both.

    ``readings`` is None where no model reads its language, ``whole`` where time ran out.
    """

    readings: list[Reading | None] | None
    whole: Whole | None
    scorer: Path


class Way(NamedTuple):
    """How segments of a language are judged: where the model lies that reads whole passages, and the scorer's file."""

    reader: Path | None
    scorer: Path


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """The embedded engine.

    Attributes:
        folder: Where model.onnx, tokenizer.json and scorer.json lie; the default ships with the package.
        threads: Threads of a forward pass; 0 = one per core.
        passage_reader: Where a second, larger model lies that reads whole passages (``local:base``), with the scorer of
            both; None = the small one alone.
        languages: Where the model of six languages lies, with the scorer of what it reads alone; None = other languages
            than English are left unverified. It reads English passages too, unless ``passage_reader`` does, where
            ``folder`` holds the scorer of both (scorer.BESIDE); the one that ships does not.
    """

    folder: Path = MODEL_FOLDER
    threads: int = 0
    passage_reader: Path | None = None
    languages: Path | None = LANGUAGES_FOLDER

    @property
    def name(self) -> str:
        """See Engine.name."""
        return "local" if self.passage_reader is None else "local:base"

    def warm_up(self) -> None:
        """Load the models now instead of at the first check that needs them (about 0.4 s)."""
        for folder in (self.folder, self.passage_reader, self.languages):
            if folder is not None:
                load(folder, self.threads)
        load_scorer(self.english.scorer)
        if self.languages is not None:
            load_scorer(self.languages / ALONE)

    @property
    def english(self) -> Way:
        """How English segments are judged."""
        if self.passage_reader is not None:
            return Way(self.passage_reader, self.passage_reader / ALONE)
        beside = self.folder / BESIDE
        if self.languages is not None and beside.is_file():
            return Way(self.languages, beside)
        return Way(None, self.folder / ALONE)

    @property
    def longest(self) -> int:
        """See IncrementalEngine.longest."""
        return LONGEST

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        with cpu_turn(seconds_left(request.deadline)):
            part = self.read_part(request)
            return SupportMatrix(rows=part.rows(sum(part.own)))

    def read_part(self, request: VerifyRequest) -> PartialRows:
        """See IncrementalEngine.read_part."""
        with cpu_turn(seconds_left(request.deadline)):
            return self._read_part(request)

    def _read_part(self, request: VerifyRequest) -> PartialRows:
        library = Library(request.passages, request.expired, statements=reader_class(self.folder).statements)
        must_read = dict(request.must_read)
        views = [
            None if request.expired() else library.views(segment, must_read.get(segment.id, ()))
            for segment in request.segments
        ]
        read = self.read_all(request, library, views)

        def rows(count: int) -> tuple[Row, ...]:
            return tuple(
                _row(segment, request, library, view, found, count)
                for segment, view, found in zip(request.segments, views, read, strict=True)
            )

        return PartialRows(own=own_segments(request.segments, library), rows=rows)

    def read_all(
        self, request: VerifyRequest, library: Library, views: Sequence[SegmentViews | None]
    ) -> list[SegmentRead]:
        """What the models make of each segment: the first one of its views, another one of whole passages."""
        small, english = self.read(request, library, views), self.english
        ways = [(english, True)]
        if self.languages is not None:
            ways.append((Way(self.languages, self.languages / ALONE), False))
        read = [SegmentRead(readings, {}, english.scorer) for readings in small]
        for way, in_english in ways:
            asked = {n: v for n, v in enumerate(views) if v and v.all and (small[n] is not None) is in_english}
            if way.reader is None or not asked:
                continue
            part = replace(request, segments=tuple(request.segments[n] for n in asked))
            found = read_passages(load(way.reader, self.threads), part, library, list(asked.values()))
            for (n, view), segment, whole in zip(asked.items(), part.segments, found, strict=True):
                readings = small[n]
                if readings is None and whole != {}:
                    readings = _readings(library, segment, view, whole or {})
                read[n] = SegmentRead(readings, whole, way.scorer)
        return read

    def read(
        self, request: VerifyRequest, library: Library, views: Sequence[SegmentViews | None]
    ) -> list[list[Reading | None] | None]:
        """The model's probabilities per segment and view; None for a view not read in time or a language not read."""
        pairs: list[tuple[str, str]] = []
        plan: list[tuple[int, View, int]] = []
        question = request.question if reader_class(self.folder).statements else None
        answer = " ".join(segment.text for segment in request.segments)
        for number, (segment, found) in enumerate(zip(request.segments, views, strict=True)):
            if found is None or not is_english_among(segment.text, answer):
                continue
            text = after_question(segment.text, question) if question else statement_of(segment.text)
            pieces = claim_pieces(text)
            for view in found.all:
                if may_be_english(view.text):
                    plan.append((number, view, len(pieces)))
                    facts = [library.sentences[i].facts for i in view.parts]
                    pairs.extend((view.text, restate(extract(piece), facts)) for piece in pieces)
        result: list[list[Reading | None] | None] = [None] * len(views)
        if not pairs:
            return result
        probabilities = iter(load(self.folder, self.threads).probabilities(pairs, request.expired).tolist())
        for number, view, count in plan:
            of_pieces = list(islice(probabilities, count))
            supported = min(p[0] for p in of_pieces)  # a long segment is as good as its worst piece
            readings = result[number]
            if readings is None:
                readings = result[number] = []
            done = not any(math.isnan(p[0]) for p in of_pieces)
            worst = min(of_pieces, key=lambda p: p[0])
            errors = tuple(worst[VERDICTS:])
            readings.append(Reading(view, supported, max(p[1] for p in of_pieces), errors) if done else None)
        return result


def _readings(library: Library, segment: Segment, views: SegmentViews, whole: Whole) -> list[Reading | None]:
    """What was made of whole passages, by windows; each passage that was read has one."""
    shown = {view.window.passage for view in views.windows if view.window is not None}
    return readings_of(views if whole.keys() <= shown else library.views(segment, tuple(whole)), whole)


def own_segments(segments: Sequence[Segment], library: Library) -> tuple[bool, ...]:
    """Which segments say something in words of their own; copied sentences are no padding for the others."""
    return tuple(bare(segment.text) not in library.copies for segment in segments)


def _row(
    segment: Segment,
    request: VerifyRequest,
    library: Library,
    views: SegmentViews | None,
    read: SegmentRead,
    count: int,
) -> Row:
    empty: tuple[Cell | None, ...] = (None,) * len(request.passages)
    if views is None:
        return _OUT_OF_TIME.row(segment.id, empty)
    if not set(views.words) - _BARE:
        return _TOO_SHORT.row(segment.id, empty)
    readings, whole = read.readings, read.whole
    if readings is None:
        picked = views.joint.parts if views.joint else ()
        ranked = library.overlap.rank(views.words, picked, 3)
        covered = library.overlap.coverage(views.words, ranked[:1]) if ranked else 0.0
        best = [(library.owner[i], library.sentences[i]) for i in ranked]
        return judge_by_rules(segment, request.passages, best, covered)
    done = [r for r in readings if r is not None]
    if len(done) < len(readings) or whole is None:
        return _OUT_OF_TIME.row(segment.id, empty)
    return judge_readings(segment, library, views, done, load_scorer(read.scorer), count, request.question, whole)
