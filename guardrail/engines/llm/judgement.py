"""From a judge's reply about one segment to rows of the matrix. What is missing, doubled or made up judges nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from guardrail.check.contract import NotJudged
from guardrail.engines.llm.protocol import Reply
from guardrail.engines.llm.quotes import Documents
from guardrail.engines.llm.replies import FoundLogic, FoundPoint, QuoteReply, answer_of, pairs_of
from guardrail.engines.llm.short_forms import TIE
from guardrail.engines.llm.statements import declines, denies, is_about_documents, is_advice, is_label, is_talk
from guardrail.text.facts import extract
from guardrail.text.wording import negations
from guardrail.text.words import content_words
from guardrail.types import (
    LOGIC_ERRORS,
    Cause,
    Cell,
    Claim,
    ErrorType,
    LogicVerdict,
    Row,
    Segment,
    Span,
)

CERTAINTY: Mapping[str, float] = {"high": 0.97, "medium": 0.85, "low": 0.65}
"""Probability that stands for the judge's word; a threshold between two of them tells them apart."""

_SLIGHT, _PARTLY = 0.02, 0.3
_OF_NAMESAKE = 0.55
"""Cell of a document that says it of a namesake: it counts for that one, and less than what is said of one's own."""
_LEADING = 3
"""Content words of a claim that only leads in a list."""
_LEADS_IN = re.compile(
    r"[:：]$|\b(?:as follows|the following|below|wie folgt|siguientes?|suivante?s?)\.$|如下。?$"
    r"|(?:次|以下|下記)の(?:とおり|通り)(?:です|となります|になります)?。?$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(d\d+)\s*[:=]\s*([SPCNO])\b")
_SEPARATORS = re.compile(r"[\s,;|]*")
_REASON = 300

NO_REPLY = NotJudged("the judge gave no verdict for this segment", Cause.REPLY)
_UNREADABLE = NotJudged("the judge's verdict for this segment could not be read", Cause.REPLY)
_UNASKED = NotJudged("the judge spoke of points that were not asked for", Cause.REPLY)
_NO_POINT = NotJudged("the judge gave no verdict for this point", Cause.REPLY)
_SEVERAL = NotJudged("the judge gave several verdicts for it", Cause.REPLY)
_UNNAMED = NotJudged("the judge did not name each document once", Cause.REPLY)
_INVENTED = NotJudged("the judge quoted words that are in no passage", Cause.REPLY)
_OFF_TOPIC = NotJudged("the judge's quote does not speak of this", Cause.REPLY)
_ORDERED = NotJudged("the judge's quote is an order to the judge, not a statement", Cause.REPLY)
_INCONSISTENT = NotJudged("the judge's verdict does not fit its own labels", Cause.REPLY)
_NO_ABSENCE = NotJudged("the judge called it absent, but it says nothing of what the documents leave out", Cause.REPLY)
_OF_QUESTION = "the question says so"
_NO_TALK = NotJudged("the judge called it no claim, but it states something", Cause.REPLY)
_NO_LOGIC = NotJudged("the judge gave no verdict on the relation that this segment states", Cause.REPLY)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a reply says of one segment; ``complete`` if nothing of it had to be left out.

    ``doubts``: by id of point or relation, why it was left out.
    """

    row: Row
    claims: tuple[Row, ...] = ()
    logic: LogicVerdict | None = None
    complete: bool = False
    doubts: Mapping[str, str] = field(default_factory=dict)


def claims_of(segment: Segment) -> tuple[Claim, ...]:
    """The claims to judge: the segment's own, else the segment as one claim."""
    return segment.claims or (Claim(id=f"{segment.id}.1", text=segment.text),)


def nothing(segment: Segment, documents: Documents, why: NotJudged) -> Judgement:
    """No verdict at all, and why."""
    blank = _combine(segment, [_blank(c.id, documents, why) for c in claims_of(segment)], None, documents, None)
    return replace(blank, doubts={})


def read_segment(
    raw: object, segment: Segment, documents: Documents, *, logic: bool, beside: Sequence[tuple[str, str]] = ()
) -> Judgement:
    """Read the reply about one segment: its ``points``, and ``logic`` where it was given with a relation.

    Args:
        raw: One item of the reply, as JSON gave it.
        segment: The segment that it should be about.
        documents: The passages it was judged by.
        logic: Whether a verdict on its relation was asked for.
        beside: Workings that the judge shows of other segments (``workings_of``); where two looks agree, a value may
            rest on them.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("points"), list):
        return nothing(segment, documents, _UNREADABLE)
    claims = claims_of(segment)
    by_id: dict[str, list[Any]] = {claim.id: [] for claim in claims}
    for point in raw["points"]:
        ident = point.get("id") if isinstance(point, Mapping) else None
        if not isinstance(ident, str) or ident not in by_id:
            return nothing(segment, documents, _UNASKED)
        by_id[ident].append(point)
    shown = pairs_of(point for points in by_id.values() for point in points)
    rows = [_point(by_id[claim.id], claim, segment, documents, shown, beside) for claim in claims]
    rows = _without_label(rows, claims, segment, documents)
    verdict, fault = _logic(raw.get("logic"), segment, documents) if logic else (None, None)
    return _combine(segment, rows, verdict, documents, fault)


def logic_in(reply: Reply, segment: Segment) -> object:
    """What a reply about the relation alone says of it, for ``with_logic``."""
    raw = answer_of(reply)
    if isinstance(raw, NotJudged):
        return raw
    return raw.get("logic") if raw.get("id") == segment.id else None


def with_logic(judged: Judgement, raw: object, segment: Segment, documents: Documents) -> Judgement:
    """The same with the relation's verdict from a reply of its own."""
    verdict, fault = _logic(raw, segment, documents)
    if isinstance(raw, NotJudged):
        fault = replace(_NO_LOGIC, cause=raw.cause)
    rows = judged.claims or [_blank(c.id, documents, _obstacle(judged.row) or NO_REPLY) for c in claims_of(segment)]
    return _combine(segment, rows, verdict, documents, fault)


def _blank(ident: str, documents: Documents, why: NotJudged) -> Row:
    return why.row(ident, (None,) * len(documents.passages))


def _obstacle(row: Row) -> NotJudged | None:
    return None if row.unverified is None else NotJudged(row.unverified, row.cause or Cause.REPLY)


def _point(
    found: list[Any],
    claim: Claim,
    segment: Segment,
    documents: Documents,
    shown: Sequence[tuple[str, str]],
    beside: Sequence[tuple[str, str]],
) -> Row:
    if len(found) != 1:
        return _blank(claim.id, documents, _SEVERAL if found else _NO_POINT)
    try:
        reply = FoundPoint.model_validate(found[0])
    except ValidationError:
        return _blank(claim.id, documents, _UNREADABLE)
    labels = _labels(reply.labels, documents)
    if labels is None:
        return _blank(claim.id, documents, _UNNAMED)
    if reply.verdict == "absent" and "S" in labels and "C" not in labels:  # a document says itself that it is not known
        reply = reply.model_copy(update={"verdict": "supported"})
    own = pairs_of(found)
    pairs = [*(pair for pair in shown if pair not in own), *own]
    others = beside if reply.agreed else ()
    quotes, invented = _quotes(reply.quotes, documents, claim.text, pairs)
    backed = {n for n in quotes if documents.bears(claim.text, [(n, s) for s in quotes[n]], segment.text)}
    backed |= _together(labels, quotes, backed, claim, segment, documents)
    certainty = CERTAINTY["low" if reply.second else reply.confidence]
    if _unfit(reply.verdict, labels, backed) is _OFF_TOPIC:  # other words: the language's, or the judge says which
        backed |= {n for n in quotes if documents.is_foreign(n, segment.text)}
        if reply.agreed and not documents.hostile and _only_leads_in(claim, segment, documents):
            backed |= set(quotes) if reply.verdict == "supported" else set()
        else:
            backed |= _linked(reply, quotes, claim, segment, own, pairs, others, documents)
        certainty = CERTAINTY["low"]
    elif not backed and labels.count("P") == 1:  # the question may say the rest
        backed |= _linked(reply, quotes, claim, segment, own, pairs, others, documents)
    backed -= {n for n in quotes if documents.orders([(n, s) for s in quotes[n]])}
    missing = documents.lacks(claim.text, segment.span) if reply.verdict == "supported" else None
    if missing is not None:
        if any(map(str.isdigit, missing)):
            certainty = CERTAINTY["low"]  # a value that the judge derives
        missing = documents.lacks(claim.text, segment.span, pairs, twice=reply.agreed, beside=others)
    other = _OF_NAMESAKE if reply.error == "mixed_entities" else _PARTLY
    cells = tuple(
        _cell(label, certainty, quotes.get(n, ()), sound=n in backed, other=other) for n, label in enumerate(labels)
    )
    if reply.verdict == "supported" and reply.error == "none" and set(labels) <= {"N", "O", "P"}:
        part = "P" in labels
        notes = [reply.analysis, *(side for pair in own for side in pair)]
        sound = {n for n in backed if labels[n] == "P"}
        parts_quoted = sound or {n for n in quotes if labels[n] == "P" and reply.agreed}
        if (not part or parts_quoted) and documents.asked(
            claim.text, pairs, notes, agreed=reply.agreed, part=part, backed=bool(sound)
        ):
            parts = tuple((n, span) for n in sorted(parts_quoted) for span in quotes[n])
            return replace(_unquoted(claim.id, CERTAINTY["low"], cells, _OF_QUESTION), evidence=parts)
    if reply.verdict in ("absent", "no_claim"):
        return _unsaid(reply, certainty, labels, claim, segment, cells, documents)
    named = reply.verdict == "supported" and reply.error != "none"
    fault = _INCONSISTENT if named else _unfit(reply.verdict, labels, backed)
    if fault is not None:
        why = _INVENTED if invented and fault is not _INCONSISTENT else _reason_for(quotes, documents, fault)
        return why.row(claim.id, cells)
    if missing is not None:
        unknown = f"the judge called it supported, but no passage mentions {missing}"
        return NotJudged(unknown, Cause.REPLY).row(claim.id, cells)
    wanted = {"supported": "SP", "contradicted": "C"}.get(reply.verdict, "O")
    evidence = tuple(
        (n, span) for n, label in enumerate(labels) if label in wanted and n in backed for span in quotes[n]
    )
    supported = certainty if reply.verdict == "supported" else 1.0 - certainty
    return Row(
        segment_id=claim.id,
        cells=cells,
        supported=supported,
        contradicted=certainty if reply.verdict == "contradicted" else _SLIGHT,
        evidence=evidence,
        error_type=None if reply.verdict == "supported" or reply.error == "none" else ErrorType(reply.error),
        reason=" ".join(reply.analysis.split())[:_REASON],
    )


def _unsaid(
    reply: FoundPoint,
    certainty: float,
    labels: Sequence[str],
    claim: Claim,
    segment: Segment,
    cells: tuple[Cell | None, ...],
    documents: Documents,
) -> Row:
    """A point that is true because the documents are silent, or that states nothing.

    No quote can bear these out. At first sight only what reads like one is believed, else anything could be talked
    through; what two looks agree on, only if it denies something, or has no value and no name of its own.
    """
    if reply.error != "none" or set(labels) & set("SC"):
        return _INCONSISTENT.row(claim.id, cells)
    texts = (claim.text,) if extract(claim.text).facts else (claim.text, segment.text)
    twice = reply.agreed and not documents.hostile
    if reply.verdict == "absent" and not (any(map(is_about_documents, texts)) or (twice and denies(claim.text))):
        return _NO_ABSENCE.row(claim.id, cells)
    if reply.verdict == "no_claim" and not _is_empty(claim, segment, documents, twice=twice):
        return _NO_TALK.row(claim.id, cells)
    told = "no document says it" if reply.verdict == "absent" else "states nothing"
    return _unquoted(claim.id, certainty, cells, " ".join(reply.analysis.split())[:_REASON] or told)


def _unquoted(ident: str, certainty: float, cells: tuple[Cell | None, ...], reason: str) -> Row:
    """The row of a point that is right without a quote."""
    return Row(segment_id=ident, cells=cells, supported=certainty, contradicted=_SLIGHT, reason=reason)


def _is_empty(claim: Claim, segment: Segment, documents: Documents, *, twice: bool) -> bool:
    """Whether a judge may say that a point states nothing."""
    if is_talk(claim.text) or is_about_documents(claim.text):
        return True
    if documents.hostile or documents.lacks(claim.text, segment.span) is not None:
        return False
    leads_in = _leads_in(documents.written(segment.span))
    return is_advice(claim.text) or (twice and (leads_in or not any(map(str.isdigit, claim.text))))


def _only_leads_in(claim: Claim, segment: Segment, documents: Documents) -> bool:
    """Whether a claim says little more than that a list follows, whose items are judged by themselves."""
    short = len(content_words(claim.text)) <= _LEADING and not negations(claim.text)
    return short and _leads_in(documents.written(segment.span))


def _leads_in(written: str) -> bool:
    """Whether a piece of an answer leads in what follows: "You took on two tasks:", "The fees are as follows."."""
    return _LEADS_IN.search(written.rstrip()) is not None


def _without_label(rows: Sequence[Row], claims: Sequence[Claim], segment: Segment, documents: Documents) -> list[Row]:
    """The same where the whole segment is a label that no pattern knows ("**Fishing.**", "Your son should pack:")."""
    if not is_label(documents.written(segment.span)):
        return list(rows)
    empty = {c.id for c, row in zip(claims, rows, strict=True) if row.unverified == _NO_TALK.reason}
    return [
        replace(
            row, unverified=None, cause=None, supported=CERTAINTY["low"], contradicted=_SLIGHT, reason="states nothing"
        )
        if claim.id in empty and documents.mention(claim.text)
        else row
        for claim, row in zip(claims, rows, strict=True)
    ]


def _labels(text: str, documents: Documents) -> tuple[str, ...] | None:
    """One letter per document, in order; None unless each document is named exactly once and nothing else is."""
    named: dict[str, str] = {}
    for ident, label in _LABEL.findall(text):
        if ident in named:
            return None
        named[ident] = label
    rest = _SEPARATORS.sub("", _LABEL.sub("", text)).strip("{}\"'")
    if rest or set(named) != set(documents.ids):
        return None
    return tuple(named[ident] for ident in documents.ids)


def _quotes(
    replies: Sequence[QuoteReply], documents: Documents, claim: str, workings: Sequence[tuple[str, str]] = ()
) -> tuple[dict[int, tuple[Span, ...]], bool]:
    """Spans by document, and whether some quote is not where it says; its document then has none that counts."""
    found: dict[int, tuple[Span, ...]] = {}
    spoiled: set[int | None] = set()
    for reply in replies:
        number = documents.number(reply.document)
        spans = () if number is None else documents.locate(number, reply.text)
        if number is not None and not spans and documents.titled(number, reply.text):
            spans = documents.opening(number, reply.text, claim, workings)
            if not spans:
                continue  # no evidence, but nothing made up
        if number is None or not spans:
            spoiled.add(number)
            continue
        found[number] = (*found.get(number, ()), *(s for s in spans if s not in found.get(number, ())))
    return {number: spans for number, spans in found.items() if number not in spoiled}, bool(spoiled)


def _cell(label: str, certainty: float, quotes: tuple[Span, ...], *, sound: bool, other: float) -> Cell | None:
    """A label that needs a quote and has no sound one is no label."""
    if label == "N":
        return Cell(supported=1.0 - CERTAINTY["high"], contradicted=_SLIGHT)
    if not sound:
        return None
    if label == "C":
        return Cell(supported=1.0 - certainty, contradicted=certainty, evidence=quotes)
    says = {"S": certainty, "P": _PARTLY, "O": other}[label]
    return Cell(supported=says, contradicted=_SLIGHT, evidence=quotes)


def _together(
    labels: Sequence[str],
    quotes: Mapping[int, tuple[Span, ...]],
    backed: set[int],
    claim: Claim,
    segment: Segment,
    documents: Documents,
) -> set[int]:
    """Documents that say a part each, if what they say together speaks of the claim and one of them does alone.

    A deduction needs words that the claim has not ("4,800 a semester" and "three semesters" for a sum of 14,400).
    """
    parts = {n for n in quotes if labels[n] == "P"}
    if not parts & backed:
        return set()
    joint = [(n, span) for n in sorted(parts) for span in quotes[n]]
    return parts if documents.bears(claim.text, joint, segment.text) else set()


def _linked(
    reply: FoundPoint,
    quotes: Mapping[int, tuple[Span, ...]],
    claim: Claim,
    segment: Segment,
    own: Sequence[tuple[str, str]],
    pairs: Sequence[tuple[str, str]],
    beside: Sequence[tuple[str, str]],
    documents: Documents,
) -> set[int]:
    """Documents whose quotes the second look ties to the claim, in other words, or by a value that is worked out."""
    if not reply.second:
        return set()
    linked = {n for n in quotes if documents.linked(n, quotes[n], claim.text, segment.text, own, twice=reply.agreed)}
    if reply.agreed and documents.works_out(claim.text, pairs, beside):
        linked |= {n for n in quotes if documents.enters(n, quotes[n], own)}
    return linked


def _unfit(verdict: str, labels: Sequence[str], backed: set[int]) -> NotJudged | None:
    """Why the verdict over all documents cannot stand on the labels and their quotes, or None.

    Support needs a document that says all, or two that say parts of it; a contradiction one that contradicts, and none
    that says all of it (then the documents disagree, and support counts: RefChecker's rule).
    """
    sound = {label: [n for n, each in enumerate(labels) if each == label and n in backed] for label in "SPC"}
    claimed = {label: [n for n, each in enumerate(labels) if each == label] for label in "SPC"}
    if verdict == "supported":
        if sound["S"] or len(sound["P"]) > 1:
            return None
        return _OFF_TOPIC if claimed["S"] or len(claimed["P"]) > 1 else _INCONSISTENT
    if claimed["S"]:
        return _INCONSISTENT
    if verdict == "contradicted":
        if sound["C"]:
            return None
        return _OFF_TOPIC if claimed["C"] else _INCONSISTENT
    return _INCONSISTENT if claimed["C"] else None


def _reason_for(quotes: Mapping[int, tuple[Span, ...]], documents: Documents, fault: NotJudged) -> NotJudged:
    if fault is _INCONSISTENT or not quotes:
        return fault
    if documents.orders([(n, span) for n, spans in quotes.items() for span in spans]):
        return _ORDERED
    return fault


def _logic(raw: object, segment: Segment, documents: Documents) -> tuple[LogicVerdict | None, NotJudged | None]:
    """The verdict on a relation, or why there is none."""
    try:
        reply = FoundLogic.model_validate(raw)
    except ValidationError:
        return None, _NO_LOGIC
    quotes, invented = _quotes(reply.quotes, documents, segment.text)
    evidence = [(n, span) for n, spans in quotes.items() for span in spans]
    # Beside orders, "it is no relation" needs a quote too: it would be the easiest thing to talk a judge into.
    # What follows from the documents' silence ("... so I cannot answer that") has none.
    silent = reply.verdict == "consistent" and declines(segment.text)
    unquoted = reply.verdict == "unlicensed" or (not documents.hostile and (silent or reply.verdict == "no_relation"))
    if not unquoted:
        if not evidence:
            return None, _INVENTED if invented else _NO_LOGIC
        if documents.orders(evidence):
            return None, _ORDERED
        elsewhere = not documents.hostile and (
            reply.second or any(documents.is_foreign(n, segment.text) for n in quotes)
        )
        if not elsewhere and not documents.bears(segment.text, evidence):
            return None, _OFF_TOPIC
    fits = reply.verdict in ("consistent", "no_relation")
    if fits and reply.error != "none":
        return None, _INCONSISTENT
    return LogicVerdict(
        segment_id=segment.id,
        consistent=fits,
        error_type=None if fits else ErrorType.OTHER_LOGIC if reply.error == "none" else ErrorType(reply.error),
        reason="" if fits else " ".join(reply.comparison.split())[:_REASON],
        focus=segment.relations[0].span if segment.relations and not fits else None,
        contradicts=reply.verdict == "contradicted",
        decisive=True,
    ), None


def with_inner_logic(judged: Judgement, segment: Segment) -> Judgement:
    """The same with a verdict on relations that stand inside points: they are as good as their points."""
    if judged.logic is not None or not segment.relations or judged.row.unverified is not None:
        return judged
    rows = judged.claims or (judged.row,)
    failing = [row for row in rows if row.unverified is None and row.supported < 0.5]
    wrong = next((row for row in failing if row.error_type in LOGIC_ERRORS), None)
    verdict = LogicVerdict(
        segment_id=segment.id,
        consistent=None if failing and wrong is None else wrong is None,
        error_type=wrong.error_type if wrong else None,
        reason=wrong.reason if wrong else "",
        focus=segment.relations[0].span if wrong else None,
        contradicts=wrong is not None and wrong.contradicted > 0.5,
        decisive=True,
    )
    return replace(judged, logic=verdict)


def _combine(
    segment: Segment, rows: Sequence[Row], logic: LogicVerdict | None, documents: Documents, fault: NotJudged | None
) -> Judgement:
    """A segment is as good as its worst point (L-Face4RAG, section 4.3: every point must agree)."""
    failing = [row for row in rows if row.unverified is None and row.supported < 0.5]
    unjudged = next((why for row in rows if (why := _obstacle(row)) is not None), None)
    complete = unjudged is None and fault is None
    doubts = {row.segment_id: row.unverified for row in rows if row.unverified is not None}
    doubts |= {segment.id + TIE: fault.reason} if fault else {}
    if not failing and (unjudged or fault):
        blank = _blank(segment.id, documents, unjudged or fault or NO_REPLY)
        return Judgement(blank, tuple(rows), logic, doubts=doubts)
    worst = max(failing, key=lambda row: (row.contradicted, -row.supported), default=None)
    cells = tuple(_worst([row.cells[n] for row in rows]) for n in range(len(documents.passages)))
    evidence = dict.fromkeys(pair for row in ([worst] if worst else rows) for pair in row.evidence)
    row = Row(
        segment_id=segment.id,
        cells=cells,
        supported=min(row.supported for row in rows if row.unverified is None),
        contradicted=max(row.contradicted for row in rows if row.unverified is None),
        evidence=tuple(evidence),
        error_type=worst.error_type if worst else None,
        reason=worst.reason if worst else "",
    )
    return Judgement(row, tuple(rows), logic, complete, doubts)


def _worst(cells: Sequence[Cell | None]) -> Cell | None:
    read = [cell for cell in cells if cell is not None]
    if len(read) < len(cells) or not read:
        return None
    return Cell(
        supported=min(cell.supported for cell in read),
        contradicted=max(cell.contradicted for cell in read),
        evidence=tuple(dict.fromkeys(span for cell in read for span in cell.evidence)),
    )
