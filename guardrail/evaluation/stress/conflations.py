"""Conflation: a fact of one thing is given to another, or told of both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, whole
from guardrail.evaluation.stress.clauses import has_pronoun, read_pair
from guardrail.evaluation.stress.wording import Clause, is_clause, lowered, split_subject
from guardrail.types import ErrorType, Span

_K = ErrorType.CONFLATION
_MANY = {"is": "are", "was": "were", "has": "have", "does": "do"}
_OWN = re.compile(r"(?:its?|their|his|her|our|another|others?|some|most|one|all|both|no|this|that)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,3}$|(?:The|the) [A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,2}$")
_CUT = re.compile(
    r"[,;:(]|\b(?:because|if|unless|although|so that|until|while|whereas|but|and (?:the|it|they|he|she|[A-Z])|than)\b"
)
_EACH = re.compile(
    r"\b(?:each|alone|only|both|respectively|together|unlike|not|no|never|also|"
    r"former|latter|same|other|a|one|first|last)\b"
)


def conflations(source: Source, rng: Random) -> Iterator[Change]:
    """A fact of one told of both ("X did this, while Y did that": "Both X and Y did this"), or of another."""
    pair = read_pair(source)
    if pair is not None and pair.word in {"but", "while", "whereas"}:
        first, second = split_subject(pair.first), split_subject(pair.second)
        if first is not None and second is not None:
            yield from _both(first, second, source, rng)
    yield from _taken_over(source, rng)


def _both(first: Clause, second: Clause, source: Source, rng: Random) -> Iterator[Change]:
    if (
        first.predicate == second.predicate
        or _OWN.match(first.subject)
        or _OWN.match(second.subject)
        or _related(first.subject, second.subject)
    ):
        return
    taken = rng.choice((first, second))
    if has_pronoun(first.predicate) or has_pronoun(second.predicate) or _EACH.search(taken.predicate):
        return
    verb = taken.verb if taken.agrees_with_all or taken.plural else _MANY.get(taken.verb)
    start = lowered(first.subject, source)
    if verb is None or start is None or re.search(r"\b(?:and|both|or|not)\b", f"{start} {second.subject}"):
        return
    rest = taken.predicate[len(taken.verb) :]
    yield whole(_K, f"Both {start} and {second.subject} {verb}{rest}.")


def _taken_over(source: Source, rng: Random) -> Iterator[Change]:
    mine = split_subject(source.sentence.rstrip("."))
    if mine is None or not _named(mine.subject, source):
        return
    own = _shortened(mine.predicate)
    found: list[str] = []
    for other in source.others:
        theirs = split_subject(other.rstrip("."))
        if theirs is None or not _named(theirs.subject, source) or _related(mine.subject, theirs.subject):
            continue
        if any(
            mine.subject.removeprefix("The ").split()[0] in o and theirs.subject.split()[-1] in o
            for o in source.others
            if o != other
        ):
            continue  # named together: they may be one
        short = _shortened(theirs.predicate)
        # One verb form for any subject: a plural name ("The Vikings") is not told from a singular one.
        if theirs.verb in {"lay", "stood", "ran", "rose", "fell", "held", "cost", "lasted"}:
            continue  # of places and things; said of a person it gives itself away
        if theirs.agrees_with_all and short and not has_pronoun(short) and not _has_name(mine.subject, short):
            found.append(short)
    if not found:
        return
    short = rng.choice(found)
    if own and mine.agrees_with_all and not has_pronoun(own) and rng.random() < 0.6:
        start = len(mine.subject) + 1 + len(own) + len(" and ")
        yield Change(_K, f"{mine.subject} {own} and {short}.", (Span(start, start + len(short)),))
    else:
        start = len(mine.subject) + 1
        yield Change(_K, f"{mine.subject} {short}.", (Span(start, start + len(short)),))


def _shortened(predicate: str) -> str:
    """The predicate up to its first comma or further clause; empty where too little is left."""
    short = _CUT.split(predicate, maxsplit=1)[0].strip()
    if len(short.split()) < 4 or re.search(
        r"\b(?:and|or|not|to|of|the|that|a|an|in|for|when|where|who|which|with|by|"
        r"as|said|says|told|added)$|\b(?:said|told|added|says)\b",
        short,
    ):
        return ""
    told = short.partition(" that ")[2]
    if told and not is_clause(told):
        return ""
    return short


def _named(subject: str, source: Source) -> bool:
    """Whether a subject is surely a name, not a noun at the start of a sentence."""
    words = subject.split()
    return _NAME.match(subject) is not None and (len(words) > 1 or subject in source.names)


def _related(one: str, two: str) -> bool:
    return bool(set(one.lower().split()) & set(two.lower().split()) - {"the"})


def _has_name(subject: str, text: str) -> bool:
    return any(word in text for word in subject.split() if word[0].isupper() and word != "The")
