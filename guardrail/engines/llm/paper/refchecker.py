"""RefChecker's own calls: 1 to extract claims, then per passage one for every five claims: 1 + k*ceil(m/5).

Source: RefChecker 0.1 (amazon-science/RefChecker). Labels are read by id: its own code pads replies that are too short
with Neutral. Answer labels (strict, soft, major) are those of guardrail.check.verdicts, over the claims of the report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from guardrail.check.contract import DecomposeRequest, Draft, NotJudged, VerifyRequest
from guardrail.engines.llm.draft import answer_units
from guardrail.engines.llm.paper.inputs import by_sentence, context_blocks, keeps, question_block, replies_to
from guardrail.engines.llm.paper.replies import ClaimReply, ClaimsReply, LabelReply, LabelsReply, TripletsReply, items
from guardrail.engines.llm.paper.verdicts import NOT_BACKED, NOT_JUDGED, Label, Locator, merged, strict
from guardrail.engines.llm.prompts import ask
from guardrail.engines.llm.protocol import Reply, Steps
from guardrail.engines.llm.replies import answer_of
from guardrail.text.language import language as language_of
from guardrail.text.words import Overlap, content_words
from guardrail.types import Cell, Claim, Row, Segment, Span, SupportMatrix

ClaimFormat = Literal["triplet", "subsentence"]

PROMPTS = ("refchecker_triplets", "refchecker_subsentences", "refchecker_check")

_JOINT = 5
"""Claims in one prompt, as RefChecker's ``joint_check_num``."""

_REASONS = ("A passage contradicts this claim and none entails it.", "No passage entails this claim.")
_LABELS = {label.name.capitalize(): label for label in Label}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extracted:
    """A claim as extracted; ``sentences`` are the numbers (from 1) of those that the model says it is from."""

    text: str
    triplet: tuple[str, str, str] | None = None
    sentences: tuple[int, ...] = ()


def decompose(request: DecomposeRequest, language: str, *, claim_format: ClaimFormat = "triplet") -> Steps[Draft]:
    """One call: claims, attributed to the rules' segments.

    A triplet is attributed to the sentence that has most of its words, a sub-sentence claim to the sentences that the
    model names. RefChecker calls an answer without claims Abstain. Here its segments are checked as they are, since no
    text may talk its way past the check; ``report.claims`` is empty then, and its label Abstain.

    Args:
        request: The answer and what the rules made of it.
        language: Of the instructions, ``en`` or ``zh``.
        claim_format: ``triplet``: (head, relation, tail); ``subsentence``: short sentences.
    """
    single = by_sentence(request)
    if not single.parts.checked:
        return Draft(parts=request.parts)
    name, form = (PROMPTS[0], TripletsReply) if claim_format == "triplet" else (PROMPTS[1], ClaimsReply)
    blocks = [*question_block(request.question), ("answer", answer_units(single))]
    (reply,) = yield (ask(name, language, form, blocks),)
    raw = answer_of(reply)
    key = "triplets" if claim_format == "triplet" else "claims"
    if isinstance(raw, NotJudged) or not isinstance(raw.get(key), list):
        why = raw.reason if isinstance(raw, NotJudged) else f"the reply has no {key}"
        return Draft(parts=request.parts, reason=f"Segments are checked whole, without claims: {why}.")
    extracted = _triplets(raw[key]) if claim_format == "triplet" else _claims(raw)
    segments, strangers = _attributed(request, single.parts.checked, extracted)
    lost = strangers + len(raw[key]) - len(extracted)
    reason = f"{lost} of {len(raw[key])} claims were left out: unreadable, or not of this answer." if lost else ""
    return Draft(parts=replace(request.parts, segments=segments), reason=reason)


def verify(request: VerifyRequest, language: str, *, joint: bool = True) -> Steps[SupportMatrix]:
    """Each claim against each passage, five claims a prompt, or one where ``joint`` is false (1 + m*k calls).

    A segment whose claims leave out most of it, or that has none, is one more claim. Evidence is located by words, not
    quoted by the model. Claims have RefChecker's merged label; a segment has the worst of its claims.
    """
    listed = [item for segment in request.segments for item in _items(segment)]
    size = _JOINT if joint else 1
    batches = [listed[start : start + size] for start in range(0, len(listed), size)]
    readable = [n for n, passage in enumerate(request.passages) if passage.text.strip()]
    asked = [(number, batch) for number in readable for batch in batches]
    replies = yield from replies_to(
        ask(
            PROMPTS[2],
            language,
            LabelsReply,
            [
                *context_blocks(request, [number]),
                ("claims", [{"id": item.id, "claim": item.shown} for item in batch]),
            ],
        )
        for number, batch in asked
    )
    told: dict[tuple[str, int], Label | NotJudged] = {}
    for (number, batch), reply in zip(asked, replies, strict=True):
        told |= {(ident, number): label for ident, label in _labels(reply, [item.id for item in batch]).items()}
    locator = Locator(request)
    rows = {item.id: _row(item, readable, told, locator, len(request.passages)) for item in listed}
    by_segment: Mapping[str, list[Row]] = defaultdict(list)
    for item in listed:
        by_segment[item.segment_id].append(rows[item.id])
    return SupportMatrix(
        rows=tuple(strict(s.id, by_segment[s.id]) for s in request.segments),
        claims=tuple(rows[c.id] for s in request.segments for c in s.claims),
    )


@dataclass(frozen=True, slots=True)
class _Item:
    """A claim to check; ``shown`` is how the prompt has it: a text or a triplet."""

    id: str
    segment_id: str
    text: str
    shown: str | list[str]


def _items(segment: Segment) -> list[_Item]:
    found = [
        _Item(id=c.id, segment_id=segment.id, text=c.text, shown=list(c.triplet) if c.triplet else c.text)
        for c in segment.claims
    ]
    if not found or not keeps((c.text for c in segment.claims), segment.text):
        found.append(_Item(id=segment.id, segment_id=segment.id, text=segment.text, shown=segment.text))
    return found


def _triplets(listed: Iterable[Any]) -> list[_Extracted]:
    found = []
    for item in listed:
        if not isinstance(item, list) or len(item) != 3 or not all(isinstance(part, str) for part in item):
            continue
        parts = [" ".join(part.split()) for part in item]
        if all(parts):
            between = "" if language_of("".join(parts)) in {"zh", "ja"} else " "
            found.append(_Extracted(text=between.join(parts), triplet=(parts[0], parts[1], parts[2])))
    return found


def _claims(raw: dict[str, Any]) -> list[_Extracted]:
    read = [(" ".join(claim.text.split()), claim) for claim in items(raw, "claims", ClaimReply)]
    return [_Extracted(text=text, sentences=tuple(claim.sentences)) for text, claim in read if text]


def _labels(reply: Reply, ids: Sequence[str]) -> dict[str, Label | NotJudged]:
    """The label of each claim that was asked for, or why it has none; ids that nobody asked for are not heard."""
    raw = answer_of(reply)
    if isinstance(raw, NotJudged):
        return dict.fromkeys(ids, raw)
    given = {each.id: _LABELS[each.label] for each in items(raw, "labels", LabelReply)}
    listed = raw.get("labels")
    named = [item.get("id") for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    return {ident: given[ident] if ident in given and named.count(ident) == 1 else NOT_JUDGED for ident in ids}


def _row(
    item: _Item,
    readable: Sequence[int],
    told: Mapping[tuple[str, int], Label | NotJudged],
    locator: Locator,
    passages: int,
) -> Row:
    cells: list[Cell | None] = [None] * passages
    fault = None
    for number in readable:
        label = told[item.id, number]
        if label is Label.NEUTRAL:
            cells[number] = Label.NEUTRAL.cell()
        elif isinstance(label, NotJudged):
            fault = label
        elif spans := locator.locate(item.text, number, against=label is Label.CONTRADICTION):
            cells[number] = label.cell(spans)
        else:
            fault = NOT_BACKED
    return merged(item.id, cells, fault, _REASONS)


def _attributed(
    request: DecomposeRequest, sentences: Sequence[Segment], extracted: Sequence[_Extracted]
) -> tuple[tuple[Segment, ...], int]:
    """The rules' segments with their claims, and how many claims share no word with the answer (they are left out).

    Args:
        request: The answer and the rules' segments.
        sentences: Its sentences to check, in order.
        extracted: What the model extracted.
    """
    words = [content_words(sentence.text) for sentence in sentences]
    overlap = Overlap(words)
    found: dict[str, list[tuple[_Extracted, Span]]] = defaultdict(list)
    strangers = 0
    for claim in extracted:
        number = _sentence(claim, overlap, len(sentences))
        if number is None:
            strangers += 1
            continue
        sentence = sentences[number]
        home = next(s for s in request.parts.checked if s.span.start <= sentence.span.start < s.span.end)
        if all(claim.text != other.text for other, _ in found[home.id]):
            found[home.id].append((claim, _span_of(claim, sentence.span, request.answer)))
    return tuple(_with_claims(segment, found[segment.id]) for segment in request.parts.segments), strangers


def _sentence(claim: _Extracted, overlap: Overlap, count: int) -> int | None:
    """The sentence that has most of the claim, of those that the model names if they have any; None if none has."""
    words = content_words(claim.text)
    named = [n - 1 for n in claim.sentences if 1 <= n <= count]
    for among in (named, range(count)):
        shares = {n: overlap.coverage(words, [n]) if words else 0.0 for n in among}
        best = max(shares, key=shares.__getitem__, default=None)
        if best is not None and shares[best] > 0.0:
            return best
    return None


def _span_of(claim: _Extracted, sentence: Span, answer: str) -> Span:
    """The stretch of the sentence from the first to the last part of the claim in it, else the sentence."""
    written = sentence.of(answer).casefold()
    if len(written) != sentence.end - sentence.start:  # a case fold that moves offsets
        return sentence
    parts = claim.triplet or (claim.text.rstrip(".。"),)
    places = [(at, at + len(part)) for part in parts if (at := written.find(part.casefold())) >= 0]
    if len(places) < min(2, len(parts)):
        return sentence  # the head alone is the subject of every claim
    start = sentence.start
    return Span(start + min(first for first, _ in places), start + max(last for _, last in places))


def _with_claims(segment: Segment, found: Sequence[tuple[_Extracted, Span]]) -> Segment:
    claims = tuple(
        Claim(id=f"{segment.id}.{n}", text=claim.text, triplet=claim.triplet, span=span)
        for n, (claim, span) in enumerate(found, 1)
    )
    return replace(segment, claims=claims)
