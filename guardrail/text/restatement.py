"""A claim in the words in which its evidence gives equal values: "8 pm" as "20:00" where the evidence says 20:00.

A reader model that sees two forms of one value takes them for two values. Values are equal exactly, or within the
rounding of a conversion between systems of units; what differs in value is left as it is, for the model to see.
"""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.text.facts.fact import Facts
from guardrail.text.facts.values import is_equal, values_of
from guardrail.text.wording import opening
from guardrail.text.words import content_words

_LEAST_WORDS = 2


def after_question(claim: str, question: str | None) -> str:
    """The claim after its question where it opens with yes or no: what it affirms or denies stands in the question."""
    return f"{question} {claim}" if question and opening(claim) else claim


def statement_of(claim: str) -> str:
    """The claim without an opening no, which without the question reads like a negation of what follows it."""
    opened = opening(claim)
    if opened is None or opened["word"].lower() != "no":
        return claim
    rest = claim[opened.end() :]
    return rest if len(content_words(rest)) >= _LEAST_WORDS else claim


def restate(claim: Facts, evidence: Sequence[Facts]) -> str:
    """The claim's text, each value that the evidence has in another form replaced by that form.

    Args:
        claim: Facts of the claim.
        evidence: Facts of the sentences that it is read against.

    Returns:
        The text to read instead of the claim's; the same text where no value is worded otherwise.
    """
    own = values_of(claim)
    if not own:
        return claim.text
    there = [fact for sentence in evidence for fact in values_of(sentence)]
    forms = {_form(fact.surface) for fact in there}
    text, end = claim.text, len(claim.text)
    for fact in sorted(own, key=lambda f: f.span, reverse=True):
        if fact.span.end > end or _form(fact.surface) in forms:
            continue
        other = next((found for found in there if is_equal(fact, found)), None)
        if other is not None:
            stop = "." if fact.span.end == len(text) and text.endswith(".") else ""  # "8 pm." ends a sentence, too
            text = text[: fact.span.start] + other.surface.removesuffix(".") + stop + text[fact.span.end :]
            end = fact.span.start
    return text


def _form(surface: str) -> str:
    return "".join(surface.split()).casefold().rstrip(".")
