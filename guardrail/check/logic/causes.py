"""Cause and effect: reversed, swapped for another cause, made of a concession, or added between bystanders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from guardrail.check.logic.align import Match, Reading, Sides, best, match, share, union, words_of
from guardrail.check.logic.lexicon import CONNECTIVES
from guardrail.check.logic.ruling import Ruling, licensed, refuted, shorten, undecided
from guardrail.types import ErrorType, Relation, RelationKind

_R = RelationKind
_SAME = 0.5  # both sides of two relations share at least this much: they speak of the same thing
_COVERED, _COVERED_ZH = 0.6, 0.75  # a side is in the evidence nearly word for word; single characters match sooner
_VERBATIM = 0.75  # a side stands in one sentence
_MENTIONED = 0.34  # the evidence speaks of the claimed cause
_STRAY = 0.1  # no more than chance
_ENDS = frozenset({"until", "till"})  # "closed until May": May is no effect of it
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
_AND = re.compile(r"\band\b", re.IGNORECASE)
_JOINED = re.compile(r"[,;，；、]|\band\b", re.IGNORECASE)
# A sentence that points back may carry the cause or the effect of its neighbour.
_REFERS = re.compile(
    r"^(?:so|this|that|these|those|therefore|hence|thus|consequently|as a result|the (?:reason|cause|result|effect))\b|"
    r"\b(?:reasons?|the cause|as a result|therefore|hence|thus|for this|because of (?:this|that|it))\b|"
    r"^(?:因此|所以|这|由此|为此|于是)|原因|理由|因此",
    re.IGNORECASE,
)


def _word(sides: Sides) -> str:
    return " ".join(sides.relation.connective.casefold().split())


def _strong(claimed: Sides) -> bool:
    connective = CONNECTIVES.get(_word(claimed))
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
        if (
            stated.kind is _R.CAUSE
            and m.backward >= _SAME
            and m.backward - m.forward >= (0.25 if _strong(stated) else 0.4)
        ):
            reason = (
                f"The segment makes '{shorten(relation.first)}' the cause ('{relation.connective}'); in the evidence "
                f"it is the effect ('{stated.relation.connective}')."
            )
            return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=True)
        if (
            stated.kind is _R.SEQUENCE
            and _word(stated) not in _ENDS
            and m.backward >= _SAME
            and m.backward - m.forward >= 0.4
        ):
            reason = (
                f"The segment makes '{shorten(relation.first)}' the cause ('{relation.connective}'); in the evidence "
                f"it comes later ('{stated.relation.connective}')."
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
    """The evidence names another cause of the same effect, and no word of the claimed one beside it."""
    relation = claimed.relation
    known = share(claimed.first, union(readings)) >= _wanted(relation)
    if not known and (len(claimed.first) < 2 or not relation.connective.isascii()):
        return None
    for reading in readings:
        for stated in reading.sides:
            if stated.kind is not _R.CAUSE or not _strong(stated) or not stated.first:
                continue
            effect = share(claimed.second, stated.second)
            near = share(claimed.first, stated.first)
            if (known and effect >= _wanted(relation) and near <= 0.25) or (effect >= _VERBATIM and near <= _STRAY):
                reason = (
                    f"The segment gives '{shorten(relation.first)}' as the cause ('{relation.connective}'); the "
                    f"evidence gives '{shorten(stated.relation.first)}' ('{stated.relation.connective}')."
                )
                return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=False)
    return None


def _added(claimed: Sides, readings: Sequence[Reading]) -> Ruling | None:
    """The evidence tells the effect and ties it to no such cause."""
    relation = claimed.relation
    cause, cause_share = best(claimed.first, readings)
    effect, effect_share = best(claimed.second, readings)
    wanted = _wanted(relation)
    if cause == effect:
        told = min(cause_share, effect_share) >= wanted and min(len(claimed.first), len(claimed.second)) >= 2
        if not told or not _only_listed(claimed, readings[cause]):
            return _invented(claimed, readings, effect, effect_share)
    elif (
        len(claimed.first) < 2
        or len(claimed.second) < 3
        or cause_share < (_MENTIONED if relation.connective.isascii() else wanted)
        or effect_share < max(wanted, _VERBATIM)
        or share(claimed.first, readings[effect].words) > _STRAY
        or any(_REFERS.search(readings[number].text) for number in (cause, effect))
        or any(_points_back(claimed, stated) for stated in readings[cause].sides)
    ):
        return _invented(claimed, readings, effect, effect_share)
    reason = (
        f"The segment ties '{shorten(relation.first)}' and '{shorten(relation.second)}' with "
        f"'{relation.connective}'; the evidence states both but links them by no cause."
    )
    return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=False)


def _only_listed(claimed: Sides, reading: Reading) -> bool:
    """One sentence joins both by a bare "and", the effect first; "A and B" with the cause first often means a cause."""
    text = reading.text
    if not claimed.relation.connective.isascii():
        return (
            _JOINED.search(text) is not None
            and not _IMPLICIT.search(text)
            and not any(_touches(claimed, stated) for stated in reading.sides)
        )
    for joint in islice(_AND.finditer(text), 8):
        before, after = words_of(text[: joint.start()]), words_of(text[joint.end() :])
        if (
            share(claimed.second, before) >= _VERBATIM
            and share(claimed.first, after) >= _VERBATIM
            and not _IMPLICIT.search(text)
            and not any(_touches(claimed, stated) for stated in reading.sides)
        ):
            return True
    return False


def _invented(claimed: Sides, readings: Sequence[Reading], effect: int, effect_share: float) -> Ruling | None:
    """The effect stands in one sentence nearly word for word, and no evidence holds a word of the cause."""
    relation = claimed.relation
    if not relation.connective.isascii() or min(len(claimed.first), len(claimed.second)) < 3:
        return None
    if effect_share < _VERBATIM or share(claimed.first - claimed.second, union(readings)) > _STRAY:
        return None
    if _REFERS.search(readings[effect].text):
        return None
    reason = (
        f"The segment names '{shorten(relation.first)}' as the cause ('{relation.connective}'); the evidence tells "
        f"'{shorten(relation.second)}' without it."
    )
    return refuted(relation, ErrorType.CAUSAL_CONFUSION, reason, contradicts=False)


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
