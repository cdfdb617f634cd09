"""The default engine: a small cross-encoder on the CPU, a gate for hard facts, and a calibrated scorer.

No key, no network. Texts that the model cannot read are judged by rules where a rule is sure, else left unverified.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from guardrail.check.contract import NotJudged, PartialRows, VerifyRequest
from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.model import ERROR_TYPES, MODEL_FOLDER, VERDICTS, load
from guardrail.engines.local.passage_index import Library, SegmentViews, View
from guardrail.engines.local.rules import CERTAIN, bare, judge_by_rules
from guardrail.engines.local.scorer import LONGEST, Scorer, Signals, coverage_ranges, load_scorer, log_odds
from guardrail.text.facts import FactKind, Mismatch, compare, extract
from guardrail.text.language import may_be_english
from guardrail.text.restatement import restate
from guardrail.text.words import content_words
from guardrail.types import Cause, Cell, ErrorType, Row, Segment, Span, SupportMatrix

_NUMBERS = {FactKind.NUMBER, FactKind.QUANTITY, FactKind.PERCENT, FactKind.DATE}
_OUT_OF_TIME = NotJudged("the deadline passed before this segment was read", Cause.TIMEOUT)
CLAIM_WORDS = 85
"""Words of a segment read at once: 128 tokens hold them unless most are rare."""
_TOO_SHORT = NotJudged("it says too little by itself to be judged", Cause.LENGTH)
_BARE = frozenset(content_words("yes no true false correct incorrect right wrong ok okay sure indeed 是 否 对 错 不"))
_ON_TOPIC = 0.6
"""Coverage from which a window counts as speaking of the segment; a window on another topic contradicts nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A view with the model's probabilities for it; ``errors`` are those of ERROR_TYPES, if it is not supported."""

    view: View
    supported: float
    contradicted: float
    errors: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """The embedded engine.

    Attributes:
        folder: Where model.onnx, tokenizer.json and scorer.json lie; the default ships with the package.
        threads: Threads of a forward pass; 0 = one per core.
    """

    folder: Path = MODEL_FOLDER
    threads: int = 0

    @property
    def name(self) -> str:
        """See Engine.name."""
        return "local"

    def warm_up(self) -> None:
        """Load the model now instead of at the first check (about 0.2 s)."""
        load(self.folder, self.threads)
        load_scorer(self.folder)

    @property
    def longest(self) -> int:
        """See IncrementalEngine.longest."""
        return LONGEST

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        part = self.read_part(request)
        return SupportMatrix(rows=part.rows(sum(part.own)))

    def read_part(self, request: VerifyRequest) -> PartialRows:
        """See IncrementalEngine.read_part."""
        library = Library(request.passages, request.expired)
        must_read = dict(request.must_read)
        views = [
            None if request.expired() else library.views(segment, must_read.get(segment.id, ()))
            for segment in request.segments
        ]
        read = self.read(request, library, views)
        scorer = load_scorer(self.folder)

        def rows(count: int) -> tuple[Row, ...]:
            return tuple(
                _row(segment, request, library, view, readings, scorer, count)
                for segment, view, readings in zip(request.segments, views, read, strict=True)
            )

        return PartialRows(own=own_segments(request.segments, library), rows=rows)

    def read(
        self, request: VerifyRequest, library: Library, views: Sequence[SegmentViews | None]
    ) -> list[list[Reading | None] | None]:
        """The model's probabilities per segment and view; None for a view not read in time or a language not read."""
        pairs: list[tuple[str, str]] = []
        plan: list[tuple[int, View, int]] = []
        for number, (segment, found) in enumerate(zip(request.segments, views, strict=True)):
            if found is None or not may_be_english(segment.text):
                continue
            pieces = claim_pieces(segment.text)
            for view in (*found.windows, *([found.joint] if found.joint else [])):
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


def own_segments(segments: Sequence[Segment], library: Library) -> tuple[bool, ...]:
    """Which segments say something in words of their own; copied sentences are no padding for the others."""
    return tuple(bare(segment.text) not in library.copies for segment in segments)


def claim_pieces(text: str) -> list[str]:
    """The text in pieces that the model reads whole; what it does not read must not count as supported."""
    words = text.split()
    if len(words) <= CLAIM_WORDS:
        return [text]
    return [" ".join(words[start : start + CLAIM_WORDS]) for start in range(0, len(words), CLAIM_WORDS)]


def _row(
    segment: Segment,
    request: VerifyRequest,
    library: Library,
    views: SegmentViews | None,
    readings: list[Reading | None] | None,
    scorer: Scorer,
    count: int,
) -> Row:
    empty: tuple[Cell | None, ...] = (None,) * len(request.passages)
    if views is None:
        return _OUT_OF_TIME.row(segment.id, empty)
    if not set(views.words) - _BARE:
        return _TOO_SHORT.row(segment.id, empty)
    if readings is None:
        picked = views.joint.parts if views.joint else ()
        ranked = library.overlap.rank(views.words, picked, 3)
        covered = library.overlap.coverage(views.words, ranked[:1]) if ranked else 0.0
        best = [(library.owner[i], library.sentences[i]) for i in ranked]
        return judge_by_rules(segment, request.passages, best, covered)
    done = [r for r in readings if r is not None]
    if len(done) < len(readings):
        return _OUT_OF_TIME.row(segment.id, empty)
    return judge_readings(segment, library, views, done, scorer, count)


def judge_readings(
    segment: Segment, library: Library, views: SegmentViews, readings: Sequence[Reading], scorer: Scorer, count: int
) -> Row:
    """Row of one of ``count`` segments from all that was read of it."""
    windows = [r for r in readings if r.view.window is not None]
    joint = next((r for r in readings if r.view.window is None), None)
    mismatches = gate(segment, library, readings)
    signals = row_signals(readings, mismatches, views.coverage_all)
    supported = scorer(signals, count)

    cells: list[Cell | None] = [None] * len(library.passages)
    for reading in windows:
        window = reading.view.window
        if window is None:
            continue
        near = joint is not None and {library.owner[i] for i in joint.view.parts} == {window.passage}
        seen = [reading, joint] if joint and near else [reading]
        alone = row_signals(seen, mismatches, reading.view.coverage)
        on_topic = min(1.0, reading.view.coverage / _ON_TOPIC)
        cell = Cell(
            supported=scorer(alone, count),
            contradicted=reading.contradicted * on_topic,
            evidence=tuple(library.sentences[i].span for i in _evidence(library, views, reading.view.parts, 2)),
        )
        current = cells[window.passage]
        if current is None or cell.supported > current.supported:
            cells[window.passage] = cell

    if copies := _copies(segment, library, readings):
        return _copied_row(segment, library, tuple(cells), copies)
    contradicted = max(signals_contradiction(windows, joint), *(m.weight for m in mismatches if m.contradicts), 0.0)
    evidence = choose_evidence(library, views.words, sorted({i for r in readings for i in r.view.parts}))
    return Row(
        segment_id=segment.id,
        cells=tuple(cells),
        supported=supported,
        contradicted=contradicted,
        evidence=tuple((library.owner[i], library.sentences[i].span) for i in evidence),
        error_type=_error_type(signals, readings),
        reason=_reason(mismatches, contradicted, views.coverage_all),
        focus=tuple(Span(*m.span) for m in mismatches if m.weight >= 0.5),
    )


def _copies(segment: Segment, library: Library, readings: Sequence[Reading]) -> tuple[int, ...]:
    """Sentences read that say the same word for word; part of a sentence is no copy ("it is not true that ...")."""
    wanted = bare(segment.text)
    read = {i for r in readings for i in r.view.parts}
    return tuple(i for i in library.copies.get(wanted, ()) if wanted and i in read)


def _copied_row(segment: Segment, library: Library, cells: tuple[Cell | None, ...], copies: tuple[int, ...]) -> Row:
    """A copy is certain, whatever the model makes of it."""
    spans = tuple((library.owner[i], library.sentences[i].span) for i in copies)
    own = {number: Cell(supported=CERTAIN, contradicted=0.0, evidence=(span,)) for number, span in reversed(spans)}
    return Row(
        segment_id=segment.id,
        cells=tuple(own.get(number, cell) for number, cell in enumerate(cells)),
        supported=CERTAIN,
        evidence=spans[:3],
        reason="The passage says the same word for word.",
    )


def gate(segment: Segment, library: Library, readings: Sequence[Reading]) -> tuple[Mismatch, ...]:
    """Hard facts of the segment that nothing read of it bears out."""
    parts = sorted({i for r in readings for i in r.view.parts})
    titles = [title for n in sorted({library.owner[i] for i in parts}) if (title := library.passages[n].title)]
    evidence = [*(extract(title) for title in titles), *(library.sentences[i].facts for i in parts)]
    return compare(extract(segment.text), evidence)


def row_signals(readings: Sequence[Reading], mismatches: Sequence[Mismatch], coverage_all: float) -> Signals:
    """Features of the scorer for one segment (training/fit.py fits on the same ones)."""
    windows = [r for r in readings if r.view.window is not None]
    joint = next((r for r in readings if r.view.window is None), None)
    best = max((r.supported for r in windows), default=0.5)
    nearest = max(windows, key=lambda r: r.view.coverage, default=None)

    def worst(kinds: set[FactKind]) -> float:
        return max((m.weight for m in mismatches if m.kind in kinds), default=0.0)

    some, most, full = coverage_ranges(max((r.view.coverage for r in readings), default=0.0))
    return Signals(
        joint_support=log_odds(joint.supported if joint else best),
        nearest_support=log_odds(max(readings, key=lambda r: r.view.coverage).supported if readings else 0.5),
        window_contradiction=log_odds(nearest.contradicted if nearest else 0.5),
        joint_contradiction=log_odds(joint.contradicted if joint else (nearest.contradicted if nearest else 0.5)),
        coverage_some=some,
        coverage_most=most,
        coverage_full=full,
        coverage_all=coverage_all,
        missing_numbers=worst(_NUMBERS),
        missing_names=worst({FactKind.NAME, FactKind.QUOTE}),
        negation=worst({FactKind.NEGATION}),
        refuted=max((m.weight for m in mismatches if m.contradicts), default=0.0),
    )


def signals_contradiction(windows: Sequence[Reading], joint: Reading | None) -> float:
    """P(contradicted) as the model sees it in the views that speak most of the segment."""
    near = [r for r in (*windows, *([joint] if joint else [])) if r.view.coverage >= _ON_TOPIC / 2]
    return max((r.contradicted for r in near), default=0.0)


def _evidence(library: Library, views: SegmentViews, parts: Sequence[int], limit: int) -> tuple[int, ...]:
    return tuple(sorted(library.overlap.rank(views.words, parts, limit)))


def _error_type(signals: Signals, readings: Sequence[Reading]) -> ErrorType:
    """The likeliest error if the segment is not supported; the logic check may name a better one."""
    if signals.refuted >= 0.5 or signals.negation >= 0.5:
        return ErrorType.CONTRADICTION
    nearest = max(readings, key=lambda r: r.view.coverage, default=None)
    if nearest is None or nearest.view.coverage < _ON_TOPIC / 2 or not nearest.errors:
        return ErrorType.HALLUCINATION
    return ERROR_TYPES[max(range(len(ERROR_TYPES)), key=nearest.errors.__getitem__)]


def _reason(mismatches: Sequence[Mismatch], contradicted: float, coverage_all: float) -> str:
    """One sentence for people: the hard fact that fails, else what the model and the overlap say."""
    hard = max((m for m in mismatches if m.weight >= 0.5), key=lambda m: (m.contradicts, m.weight), default=None)
    if hard is not None and hard.kind is FactKind.NEGATION:
        return "The answer and the passage differ in what they affirm and deny."
    if hard is not None and hard.evidence_value:
        return f"The answer says {hard.claim_value}; the passage says {hard.evidence_value}."
    if hard is not None:
        return f"No passage that was read mentions {hard.claim_value}."
    if contradicted >= 0.5:
        return "The nearest passage says otherwise."
    if coverage_all < _ON_TOPIC:
        return f"The passages hold only {coverage_all:.0%} of what this says, by weight of its words."
    return "The passages use similar words but do not say this."
