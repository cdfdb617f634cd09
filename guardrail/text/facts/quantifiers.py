"""How many, or how often: a claim that says more of the same things than a sentence of the evidence does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guardrail.text.facts.fact import FactKind, Facts, Mismatch
from guardrail.types import Span

_SIGNAL = 0.85
"""Weight of such a mismatch: of 25 training claims with one, 23 are wrong; a signal beside others, no verdict alone."""

_NONE, _SOME, _MOST, _ALL = range(4)
_STRENGTH = {
    word: strength
    for strength, words in (
        (_NONE, "no none never nobody"),
        (_SOME, "some several many few sometimes often occasionally rarely seldom"),
        (_MOST, "most mostly usually generally"),
        (_ALL, "all every each always everyone everybody"),
    )
    for word in words.split()
}
_OFTEN = frozenset("never sometimes often occasionally rarely seldom mostly usually generally always".split())
_TURNING = frozenset(
    "not no none never neither nor without except only but unless if when whenever while than until before after"
    " nearly almost hardly or other others another rest cannot least at".split()
)
"""Words that, said by one side alone, may make another quantifier right."""

_SHARED = 4
"""Content words that both must have."""


class _Quantifier(NamedTuple):
    strength: int
    often: bool
    span: Span
    of: str  # stem of the word that it goes with


def quantifier_clashes(claim: Facts, sentences: Sequence[Facts]) -> list[Mismatch]:
    """Quantifiers of the claim that are stronger than those of a sentence that it else repeats.

    "Some" follows from "all", so weaker claims are left alone. "None" and any other contradict each other; "all" where
    the evidence has "most" or "some" is more than it says.

    Args:
        claim: A claim.
        sentences: The sentences that may support it.
    """
    own = _quantifiers(claim)
    if len(own) != 1 or len(claim.bag) < _SHARED:
        return []
    (said,) = own
    found: list[Mismatch] = []
    for sentence in sentences:
        if claim.bag - sentence.bag:
            continue
        there = [q for q in _quantifiers(sentence) if q.of == said.of and q.often == said.often]
        if any(q.strength >= said.strength > _NONE or q.strength == said.strength for q in there):
            return []
        if len(there) != 1 or _turns(claim, sentence, said, there[0]):
            continue
        other = there[0]
        found.append(
            Mismatch(
                kind=FactKind.QUANTIFIER,
                span=said.span,
                claim_value=said.span.of(claim.text),
                evidence_value=other.span.of(sentence.text),
                contradicts=_NONE in {said.strength, other.strength},
                weight=_SIGNAL,
            )
        )
    return found[:1]


def _turns(claim: Facts, sentence: Facts, said: _Quantifier, other: _Quantifier) -> bool:
    own = {said.span.of(claim.text).casefold(), other.span.of(sentence.text).casefold()}
    return bool(((claim.forms ^ sentence.forms) & _TURNING) - own)


def _quantifiers(facts: Facts) -> list[_Quantifier]:
    found = []
    for index, word in enumerate(facts.words):
        strength = _STRENGTH.get(word.form)
        if strength is None or (word.form == "most" and index and facts.words[index - 1].form in {"the", "at"}):
            continue
        # "All houses", "every second house"; an adverb goes with the word after it, too ("is always open").
        after = next((w.stem for w in facts.words[index + 1 : index + 5] if w.stem), "")
        found.append(_Quantifier(strength, word.form in _OFTEN, Span(word.start, word.end), after))
    return found
