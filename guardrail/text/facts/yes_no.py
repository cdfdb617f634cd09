"""An answer that opens with yes or no and goes on to say the opposite: "Is it open?" "Yes, it is closed"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from guardrail.text.facts.fact import EXACT, Fact, FactKind, Facts, Mismatch, mismatch
from guardrail.text.facts.polarity import are_opposed
from guardrail.text.words import Word
from guardrail.types import Span

_OPENING = re.compile(r"\s*(?P<word>yes|no)\s*(?:[,;:!–—]|\.(?!\s*\d)|-(?!\w))\s*", re.IGNORECASE)
_ASKS = re.compile(r"\s*(?P<verb>[a-z]+)\b[^?;:]*\?\s*$", re.IGNORECASE)
_END = re.compile(r"\s*[.;!]|\s*$|,?\s(?:because|as|since)\b", re.IGNORECASE)
_VERBS = frozenset(
    "is are was were am do does did can could will would has have had may might must should shall be".split()
)
_PASSED_OVER = frozenset("the a an this that these those your my our his her its their you i we me us".split())
_PRONOUNS = frozenset("it they he she".split())
_LONGEST_SUBJECT = 3


class _Kernel(NamedTuple):
    """The words of a sentence that it shares with its question, and whether its verb is negated."""

    words: tuple[Word, ...]
    denials: int


def judge_yes_no(claim: Facts, question: Facts | None) -> Mismatch | None:
    """The opening yes or no, where the sentence behind it is the question's own words with the opposite sign.

    Anything else in the sentence (another preposition, "at no cost", a condition, another order) may answer something
    that was not asked, so it is left alone.

    Args:
        claim: A segment of the answer.
        question: What the user asked.

    Returns:
        A mismatch that decides alone, or None.
    """
    opening, asks = _OPENING.match(claim.text), _ASKS.match(question.text) if question else None
    if question is None or opening is None or asks is None or asks["verb"].lower() not in _VERBS:
        return None
    asked = _kernel(question.words[1:])
    end = _END.search(claim.text, opening.end())
    stop = end.start() if end else len(claim.text)
    said = _kernel([word for word in claim.words if opening.end() <= word.start < stop])
    subject = next((w.form for w in question.words[1:] if w.form in _PRONOUNS), None)
    words = said.words
    if subject is not None and subject == question.words[1].form:
        asked = asked._replace(words=tuple(w for w in asked.words if w.form not in _PRONOUNS))
        words = tuple(w for w in words if w.form not in _PRONOUNS)
        if len(words) - len(asked.words) <= _LONGEST_SUBJECT:
            words = words[max(0, len(words) - len(asked.words)) :]
    if asked.denials or len(asked.words) < 2 or len(words) != len(asked.words):
        return None
    opposed = 0
    for one, other in zip(asked.words, words, strict=True):
        if are_opposed(one.form, other.form):
            opposed += 1
        elif (one.stem or one.form) != (other.stem or other.form):
            return None
    denied = (said.denials + opposed) % 2 == 1
    if said.denials + opposed > 1 or denied == (opening["word"].lower() == "no"):
        return None
    span = Span(opening.start("word"), opening.end("word"))
    fact = Fact(kind=FactKind.YES_NO, span=span, value="", surface=span.of(claim.text))
    return mismatch(fact, EXACT, claim.text[opening.end() : stop].strip())


def _kernel(words: Sequence[Word]) -> _Kernel:
    kept, denials, before = [], 0, ""
    for word in words:
        verb = word.form.removesuffix("n't") if word.form.endswith("n't") else word.form
        if word.form == "cannot" or verb != word.form or (word.form in {"not", "never"} and before in _VERBS):
            denials += 1
        elif word.form not in _VERBS and word.form not in _PASSED_OVER:
            kept.append(word)
        before = word.form
    return _Kernel(tuple(kept), denials)
