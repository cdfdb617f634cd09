"""An answer that opens with yes or no and goes on to say the opposite: "Is it open?" "Yes, it is closed"."""

from __future__ import annotations

import re

from guardrail.text.facts.fact import EXACT, Fact, FactKind, Facts, Mismatch, PolarityCue, mismatch
from guardrail.types import Span

_OPENING = re.compile(r"\s*(?P<word>yes|no)\b\s*[,.;:!–—-]\s*(?:it|they|you)?", re.IGNORECASE)
_ASKS = re.compile(
    r"\s*(?:is|are|was|were|am|do|does|did|can|could|will|would|has|have|had|may|must|should)\b(?!n['’]t|\snot\b)[^?;:]*\?\s*$",
    re.IGNORECASE,
)
_PART = re.compile(
    r"[,;:(–—]|\b(?:but|although|though|because|if|unless|when|while|except|until|since|so|as)\b", re.IGNORECASE
)
_TURNS = frozenset(
    "or only just except other another instead rather also still already yet always all every any both".split()
)
"""Words by which a sentence says less or more than the question asks for."""


def judge_yes_no(claim: Facts, question: Facts | None) -> Mismatch | None:
    """The opening yes or no, where the sentence behind it denies or affirms what was asked, in the question's words.

    Args:
        claim: A segment of the answer.
        question: What the user asked.

    Returns:
        A mismatch that decides alone, or None, also where question and sentence do not share their words.
    """
    opening = _OPENING.match(claim.text)
    if question is None or opening is None or not _ASKS.match(question.text):
        return None
    if _TURNS & (question.forms | claim.forms) or any(not cue.pair for cue in question.negated):
        return None
    end = _PART.search(claim.text, opening.end())
    stop = end.start() if end else len(claim.text)
    said = [w.stem for w in claim.words if w.stem and opening.end() <= w.start < stop]
    cues = [cue for cue in claim.negated if opening.end() <= cue.span.start < stop]
    denials = sum(not cue.pair for cue in cues)
    asked = {w.stem for w in question.words if w.stem}
    opposed = [cue for cue in cues if cue.pair and _other_side(cue, question)]
    if len(opposed) + denials > 1:
        return None
    sides = {word.stem for cue in opposed for word in question.words if _is_other_side(word.form, cue)}
    if len(asked) < 2 or not asked - sides <= set(said):
        return None
    denied = bool(denials) != bool(opposed)
    if denied == (opening["word"].lower() == "no"):
        return None
    span = Span(opening.start("word"), opening.end("word"))
    fact = Fact(kind=FactKind.YES_NO, span=span, value="", surface=span.of(claim.text))
    return mismatch(fact, EXACT, claim.text[opening.end() : stop].strip())


def _other_side(cue: PolarityCue, question: Facts) -> bool:
    return any(_is_other_side(word.form, cue) for word in question.words)


def _is_other_side(form: str, cue: PolarityCue) -> bool:
    sides = cue.pair.split("/")
    return form == sides[1 - cue.side]
