"""From a model's reply to the segments of an answer, checked against the answer: nothing is lost, nothing added.

The rules' pieces are the ground: a model may join, split, reword and group them. Where its reply loses words of a
piece or brings in others, the rules' piece stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from guardrail.decompose.citations import take_citations
from guardrail.decompose.sentences import language
from guardrail.engine import DecomposeRequest, Draft
from guardrail.entities.names import split_title
from guardrail.facts import extract
from guardrail.llm.replies import IndividualReply, PartReply
from guardrail.local.lexical import content_words
from guardrail.logic import find_relations
from guardrail.types import Claim, Decomposition, EntityGroup, Relation, RelationKind, Segment, Span

_MOST_POINTS = 24
_UNSAID = 0.2
"""Share of a stand-alone text's content words that may be missing from the answer: inflections, "also", numerals."""
_KEPT = 0.6
"""Share of the content words as written that a stand-alone text must keep."""
_UNCOVERED = 0.34
"""Share of a text's content words that its points may leave out, before the text itself becomes a point."""
_ADDRESSES = re.compile(r"\b(?:i|we|you|your|me|us|let's)\b|[我您你]|[?？]\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment of the reply that holds against the answer."""

    units: tuple[int, ...]
    span: Span
    reply: PartReply


def answer_units(request: DecomposeRequest) -> list[dict[str, Any]]:
    """The answer as the prompt shows it: the rules' pieces in order; those that need no check have no number."""
    numbers = iter(range(1, len(request.parts.checked) + 1))
    return [
        {"unit": None if s.skipped is not None else next(numbers), "text": s.span.of(request.answer)}
        for s in request.parts.segments
    ]


def read_draft(raw: Mapping[str, Any], request: DecomposeRequest) -> Draft:
    """Read a reply of the form replies.DraftReply.

    Every piece of the answer ends in at least one segment; one that the reply leaves out, or takes apart wrongly, comes
    out as the rules have it, and ``reason`` counts these.
    """
    units = request.parts.checked
    parts = _parts(raw.get("segments"), request)
    taken: dict[int, list[_Part]] = {}
    for part in parts:
        for unit in part.units:
            taken.setdefault(unit, []).append(part)
    sound = [part for part in parts if all(_holds(unit, taken[unit], request) for unit in part.units)]
    covered = {unit for part in sound for unit in part.units}
    silent = {
        unit
        for unit in _numbers(raw.get("no_claim")) & set(range(1, len(units) + 1)) - set(taken)
        if _claims_nothing(unit, request)
    }
    left = [n for n in range(1, len(units) + 1) if n not in covered and n not in silent]
    segments = [(part.span, part) for part in sound] + [(units[n - 1].span, n) for n in (*left, *silent)]
    segments.sort(key=lambda each: each[0])
    made: list[Segment] = []
    whom: dict[str, list[str]] = {}
    key = ""  # of the individual; a piece that the reply says nothing of goes on about the one before
    for number, (span, source) in enumerate(segments, 1):
        ident = f"s{number}"
        if isinstance(source, int):
            made.append(replace(units[source - 1], id=ident, skipped="claims nothing" if source in silent else None))
        else:
            made.append(_segment(ident, span, source, request))
            key = source.reply.individual
        if made[-1].skipped is None:
            whom.setdefault(key, []).append(ident)
    unchecked = [s for s in request.parts.segments if s.skipped is not None]
    made += [replace(s, id=f"s{n}") for n, s in enumerate(unchecked, len(made) + 1)]
    made.sort(key=lambda segment: segment.span)
    declined = raw.get("abstains") is True and not any(s.skipped is None for s in made)
    return Draft(
        parts=Decomposition(segments=tuple(made), abstained=declined, unreadable=request.parts.unreadable),
        groups=_groups(whom, raw.get("individuals")),
        reason=f"The rules' decomposition stands for {len(left)} of {len(units)} pieces." if left else "",
    )


def _parts(raw: object, request: DecomposeRequest) -> list[_Part]:
    """The segments of the reply that can be placed in the answer, in order, none over another."""
    found = []
    for item in raw if isinstance(raw, list) else []:
        try:
            reply = PartReply.model_validate(item)
        except ValidationError:
            continue
        part = _place(reply, request)
        if part is not None:
            found.append(part)
    found.sort(key=lambda part: part.span)
    return found


def _place(reply: PartReply, request: DecomposeRequest) -> _Part | None:
    units = sorted(set(reply.units))
    pieces = request.parts.checked
    if not units or units[0] < 1 or units[-1] > len(pieces) or units != list(range(units[0], units[-1] + 1)):
        return None
    span = Span(pieces[units[0] - 1].span.start, pieces[units[-1] - 1].span.end)
    if reply.part and len(units) == 1:
        start = request.answer.find(reply.part, span.start, span.end)
        if start < 0:
            return None
        span = Span(start, start + len(reply.part))
    return _Part(tuple(units), span, reply)


def _holds(unit: int, parts: Sequence[_Part], request: DecomposeRequest) -> bool:
    """Whether the segments that share a piece do not overlap, and leave out nothing that it says."""
    piece = request.parts.checked[unit - 1].span
    end, rest = piece.start, ""
    for part in sorted(parts, key=lambda each: each.span):
        start = max(part.span.start, piece.start)
        if start < end:
            return False
        rest += " " + request.answer[end:start]
        end = part.span.end
    rest += " " + request.answer[min(end, piece.end) : piece.end]
    return not extract(rest).facts and _share(rest, [piece.of(request.answer)]) <= _UNCOVERED


def _share(text: str, among: Iterable[str]) -> float:
    """Content words of ``text`` as a share of those of the other texts."""
    whole = {word for other in among for word in content_words(other)}
    return len(set(content_words(text))) / max(len(whole), 1)


def _claims_nothing(unit: int, request: DecomposeRequest) -> bool:
    """Whether a piece may be left unchecked on a model's word: talk to the reader, without a fact in it."""
    text = request.parts.checked[unit - 1].text
    return not extract(text).facts and _ADDRESSES.search(text) is not None


def _numbers(raw: object) -> set[int]:
    return {n for n in raw if isinstance(n, int) and not isinstance(n, bool)} if isinstance(raw, list) else set()


def _segment(ident: str, span: Span, part: _Part, request: DecomposeRequest) -> Segment:
    pieces = [request.parts.checked[n - 1] for n in part.units]
    written = span.of(request.answer)
    whole = [p.text for p in pieces]
    marks = {mark: mark for p in pieces for mark in p.citations}
    own = " ".join(whole)
    if part.span != Span(pieces[0].span.start, pieces[-1].span.end):
        own, _ = take_citations(written, marks)
    said = f"{request.answer} {request.question or ''} {' '.join(whole)}"
    text = " ".join(part.reply.text.split())
    if not text or _new_words(text, said) > _UNSAID or not _keeps(text, own):
        text = own
    return Segment(
        id=ident,
        span=span,
        text=text,
        relations=_relations(text, part.reply.relation),
        citations=tuple(dict.fromkeys(c for p in pieces for c in p.citations)),
        claims=_claims(ident, text, span, part.reply.points, request),
    )


def _new_words(text: str, said: str) -> float:
    """Share of the content words of ``text`` that are not in ``said``; any new number is too much."""
    words, known = set(content_words(text)), set(content_words(said))
    new = words - known
    if any(c.isdigit() for word in new for c in word):
        return 1.0
    return len(new) / max(len(words), 1)


def _keeps(text: str, own: str) -> bool:
    words, kept = set(content_words(own)), set(content_words(text))
    lost = words - kept
    if any(c.isdigit() for word in lost for c in word):
        return False
    return len(words & kept) >= _KEPT * len(words)


def _relations(text: str, words: str) -> tuple[Relation, ...]:
    """What the rules find, and what the model named where they find nothing."""
    found = find_relations(text)
    words = words.partition(";")[0]  # the first of several
    start = text.casefold().find(words.strip().casefold()) if words.strip() else -1
    if found or start < 0:
        return found
    end = start + len(words.strip())
    first, second = text[:start].strip(), text[end:].strip()
    other = RelationKind.OTHER
    return (Relation(kind=other, connective=text[start:end], span=Span(start, end), first=first, second=second),)


def _claims(
    ident: str, text: str, span: Span, points: Sequence[Sequence[str]], request: DecomposeRequest
) -> tuple[Claim, ...]:
    """The points that the text makes; where they leave out something of it, the text itself is one of them."""
    between = "" if language(text) in {"zh", "ja"} else " "
    said = f"{text} {request.question or ''}"
    made: list[tuple[str, tuple[str, str, str] | None]] = []
    for point in points[:_MOST_POINTS]:
        if len(point) != 3 or not all(part.strip() for part in point):
            continue
        head, relation, tail = (" ".join(part.split()) for part in point)
        words = between.join((head, relation, tail))
        if _new_words(words, said) <= _UNSAID and words not in [each for each, _ in made]:
            made.append((words, (head, relation, tail)))
    if not made or _leaves_out(text, [words for words, _ in made]) or len(points) > _MOST_POINTS:
        made.append((text, None))
    return tuple(
        Claim(id=f"{ident}.{n}", text=words, triplet=triplet, span=_where(triplet, span, request.answer))
        for n, (words, triplet) in enumerate(made, 1)
    )


def _leaves_out(text: str, claims: Sequence[str]) -> bool:
    words = set(content_words(text))
    lost = words - {word for claim in claims for word in content_words(claim)}
    return any(c.isdigit() for word in lost for c in word) or len(lost) > _UNCOVERED * max(len(words), 1)


def _where(triplet: tuple[str, str, str] | None, span: Span, answer: str) -> Span:
    """Where the segment says the tail of a triplet, from the head on if that comes first; else the whole segment."""
    if triplet is None:
        return span
    written = span.of(answer).casefold()
    if len(written) != span.end - span.start:  # a case fold that moves offsets
        return span
    places = [(written.find(part.casefold()), len(part)) for part in triplet]
    found = [(at, at + size) for at, size in places if at >= 0]
    if places[2][0] < 0 or not found:
        return span
    return Span(span.start + min(a for a, _ in found), span.start + max(b for _, b in found))


def _groups(whom: Mapping[str, Sequence[str]], raw: object) -> tuple[EntityGroup, ...] | None:
    """One group per individual, in order of first mention; what is about nobody in particular comes without a name.

    None where nobody has a name: then the rules group.
    """
    names: dict[str, str] = {}
    for item in raw if isinstance(raw, list) else []:
        try:
            reply = IndividualReply.model_validate(item)
        except ValidationError:
            continue
        names.setdefault(reply.key, split_title(reply.name)[0])
    if not any(names.get(key) for key in whom):
        return None
    return tuple(
        EntityGroup(id=f"g{n}", name=names.get(key, ""), segments=tuple(segments))
        for n, (key, segments) in enumerate(whom.items(), 1)
    )
