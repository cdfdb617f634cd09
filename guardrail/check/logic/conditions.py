"""Sufficient and necessary conditions, told for one another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.check.logic.alignment import (
    Reading,
    RelationVerdict,
    Sides,
    best,
    entailed,
    first_match,
    match,
    refuted,
    undecided,
    words_of,
)
from guardrail.types import ErrorType, RelationKind

_COVERED, _COVERED_ZH = 0.5, 0.65  # single characters match sooner than words
_SUFFICIENT = re.compile(
    r"\b(?:is|are|was|were|be) (?:by itself |in itself |already )?"
    r"(?:enough|sufficient|all (?:you|that (?!is left|remains)|it|they))\b|"
    r"\bsuffices?\b|\balone (?:is|are|was|were) enough\b|\benough for\b|只要|即可|足以|足够|无论|不论|不管|凡",
    re.IGNORECASE,
)
_NECESSARY = re.compile(
    r"\bonly\b|\bunless\b|\bmust\b|\brequire[sd]?\b|\bneed(?:s|ed)?\b|\bha(?:ve|s|d) to\b|\bboth\b|"
    r"\bat least\b|\bon condition\b|\bas well as\b|\band\b|"
    r"只有|除非|必须|须|需|才|方可|方能|且|并|同时|缺一|以及|和|加",
    re.IGNORECASE,
)
# "And" names a second requirement only where the evidence does not already name the condition with "if".
_ADDITIONS = frozenset({"and", "as well as", "both", "和", "加", "并", "且", "以及", "同时"})
_IF = re.compile(r"(?<!only )\b(?:if|when|while|where|provided)\b|如果|若|当|时，", re.IGNORECASE)
_NOT_ENOUGH = re.compile(
    r"\balone (?:\w+ )?(?:not|n't)\b|\balone \w+n't\b|\bnot (?:be )?(?:enough|sufficient|suffice)\b|"
    r"\b(?:do|does|did|wo|is)n't (?:be )?(?:enough|suffice)\b|\bnot by itself\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"\b(?:not|no|never|nor|cannot|none|hardly|too)\b|n't\b", re.IGNORECASE)
_STRICT = re.compile(r"\bonly (?:if|when|once|where)\b|\bunless both\b|\bboth\b", re.IGNORECASE)
_OTHER_WAYS = re.compile(
    r"\b(?:even|whatever|whether|regardless|no matter|either|otherwise|always|at any time|in any case|or)\b|或|任一",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|unless|must|without|nobody|no one|except|provided|both)\b", re.IGNORECASE)


def judge_condition(text: str, claimed: Sides, readings: Sequence[Reading]) -> RelationVerdict:
    """Judge one claimed condition (Face4RAG: confusing sufficient and necessary conditions)."""
    relation = claimed.relation
    matches = [(match(claimed, stated), stated) for reading in readings for stated in reading.sides]
    for m, stated in matches:
        if stated.kind is claimed.kind and m.forward >= 0.5:
            return entailed(relation, stated.relation)
    sufficient = first_match(_SUFFICIENT, text)
    number, covered = best(words_of(text.replace(sufficient, " ") if sufficient else text), readings)
    if covered < (_COVERED if relation.connective.isascii() else _COVERED_ZH):
        return undecided(relation)
    evidence = readings[number].text
    if claimed.kind is RelationKind.CONDITION:
        required = _requirement(text, evidence) if sufficient else None
        reason = f"The segment says '{sufficient}', so that it suffices; the evidence says '{required}', a requirement."
    else:
        strict, required = first_match(_STRICT, text), first_match(_OTHER_WAYS, evidence)
        reason = f"The segment says '{strict}', so that it is necessary; the evidence says '{required}'."
        if not strict or covered < 0.6 or _OTHER_WAYS.search(text) or _ONLY.search(evidence):
            required = None
    if required is None:
        return undecided(relation)
    return refuted(relation, ErrorType.SUFFICIENT_NECESSARY, reason, contradicts=True)


def _requirement(text: str, evidence: str) -> str | None:
    """The word that makes the evidence a requirement, or None where the segment may be read with it."""
    if _NEGATIVE.search(text):
        return None
    if denied := first_match(_NOT_ENOUGH, evidence):
        return denied
    required = first_match(_NECESSARY, evidence)
    if required is None or _SUFFICIENT.search(evidence) or _OTHER_WAYS.search(evidence):
        return None
    addition = required.casefold() in _ADDITIONS
    return None if addition and (_IF.search(evidence) or _holds(text, required)) else required


def _holds(text: str, word: str) -> bool:
    return word.isascii() and re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None
