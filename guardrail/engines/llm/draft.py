"""From a model's reply to the segments of an answer, checked against the answer: nothing is lost, nothing added.

The rules' pieces are the ground: a model may join, split, reword and group them. Where its reply loses words of a
piece or brings in others, the rules' piece stands, alone or as one more claim beside the model's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pydantic import ValidationError

from guardrail.check.contract import DecomposeRequest, Draft
from guardrail.check.entities.names import split_title
from guardrail.check.logic import find_relations
from guardrail.check.logic.lexicon import is_ambiguous
from guardrail.engines.llm.replies import IndividualReply, PartReply
from guardrail.engines.llm.statements import is_talk
from guardrail.text.citations import take_citations
from guardrail.text.language import language
from guardrail.text.wording import leaves_out, negations, signs, words
from guardrail.types import Claim, Decomposition, EntityGroup, Relation, RelationKind, Segment, Span

_MOST_POINTS = 24
_UNSAID = 0.2
"""Share of a stand-alone text's content words that may be missing from the answer: inflections, "also", numerals."""
_KEPT = 0.6
"""Share of the content words as written that a stand-alone text must keep."""
_BETWEEN_WORDS = re.compile(r"[;；/…]|\.\.\.")
_PUNCTUATION = " \t\n.,;:!。，；：！"


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment of the reply that holds against the answer."""

    units: tuple[int, ...]
    span: Span
    reply: PartReply


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a segment's text is compared with: content words of answer, headings and question; signs of the latter.

    ``names``: words of the individuals' names that the answer, headings or question have; a point may put one in the
    place of a pronoun.
    """

    request: DecomposeRequest
    words: frozenset[str]
    signs_beside: Counter[str]
    names: frozenset[str]


class _Point(NamedTuple):
    text: str
    triplet: tuple[str, str, str] | None = None


def answer_units(request: DecomposeRequest) -> list[dict[str, Any]]:
    """The answer as the prompt shows it: the rules' pieces in order; those that need no check have no number."""
    numbers = iter(range(1, len(request.parts.checked) + 1))
    return [
        {"unit": None if s.skipped is not None else next(numbers), "text": s.span.of(request.answer)}
        for s in request.parts.segments
    ]


def read_draft(raw: Mapping[str, Any], request: DecomposeRequest) -> Draft:
    """Read a reply in its long form (short_forms.long_draft).

    Every piece of the answer ends in at least one segment; one that the reply leaves out, or takes apart wrongly, comes
    out as the rules have it, and ``reason`` counts these.
    """
    units = request.parts.checked
    parts = _parts(raw.get("segments"), request)
    taken: dict[int, list[_Part]] = {}
    for part in parts:
        for unit in part.units:
            taken.setdefault(unit, []).append(part)
    whole = {unit for unit, sharing in taken.items() if _holds(unit, sharing, request)}
    sound = [part for part in parts if whole.issuperset(part.units)]
    covered = {unit for part in sound for unit in part.units}
    silent = {
        unit
        for unit in _numbers(raw.get("no_claim")) & set(range(1, len(units) + 1)) - set(taken)
        if is_talk(units[unit - 1].text)
    }
    left = [n for n in range(1, len(units) + 1) if n not in covered and n not in silent]
    segments = [(part.span, part) for part in sound] + [(units[n - 1].span, n) for n in (*left, *silent)]
    segments.sort(key=lambda each: each[0])
    headings = " ".join(s.text for s in request.parts.segments if s.skipped is not None)
    beside = f"{headings} {request.question or ''}"
    names = words(" ".join(_names(raw.get("individuals")).values()))
    answer = _Answer(request, words(f"{request.answer} {beside}"), signs(beside), names)
    made: list[Segment] = []
    whom: dict[str, list[str]] = {}
    key = ""  # of the individual; a piece that the reply says nothing of goes on about the one before
    for number, (span, source) in enumerate(segments, 1):
        ident = f"s{number}"
        if isinstance(source, int):
            made.append(replace(units[source - 1], id=ident, skipped="claims nothing" if source in silent else None))
        else:
            made.append(_segment(ident, span, source, answer))
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
    piece = request.parts.checked[unit - 1]
    end, gaps = piece.span.start, []
    for part in sorted(parts, key=lambda each: each.span):
        start = max(part.span.start, piece.span.start)
        if start < end:
            return False
        gaps.append(Span(end, start))
        end = part.span.end
    gaps.append(Span(min(end, piece.span.end), piece.span.end))
    marks = {mark: mark for mark in piece.citations}
    rest = [take_citations(gap.of(request.answer), marks)[0].strip(_PUNCTUATION) for gap in gaps]
    return all(not leaves_out("", gap) or is_talk(gap) for gap in rest)


def _numbers(raw: object) -> set[int]:
    return {n for n in raw if isinstance(n, int) and not isinstance(n, bool)} if isinstance(raw, list) else set()


def _segment(ident: str, span: Span, part: _Part, answer: _Answer) -> Segment:
    pieces = [answer.request.parts.checked[n - 1] for n in part.units]
    written, _ = take_citations(span.of(answer.request.answer), {mark: mark for p in pieces for mark in p.citations})
    whole = part.span == Span(pieces[0].span.start, pieces[-1].span.end)
    own = " ".join(p.text for p in pieces) if whole else written
    text = " ".join(part.reply.text.split())
    known = answer.words | words(own)
    if not text or _new_words(text, known) > _UNSAID or not _keeps(text, written, answer):
        text = own
    same = text == own or (words(text) <= known and not leaves_out(text, written))
    relations = _relations(text, part.reply.relation)
    brought = words(answer.request.question or "") | (answer.names & answer.words)
    points = _points(text, part.reply.points, relations, brought)
    points += [] if same else [_Point(own)]
    return Segment(
        id=ident,
        span=span,
        text=text,
        relations=relations,
        citations=tuple(dict.fromkeys(c for p in pieces for c in p.citations)),
        claims=tuple(
            Claim(id=f"{ident}.{n}", text=point, triplet=triplet, span=_where(triplet, span, answer.request.answer))
            for n, (point, triplet) in enumerate(points, 1)
        ),
    )


def _new_words(text: str, known: frozenset[str]) -> float:
    """Share of the content words of ``text`` that are not among the known; any new number is too much."""
    told = words(text)
    new = told - known
    if any(c.isdigit() for word in new for c in word):
        return 1.0
    return len(new) / max(len(told), 1)


def _keeps(text: str, written: str, answer: _Answer) -> bool:
    """Whether a stand-alone text has most words of the piece, all its numbers, and its signs, no more and no fewer.

    A heading or the question may bring in signs.
    """
    if signs(written) - signs(text) or signs(text) - signs(written) - answer.signs_beside:
        return False
    whole = words(written)
    lost = whole - words(text)
    if any(c.isdigit() for word in lost for c in word):
        return False
    return len(lost) <= (1.0 - _KEPT) * len(whole)


def _relations(text: str, wording: str) -> tuple[Relation, ...]:
    """What the rules find, but for words with other meanings that the model does not name; and what it names beside.

    Rules alone would take "provided" in "the provided form" for a condition; a model alone could be talked out of it.
    """
    named = list(_named(text, wording))
    kept = [
        relation
        for relation in find_relations(text)
        if not is_ambiguous(relation.connective) or any(relation.span.overlaps(span) for span in named)
    ]
    for span in named:
        if not any(relation.span.overlaps(span) for relation in kept):
            first, second = text[: span.start].strip(), text[span.end :].strip()
            kept.append(
                Relation(kind=RelationKind.OTHER, connective=span.of(text), span=span, first=first, second=second)
            )
    return tuple(sorted(kept, key=lambda relation: relation.span))


def _named(text: str, wording: str) -> Iterator[Span]:
    """Where the words stand that the model names, as whole words."""
    for piece in _BETWEEN_WORDS.split(wording):
        words_named = piece.strip()
        if not words_named:
            continue
        edge = r"\b" if words_named.isascii() else ""
        found = re.search(rf"{edge}{re.escape(words_named)}{edge}", text, re.IGNORECASE)
        if found is not None:
            yield Span(*found.span())


def _points(
    text: str, triplets: Sequence[Sequence[str]], relations: Sequence[Relation], question: frozenset[str]
) -> list[_Point]:
    """The points that a text makes; where they leave out something of it, or add to it, the text is one of them.

    Words of the relations that the rules know need be in no point, unless they say how much is claimed.
    """
    between = "" if language(text) in {"zh", "ja"} else " "
    own = words(text)
    made: dict[str, _Point] = {}
    for parts in triplets[:_MOST_POINTS]:
        if len(parts) != 3 or not all(part.strip() for part in parts):
            continue
        head, relation, tail = (" ".join(part.split()) for part in parts)
        point = between.join((head, relation, tail))
        if _new_words(point, own | question) <= _UNSAID:
            made.setdefault(point, _Point(point, (head, relation, tail)))
    told = ". ".join(made)
    if negations(told) < negations(text):
        return [_Point(text)]  # some point says the opposite, who knows which
    tied = words(" ".join(each.connective for each in relations if each.kind is not RelationKind.OTHER))
    lost = own - words(told) - tied or signs(text) - signs(told)
    turned = negations(told) > 0 and len(made) > 1  # may be at another point than in the text
    if lost or turned or not made or words(told) - own - question or len(triplets) > _MOST_POINTS:
        made.setdefault(text, _Point(text))
    return list(made.values())


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
    names = {key: split_title(name)[0] for key, name in _names(raw).items()}
    if not any(names.get(key) for key in whom):
        return None
    return tuple(
        EntityGroup(id=f"g{n}", name=names.get(key, ""), segments=tuple(segments))
        for n, (key, segments) in enumerate(whom.items(), 1)
    )


def _names(raw: object) -> dict[str, str]:
    """Names of the individuals by key, as the reply has them."""
    names: dict[str, str] = {}
    for item in raw if isinstance(raw, list) else []:
        try:
            reply = IndividualReply.model_validate(item)
        except ValidationError:
            continue
        names.setdefault(reply.key, reply.name)
    return names
