"""Cause and effect: reversed, swapped for another cause, or added between bystanders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from guardrail.check.logic.alignment import (
    Match,
    Reading,
    RelationVerdict,
    Sides,
    best,
    connective_of,
    entailed,
    match,
    refuted,
    share,
    shorten,
    undecided,
    union,
    words_of,
)
from guardrail.check.logic.lexicon import CONNECTIVES
from guardrail.types import ErrorType, Relation, RelationKind

_R = RelationKind
_SAME = 0.5  # both sides of two relations share at least this much: they speak of the same thing
_REVERSED = 0.25  # the sides match so much better the other way round
_COVERED, _COVERED_ZH = 0.6, 0.75  # a side is in the evidence nearly word for word; single characters match sooner
_VERBATIM = 0.75  # a side stands in one sentence
_MENTIONED = 0.34  # the evidence speaks of the claimed cause
_STRAY = 0.1  # no more than chance
_TIES = frozenset({_R.CAUSE, _R.PURPOSE, _R.CONDITION, _R.NECESSITY})
# Ways of saying "because" without a connective: participles, infinitives of purpose, colons, ", as", "with ... -ing".
_IMPLICIT = re.compile(
    r", (?:as|for|leaving|making|so|which|whose|where|since)\b|\bas (?:it|they|he|she|the|this|there|these)\b|"
    r"\bafter\b|\bfollowing\b|\bthe (?:reason|cause|effect|purpose|aim|culprit)\b|\breasons?\b|"
    r"\bwith (?:the )?\w+ \w+ing\b|"
    r"\bto (?:avoid|prevent|keep|let|make|protect|reduce|save|stop|cut|help|allow|give|get|ensure|reach|cover|meet)\b|"
    r"[:—–]\s|使|让|令|以便|以免|理由|原因|，以|因|所以|故|未按|为了|由此|之后|后，",
    re.IGNORECASE,
)
_AND = re.compile(r"\band\b", re.IGNORECASE)
# A sentence that points back may carry the cause or the effect of its neighbour.
_REFERS = re.compile(
    r"^(?:so|this|that|these|those|therefore|hence|thus|consequently|as a result|the (?:reason|cause|result|effect))\b|"
    r"\b(?:reasons?|the cause|as a result|therefore|hence|thus|for this|because of (?:this|that|it))\b|"
    r"^(?:因此|所以|这|由此|为此|于是)|原因|理由|因此",
    re.IGNORECASE,
)


def judge_cause(claimed: Sides, readings: Sequence[Reading]) -> RelationVerdict | None:
    """Judge one claimed cause (Face4RAG: causal confusion); None for a weak connective that nothing entails."""
    relation = claimed.relation
    matches = [(match(claimed, stated), stated) for reading in readings for stated in reading.sides]
    if claimed.first and claimed.second:
        for m, stated in matches:
            if stated.kind in _TIES and _fits(m, stated):
                return entailed(relation, stated.relation)
    if not _is_strong(claimed):
        return None
    if not claimed.first or not claimed.second:
        return undecided(relation)
    reason, contradicts = _reversed(claimed, matches), True
    if reason is None:
        reason, contradicts = _rival(claimed, readings) or _added(claimed, readings), False
    if reason is None:
        return undecided(relation)
    return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=contradicts)


def _is_strong(sides: Sides) -> bool:
    connective = CONNECTIVES.get(connective_of(sides))
    return connective is not None and not connective.weak


def _covered(relation: Relation) -> float:
    return _COVERED if relation.connective.isascii() else _COVERED_ZH


def _fits(m: Match, stated: Sides) -> bool:
    # An aim is the motive of what is done for it, so that purpose may be told as cause in either order.
    score = max(m) if stated.kind is _R.PURPOSE else m.forward
    return score >= _SAME and score >= m.backward


def _reversed(claimed: Sides, matches: Sequence[tuple[Match, Sides]]) -> str | None:
    relation = claimed.relation
    for m, stated in matches:
        turned = m.backward >= _SAME and m.backward - m.forward >= _REVERSED
        if turned and stated.kind is _R.CAUSE and _is_strong(stated):
            return (
                f"The segment makes '{shorten(relation.first)}' the cause ('{relation.connective}'); in the evidence "
                f"it is the effect ('{stated.relation.connective}')."
            )
    return None


def _rival(claimed: Sides, readings: Sequence[Reading]) -> str | None:
    """The evidence names another cause of the same effect, and no word of the claimed one beside it."""
    relation = claimed.relation
    known = share(claimed.first, union(readings)) >= _covered(relation)
    if not known and (len(claimed.first) < 2 or not relation.connective.isascii()):
        return None
    for stated in (sides for reading in readings for sides in reading.sides):
        if stated.kind is not _R.CAUSE or not _is_strong(stated) or not stated.first:
            continue
        effect = share(claimed.second, stated.second)
        near = share(claimed.first, stated.first)
        if near <= _STRAY and effect >= (_covered(relation) if known else _VERBATIM):
            return (
                f"The segment gives '{shorten(relation.first)}' as the cause ('{relation.connective}'); the "
                f"evidence gives '{shorten(stated.relation.first)}' ('{stated.relation.connective}')."
            )
    return None


def _added(claimed: Sides, readings: Sequence[Reading]) -> str | None:
    """The evidence tells both sides and ties them by no cause."""
    relation = claimed.relation
    cause, cause_share = best(claimed.first, readings)
    effect, effect_share = best(claimed.second, readings)
    wanted = _covered(relation)
    if cause == effect:
        both_told = min(cause_share, effect_share) >= wanted and min(len(claimed.first), len(claimed.second)) >= 2
        added = both_told and _only_listed(claimed, readings[cause])
    else:
        added = (
            len(claimed.first) >= 2
            and len(claimed.second) >= 3
            and cause_share >= (_MENTIONED if relation.connective.isascii() else wanted)
            and effect_share >= max(wanted, _VERBATIM)
            and share(claimed.first, readings[effect].words) <= _STRAY
            and not any(_REFERS.search(readings[number].text) for number in (cause, effect))
            and not any(_points_back(claimed, stated) for stated in readings[cause].sides)
        )
    if not added:
        return None
    return (
        f"The segment ties '{shorten(relation.first)}' and '{shorten(relation.second)}' with "
        f"'{relation.connective}'; the evidence states both but links them by no cause."
    )


def _only_listed(claimed: Sides, reading: Reading) -> bool:
    """One sentence joins both by a bare "and", the effect first; "A and B" with the cause first often means a cause."""
    text = reading.text
    if not claimed.relation.connective.isascii() or _IMPLICIT.search(text):
        return False
    if any(_touches(claimed, stated) for stated in reading.sides):
        return False
    return any(
        share(claimed.second, words_of(text[: joint.start()])) >= _VERBATIM
        and share(claimed.first, words_of(text[joint.end() :])) >= _VERBATIM
        for joint in islice(_AND.finditer(text), 8)
    )


def _points_back(claimed: Sides, stated: Sides) -> bool:
    """In "most ask, because ..." the sentence gives the cause, and its effect is a word that points back."""
    return stated.kind in _TIES and len(stated.second) <= 2 and share(claimed.first, stated.first) >= _SAME


def _touches(claimed: Sides, stated: Sides) -> bool:
    """A tie of any kind between parts of both sides, in either direction."""
    if stated.kind not in _TIES and stated.kind is not _R.SEQUENCE:
        return False
    one = min(share(claimed.first, stated.first), share(claimed.second, stated.second))
    other = min(share(claimed.first, stated.second), share(claimed.second, stated.first))
    return max(one, other) >= 0.3
