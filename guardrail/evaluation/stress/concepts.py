"""Conceptual substitution: one concept replaced by a neighbouring one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, like, replaced
from guardrail.evaluation.stress.words import pairs, words
from guardrail.types import ErrorType

_K = ErrorType.CONCEPTUAL_SUBSTITUTION
_NEIGHBOURS: dict[str, str] = {}
_UNCOUNTABLE = frozenset(words("uncountable"))
_PLURALS = {
    "child": "children", "wife": "wives", "leaf": "leaves", "loss": "losses", "army": "armies", "larva": "larvae",
}  # fmt: skip


def _plural(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"


for _one, _two in pairs("neighbours"):
    _NEIGHBOURS.setdefault(_one, _two)
    if not {_one, _two} & _UNCOUNTABLE:
        _NEIGHBOURS.setdefault(_plural(_one), _plural(_two))
_WORD = re.compile(r"(?<![\w-])[A-Za-z-]+(?![\w-])")
# Part of a compound, or another part of speech ("left the", "a third of", "may right").
_AFTER = re.compile(
    r" (?:tree|trees|school|house|room|paper|card|number|office|plant|line|market|"
    r"officer|engine|alarm|department|brigade|fund|scheme|value|change|level|"
    r"rate|oil|bread|code|park|box|top|pan|tea|leaf)s?\b|-"
)
_VERBAL = frozenset(words("verbal"))
_VERBAL |= {_plural(word) for word in _VERBAL} | {"leaf", "leaves", "root", "roots"}
_NOUN_BEFORE = re.compile(
    r"\b(?:the|an?|its|their|his|her|our|your|of|each|every|no|per|this|that|"
    r"any|all|both|some|two|three|four|five|six|in|by|for|with|\d+|new|old|first|"
    r"second|former|local|annual|main|own) $",
    re.IGNORECASE,
)


def neighbouring_concept(source: Source, rng: Random) -> Iterator[Change]:
    """One concept replaced by another of the same field that the passages do not name in this place."""
    text = source.sentence
    known = source.all.lower()
    for match in _WORD.finditer(text):
        word = match[0].lower()
        new = _NEIGHBOURS.get(word)
        if new is None or new in text.lower() or (match[0][0].isupper() and match.start()):
            continue
        if _AFTER.match(text, match.end()) or re.match(r"['’]s? \w+['’]", text[match.end() :]):
            continue
        if word in {"final", "general"} and not re.match(r" (?:of|was|is)\b", text[match.end() :]):
            continue
        if word in _VERBAL and not _NOUN_BEFORE.search(text[: match.start()]):
            continue
        if re.search(rf"\b{new}\b", known) and rng.random() < 0.5:
            continue  # the passages may say the same of the neighbour, less likely where they never name it
        article = re.search(r"\b([Aa])n? $", text[: match.start()])
        if article is None:
            yield replaced(_K, text, match.start(), match.end(), like(match[0], new))
        else:
            vowel = new == "uncle" or (new[0] in "aeiou" and not new.startswith(("un", "one", "eu")))
            yield replaced(_K, text, article.start(), match.end(), f"{article[1]}{'n' if vowel else ''} {new}")
