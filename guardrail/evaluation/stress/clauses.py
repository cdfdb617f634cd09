"""Sentences of two clauses with a connective between or before them."""

from __future__ import annotations

import re
from typing import NamedTuple

from guardrail.evaluation.stress.change import Source
from guardrail.evaluation.stress.wording import PRONOUN, is_clause, is_verb, lowered, raised, split_subject

_PLAIN = r"(?:[^,;:()?!.]|(?<=\d)[,.:](?=\d))"
_WORDS = "because|only if|if|although|even though|unless|before|after|when|provided that|as long as|since"
_BEHIND = re.compile(
    rf"^(?P<main>{_PLAIN}{{10,160}}?),? (?<!even )(?<!as )(?<!not )(?P<word>{_WORDS}) (?P<side>{_PLAIN}{{8,160}})\.$"
)
_AHEAD = re.compile(
    rf"^(?P<word>Because|If|Although|Even though|Unless|Before|After|When|Provided that|As long as|Since) "
    rf"(?P<side>{_PLAIN}{{8,160}}), (?P<main>{_PLAIN}{{10,160}})\.$"
)
_LINKED = re.compile(
    rf"^(?P<first>{_PLAIN}{{10,160}}), (?P<word>so|but|while|whereas|and) (?P<second>{_PLAIN}{{10,160}})\.$"
)
_ADVERB = re.compile(
    r" (?:mainly|only|just|partly|mostly|simply|even|shortly|soon|long|immediately|days?|weeks?|months?|"
    r"years?|hours?|minutes?|and|or|but|not|largely|chiefly|probably|until|than|except)$"
)


class Two(NamedTuple):
    """A main clause and a clause marked by ``word`` (lower case); neither has a full stop or a leading capital."""

    main: str
    word: str
    side: str
    ahead: bool  # the marked clause came first


class Pair(NamedTuple):
    """Two main clauses joined by ``word``; the second has no leading capital."""

    first: str
    word: str
    second: str


def read_two(source: Source) -> Two | None:
    """Main and marked clause of the sentence; None unless both are surely clauses and may stand in either order."""
    match = _BEHIND.match(source.sentence)
    ahead = match is None
    match = match or _AHEAD.match(source.sentence)
    if match is None or _ADVERB.search(match["main"]):
        return None
    main = lowered(match["main"], source)
    if main is None or not is_clause(main) or not is_clause(match["side"]):
        return None
    if re.match(r"(?:not|and|but|or|so|then|only|is|are|was|were|do|does|did|that)\b", main):
        return None
    if len(re.findall(rf"\b(?:{_WORDS}|and|but|so|while|whereas|than)\b", main)) > 1:
        return None
    return Two(main, match["word"].lower(), match["side"], ahead)


def read_pair(source: Source) -> Pair | None:
    """Two main clauses joined by a comma and so, but, while, whereas or and; None unless both are surely clauses."""
    match = _LINKED.match(source.sentence)
    if match is None or not is_clause(match["second"]) or not is_clause(match["first"]):
        return None
    if match["word"] == "so" and match["second"].startswith(("that ", "far ", "much ", "as ")):
        return None
    if is_verb(match["second"].split(" ", 1)[0]) or re.match(r"\w+ly\b|then\b|later\b", match["second"]):
        return None  # one subject for both: "rose early, but left late"
    return Pair(match["first"], match["word"], match["second"])


def has_pronoun(text: str) -> bool:
    """Whether the text points at something outside it."""
    return PRONOUN.search(text) is not None


def exchanged(main: str, side: str) -> tuple[str, str] | None:
    """Main and side changed over so that pronouns still have their nouns: (new main, new side), or None.

    "the pump failed" / "it was old" become "the pump was old" / "it failed".
    """
    if not has_pronoun(side):
        return side, main
    match = re.match(r"(it|they|he|she) (?=\w)", side)
    clause = split_subject(main)
    if match is None or clause is None or has_pronoun(side[match.end() :]) or has_pronoun(main):
        return None
    if (match[1] == "they") != clause.plural:
        return None
    return f"{clause.subject} {side[match.end() :]}", f"{match[1]} {clause.predicate}"


def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return raised(text) + "."
