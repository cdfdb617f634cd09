"""The engine that fills the support matrix with a model of the user's choice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from guardrail.check.contract import NotJudged, VerifyRequest, unverified
from guardrail.engines.cross_encoder.catalog import Options
from guardrail.engines.cross_encoder.reading import Judge, Reading, row
from guardrail.engines.local.passage_index import Library
from guardrail.errors import ConfigurationError, EngineError, EngineTimeout, GuardrailError
from guardrail.text.language import may_be_english
from guardrail.text.words import has_words
from guardrail.types import Cause, Row, Segment, SupportMatrix

_LATE = NotJudged("the deadline passed before this segment was read", Cause.TIMEOUT)
_FOREIGN = NotJudged("the model reads English only", Cause.LANGUAGE)
_FOREIGN_PASSAGES = NotJudged(
    "the model reads English only, and passages that it must read are not in English", Cause.LANGUAGE
)
_NO_WORDS = NotJudged("it holds no words", Cause.LENGTH)


class _Once:
    """A judge that is loaded when first asked for, by one thread."""

    def __init__(self, load: Callable[[], Judge]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._judge: Judge | None = None
        self._failure: str | None = None

    def __call__(self, *, again: bool = False) -> Judge:
        """The judge; a failure is remembered, for trying takes seconds, unless ``again`` is asked for."""
        with self._lock:
            if self._failure is not None and not again:
                raise EngineError(self._failure)
            if self._judge is None:
                try:
                    self._judge = self._load()
                    self._failure = None
                except GuardrailError as error:
                    self._failure = str(error)
                    raise
            return self._judge


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoderEngine:
    """An engine on one model; made by ``make``. Immutable; one may serve all threads.

    Attributes:
        name: See Engine.name.
        identity: Model, options that change scores, and a fingerprint of its files: what a threshold was chosen for.
        folder: Where the model's files lie.
        english: Whether segments in other languages are left unverified.
        threshold: Score from which the model's authors count a claim as supported; for the policy.
        options: How the model is run.
        load: Loads the model; called once, when it is first needed.
    """

    name: str
    identity: str
    folder: Path
    english: bool
    threshold: float
    options: Options
    load: Callable[[], Judge] = field(repr=False, compare=False)
    _judge: _Once = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_judge", _Once(self.load))

    def warm_up(self) -> None:
        """Load the model now instead of at the first check.

        Raises:
            EngineError: it cannot be loaded.
            ConfigurationError: its files are those of another model.
        """
        self._judge(again=True)

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify; segments not read in time are unverified.

        Raises:
            EngineError: the model cannot be loaded.
        """
        if request.expired():
            return unverified(request, _LATE.reason, _LATE.cause)
        try:
            return self._verified(request, self._judge())
        except ConfigurationError as error:  # found too late to be raised: this is somebody's service at work
            raise EngineError(str(error)) from error

    def _verified(self, request: VerifyRequest, judge: Judge) -> SupportMatrix:
        try:
            library = Library(request.passages, request.expired)
        except EngineTimeout:
            return unverified(request, _LATE.reason, _LATE.cause)
        passages = [n for n, passage in enumerate(request.passages) if not self.english or may_be_english(passage.text)]
        must_read = dict(request.must_read)
        refused = {
            segment.id: self._refusal(segment, passages, must_read.get(segment.id, ())) for segment in request.segments
        }
        asked = [segment for segment in request.segments if refused[segment.id] is None]
        readings: list[Reading | None] = []
        if asked:
            texts = [segment.text for segment in asked]
            readings = judge.read(texts, library, passages, request.question, request.expired)
        found = {segment.id: reading for segment, reading in zip(asked, readings, strict=True)}
        return SupportMatrix(
            rows=tuple(
                _row(segment, library, found.get(segment.id), refused[segment.id]) for segment in request.segments
            )
        )

    def _refusal(self, segment: Segment, passages: list[int], must_read: tuple[int, ...]) -> NotJudged | None:
        """Why the model cannot judge a segment."""
        if not has_words(segment.text):
            return _NO_WORDS
        if self.english and not may_be_english(segment.text):
            return _FOREIGN
        if not passages or not set(must_read) <= set(passages):
            return _FOREIGN_PASSAGES
        return None


def _row(segment: Segment, library: Library, reading: Reading | None, refusal: NotJudged | None) -> Row:
    if reading is None:
        return (refusal or _LATE).row(segment.id, (None,) * len(library.passages))
    return row(segment, library, reading)
