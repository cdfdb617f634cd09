"""Cause and effect: reversed, swapped for another cause, made of a concession, or added between bystanders."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.logic.align import Match, Reading, Sides, best, match, share, union
from guardrail.logic.lexicon import CONNECTIVES
from guardrail.logic.ruling import Ruling, licensed, refuted, shorten, undecided
from guardrail.types import ErrorType, Relation, RelationKind

_R = RelationKind
_SAME = 0.5  # both sides of two relations share at least this much: they speak of the same thing
_COVERED, _COVERED_ZH = 0.6, 0.75  # a side is in the evidence nearly word for word; single characters match sooner
_TIES = frozenset({_R.CAUSE, _R.PURPOSE, _R.CONDITION, _R.NECESSITY})
# Ways of saying "because" without a connective: participles, infinitives of purpose, colons, ", as", "with ... -ing".
_IMPLICIT = re.compile(
    r", (?:as|for|leaving|making|so|which|whose|where|since)\b|\bas (?:it|they|he|she|the|this|there|these)\b|"
    r"\bafter\b|\bfollowing\b|"
    r"\bthe (?:reason|cause|effect|purpose|aim|culprit)\b|\breasons?\b|\bwith (?:the )?\w+ \w+ing\b|"
    r"\bto (?:avoid|prevent|keep|let|make|protect|reduce|save|stop|cut|help|allow|give|get|ensure|reach|cover|meet)\b|"
    r"[:—–]\s|使|让|令|以便|以免|理由|原因|，以|因|所以|故|未按|为了|由此|之后|后，",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[,;，；、]|\band\b", re.IGNORECASE)
# A sentence that points back may carry the cause or the effect of its neighbour.
_REFERS = re.compile(
    r"^(?:so|this|that|these|those|therefore|hence|thus|consequently|as a result|the (?:reason|cause|result|effect))\b|"
    r"\b(?:the reason|the cause|as a result|therefore|for this|because of (?:this|that|it))\b|^(?:因此|所以|这|由此|"
    r"为此|于是)|原因|理由|因此",
    re.IGNORECASE,
)


def _strong(claimed: Sides) -> bool:
    connective = CONNECTIVES.get(" ".join(claimed.relation.connective.casefold().split()))
    return connective is not None and not connective.weak


def rule(claimed: Sides, readings: Sequence[Reading]) -> list[Ruling]:
    """Judge one claimed cause (Face4RAG: causal confusion); no ruling on a weak connective that nothing licenses."""
    relation = claimed.relation
    if not claimed.first or not claimed.second:
        return [undecided(relation)] if _strong(claimed) else []
    matches = [(match(claimed, stated), stated) for reading in readings for stated in reading.sides]
    for m, stated in matches:
        if stated.kind in _TIES and _fits(m, stated):
            return [licensed(relation, stated.relation)]
    if not _strong(claimed):
        return []
    wrong = _reversed(claimed, matches) or _rival(claimed, readings) or _added(claimed, readings)
    return [wrong or undecided(relation)]


def _wanted(relation: Relation) -> float:
    return _COVERED if relation.connective.isascii() else _COVERED_ZH


def _fits(m: Match, stated: Sides) -> bool:
    # An aim is the motive of what is done for it, so that purpose may be told as cause in either order.
    score = max(m) if stated.kind is _R.PURPOSE else m.forward
    return score >= _SAME and score >= m.backward


def _reversed(claimed: Sides, matches: Sequence[tuple[Match, Sides]]) -> Ruling | None:
    relation = claimed.relation
    for m, stated in matches:
        if stated.kind is _R.CAUSE and _strong(stated) and m.backward >= _SAME and m.backward - m.forward >= 0.25:
            reason = (
                f"The segment makes '{shorten(relation.first)}' the cause ('{relation.connective}'); in the evidence "
                f"it is the effect ('{stated.relation.connective}')."
            )
            return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=True)
        if stated.kind is _R.CONCESSION and _strong(stated) and max(m) >= 0.7:
            reason = (
                f"The segment says '{relation.connective}' where the evidence says "
                f"'{stated.relation.connective}': an obstacle is told as the cause."
            )
            return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=True)
    return None


def _rival(claimed: Sides, readings: Sequence[Reading]) -> Ruling | None:
    """The evidence names another cause of the same effect, and speaks of the claimed cause elsewhere."""
    relation = claimed.relation
    if share(claimed.first, union(readings)) < _wanted(relation):
        return None
    for reading in readings:
        for stated in reading.sides:
            if stated.kind is not _R.CAUSE or not _strong(stated) or not stated.first:
                continue
            effect = share(claimed.second, stated.second)
            if effect >= _wanted(relation) and share(claimed.first, stated.first) <= 0.25:
                reason = (
                    f"The segment gives '{shorten(relation.first)}' as the cause ('{relation.connective}'); the "
                    f"evidence gives '{shorten(stated.relation.first)}' ('{stated.relation.connective}')."
                )
                return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=False)
    return None


def _added(claimed: Sides, readings: Sequence[Reading]) -> Ruling | None:
    """The evidence tells both sides and ties them nowhere."""
    relation = claimed.relation
    cause, cause_share = best(claimed.first, readings)
    effect, effect_share = best(claimed.second, readings)
    if min(cause_share, effect_share) < _wanted(relation) or min(len(claimed.first), len(claimed.second)) < 2:
        return None
    if cause == effect:
        # A single clause ("a cracked shaft took the ferry out of service") ties its parts by itself.
        tied = (
            not _JOINED.search(readings[cause].text)
            or _IMPLICIT.search(readings[cause].text) is not None
            or any(_touches(claimed, stated) for stated in readings[cause].sides)
        )
    else:
        tied = any(_REFERS.search(readings[number].text) is not None for number in (cause, effect))
    if tied:
        return None
    reason = (
        f"The segment ties '{shorten(relation.first)}' and '{shorten(relation.second)}' with "
        f"'{relation.connective}'; the evidence states both but links them by no cause."
    )
    return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=False)


def _touches(claimed: Sides, stated: Sides) -> bool:
    """A tie of any kind between parts of both sides, in either direction."""
    if stated.kind not in _TIES and stated.kind is not _R.SEQUENCE:
        return False
    one = min(share(claimed.first, stated.first), share(claimed.second, stated.second))
    other = min(share(claimed.first, stated.second), share(claimed.second, stated.first))
    return max(one, other) >= 0.3
