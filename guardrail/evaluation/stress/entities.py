"""Entity inversion and conflation: two things change places, or a fact of one is told of another or of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from random import Random

from guardrail.evaluation.stress.change import Change, Rule, Source, swapped, whole
from guardrail.evaluation.stress.grammar import (
    has_pronoun,
    is_clause,
    lowered,
    raised,
    read_pair,
    split_subject,
)
from guardrail.evaluation.stress.words import words
from guardrail.types import ErrorType, Span

_INVERSION, _CONFLATION = ErrorType.ENTITY_INVERSION, ErrorType.CONFLATION
_ACTS = "|".join(words("acts"))
_NAME = r"(?:[A-Z][\w'’-]+|[A-Z]\.)(?: (?:[A-Z][\w'’-]*\.?|of|de|van|von)){0,3}"
_ACTION = re.compile(
    rf"\b(?P<one>{_NAME}) (?P<verb>(?:(?:was|were|is|are) )?(?:{_ACTS})(?: by)?) (?P<two>{_NAME})(?![\w'’-])"
)
_START = frozenset("In On At By For From After Before Since The A An If When Of And But As To It They".split())
_AMOUNT = re.compile(
    r"(?<![\w.,:/–-])(?P<sign>[£$€¥]?)(?P<number>\d+(?:[.,]\d+)*)(?P<unit>\s?%|"
    r"(?: [a-z]+| °C| [A-Z]{2}\b)?)(?![\w–:/]|-\d)"
)
_CONTRAST = re.compile(r"\b(?:while|whereas|but|and|compared with|against|instead of)\b|[,;]")
_RANGE = re.compile(r"\b(?:from|between|to|of|than|out|another|further)\b", re.IGNORECASE)
_OWN = re.compile(r"(?:its?|their|his|her|our|another|other)\b", re.IGNORECASE)
_VAGUE = re.compile(r"(?:its?|their|his|her|our|another|others?|some|most|one|all|both|no|this|that)\b", re.IGNORECASE)
_MANY = {"is": "are", "was": "were", "has": "have", "does": "do"}
_WHO = re.compile(r"[A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,3}$|(?:The|the) [A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,2}$")
_CUT = re.compile(
    r"[,;:(]|\b(?:because|if|unless|although|so that|until|while|whereas|but|and (?:the|it|they|he|she|[A-Z])|than)\b"
)
_EACH = re.compile(
    r"\b(?:each|alone|only|both|respectively|together|unlike|not|no|never|also|"
    r"former|latter|same|other|a|one|first|last)\b"
)
_OF_THINGS = frozenset("lay stood ran rose fell held cost lasted".split())
"""Verbs of places and things: said of a person they give themselves away."""


def exchanged_names(source: Source, _: Random) -> Iterator[Change]:
    """Who did it and whom it was done to exchanged: "Ann beat Bea" becomes "Bea beat Ann"."""
    for match in _ACTION.finditer(source.sentence):
        one, two = match["one"], match["two"]
        if one.split(" ")[0] in _START or set(one.split()) & set(two.split()) or one.endswith(("'s", "’s")):
            continue
        yield swapped(_INVERSION, source.sentence, Span(*match.span("one")), Span(*match.span("two")))


def exchanged_subjects(source: Source, _: Random) -> Iterator[Change]:
    """X and Y of "X did this, while Y did that" exchanged."""
    pair = read_pair(source)
    if pair is None or pair.word == "so":
        return
    first, second = split_subject(pair.first), split_subject(pair.second)
    if first is None or second is None or first.predicate == second.predicate:
        return
    if first.subject.split(" ")[-1] == second.subject.split(" ")[-1] and first.verb == second.verb == "also":
        return
    if pair.word == "and" and not (_is_proper(first.subject, source) and _is_proper(second.subject, source)):
        return  # "and" joins unlike things; a contrast joins like ones
    if first.plural != second.plural and not (first.agrees_with_all and second.agrees_with_all):
        return
    if _OWN.match(first.subject) or _OWN.match(second.subject):
        return
    start = lowered(first.subject, source)
    if start is None or set(second.subject.split()) & {"latter", "others", "rest", "same"}:
        return
    head = raised(second.subject)
    text = f"{head} {first.predicate}, {pair.word} {start} {second.predicate}."
    at = len(head) + len(first.predicate) + len(pair.word) + 4
    yield Change(_INVERSION, text, (Span(0, len(head)), Span(at, at + len(start))))


def _is_proper(subject: str, source: Source) -> bool:
    words = subject.split(" ")
    return all(word[:1].isupper() for word in words) and (len(words) > 1 or subject in source.names)


def exchanged_values(source: Source, rng: Random) -> Iterator[Change]:
    """Two amounts of one unit, in two parts of the sentence, exchanged."""
    text = source.sentence
    found = [m for m in _AMOUNT.finditer(text) if m["sign"] or m["unit"].strip()]
    pairs = [
        (one, two)
        for one, two in combinations(found, 2)
        if one["sign"] == two["sign"] and (one["sign"] or one["unit"] == two["unit"]) and one["number"] != two["number"]
        if _exchangeable(text, one, two)
    ]
    if pairs:
        one, two = rng.choice(pairs)
        yield swapped(_INVERSION, text, Span(*one.span("number")), Span(*two.span("number")))


def _exchangeable(text: str, one: re.Match[str], two: re.Match[str]) -> bool:
    between = text[one.end() : two.start()]
    if len(between.split()) < 3 or not _CONTRAST.search(between) or _RANGE.search(between.split()[-1]):
        return False
    return not _RANGE.search(" ".join(text[: one.start()].split()[-1:]))


def told_of_both(source: Source, rng: Random) -> Iterator[Change]:
    """A fact of one told of both: "X did this, while Y did that" becomes "Both X and Y did this"."""
    pair = read_pair(source)
    if pair is None or pair.word not in {"but", "while", "whereas"}:
        return
    first, second = split_subject(pair.first), split_subject(pair.second)
    if first is None or second is None or first.predicate == second.predicate:
        return
    if _VAGUE.match(first.subject) or _VAGUE.match(second.subject) or _share_word(first.subject, second.subject):
        return
    taken = rng.choice((first, second))
    if has_pronoun(first.predicate) or has_pronoun(second.predicate) or _EACH.search(taken.predicate):
        return
    verb = taken.verb if taken.agrees_with_all or taken.plural else _MANY.get(taken.verb)
    start = lowered(first.subject, source)
    if verb is None or start is None or re.search(r"\b(?:and|both|or|not)\b", f"{start} {second.subject}"):
        return
    rest = taken.predicate[len(taken.verb) :]
    yield whole(_CONFLATION, f"Both {start} and {second.subject} {verb}{rest}.")


def told_of_another(source: Source, rng: Random) -> Iterator[Change]:
    """A fact that another sentence tells of one individual, told of the one of this sentence."""
    mine = split_subject(source.sentence.rstrip("."))
    if mine is None or not _is_named(mine.subject, source):
        return
    found = [fact for other in source.others if (fact := _fact_of_another(mine.subject, other, source))]
    if not found:
        return
    fact, own = rng.choice(found), _shortened(mine.predicate)
    if own and mine.agrees_with_all and not has_pronoun(own) and rng.random() < 0.6:
        head = f"{mine.subject} {own} and "
    else:
        head = f"{mine.subject} "
    yield Change(_CONFLATION, f"{head}{fact}.", (Span(len(head), len(head) + len(fact)),))


def _fact_of_another(subject: str, other: str, source: Source) -> str:
    """What ``other`` says of a second individual, if it may be said of ``subject``; else empty."""
    theirs = split_subject(other.rstrip("."))
    if theirs is None or not _is_named(theirs.subject, source) or _share_word(subject, theirs.subject):
        return ""
    first, last = subject.removeprefix("The ").split()[0], theirs.subject.split()[-1]
    if any(first in o and last in o for o in source.others if o != other):
        return ""  # named together: they may be one
    fact = _shortened(theirs.predicate)
    # One verb form for any subject: a plural name ("The Vikings") is not told from a singular one.
    if theirs.verb in _OF_THINGS or not theirs.agrees_with_all or has_pronoun(fact):
        return ""
    return "" if any(word in fact for word in subject.split() if word[0].isupper() and word != "The") else fact


def _shortened(predicate: str) -> str:
    """The predicate up to its first comma or further clause; empty where too little is left."""
    short = _CUT.split(predicate, maxsplit=1)[0].strip()
    if len(short.split()) < 4 or re.search(
        r"\b(?:and|or|not|to|of|the|that|a|an|in|for|when|where|who|which|with|by|"
        r"as|said|says|told|added)$|\b(?:said|told|added|says)\b",
        short,
    ):
        return ""
    reported = short.partition(" that ")[2]
    return "" if reported and not is_clause(reported) else short


def _is_named(subject: str, source: Source) -> bool:
    """Whether a subject is surely a name, not a noun at the start of a sentence."""
    return _WHO.match(subject) is not None and (len(subject.split()) > 1 or subject in source.names)


def _share_word(one: str, two: str) -> bool:
    return bool(set(one.lower().split()) & set(two.lower().split()) - {"the"})


ENTITIES: tuple[Rule, ...] = (exchanged_names, exchanged_subjects, exchanged_values, told_of_both, told_of_another)
