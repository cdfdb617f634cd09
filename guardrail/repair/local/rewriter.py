"""Rewrite an answer without a model: take out what is unsupported, say what the evidence says where it disagrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from guardrail.check.decompose.connectives import Link, discourse_link
from guardrail.repair.edits import resolved_pronoun
from guardrail.repair.feedback import Feedback
from guardrail.repair.local.edits import Edit, apply_edits, without_connective
from guardrail.repair.local.namesakes import name_apart
from guardrail.repair.local.standalone import is_supported_by, standalone_evidence
from guardrail.text.facts import RELIABLE, VALUE_KINDS, FactKind, compare, extract
from guardrail.text.markdown import mask
from guardrail.text.sentences import split_sentences
from guardrail.types import LOGIC_ERRORS, ErrorType, Evidence, Finding, Report, Span, Verdict

_MARK = re.compile(r"\s*\[\^?\d{1,3}\](?=[.。]?\s*$)")
_END = re.compile(r"[.!。！]?(?:\s*\[\^?\d{1,3}\])*[.!。！]?$")
_COMMA = re.compile(r"[,;](?= )|[，；]")
_BLANKS = re.compile(r"[\W_]+")
_EXCHANGED = VALUE_KINDS | {FactKind.NAME, FactKind.NEIGHBOUR}


@dataclass(frozen=True, slots=True)
class LocalRewriter:
    """Edits an answer as little as its findings demand, with words of the answer, the passages and their titles only.

    What the passages do not say is taken out. What they contradict gets their number, date or name, else their
    sentence where one stands alone, else it is taken out. A sentence about a namesake says so, by the passage's title.
    """

    def rewrite(self, feedback: Feedback) -> str | None:
        """The edited answer; None where nothing can be changed, or nothing of it would be left."""
        report = feedback.report
        faults = [f for f in feedback.faults if f.verdict is not Verdict.SUPPORTED]
        edits: list[Edit] = []
        named = name_apart(report, faults)
        gone: list[Span] = []  # stretches that are taken out, or say something else now
        for finding in faults:
            if finding.id in named:
                continue
            for edit in _mended(finding, report):
                edits.append(edit)
                gone += [edit.span] if edit.span == finding.span or not edit.new else []
        edits += [edit for of_one in named.values() for edit in of_one]
        left = [f for f in report.findings if not any(_within(f.span, e.span) and not e.new for e in edits)]
        if not edits or not left:
            return None
        text = apply_edits(report.answer, [*edits, *_followers(report, gone, frozenset(named))])
        return text if text.strip() and text != report.answer else None


def _mended(finding: Finding, report: Report) -> Sequence[Edit]:
    answer = report.answer
    if finding.verdict is Verdict.CONTRADICTED and (found := correct_values(answer, finding.span, finding.evidence)):
        return found
    sentences = _sentences(answer, finding.span)
    if len(sentences) > 1 and finding.error_type in LOGIC_ERRORS:
        dropped = [without_connective(answer, later.start) for later in sentences[1:]]
        if any(dropped) and all(d is not None for d in dropped):
            return [edit for d in dropped if d for edit in d]
    wrong = _at_fault(finding, sentences)
    if finding.verdict is Verdict.CONTRADICTED and finding.error_type is not ErrorType.MIXED_ENTITIES:
        new = _said_instead(wrong, finding, report)
        if new is not None:
            return (Edit(wrong, new),)
    if (clause := _added_clause(answer, wrong, finding)) is not None:
        return (clause,)
    behind = [sentence.start for sentence in sentences if sentence.start >= wrong.end]
    hanging = without_connective(answer, behind[0]) if behind else ()
    return (Edit(Span(wrong.start, finding.span.end)),) if hanging is None else (Edit(wrong), *hanging)


def correct_values(answer: str, span: Span, evidence: Sequence[Evidence]) -> tuple[Edit, ...]:
    """Edits that put the evidence's values in place of those that it contradicts.

    () where there is none, or where something would be left that the evidence lacks or denies: then more than a value
    is wrong.
    """
    text = span.of(answer)
    sources = [extract(each.quote) for each in evidence]
    edits: list[Edit] = []
    for wrong in compare(extract(text), sources):
        if wrong.weight < RELIABLE:
            continue
        if wrong.kind not in _EXCHANGED or not wrong.contradicts or not wrong.evidence_value:
            return ()
        new = wrong.evidence_value
        if not any(new in each.quote for each in evidence) or new == wrong.claim_value:
            return ()  # a value that is no words of the evidence
        edits.append(Edit(Span(span.start + wrong.span.start, span.start + wrong.span.end), new))
    if not edits:
        return ()
    mended = text
    for (start, end), new in reversed(edits):
        mended = mended[: start - span.start] + new + mended[end - span.start :]
    left = [m for m in compare(extract(mended), sources) if m.weight >= RELIABLE]
    return () if left else tuple(edits)


def _added_clause(answer: str, wrong: Span, finding: Finding) -> Edit | None:
    """The clause behind the last comma that holds the fault, where the evidence supports the rest."""
    focus, text = finding.focus, wrong.of(answer)
    if finding.verdict is not Verdict.UNSUPPORTED or focus is None or text.startswith("|"):
        return None
    end = wrong.end - (len(text) - len(_END.sub("", text)))
    commas = [match.start() for match in _COMMA.finditer(answer, wrong.start, focus.start)]
    if (
        not commas
        or finding.error_type in LOGIC_ERRORS
        or not is_supported_by(answer[wrong.start : commas[-1]], finding.evidence)
    ):
        return None
    return Edit(Span(commas[-1], wrong.end), answer[end : wrong.end])


def _said_instead(wrong: Span, finding: Finding, report: Report) -> str | None:
    """What the evidence says, with the opening connective and the citation mark of what it replaces."""
    said = wrong.of(report.answer)
    if said.startswith("|") or (found := standalone_evidence(said, finding.evidence, report.passages)) is None:
        return None
    text, source = found
    if _bare(text) in _bare(report.answer):
        return None  # the answer says it already
    if _MARK.search(said):
        number = next(n for n, passage in enumerate(report.passages, 1) if passage.id == source.passage_id)
        text = f"{text[:-1]} [{number}]{text[-1]}" if said.endswith((".", "。")) else f"{text} [{number}]"
    return text


def _followers(report: Report, gone: Sequence[Span], named: frozenset[str]) -> list[Edit]:
    """What stands behind a stretch that is gone must not hang on it: connectives go, pronouns say whom they mean."""
    edits: list[Edit] = []
    ordered = sorted(report.findings, key=lambda f: f.span)
    for before, finding in pairwise(ordered):
        lost = any(_within(before.span, span) for span in gone)
        if not lost or finding.id in named or any(_within(finding.span, span) for span in gone):
            continue
        if (pronoun := resolved_pronoun(finding)) is not None:
            edits.append(Edit(*pronoun))
        elif discourse_link(finding.text) is not Link.NONE:
            edits += without_connective(report.answer, finding.span.start) or ()
    return edits


def _sentences(answer: str, span: Span) -> list[Span]:
    """Sentences of a segment, without the white space around them."""
    text = span.of(answer)
    found = []
    for start, end in split_sentences(mask(text, {})):
        piece = text[start:end]
        lead, trail = len(piece) - len(piece.lstrip()), len(piece) - len(piece.rstrip())
        if piece.strip():
            found.append(Span(span.start + start + lead, span.start + end - trail))
    return found or [span]


def _at_fault(finding: Finding, sentences: Sequence[Span]) -> Span:
    """The one sentence of the segment that holds the fault, where that is clear; else all of it."""
    if len(sentences) > 1 and finding.focus is not None and finding.error_type not in LOGIC_ERRORS:
        for sentence in sentences:
            if _within(finding.focus, sentence):
                return sentence
    return finding.span


def _within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _bare(text: str) -> str:
    return _BLANKS.sub(" ", text.casefold()).strip()
