"""Inclusion errors: something kept apart is counted in, or things named side by side are put inside one another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, like, replaced, whole
from guardrail.evaluation.stress.wording import is_plural, lowered, raised
from guardrail.types import ErrorType, Span

_K = ErrorType.INCLUSION_RELATION
_BUT_NOT = re.compile(
    r",? but not (?=(?:the|those|their|its|an?|other|any)\b|[a-z-]+s\b|[A-Z])(?P<rest>[^,;.()]{3,70})(?P<end>[.,;])"
)
_EXCEPT = re.compile(
    r",? (?:except for|except|apart from|other than|with the exception of|excluding) "
    r"(?=(?:the|those|their|its|an?|in|on)\b|[a-z-]+s\b|[A-Z0-9])(?P<rest>[^,;.()]{3,70})(?P<end>[.,;])"
)
_PREPOSITIONS = re.compile(
    r"(?:on|in|at|to|from|for|by|with|when|if|where|always|yet|then|until|after|before|because|as|of|that)\b"
)
_INCLUDING = re.compile(r"\bincluding\b(?= (?:the|an?|all|its|their|[a-z-]+s|[A-Z]))")
_ITEM = r"(?:the )?(?!and|or|its|it|they|a |an )[a-z][a-z-]+(?: [a-z-]+)?"
_LIST = re.compile(
    rf"(?P<head>\b(?:of|for|to|in|with|sells?|covers?|contains?|offers?|includes?|"
    rf"provides?|records?|lists?|holds?|stores?|needs?|between|about|from|against|"
    rf"on|and) )(?P<one>{_ITEM}s), (?P<two>{_ITEM}s) and (?P<three>{_ITEM}s)(?P<end>[.,;])"
)
_TWO = re.compile(
    r"\b(?:to|of|for|with|about|from|against|in|on|at|sells?|covers?|contains?|"
    r"offers?|stores?|records?|includes?|accepts?|serves?|grows?|keeps?|prints?|"
    r"eats?|carries|owns?) (?P<one>[a-z-]{4,}s) and (?P<two>[a-z-]{4,}s)(?=[.;])(?<!ess)(?<!ness)"
)
_APART = re.compile(r"\b(?:is|was) (?P<word>separate from|independent of|distinct from)(?= (?:the|[A-Z]))")
_PARALLEL = re.compile(
    r"(?<![A-Z] )(?<!\w-)\b(?P<one>the [A-Z][\w'’-]+(?: [A-Z][\w'’-]*){0,2}) "
    r"and (?P<two>the [A-Z][\w'’-]+(?: [A-Z][\w'’-]*){0,2})(?![\w'’-]| [a-z]+s\b)"
)
_NAMES = re.compile(
    r"^(?P<one>(?:The )?[A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,2}) and (?P<two>(?:the "
    r")?[A-Z][\w'’-]+(?: [A-Z0-9][\w'’-]*){0,2}) (?:are|were|have|both|share|"
    r"lie|stand|belong|opened|closed|began|merged|signed|use|differ)\b"
)
_COMMON = re.compile(
    r"^(?P<one>[A-Z][a-z]+s) and (?P<two>[a-z]+s) (?:are|were|have|may|can|must|do|will|should|need)\b"
)
_VERSUS = re.compile(r"^(?P<one>(?:The )?[A-Z][\w'’ -]{2,30}?), unlike (?P<two>[^,;.]{3,50}), ")
_UNLIKE = re.compile(r"^Unlike (?P<other>(?:the |other |earlier |most |its |their )?[^,;.]{3,60}s), ")


def inclusions(source: Source, rng: Random) -> Iterator[Change]:
    """Exceptions counted in; members of a list or a pair made parts of one another."""
    text = source.sentence
    for pattern in (_BUT_NOT, _EXCEPT):
        for match in pattern.finditer(text):
            rest = match["rest"]
            plain = text[: match.start()]
            if re.search(r"\b(?:and|or|but|yet)$", plain):
                continue
            if _PREPOSITIONS.match(rest) or re.search(
                r"\b(?:not|no|never|only|nothing|none|if|anything|few|nobody|neither)\b", plain
            ):
                continue
            if " and " in rest or re.search(
                r"\b(?:is|are|was|were|has|have|may|can|must|to|that|who|which|when|if)\b", rest
            ):
                continue
            new = f", including {rest}" + ("" if match["end"] in ".;," else ",")
            yield Change(_K, plain + new + text[match.start("end") :], (Span(len(plain) + 2, len(plain) + len(new)),))
    for match in _INCLUDING.finditer(text):
        if not re.search(r"\b(?:not|no|never|none)\b", text[: match.start()]):
            yield replaced(_K, text, match.start(), match.end(), rng.choice(("except", "apart from")))
    for match in _LIST.finditer(text):
        if "such as" in text or "including" in text or "between" in match["head"]:
            continue
        tail = "" if match["end"] != "" else ","
        new = f"{match['one']}, {rng.choice(('such as', 'including'))} {match['two']} and {match['three']}{tail}"
        yield replaced(_K, text, match.start("one"), match.end("three"), new)
    for match in _TWO.finditer(text):
        new = f"{match['one']}, including {match['two']}"
        yield replaced(_K, text, match.start("one"), match.end("two"), new)
    for match in _APART.finditer(text):
        yield replaced(_K, text, match.start("word"), match.end("word"), "part of")
    for match in _PARALLEL.finditer(text):
        one, two = match["one"], match["two"]
        if one.split()[-1] != two.split()[-1] and not is_plural(one) and not is_plural(two):
            yield whole(_K, f"{raised(two)} is {rng.choice(('a part of', 'part of'))} {one}.")
    form = _NAMES.match(text)
    if form and not _person(form["one"], source) and not _person(form["two"], source):
        one = lowered(form["one"], source) if form["one"].startswith("The ") else form["one"]
        if one is not None:
            yield whole(_K, f"{raised(form['two'])} is {rng.choice(('a part of', 'part of'))} {one}.")
    form = _COMMON.match(text)
    if form:
        first = form["one"].lower()
        if first in source.small or first.endswith(("ers", "ors", "ents", "ants", "ings", "ions")):
            yield whole(_K, f"{raised(form['two'])} {rng.choice(('count as', 'are counted as'))} {first}.")
    form = _UNLIKE.match(text)
    if form:
        yield replaced(_K, text, 0, len("Unlike"), like("Unlike", "like"))
    form = _VERSUS.match(text)
    if form:
        at = form.end("one") + 2
        yield replaced(_K, text, at, at + len("unlike"), "like")


def _person(name: str, source: Source) -> bool:
    """Two words without an article, or a name that a person's verb or pronoun goes with."""
    if name.startswith(("The ", "the ")):
        return False
    last = re.escape(name.rsplit(" ", maxsplit=1)[-1])
    return (len(name.split(" ")) == 2 and not re.search(r"\d", name)) or (
        re.search(
            rf"\b(?:Mr|Mrs|Ms|Dr|Professor|Judge|Sir)\.? (?:\w+ )?{last}|{last} (?:said|"
            rf"wrote|asked|told|added|married|was born)",
            source.all,
        )
        is not None
    )
