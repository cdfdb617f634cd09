"""Sufficient and necessary conditions, told for one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.logic.align import Reading, Sides, best, has, match, words_of
from guardrail.logic.ruling import Ruling, licensed, refuted, undecided
from guardrail.types import ErrorType, RelationKind

_R = RelationKind
_COVERED, _COVERED_ZH = 0.5, 0.65  # single characters match sooner than words
_SUFFICIENT = re.compile(
    r"\bas long as\b|\bso long as\b|\bwhenever\b|\b(?:is|are|was|be) (?:enough|sufficient|all)\b|\bsuffices?\b|"
    r"\balone\b|"
    r"\ball (?:you|it|they|he|she|one|that|anyone) (?:needs?|takes?|is needed)\b|\bnothing (?:more|else)\b|"
    r"\bwhether or not\b|\bwhatever\b|\bregardless\b|\bguarantees?\b|\bas soon as\b|\banyone\b|\bevery\w* who\b|"
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
_MUST = re.compile(
    r"\bonly (?:if|when|once|after|where|with|for|those|to)\b|\bunless\b|\bmust\b|\brequire[sd]?\b|\bneed(?:s|ed)?\b|"
    r"\bha(?:ve|s|d) to\b|\bwithout\b|\bnot \w+ until\b|\bonly\b|\bprovided\b|\buntil\b|\bat least\b|\bno\b|\bnot\b|"
    r"\bnobody\b|\bnone\b|\bnever\b|\bcannot\b|\bother than\b|\bothers\b|\bexclusively\b|"
    r"只有|除非|必须|须|需|才|方可|方能|否则|仅|不|未|无",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\bboth\b|\band\b|\balso\b|同时|并且|且|都", re.IGNORECASE)
_EITHER = re.compile(r"\bor\b|或|任一", re.IGNORECASE)
_STRICT = re.compile(r"\bonly (?:if|when|once|where)\b|\bunless both\b|\bboth\b", re.IGNORECASE)


def rule(text: str, claimed: Sides, readings: Sequence[Reading]) -> Ruling:
    """Judge one claimed condition (Face4RAG: confusing sufficient and necessary conditions)."""
    relation = claimed.relation
    number, covered = best(words_of(text), readings)
    matches = [(match(claimed, stated), stated) for reading in readings for stated in reading.sides]
    for m, stated in matches:
        if stated.kind is claimed.kind and m.forward >= 0.5 and not has(_JOINT, relation.first):
            return licensed(relation, stated.relation)
    if covered >= (_COVERED if relation.connective.isascii() else _COVERED_ZH):
        evidence = readings[number]
        if claimed.kind is _R.CONDITION and (strong := has(_SUFFICIENT, text)):
            return _sufficient(claimed, strong, evidence)
        if (
            claimed.kind is _R.NECESSITY
            and (both := has(_JOINT, relation.first))
            and (either := has(_EITHER, evidence.text))
            and not _EITHER.search(relation.first)
        ):
            reason = f"The segment asks for '{both}'; the evidence says '{either}', so that one of them is enough."
            return refuted(relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)
        if (
            claimed.kind is _R.NECESSITY
            and covered >= 0.75
            and (strict := has(_STRICT, text))
            and not _MUST.search(evidence.text)
        ):
            reason = f"The segment says '{strict}', so that it is necessary; the evidence names no such requirement."
            return refuted(relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)
    return undecided(relation)


def rule_quantity(text: str, claimed: Sides, readings: Sequence[Reading]) -> list[Ruling]:
    """Judge "all you need", "that alone is enough", "anyone who", where no condition is spelled out."""
    relation = claimed.relation
    number, covered = best(words_of(text), readings)
    strong = has(_SUFFICIENT, text)
    if strong and covered >= (_COVERED if relation.connective.isascii() else _COVERED_ZH):
        return [_sufficient(claimed, strong, readings[number])]
    return []


def _sufficient(claimed: Sides, strong: str, evidence: Reading) -> Ruling:
    necessary = has(_NECESSARY, evidence.text)
    plain = necessary is not None and necessary.casefold() in _ADDITIONS and _PLAIN_IF.search(evidence.text)
    if necessary and not plain and not _SUFFICIENT.search(evidence.text):
        reason = f"The segment says '{strong}', so that it suffices; the evidence says '{necessary}', a requirement."
        return refuted(claimed.relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)
    return undecided(claimed.relation)
