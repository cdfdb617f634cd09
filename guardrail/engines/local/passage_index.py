"""What the model gets to read for each segment: the windows that word overlap ranks first, a joint view, one sentence.

The joint view puts the best sentences of all passages together, for evidence that is spread over several; the best one
is read alone as well, for what stands beside it distracts a small model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from guardrail.engines.local.rules import bare
from guardrail.errors import EngineTimeout
from guardrail.text.facts import extract
from guardrail.text.facts.values import values_of
from guardrail.text.passages import Sentence, Window, sentences, titled, windows
from guardrail.text.records.flags import keyed_line
from guardrail.text.records.names import Cells
from guardrail.text.restatement import restate, statement_of
from guardrail.text.words import Overlap, content_words
from guardrail.types import Passage, Segment

READ_WINDOWS = 3
JOINT_SENTENCES = 3
_WORTH_READING = 0.6
"""Coverage, relative to the best window's, from which a further window is read: reading is what costs time."""

_MAX_CANDIDATES = 2_000
"""Sentences ranked one by one for the joint view; beyond that only those of the best windows."""


@dataclass(frozen=True, slots=True)
class View:
    """Text to read for a segment; ``parts`` number sentences of all passages.

    ``window`` is None for the joint view and for the single sentence.
    """

    text: str
    parts: tuple[int, ...]
    window: Window | None
    coverage: float
    single: bool = False


@dataclass(frozen=True, slots=True)
class SegmentViews:
    """All views of one segment, windows best first."""

    words: tuple[str, ...]
    windows: tuple[View, ...]
    joint: View | None
    single: View | None = None

    @property
    def all(self) -> tuple[View, ...]:
        """The windows, then the joint view, then the best sentence."""
        return (*self.windows, *(view for view in (self.joint, self.single) if view))


class Library:
    """The passages of one request, cut and indexed once for all its segments.

    ``statements``: whether windows show table rows, objects and items as statements, as the joint view always does.
    """

    def __init__(
        self, passages: Sequence[Passage], expired: Callable[[], bool] = lambda: False, *, statements: bool = False
    ) -> None:
        self.passages = passages
        self._statements = statements
        self.sentences: list[Sentence] = []
        self.owner: list[int] = []
        self._first: list[int] = []
        for number, passage in enumerate(passages):
            if expired():
                raise EngineTimeout("the deadline passed while the passages were read")
            self._first.append(len(self.sentences))
            parts = sentences(passage.text)
            self.sentences.extend(parts)
            self.owner.extend([number] * len(parts))
        self.overlap = Overlap(
            (*s.words, *content_words(self.passages[o].title or ""))
            for s, o in zip(self.sentences, self.owner, strict=True)
        )
        self._windows = [w for number, passage in enumerate(passages) for w in windows(number, passage)]

    @cached_property
    def copies(self) -> dict[str, list[int]]:
        """Numbers of the sentences that say the same word for word, by what counts for a copy (rules.bare)."""
        found: dict[str, list[int]] = {}
        for number, sentence in enumerate(self.sentences):
            for text in {sentence.text, sentence.spoken} - {""}:
                found.setdefault(bare(text), []).append(number)
        return found

    @cached_property
    def known(self) -> frozenset[str]:
        """Content words of all passages."""
        return frozenset(word for sentence in self.sentences for word in sentence.words)

    @cached_property
    def records(self) -> tuple[Cells, ...]:
        """Every row, object and line such as "Pets: no"."""
        found = (sentence.cells or keyed_line(sentence.text) for sentence in self.sentences)
        return tuple(cells for cells in found if cells)

    @cached_property
    def tables(self) -> tuple[tuple[Cells, ...], ...]:
        """The rows of each table and array of objects."""
        found: dict[tuple[int, int], list[Cells]] = {}
        for owner, sentence in zip(self.owner, self.sentences, strict=True):
            if sentence.table >= 0:
                found.setdefault((owner, sentence.table), []).append(sentence.cells)
        return tuple(map(tuple, found.values()))

    @cached_property
    def prose(self) -> tuple[str, ...]:
        """The sentences that are no rows of a table."""
        return tuple(sentence.text for sentence in self.sentences if sentence.table < 0)

    def sentences_of(self, passage: int) -> range:
        """Numbers of the sentences of a passage."""
        ends = (*self._first, len(self.sentences))
        return range(ends[passage], ends[passage + 1])

    def _parts(self, window: Window) -> range:
        start = self._first[window.passage]
        return range(start + window.first, start + window.last + 1)

    def views(self, segment: Segment, must_read: Sequence[int]) -> SegmentViews:
        """Views for one segment; the best window of each ``must_read`` passage is among them."""
        words = content_words(statement_of(segment.text))
        scored = sorted(
            ((self.overlap.coverage(words, self._parts(w)), -number, w) for number, w in enumerate(self._windows)),
            key=lambda item: (item[0], item[1]),
            reverse=True,
        )
        enough = scored[0][0] * _WORTH_READING if scored else 0.0
        chosen = [(cover, window) for cover, _, window in scored[:READ_WINDOWS] if cover >= enough]
        for passage in must_read:
            if all(window.passage != passage for _, window in chosen):
                chosen.extend([(cover, w) for cover, _, w in scored if w.passage == passage][:1])
        found = tuple(self._window_view(window, cover) for cover, window in chosen)
        pool: Sequence[int] = range(len(self.sentences))
        if len(self.sentences) > _MAX_CANDIDATES:
            pool = [i for _, _, w in scored[:50] for i in self._parts(w)]
        ranked = self.overlap.rank(words, pool, JOINT_SENTENCES)
        picked = self._in_reading_order(ranked)
        joint = single = None
        if picked:
            text = " ".join(
                self._in_context(i, first=k == 0 or self.owner[picked[k - 1]] != self.owner[i])
                for k, i in enumerate(picked)
            )
            joint = View(text, picked, None, self.overlap.coverage(words, picked))
        if len(ranked) > 1:
            best = ranked[:1]
            single = View(self.sentences[best[0]].text, best, None, self.overlap.coverage(words, best), single=True)
        return self._restated(segment, SegmentViews(words, found, joint, single))

    def _restated(self, segment: Segment, views: SegmentViews) -> SegmentViews:
        """Coverage of the segment in the evidence's forms of its values: "1 pm" is there where a passage says 13:00."""
        claim = extract(statement_of(segment.text))
        if not values_of(claim):
            return views
        parts = sorted({i for view in views.all for i in view.parts})
        words = content_words(restate(claim, [self.sentences[i].facts for i in parts]))
        if words == views.words:
            return views

        def covered(view: View) -> View:
            return replace(view, coverage=self.overlap.coverage(words, view.parts))

        return replace(
            views,
            windows=tuple(map(covered, views.windows)),
            joint=covered(views.joint) if views.joint else None,
        )

    def _in_reading_order(self, picked: tuple[int, ...]) -> tuple[int, ...]:
        """Passage of the best sentence first, each in its own order: the order of passages must not matter."""
        first = {owner: rank for rank, owner in reversed(list(enumerate(self.owner[i] for i in picked)))}
        return tuple(sorted(picked, key=lambda i: (first[self.owner[i]], i)))

    def _window_view(self, window: Window, coverage: float) -> View:
        parts = self._parts(window)
        passage = self.passages[window.passage]
        if self._statements or any(self.sentences[i].spoken for i in parts):
            text = " ".join(self.sentences[i].text for i in parts)
        else:
            text = passage.text[self.sentences[parts[0]].span.start : self.sentences[parts[-1]].span.end]
        return View(titled(passage.title, text), tuple(parts), window, coverage)

    def _in_context(self, index: int, *, first: bool) -> str:
        sentence = self.sentences[index]
        return titled(self.passages[self.owner[index]].title, sentence.text) if first else sentence.text
