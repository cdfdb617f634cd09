"""From what the model read of a segment to its row of the matrix: signals, score, clash and reason."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.explained import without_explained
from guardrail.engines.local.model import ERROR_TYPES
from guardrail.engines.local.passage_index import Library, SegmentViews, View
from guardrail.engines.local.passage_reader import Whole
from guardrail.engines.local.reasons import clash_in_words, reason_of
from guardrail.engines.local.rules import CERTAIN, bare
from guardrail.engines.local.scorer import Scorer, Signals, log_odds
from guardrail.text.facts import (
    EXACT,
    RELIABLE,
    VALUE_KINDS,
    FactKind,
    Mismatch,
    compare,
    extract,
    judge_yes_no,
    missing_facts,
)
from guardrail.text.facts.small_words import in_digits
from guardrail.text.language import may_be_english
from guardrail.text.records.clash import record_clashes
from guardrail.types import Cell, ErrorType, Row, Segment, Span

_ON_TOPIC = 0.6
"""Coverage from which a window counts as speaking of the segment; a window on another topic contradicts nothing."""

_CLEAR = 0.8
"""Weight of a clash of values from which a passage contradicts a segment that another one supports."""

_LIKELY = 0.5
"""Probability from which the model sees a contradiction, or support."""


_WORDED = frozenset({FactKind.NAME, FactKind.QUOTE})
_OTHERS = frozenset(FactKind) - VALUE_KINDS

_ERROR_OF = {FactKind.ROLE: ErrorType.ENTITY_INVERSION, FactKind.NEIGHBOUR: ErrorType.CONFLATION}
"""Errors that a rule names."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A view with the model's probabilities for it; ``errors`` are those of ERROR_TYPES, if it is not supported."""

    view: View
    supported: float
    contradicted: float
    errors: tuple[float, ...] = ()


def judge_readings(
    segment: Segment,
    library: Library,
    views: SegmentViews,
    readings: Sequence[Reading],
    scorer: Scorer,
    count: int,
    question: str | None = None,
    whole: Whole | None = None,
) -> Row:
    """Row of one of ``count`` segments, an answer to the question, from all that was read of it.

    ``whole``: P(supported) by passage, where a second model has read them.
    """
    windows, joint, single = _by_kind(readings)
    mismatches = gate(segment, library, readings, question)
    signals = row_signals(readings, mismatches, whole)
    supported = scorer(signals, count)
    if any(m.weight >= EXACT for m in mismatches):
        supported = min(supported, 1 - CERTAIN)

    cells: list[Cell | None] = [None] * len(library.passages)
    for reading in windows:
        window = reading.view.window
        if window is None:
            continue
        near = joint is not None and {library.owner[i] for i in joint.view.parts} == {window.passage}
        seen = [reading, joint] if joint and near else [reading]
        if single is not None and library.owner[single.view.parts[0]] == window.passage:
            seen.append(single)
        clashing = _clashing(segment, library, reading) if supported >= _LIKELY and len(windows) > 1 else ()
        own = None if whole is None else {n: p for n, p in whole.items() if n == window.passage}
        alone = scorer(row_signals(seen, clashing or mismatches, own), count)
        contradicted = reading.contradicted * min(1.0, reading.view.coverage / _ON_TOPIC)
        if clashing:
            contradicted = max(contradicted, CERTAIN if max(m.weight for m in clashing) >= _CLEAR else _LIKELY)
        cell = Cell(
            supported=min(alone, 1 - CERTAIN) if contradicted >= CERTAIN else alone,
            contradicted=contradicted,
            evidence=tuple(library.sentences[i].span for i in _evidence(library, views, reading.view.parts, 2)),
        )
        current = cells[window.passage]
        if current is None or cell.supported > current.supported:
            cells[window.passage] = cell

    read = {i for r in readings for i in r.view.parts}
    best = max(whole, key=whole.__getitem__) if whole else None
    if best is not None and cells[best] is None and supported >= _LIKELY:  # what it rests on stands there
        said = _evidence(library, views, library.sentences_of(best), 2)
        cells[best] = Cell(
            supported=supported, contradicted=0.0, evidence=tuple(library.sentences[i].span for i in said)
        )
        read |= set(said)

    if copies := _copies(segment, library, readings):
        return _copied_row(segment, library, tuple(cells), copies)
    evidence = choose_evidence(library, views.words, sorted(read))
    english = may_be_english(segment.text) and all(may_be_english(r.view.text) for r in windows)
    contradicted = max((m.weight for m in mismatches if m.contradicts), default=0.0)
    clash, by_model = None, contradicted_by_model(windows, joint)
    if by_model >= _LIKELY:
        clash = clash_in_words(segment.text, [library.sentences[i].text for i in evidence])
    if clash is not None:  # what the model sees counts only where the clash can be named
        contradicted = max(contradicted, by_model)
    return Row(
        segment_id=segment.id,
        cells=tuple(cells),
        supported=supported,
        contradicted=contradicted,
        evidence=tuple((library.owner[i], library.sentences[i].span) for i in evidence),
        error_type=_error_type(signals, readings, mismatches),
        reason=reason_of(segment.text, mismatches, clash, library.known if english else None),
        focus=tuple(Span(*m.span) for m in mismatches if m.weight >= RELIABLE),
    )


def readings_of(views: SegmentViews, whole: Whole) -> list[Reading | None]:
    """The windows of a segment, with what was made of their passages."""
    return [
        Reading(view, whole[view.window.passage], 0.0)
        for view in views.windows
        if view.window is not None and view.window.passage in whole
    ]


def _by_kind(readings: Sequence[Reading]) -> tuple[list[Reading], Reading | None, Reading | None]:
    """Windows, the joint view, the best sentence."""
    windows = [r for r in readings if r.view.window is not None]
    single = next((r for r in readings if r.view.single), None)
    return windows, next((r for r in readings if r.view.window is None and not r.view.single), None), single


def _clashing(segment: Segment, library: Library, reading: Reading) -> tuple[Mismatch, ...]:
    """Values that this view alone contradicts, of a segment that the passages together support: they may disagree."""
    found = missing_facts(extract(segment.text), [library.sentences[i].facts for i in reading.view.parts])
    return tuple(m for m in found if m.contradicts and m.weight >= RELIABLE and m.kind in VALUE_KINDS)


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


def gate(
    segment: Segment, library: Library, readings: Sequence[Reading], question: str | None = None
) -> tuple[Mismatch, ...]:
    """Hard facts of the segment that nothing read of it supports, and an opening yes or no that it belies."""
    parts = sorted({i for r in readings for i in r.view.parts})
    titles = [title for n in sorted({library.owner[i] for i in parts}) if (title := library.passages[n].title)]
    read = [library.sentences[i] for i in parts]
    evidence = [*map(extract, titles), *(s.facts for s in read), *(extract(s.spoken) for s in read if s.spoken)]
    evidence += [
        extract(digits) for s in read if not may_be_english(s.text) and (digits := in_digits(s.text)) != s.text
    ]
    claim = extract(segment.text)
    belied = judge_yes_no(claim, extract(question)) if question else None
    return (
        *without_explained(compare(claim, evidence), claim, evidence, question),
        *record_clashes(claim, library.records, library.tables, library.prose),
        *([belied] if belied else []),
    )


def row_signals(readings: Sequence[Reading], mismatches: Sequence[Mismatch], whole: Whole | None = None) -> Signals:
    """Features of the scorer for one segment (training/fit.py fits on the same ones)."""
    windows, joint, single = _by_kind(readings)
    best = joint.supported if joint else max((r.supported for r in windows), default=0.5)
    nearest = max(windows, key=lambda r: r.view.coverage, default=None)
    nearest_of_all = max((*windows, *([joint] if joint else [])), key=lambda r: r.view.coverage, default=None)

    def worst(kinds: AbstractSet[FactKind], *, contradicts: bool | None = None) -> float:
        return max(
            (m.weight for m in mismatches if m.kind in kinds and contradicts in (None, m.contradicts)), default=0.0
        )

    return Signals(
        joint_support=log_odds(best),
        nearest_support=log_odds(nearest_of_all.supported if nearest_of_all else 0.5),
        sentence_support=log_odds(single.supported if single else best),
        window_contradiction=log_odds(nearest.contradicted if nearest else 0.5),
        joint_contradiction=log_odds(joint.contradicted if joint else (nearest.contradicted if nearest else 0.5)),
        clashing_values=worst(VALUE_KINDS, contradicts=True),
        missing_values=worst(VALUE_KINDS, contradicts=False),
        missing_names=worst(_WORDED),
        refuted=worst(_OTHERS, contradicts=True),
        unasserted=worst(_OTHERS - _WORDED, contradicts=False),
        passage_support=log_odds(max(whole.values())) if whole else 0.0,
    )


def contradicted_by_model(windows: Sequence[Reading], joint: Reading | None) -> float:
    """P(contradicted) as the model sees it in the views that speak most of the segment."""
    near = [r for r in (*windows, *([joint] if joint else [])) if r.view.coverage >= _ON_TOPIC / 2]
    return max((r.contradicted for r in near), default=0.0)


def _evidence(library: Library, views: SegmentViews, parts: Sequence[int], limit: int) -> tuple[int, ...]:
    return tuple(sorted(library.overlap.rank(views.words, parts, limit)))


def _error_type(signals: Signals, readings: Sequence[Reading], mismatches: Sequence[Mismatch]) -> ErrorType:
    """The likeliest error if the segment is not supported; the logic check may name a better one."""
    for mismatch in mismatches:
        if mismatch.weight >= EXACT and mismatch.kind in _ERROR_OF:
            return _ERROR_OF[mismatch.kind]
    firm = max((m for m in mismatches if m.weight >= EXACT), key=lambda m: m.contradicts, default=None)
    if firm is not None and firm.kind is FactKind.RESERVE and not firm.contradicts:
        return ErrorType.OVERGENERALIZATION  # more is said than the passage asserts
    if max(signals.clashing_values, signals.refuted, signals.unasserted) >= RELIABLE:
        return ErrorType.CONTRADICTION
    nearest = max((r for r in readings if not r.view.single), key=lambda r: r.view.coverage, default=None)
    if nearest is None or nearest.view.coverage < _ON_TOPIC / 2 or not nearest.errors:
        return ErrorType.HALLUCINATION
    return ERROR_TYPES[max(range(len(ERROR_TYPES)), key=nearest.errors.__getitem__)]
