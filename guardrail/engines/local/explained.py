"""Mismatches that weigh little, because the question has the value or because it can have been worked out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from guardrail.text.facts import EXACT, VALUE_KINDS, FactKind, Facts, Mismatch, extract, missing_facts
from guardrail.text.facts.arithmetic import computed
from guardrail.text.facts.calendar import coincidence_of_moment
from guardrail.text.facts.derivation import coincidence
from guardrail.text.facts.fact import Amount, Fact, Moment
from guardrail.text.words import read_words

_SLIGHT = 0.2
"""Weight of what is explained: an answer about the reader's own case needs it."""

_MOST = 12
"""Values of a claim that are looked into: each costs up to a millisecond."""

_ROUNDS = 3
"""Values that follow from values that follow."""

_ABSENT, _INSTEAD, _COPIED = 0.15, 0.1, 0.05
"""Chance of a coincidence up to which a value counts as worked out: of one that no passage has; of a number in whose
place the passages have another; of a date or time there, or of all that a near-verbatim sentence changes."""

_NEAR_VERBATIM = 0.75
"""Weight of a clash from which the claim is near-verbatim."""


def without_explained(
    found: Sequence[Mismatch], claim: Facts, evidence: Sequence[Facts], question: str | None
) -> list[Mismatch]:
    """The mismatches; slight is what the question has, and what follows from numbers and dates at hand.

    "London" in "Can I work from London?", the way there and back to "I live 18 km away", "38 hours: 912.00" to "24.00
    an hour", "by 3 August" to "within 60 days". A value of the question that the evidence contradicts stays what it is:
    questions presuppose wrong things, too.

    Args:
        found: Mismatches of the claim.
        claim: The claim.
        evidence: The sentences read.
        question: What was asked, if that is known.
    """
    asked = extract(question) if question else None
    return _without_worked_out(_without_asked(found, claim, evidence, asked), claim, evidence, asked)


def _without_asked(
    found: Sequence[Mismatch], claim: Facts, evidence: Sequence[Facts], asked: Facts | None
) -> list[Mismatch]:
    """The mismatches; slight is what the question has."""
    if asked is None or not found:
        return list(found)
    known = {word.form for word in asked.words}
    values = any(m.kind in VALUE_KINDS and not m.contradicts for m in found) and bool(asked.counted)
    still = {m.span for m in missing_facts(claim, [*evidence, asked])} if values else set()

    def is_asked(missed: Mismatch) -> bool:
        if missed.contradicts:
            return False
        if missed.kind is FactKind.NAME:
            return all(word.form in known for word in read_words(missed.claim_value))
        return values and missed.kind in VALUE_KINDS and missed.span not in still

    return [_slight(m) if is_asked(m) else m for m in found]


def _without_worked_out(
    found: Sequence[Mismatch], claim: Facts, evidence: Sequence[Facts], asked: Facts | None
) -> list[Mismatch]:
    """The mismatches; slight is a value that follows, and then what follows from it, too."""
    missing = {m.span: m for m in found if m.kind in VALUE_KINDS and _SLIGHT < m.weight < EXACT}
    left = [fact for fact in claim.facts if fact.span in missing][:_MOST]
    told = [fact for facts in evidence for fact in facts.counted]
    own = [*(asked.counted if asked else ()), *(fact for fact in claim.counted if fact.span not in missing)]
    known, follows = [*own, *told], set()
    for _ in range(_ROUNDS):
        new = [fact for fact in left if _follows(fact, missing[fact.span], claim, own, told, known)]
        if not new:
            break
        known += new
        follows |= {fact.span for fact in new}
        left = [fact for fact in left if fact not in new]
    return [replace(_slight(m), contradicts=False) if m.span in follows and m.kind in VALUE_KINDS else m for m in found]


def _follows(
    fact: Fact, missed: Mismatch, claim: Facts, own: Sequence[Fact], told: Sequence[Fact], known: Sequence[Fact]
) -> bool:
    """Whether the value follows: in one step that takes a number of claim or question, or hardly by coincidence."""
    if isinstance(fact.value, Amount) and _from_own(fact.value, own, told):
        return True
    return _chance(fact, claim, known) <= _allowed(fact, missed)


def _from_own(value: Amount, own: Sequence[Fact], told: Sequence[Fact]) -> bool:
    """Whether one step leads to the value, where question or claim bring numbers to compute with."""
    ours, theirs = ([each.value for each in facts if isinstance(each.value, Amount)] for facts in (own, told))
    return bool(ours) and computed(value, (*ours, *theirs), ())


def _chance(fact: Fact, claim: Facts, known: Sequence[Fact]) -> float:
    amounts = [each.value for each in known if isinstance(each.value, Amount)]
    if isinstance(fact.value, Moment):
        moments = [each.value for each in known if isinstance(each.value, Moment)]
        return coincidence_of_moment(fact.value, moments, amounts)
    return coincidence(fact, claim.text, amounts)


def _allowed(fact: Fact, missed: Mismatch) -> float:
    if not missed.contradicts:
        return _ABSENT
    return _COPIED if isinstance(fact.value, Moment) or missed.weight >= _NEAR_VERBATIM else _INSTEAD


def _slight(missed: Mismatch) -> Mismatch:
    return replace(missed, weight=min(missed.weight, _SLIGHT))
