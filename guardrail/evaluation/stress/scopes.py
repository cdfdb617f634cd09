"""Errors of scope: some made all, usually made always, conditions and exceptions dropped or counted in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Rule, Source, like, replaced, whole
from guardrail.evaluation.stress.grammar import is_plural, raised
from guardrail.evaluation.stress.words import table
from guardrail.types import ErrorType, Span

_OVER, _INCLUSION = ErrorType.OVERGENERALIZATION, ErrorType.INCLUSION_RELATION
_NUM = r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)"
_FEWER = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+|half|a third|a quarter|"
    r"two thirds|most|some|many|several|a few|\d+ ?(?:%|per ?cent))"
)
_OF = re.compile(
    rf"\b(?<!than )(?<!least )(?<!\d[.,])(?:about |around |nearly |almost |roughly "
    rf"|only |a total of )?{_FEWER} of (?P<rest>the|its|their|these|those|his|"
    rf"her|our)\b(?= (?:{_NUM} )?(?:[a-z-]+ ){{0,2}}[a-z]+s\b)",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"(?<!the )(?<!at )(?<!this )(?<!its )(?<!as )(?<!so )(?<!two )(?<!how )(?<!too "
    r")\b(?P<word>some|several|many|most|certain|a number of|nearly all|almost "
    r"all|a few) "
    r"(?=(?:other )?(?:[a-z-]+ )?(?:[a-z]{3,}s|people|children|women|men|patients)\b)",
    re.IGNORECASE,
)
_ADVERBS = table("adverbs")
_ADVERB = re.compile(
    rf"(?<=[a-z,] )(?<!more )(?<!less )(?<!how )(?<!too )(?<!most )(?<!as )(?<!so "
    rf")(?<!very )(?<!large )(?<!a )(?:{'|'.join(sorted(_ADVERBS, key=len, reverse=True))})(?=[ .,;])(?! "
    rf"than| enough)"
)
_MAY = re.compile(
    r"\b(?:may|might|could) (?=(?:cause|lead|raise|reduce|affect|increase|help|"
    r"improve|weaken|lower|contain|leak|fail|become|"
    r"occur|appear|vary|result|develop|damage|change|happen|last|worsen|be (?:higher|lower|needed|delayed|affected|"
    r"caused|too|slow|slower|longer|shorter|unsafe|wrong|low|high)|take (?:longer|"
    r"up)|cost|trigger|slow|break|burn|harm|crack|prevent|rise|fall|differ|feel)\b)"
)
_EXCEPTION = re.compile(
    r"(?P<cut>,? (?:except|except for|apart from|other than|with the exception of|unless) [^,;:()]{3,120})\.$"
)
_CONDITION = re.compile(
    r"(?P<cut>,? (?:only if|only when|only where|provided that|as long as|if|only after|unless) [^,;:()]{6,140})\.$"
)
_UNIVERSAL = re.compile(
    r"\b(?:all|every|each|any|always|never|no|none|must|whole|anyone|everyone|cannot|whatever|both)\b", re.IGNORECASE
)
_BE = re.compile(r"\b(?:is|are|can|may|will|must)\b(?! not\b| always\b| never\b| also\b| only\b| no\b| to\b)")
_NEGATIVE = re.compile(r"\b(?:not|no|never|cannot|nor|neither|only|unless|nobody|none)\b", re.IGNORECASE)
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
_PARALLEL = re.compile(
    r"(?<![A-Z] )(?<!\w-)\b(?P<one>the [A-Z][\w'’-]+(?: [A-Z][\w'’-]*){0,2}) "
    r"and (?P<two>the [A-Z][\w'’-]+(?: [A-Z][\w'’-]*){0,2})(?![\w'’-]| [a-z]+s\b)"
)
_UNITS = ("years", "times", "days", "weeks", "months", "hours", "minutes", "of ")


def all_of(source: Source, _: Random) -> Iterator[Change]:
    """A part made the whole: "two of the seven wells" becomes "all of the seven wells"."""
    text = source.sentence
    for match in _OF.finditer(text):
        share = re.search(r"half|third|quarter|%|cent", match[0])
        if share and match.start() and text[match.start() - 2] not in ",;":
            continue  # "pays half of the costs" is a figure, not a sample
        if not re.match(r"\w*\W+(?:\w+\W+){0,6}?(?:ever|first|all)\b", text[match.end() :]):
            yield replaced(_OVER, text, match.start(), match.end(), like(match[0], f"all of {match['rest']}"))


def some_as_all(source: Source, _: Random) -> Iterator[Change]:
    """Some, many or most made all."""
    text = source.sentence
    for match in _SOME.finditer(text):
        if not text[match.end() :].startswith(_UNITS):
            end = match.start("word") + len(match["word"])
            yield replaced(_OVER, text, match.start(), end, like(match[0], "all"))


def stronger_adverb(source: Source, _: Random) -> Iterator[Change]:
    """Usually made always, partly entirely, rarely never."""
    text = source.sentence
    for match in _ADVERB.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if match[0] == "normally" and not re.match(r" [a-z]", after):
            continue
        if match[0] == "part of the" and re.search(
            r"\b(?:became|become|is|are|was|were|be|as|being|,|formed|form) $", before
        ):
            continue
        if not _NEGATIVE.search(before.rsplit(",", 1)[-1]) or match[0] in {"rarely", "seldom"}:
            yield replaced(_OVER, text, match.start(), match.end(), _ADVERBS[match[0]])


def possible_as_certain(source: Source, _: Random) -> Iterator[Change]:
    """May made will."""
    for match in _MAY.finditer(source.sentence):
        yield replaced(_OVER, source.sentence, match.start(), match.end() - 1, "will")


def exception_dropped(source: Source, rng: Random) -> Iterator[Change]:
    """An exception at the end of the sentence left out, and where it is needed said to be none."""
    found = _EXCEPTION.search(source.sentence)
    if found is None or len(source.sentence[: found.start()].split()) < 5:
        return
    head = source.sentence[: found.start()]
    clause = re.split(r"[;,]", head)[-1]
    if _UNIVERSAL.search(clause):
        yield Change(_OVER, head + ".", (Span(head.rfind(" ") + 1, len(head)),))
    elif not _NEGATIVE.search(clause):
        tail = rng.choice((", without exception", " in every case", " in all cases"))
        yield Change(_OVER, head + tail + ".", (Span(len(head), len(head) + len(tail)),))


def condition_dropped(source: Source, rng: Random) -> Iterator[Change]:
    """A condition at the end of the sentence left out: what it bears on is said to hold always."""
    text = source.sentence
    found = _CONDITION.search(text)
    if found is None or _NEGATIVE.search(text[: found.start()]) or len(text[: found.start()].split()) < 4:
        return
    head = text[: found.start()]
    if head.rstrip().endswith((";", ",", ":")):
        return  # the condition stood before what it bears on
    if re.search(
        r"\b(?:but|and|or|if|even|unless|as|than|not|see|check|ask|asked|know|when|because|while|except|after)\b",
        head[-60:],
    ):
        return
    clause = max(head.rfind(","), head.rfind(";"), head.rfind(":")) + 1
    be = _BE.search(head, clause)
    if be is not None and not re.search(r"\b(?:who|which|that|whose|what|where|how|to)\b", head[clause : be.start()]):
        yield Change(_OVER, f"{head[: be.end()]} always{head[be.end() :]}.", (Span(be.end() + 1, be.end() + 7),))
    else:
        tail = rng.choice((" in every case", ", whatever the circumstances", " in all cases", ", without exception"))
        yield Change(_OVER, head + tail + ".", (Span(len(head), len(head) + len(tail)),))


def exception_counted_in(source: Source, _: Random) -> Iterator[Change]:
    """What is excepted counted in: "except the atlases" becomes "including the atlases"."""
    text = source.sentence
    for match in (m for pattern in (_BUT_NOT, _EXCEPT) for m in pattern.finditer(text)):
        rest, head = match["rest"], text[: match.start()]
        if re.search(
            r"\b(?:and|or|but|yet)$|\b(?:not|no|never|only|nothing|none|if|anything|few|nobody|neither)\b", head
        ):
            continue
        if _PREPOSITIONS.match(rest) or re.search(
            r"\b(?:and|is|are|was|were|has|have|may|can|must|to|that|who|which|when|if)\b", rest
        ):
            continue
        new = f", including {rest}"
        yield Change(_INCLUSION, head + new + text[match.start("end") :], (Span(len(head) + 2, len(head) + len(new)),))


def member_excepted(source: Source, rng: Random) -> Iterator[Change]:
    """What is included excepted: "including the atlases" becomes "except the atlases"."""
    text = source.sentence
    for match in _INCLUDING.finditer(text):
        if not re.search(r"\b(?:not|no|never|none)\b", text[: match.start()]):
            yield replaced(_INCLUSION, text, match.start(), match.end(), rng.choice(("except", "apart from")))


def neighbour_as_part(source: Source, rng: Random) -> Iterator[Change]:
    """One of two things named side by side made a part of the other."""
    for match in _PARALLEL.finditer(source.sentence):
        one, two = match["one"], match["two"]
        if one.split()[-1] != two.split()[-1] and not is_plural(one) and not is_plural(two):
            yield whole(_INCLUSION, f"{raised(two)} is {rng.choice(('a part of', 'part of'))} {one}.")


SCOPES: tuple[Rule, ...] = (
    exception_counted_in, member_excepted, neighbour_as_part, all_of, some_as_all, stronger_adverb,
    possible_as_certain, exception_dropped, condition_dropped,
)  # fmt: skip
