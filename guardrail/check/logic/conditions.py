"""Sufficient and necessary conditions, told for one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.check.logic.align import Reading, Sides, best, has, match, share, words_of
from guardrail.check.logic.ruling import Ruling, licensed, refuted, undecided
from guardrail.types import ErrorType, RelationKind

_R = RelationKind
_COVERED, _COVERED_ZH = 0.5, 0.65  # single characters match sooner than words
_SUFFICIENT = re.compile(
    r"\bas long as\b|\bso long as\b|\bwhenever\b|\b"
    r"(?:is|are|was|were|be) (?:by itself |in itself |already )?(?:enough|sufficient|all)\b|\bsuffices?\b|"
    r"\balone (?=is|are|was|were|will|would|can|could|makes?|gives?|entitles?|lets?|earns?|keeps?|brings?|leads?|"
    r"decides?|suffice|has|had|have)|"
    r"\ball (?:you|it|they|he|she|one|that|anyone) (?:needs?|takes?|is needed)\b|\bnothing (?:more|else)\b|"
    r"\bwhether or not\b|\bwhatever\b|\bregardless\b|\bguarantees?\b|\bas soon as\b|"
    r"(?<!than )\banyone\b(?! else)|\bevery\w* who\b|"
    r"\bany \w+ (?:who|that|over|with)\b|"
    r"\bno matter\b|只要|即可|足以|足够|无论|不论|不管|凡",
    re.IGNORECASE,
)
_NECESSARY = re.compile(
    r"\bonly\b|\bunless\b|\bmust\b|\brequire[sd]?\b|\bneed(?:s|ed)?\b|\bha(?:ve|s|d) to\b|\bboth\b|"
    r"\bat least\b|\buntil\b|\bwithout\b|\bon condition\b|\bas well as\b|\band\b|\btoo\b|\bminimum\b|"
    r"只有|除非|必须|须|需|才|方可|方能|且|并|同时|缺一|以及|和|加",
    re.IGNORECASE,
)
# "And" names a second requirement only where the evidence does not already name the condition with "if".
_ADDITIONS = frozenset({"and", "too", "as well as", "both", "without", "until", "和", "加", "并", "且", "以及", "同时"})
_PLAIN_IF = re.compile(r"(?<!only )\b(?:if|when|while|where|provided)\b|如果|若|当|时，", re.IGNORECASE)
# "Not enough", "one is enough": denied, or said of a number.
_DENIED = re.compile(r"(?:\b(?:not|never|nor|no|hardly)|n't)\s(?:\w+\s)?$|\b(?:one|two|half)\s$", re.IGNORECASE)
_NUMBER = re.compile(
    r"\s(?:\d|two\b|three\b|four\b|five\b|six\b|ten\b|twelve\b|you (?:like|wish|want)\b)", re.IGNORECASE
)
_TIMES = frozenset({"as long as", "so long as", "whenever", "as soon as", "whether or not"})
# "Accepted, but it must name a date": "accepted as long as it does" says the same.
_DUTY = re.compile(r"must|require|need|ha(?:ve|s|d) to", re.IGNORECASE)
_WHILE = re.compile(r"\b(?:while|until|when|once|as long as|after|time)\b", re.IGNORECASE)
_ANYONE = re.compile(r"any|every|whatever|regardless", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:all|every|open to|anyone|any)\b", re.IGNORECASE)
_NOT_ENOUGH = re.compile(
    r"\balone (?:\w+ )?(?:not|n't)\b|\balone \w+n't\b|\bnot (?:be )?(?:enough|sufficient|suffice)\b|"
    r"\b(?:do|does|did|wo|is)n't (?:be )?(?:enough|suffice)\b|\bnot by itself\b",
    re.IGNORECASE,
)
_NEARLY_ALL = 0.7
_WAIVERS = frozenset({"even if", "whether or not"})
_WAIVED = re.compile(r"\b(?:even|whether|regardless|whatever|no matter|although|though|unless)\b", re.IGNORECASE)
_OTHER_WAYS = re.compile(
    r"\b(?:even|whatever|whether|regardless|no matter|either|otherwise|always|at any time|in any case|or)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|unless|must|without|nobody|no one|except|provided)\b", re.IGNORECASE)
_AS_WELL = re.compile(r"\b(?:provided|both|only)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|no|never|cannot|none)\b|n't\b", re.IGNORECASE)
_JOINT = re.compile(r"\bboth\b|\band\b|\balso\b|同时|并且|且|都", re.IGNORECASE)
_EITHER = re.compile(r"\bor\b|或|任一", re.IGNORECASE)
_STRICT = re.compile(r"\bonly (?:if|when|once|where)\b|\bunless both\b|\bboth\b", re.IGNORECASE)


def rule(text: str, claimed: Sides, readings: Sequence[Reading]) -> Ruling:
    """Judge one claimed condition (Face4RAG: confusing sufficient and necessary conditions)."""
    relation = claimed.relation
    strong = _sufficiency(text)
    number, covered = best(words_of(text.replace(strong, " ") if strong else text), readings)
    matches = [(match(claimed, stated), stated) for reading in readings for stated in reading.sides]
    for m, stated in matches:
        if stated.kind is claimed.kind and m.forward >= 0.5 and not has(_JOINT, relation.first):
            return licensed(relation, stated.relation)
    if covered < (_COVERED if relation.connective.isascii() else _COVERED_ZH):
        return undecided(relation)
    evidence = readings[number]
    if claimed.kind is _R.CONDITION:
        waived = _waived(claimed, evidence) if covered >= _NEARLY_ALL else None
        return waived or (_sufficient(text, claimed, strong, evidence) if strong else undecided(relation))
    if (
        (both := has(_JOINT, relation.first))
        and (either := has(_EITHER, evidence.text))
        and not _EITHER.search(text)
        and not _AS_WELL.search(evidence.text)
    ):
        reason = f"The segment asks for '{both}'; the evidence says '{either}', so that one of them is enough."
        return refuted(relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)
    strict, other = has(_STRICT, text), has(_OTHER_WAYS, evidence.text)
    if strict and covered >= 0.6 and other and not _OTHER_WAYS.search(text) and not _ONLY.search(evidence.text):
        reason = f"The segment says '{strict}', so that it is necessary; the evidence says '{other}'."
        return refuted(relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)
    return undecided(relation)


def _waived(claimed: Sides, evidence: Reading) -> Ruling | None:
    """Whether "even if the hose does not slope", where the evidence says "provided that it slopes"."""
    connective = " ".join(claimed.relation.connective.casefold().split())
    if connective not in _WAIVERS or _WAIVED.search(evidence.text):
        return None
    for stated in evidence.sides:
        if stated.kind in (_R.CONDITION, _R.NECESSITY) and share(claimed.first, stated.first) >= 0.6:
            reason = (
                f"The segment says '{claimed.relation.connective}', so that it does not matter; the evidence says "
                f"'{stated.relation.connective}', a requirement."
            )
            return refuted(claimed.relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)
    return None


def _sufficiency(text: str) -> str | None:
    """The words that call a condition sufficient; not where they are negated or speak of a number."""
    for found in _SUFFICIENT.finditer(text):
        if not _DENIED.search(text, max(found.start() - 16, 0), found.start()) and not _NUMBER.match(text, found.end()):
            return found.group()
    return None


def rule_quantity(text: str, claimed: Sides, readings: Sequence[Reading]) -> list[Ruling]:
    """Judge "all you need", "that alone is enough", "anyone who", where no condition is spelled out."""
    strong = _sufficiency(text)
    number, covered = best(words_of(text.replace(strong, " ") if strong else text), readings)
    if strong and covered >= (_COVERED if claimed.relation.connective.isascii() else _COVERED_ZH):
        return [_sufficient(text, claimed, strong, readings[number])]
    return []


def _sufficient(text: str, claimed: Sides, strong: str, evidence: Reading) -> Ruling:
    necessary = has(_NOT_ENOUGH, evidence.text) or _requirement(text, strong, evidence)
    if necessary is None:
        return undecided(claimed.relation)
    reason = f"The segment says '{strong}', so that it suffices; the evidence says '{necessary}', a requirement."
    return refuted(claimed.relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)


def _requirement(text: str, strong: str, evidence: Reading) -> str | None:
    """The word that makes the evidence a requirement, or None where the segment may be read with it."""
    necessary = has(_NECESSARY, evidence.text)
    if necessary is None or _sufficiency(evidence.text):
        return None
    word, weak = " ".join(strong.casefold().split()), necessary.casefold() in _ADDITIONS
    if weak and (_PLAIN_IF.search(evidence.text) or _holds(text, necessary)):
        return None
    if word in _TIMES and (_WHILE.search(evidence.text) or _DUTY.match(necessary)):
        return None
    if _ANYONE.match(word) and (weak or _OPEN.search(evidence.text) or _NEGATIVE.search(text)):
        return None
    return necessary


def _holds(text: str, word: str) -> bool:
    return word.isascii() and re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None
