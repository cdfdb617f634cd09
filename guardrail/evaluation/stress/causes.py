"""Causal confusion: cause and effect exchanged, a contrast made a cause, another fact given as the cause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, replaced, swapped, whole
from guardrail.evaluation.stress.clauses import Two, exchanged, has_pronoun, read_pair, read_two, sentence
from guardrail.evaluation.stress.wording import is_clause, lowered
from guardrail.types import ErrorType, Span

_K = ErrorType.CAUSAL_CONFUSION
_LED = re.compile(
    r"^(?P<one>(?:The|A|An) [^,;:()]{3,60}?) (?:led to|caused|triggered|brought about|resulted in) "
    r"(?P<two>(?:the|an?) [^,;:()]{3,70})\.$"
)
_SIMPLE = re.compile(r"^(?:The|A|An|Most|All|Every|Each) [^,;:()\"“”?!.]{12,90}\.$")
_LIMITS = re.compile(r"(?:only|not|also|even|never|still|no|then)\b")
_HEDGED = re.compile(r"\b(?:not|no|never|neither|may|might|although|if|while)\b")
_JOINING = re.compile(r"\b(?:because|so|if|when|although|after|before|unless|since|while|but|until|not|no|never)\b")


def causes(source: Source, rng: Random) -> Iterator[Change]:
    """Cause and effect exchanged; although, but and whereas made because and so; another fact as the cause."""
    two = read_two(source)
    if two is not None and two.word == "because":
        yield from _turned(two, rng)
        yield from _other_cause(two, source, rng)
    if two is not None and two.word in {"although", "even though"}:
        built = _built(two.main, "because", two.side, ahead=two.ahead)
        at = built.index("Because" if two.ahead else " because ") + (0 if two.ahead else 1)
        yield Change(_K, built, (Span(at, at + 7),))
    pair = read_pair(source)
    if pair is not None:
        yield from _linked(pair.first, pair.word, pair.second, source)
    match = _LED.match(source.sentence)
    if match and not _JOINING.search(match["one"] + match["two"]) and not has_pronoun(match["two"]):
        one, second = match["one"], match["two"]
        changed = swapped(_K, source.sentence, Span(*match.span("one")), Span(*match.span("two")))
        if " to " not in one and not re.search(r"\b(?:that|who|which|and)\b", one + second):
            text = changed.text[0].upper() + changed.text[1:]
            low = changed.spans[1]
            text = text[: low.start] + text[low.start].lower() + text[low.start + 1 :]
            yield Change(_K, text, changed.spans)


def _built(main: str, word: str, side: str, *, ahead: bool) -> str:
    return sentence(f"{word} {side}, {main}" if ahead else f"{main} {word} {side}")


def _turned(two: Two, rng: Random) -> Iterator[Change]:
    if _JOINING.search(two.main + " " + two.side):
        return
    new = exchanged(two.main, two.side)
    if new is not None and not has_pronoun(two.main.split(" ", 1)[0]):
        yield whole(_K, _built(new[0], "because", new[1], ahead=rng.random() < 0.4))


def _other_cause(two: Two, source: Source, rng: Random) -> Iterator[Change]:
    """A simple statement of the same passages that is not the cause."""
    usable = [
        other
        for other in source.others
        if _SIMPLE.match(other) and not _JOINING.search(other) and not has_pronoun(other) and is_clause(other[:-1])
    ]
    if not usable:
        return
    other = lowered(rng.choice(usable)[:-1], source)
    if other is not None and other not in two.main:
        start = len(two.main) + len(" because ")
        yield Change(_K, sentence(f"{two.main} because {other}"), (Span(start, start + len(other)),))


def _linked(first: str, word: str, second: str, source: Source) -> Iterator[Change]:
    text = source.sentence
    at = len(first) + 2
    if word == "but" and not _LIMITS.match(second) and not _HEDGED.search(first):
        yield replaced(_K, text, at, at + 3, "so")
    if word == "whereas":
        yield replaced(_K, text, at, at + 7, "because")
    if word == "so" and not has_pronoun(second):
        main = lowered(first, source)
        if main is not None and not has_pronoun(main):
            yield whole(_K, sentence(f"{second}, so {main}"))
