"""May, must, need not, must not: a claim that gives the same deed another force than the evidence does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from guardrail.text.facts.alignment import FactEvidence
from guardrail.text.facts.fact import EXACT, FactKind, Facts, Mismatch
from guardrail.text.facts.verb_forms import base
from guardrail.text.words import read_words
from guardrail.types import Span


class Force(StrEnum):
    """How free one is to do a thing."""

    MAY = "may"
    MUST = "must"
    SHOULD = "should"
    NEED_NOT = "need not"
    MUST_NOT = "must not"


class Modal(NamedTuple):
    """A force, the deed that it governs (see ``base``), where it stands, and its clause without it."""

    force: Force
    deed: str
    span: Span
    clause: str


_BE = r"\b(?:is|are|be|was|were|'s|'re) (?:\w+ly |also |still |always |only )?"
_SHEET: tuple[tuple[Force, str], ...] = (
    (
        Force.MUST_NOT,
        r"\b(?:must|shall) (?:not|never)|\bmustn't|\bcannot|\bcan't|\bcan not|"
        + _BE
        + r"(?:not|never) (?:allowed|permitted|entitled) to|"
        + _BE
        + r"(?:forbidden|prohibited) (?:to|from)",
    ),
    (
        Force.NEED_NOT,
        r"\b(?:need not|needn't|(?:do|does|did)(?: not|n't) (?:have|need) to)|"
        + _BE
        + r"(?:not|n't) (?:required|obliged|obligated|forced) to|"
        + _BE
        + r"free not to",
    ),
    (
        Force.MUST,
        r"\b(?:must|has to|have to|had to|needs? to)|" + _BE + r"(?:required|obliged|obligated|forced|bound) to",
    ),
    (Force.SHOULD, r"\bshould|\bought to|" + _BE + r"(?:advised|recommended|encouraged) to"),
    (Force.MAY, r"\bmay|\bcan|" + _BE + r"(?:allowed|permitted|free|welcome|entitled) to"),
)
_PATTERN = re.compile("|".join(f"(?P<{f.name}>{p})" for f, p in _SHEET), re.IGNORECASE)
_BORDER = re.compile(r"[;:—–]|, (?=but|and|so|while|whereas)|\b(?:but|while|whereas)\b|[.!?](?=\s|$)", re.IGNORECASE)
_LEAST_COVER = 0.75
_PASS = frozenset("be not also always therefore then still only first never have been to ever even".split())
_CLASHES = {
    (Force.MUST, Force.MAY), (Force.MUST, Force.SHOULD), (Force.MUST, Force.NEED_NOT), (Force.NEED_NOT, Force.MUST),
    (Force.NEED_NOT, Force.MUST_NOT), (Force.MUST_NOT, Force.NEED_NOT), (Force.MAY, Force.MUST_NOT),
    (Force.MUST_NOT, Force.MAY), (Force.MAY, Force.MUST), (Force.MUST, Force.MUST_NOT), (Force.MUST_NOT, Force.MUST),
}  # fmt: skip
"""Claim and evidence whose forces exclude each other."""
_NARROWED = re.compile(
    r"\b(?:only|unless|except\w*|until|without|if|when|where|provided|but|otherwise|other|before|after|no|nobody|none"
    r"|neither|not|than|most|whereas|while|although)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words with which one force is said by another: "may only ... with" is a "must"."""


@lru_cache(maxsize=8192)
def read_modals(text: str) -> tuple[Modal, ...]:
    """The modals of a sentence with their deeds, in text order."""
    plain = text.replace("’", "'")
    found = []
    for match in _PATTERN.finditer(plain):
        if match.lastgroup is None:
            continue
        words = read_words(plain[match.end() : match.end() + 60])
        deed = next((w for w in words if w.form not in _PASS), None)
        force = Force[match.lastgroup]
        if deed is None or (force is Force.MAY and match.group()[0] == "M" and match.start()):
            continue  # "May" inside a sentence is the month
        if force in {Force.MAY, Force.SHOULD} and any(w.form in {"not", "never"} for w in words[:2]):
            continue  # "may not" forbids or doubts
        if force is Force.MUST and any(w.form in {"not", "never"} for w in words[:2]):
            force = Force.MUST_NOT
        starts = [m.end() for m in _BORDER.finditer(plain, 0, match.start())]
        start, end = starts[-1] if starts else 0, _BORDER.search(plain, match.end())
        clause = plain[start : match.start()] + plain[match.end() : end.start() if end else len(plain)]
        found.append(Modal(force, base(deed.form), Span(*match.span()), clause))
    return tuple(found)


def judge_force(claim: Facts, evidence: FactEvidence) -> Iterator[Mismatch]:
    """A deed to which the nearest evidence, and nothing that was read, gives another force than the claim."""
    if not evidence.nearest or evidence.nearest[0][1] < _LEAST_COVER:
        return
    own = read_modals(claim.text)
    if len(own) != 1:
        return
    modal = own[0]
    others = [(s, m) for s in evidence.sentences for m in read_modals(s.text) if m.deed == modal.deed]
    if any(m.force is modal.force for _, m in others):
        return
    wanted = {base(w.form) for w in claim.words if w.stem}
    for sentence, cover in evidence.nearest:
        if cover < _LEAST_COVER:
            return
        there = [m for s, m in others if s is sentence]
        if len(there) != 1 or (modal.force, there[0].force) not in _CLASHES:
            continue
        if "can" in {modal.span.of(claim.text).lower(), there[0].span.of(sentence.text).lower()} and (
            Force.MUST in {modal.force, there[0].force}
        ):
            continue  # "can" may be an ability
        near = wanted & {base(w.form) for w in read_words(there[0].clause)}
        if len(near) >= _LEAST_COVER * len(wanted) and not _NARROWED.search(f"{modal.clause} {there[0].clause}"):
            yield Mismatch(
                kind=FactKind.FORCE,
                span=modal.span,
                claim_value=f"“{modal.span.of(claim.text)}”",
                evidence_value=f"“{there[0].span.of(sentence.text)}”",
                contradicts=True,
                weight=EXACT,
            )
            return
