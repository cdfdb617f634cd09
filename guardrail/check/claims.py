"""Claims that the caller brings, one segment each, found again in the answer by their words; and claims extracted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from guardrail.check.boundary import decomposed
from guardrail.check.call import Call
from guardrail.check.contract import DecomposeRequest, Draft
from guardrail.check.decompose import decompose
from guardrail.check.drivers import Program, pure
from guardrail.check.logic import find_relations
from guardrail.errors import UsageError
from guardrail.telemetry import stage
from guardrail.text.words import Overlap, content_words, placed_words
from guardrail.types import Claim, Decomposition, EntityGroup, Finding, Segment, Span

_FOUND = 0.34
"""Share of a claim's words, by weight, that a piece of the answer must hold to be where it is said."""


def given(answer: str, claims: Sequence[Claim], parts: Decomposition) -> Decomposition:
    """A decomposition with one segment per claim, in order: ids "s1", "s2", ..., claims "s1.1", "s2.1", ...

    A claim's span is the smallest stretch that holds the words which it shares with the piece of the answer that is
    most like it. Its segment spans that whole piece, for that is what a policy can take out without leaving half a
    sentence; so several segments may span the same. A claim that the answer does not say spans the whole answer. No
    claims are an abstention, except of an answer that is only code: then ``parts`` stand.

    Args:
        answer: The answer.
        claims: What ``guardrail.check.intake.read_claims`` returned.
        parts: What ``decompose`` made of the answer: the pieces to look in.

    Raises:
        UsageError: the span of a claim is not inside the answer.
    """
    if not claims and parts.unreadable and not parts.checked:
        return parts  # unread, not declined
    pieces = _Pieces(answer, parts.segments)
    segments = tuple(_segment(number, claim, answer, pieces) for number, claim in enumerate(claims, 1))
    return Decomposition(segments=segments, abstained=not segments)


def group_claims(
    segments: Sequence[Segment], parts: Decomposition, groups: Sequence[EntityGroup]
) -> tuple[EntityGroup, ...]:
    """The groups of the answer's own pieces, with the claims that each piece makes in its place.

    A claim of no piece that is in a group comes in a group without a name.
    """
    group_of = {ident: number for number, one in enumerate(groups) for ident in one.segments}
    members: dict[int, list[str]] = defaultdict(list)
    for segment in segments:
        span = segment.claims[0].span
        own = (group_of[p.id] for p in parts.checked if span is not None and p.span.overlaps(span))
        members[next(own, len(groups))].append(segment.id)
    rest = EntityGroup(id=f"g{len(groups) + 1}", name="", segments=())
    return tuple(
        replace(one, segments=tuple(members[number]))
        for number, one in enumerate((*groups, rest))
        if members.get(number)
    )


def within_claims(findings: Sequence[Finding], segments: Sequence[Segment]) -> tuple[Finding, ...]:
    """Findings whose words at fault are those of the claim, not of another claim of the same sentence."""
    spans = {segment.id: segment.claims[0].span for segment in segments}
    return tuple(replace(f, focus=_inside(f.focus, spans[f.id])) if f.focus else f for f in findings)


def _inside(focus: Span, claim: Span | None) -> Span | None:
    if claim is None:
        return None
    start, end = max(focus.start, claim.start), min(focus.end, claim.end)
    return Span(start, end) if start < end else claim


def extracted(call: Call) -> Program[Draft]:
    """The answer taken apart; a segment to check that was not taken apart further is its own claim.

    Raises:
        UsageError: the driver is sync, and the engine decomposes and can only be awaited.
    """
    with stage("decompose"):
        parts = yield from pure(decompose, call.answer, question=call.question)
        request = DecomposeRequest(answer=call.answer, question=call.question, parts=parts, deadline=call.deadline)
        draft = yield from decomposed(call.engine, request)
    segments = tuple(
        s if s.skipped is not None or s.claims else replace(s, claims=(_whole(s),)) for s in draft.parts.segments
    )
    return replace(draft, parts=replace(draft.parts, segments=segments))


def _whole(segment: Segment) -> Claim:
    return Claim(id=f"{segment.id}.1", text=segment.text, span=segment.span)


class _Pieces:
    """The pieces of an answer, to look up where a claim is said."""

    def __init__(self, answer: str, segments: Sequence[Segment]) -> None:
        self._answer = answer
        self._segments = segments
        # As written and with pronouns resolved: a claim may have either wording.
        words = [content_words(f"{s.span.of(answer)} {s.text}") for s in segments]
        self._rarity = Overlap(words)
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, found in enumerate(words):
            for word in dict.fromkeys(found):
                self._holders[word].append(number)

    def find(self, text: str) -> tuple[Span, Span] | None:
        """The piece that says it and the smallest stretch in it, else None."""
        if verbatim := self._verbatim(text.strip(" .。!！")):
            return self.around(verbatim), verbatim
        words = dict.fromkeys(content_words(text))  # a dict, for the order of a set would change the sums
        shares: dict[int, float] = defaultdict(float)
        for word in words:
            for number in self._holders.get(word, ()):
                shares[number] += self._rarity.weight(word)
        best = max(shares, key=lambda number: (shares[number], -number), default=None)
        if best is None or shares[best] < _FOUND * sum(map(self._rarity.weight, words)):
            return None
        span = self._segments[best].span
        return span, _stretch(span, self._answer, words.keys()) or span

    def _verbatim(self, text: str) -> Span | None:
        found = re.search(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", self._answer) if text else None
        return Span(*found.span()) if found else None

    def around(self, span: Span) -> Span:
        """All pieces that the stretch touches, as one."""
        touched = [s.span for s in self._segments if s.span.overlaps(span)]
        return Span(min(s.start for s in (*touched, span)), max(s.end for s in (*touched, span)))

    def citations(self, span: Span) -> tuple[str, ...]:
        """What the pieces that the stretch touches cite."""
        return tuple(dict.fromkeys(c for s in self._segments if s.span.overlaps(span) for c in s.citations))


def _segment(number: int, claim: Claim, answer: str, pieces: _Pieces) -> Segment:
    if claim.span is not None:
        _refuse_outside(claim.span, answer, number)
        place: tuple[Span, Span] | None = (pieces.around(claim.span), claim.span)
    else:
        place = pieces.find(claim.text)
    whole, stretch = place or (Span(0, len(answer)), None)
    return Segment(
        id=f"s{number}",
        span=whole,
        text=claim.text,
        relations=find_relations(claim.text) if claim.triplet is None else (),
        citations=pieces.citations(stretch) if stretch else (),
        claims=(replace(claim, id=f"s{number}.1", span=stretch),),
    )


def _stretch(span: Span, answer: str, wanted: Collection[str]) -> Span | None:
    """The smallest stretch of ``answer[span]`` that holds every wanted word that is there; of several the first."""
    words = [(word, place) for word, place in placed_words(span.of(answer)) if word in wanted]
    needed = len({word for word, _ in words})
    best: Span | None = None
    held: dict[str, int] = defaultdict(int)
    first = 0
    for word, place in words:
        held[word] += 1
        while held[words[first][0]] > 1:
            held[words[first][0]] -= 1
            first += 1
        found = Span(words[first][1].start, place.end)
        if len(held) == needed and (best is None or found.end - found.start < best.end - best.start):
            best = found
    return Span(span.start + best.start, span.start + best.end) if best else None


def _refuse_outside(span: Span, answer: str, number: int) -> None:
    if not 0 <= span[0] < span[1] <= len(answer):
        raise UsageError(f"claim {number} has the span {tuple(span)}, which is not inside the answer.")
