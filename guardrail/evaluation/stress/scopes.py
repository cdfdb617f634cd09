"""Overgeneralization: some made all, usually made always, a condition or an exception dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from guardrail.evaluation.stress.change import Change, Source, like, replaced
from guardrail.evaluation.stress.polarity import third
from guardrail.types import ErrorType, Span

_K = ErrorType.OVERGENERALIZATION
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
_ADVERBS = {
    "usually": "always", "often": "always", "generally": "always", "normally": "always", "typically": "always",
    "frequently": "always", "sometimes": "always", "occasionally": "always", "rarely": "never", "seldom": "never",
    "mostly": "entirely", "largely": "entirely", "partly": "entirely", "mainly": "solely", "chiefly": "solely",
    "almost always": "always", "almost never": "never", "almost every": "every", "nearly every": "every",
    "in some cases": "in all cases", "in most cases": "in all cases", "in part": "in full", "can sometimes": "always",
    "primarily": "solely", "almost entirely": "entirely", "part of the": "all of the", "at some of": "at all of",
}  # fmt: skip
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
_TEND = re.compile(r"\b(?P<tend>tends?) to (?P<verb>[a-z]+)\b")
_EXCEPT = re.compile(
    r"(?P<cut>,? (?:except|except for|apart from|other than|with the exception of|unless) [^,;:()]{3,120})\.$"
)
_ONLY_IF = re.compile(
    r"(?P<cut>,? (?:only if|only when|only where|provided that|as long as|if|only after|unless) [^,;:()]{6,140})\.$"
)
_UNIVERSAL = re.compile(
    r"\b(?:all|every|each|any|always|never|no|none|must|whole|anyone|everyone|cannot|whatever|both)\b", re.IGNORECASE
)
_BE = re.compile(r"\b(?:is|are|can|may|will|must)\b(?! not\b| always\b| never\b| also\b| only\b| no\b| to\b)")
_NEGATIVE = re.compile(r"\b(?:not|no|never|cannot|nor|neither|only|unless|nobody|none)\b", re.IGNORECASE)


def scopes(source: Source, rng: Random) -> Iterator[Change]:
    """A quantity, frequency, possibility, condition or exception lost."""
    text = source.sentence
    for match in _OF.finditer(text):
        share = re.search(r"half|third|quarter|%|cent", match[0])
        if share and match.start() and text[match.start() - 2] not in ",;":
            continue  # "pays half of the costs" is a figure, not a sample
        if not re.match(r"\w*\W+(?:\w+\W+){0,6}?(?:ever|first|all)\b", text[match.end() :]):
            yield replaced(_K, text, match.start(), match.end(), like(match[0], f"all of {match['rest']}"))
    for match in _SOME.finditer(text):
        if text[match.end() :].startswith(("years", "times", "days", "weeks", "months", "hours", "minutes", "of ")):
            continue
        yield replaced(_K, text, match.start(), match.start("word") + len(match["word"]), like(match[0], "all"))
    for match in _ADVERB.finditer(text):
        if match[0] == "normally" and not re.match(r" [a-z]", text[match.end() :]):
            continue
        if match[0] == "part of the" and re.search(
            r"\b(?:became|become|is|are|was|were|be|as|being|,|formed|form) $", text[: match.start()]
        ):
            continue
        if not _NEGATIVE.search(text[: match.start()].rsplit(",", 1)[-1]) or match[0] in {"rarely", "seldom"}:
            yield replaced(_K, text, match.start(), match.end(), _ADVERBS[match[0]])
    for match in _MAY.finditer(text):
        yield replaced(_K, text, match.start(), match.end() - 1, "will")
    for match in _TEND.finditer(text):
        verb = third(match["verb"]) if match["tend"] == "tends" else match["verb"]
        if match["verb"] not in {"be", "have", "do"}:
            yield replaced(_K, text, match.start(), match.end(), f"always {verb}")
    yield from _dropped(text, rng)


def _dropped(text: str, rng: Random) -> Iterator[Change]:
    exception = _EXCEPT.search(text)
    if exception is not None and len(text[: exception.start()].split()) >= 5:
        head = text[: exception.start()]
        plain = re.split(r"[;,]", head)[-1]
        if _UNIVERSAL.search(plain):
            yield Change(_K, head + ".", (_last_word(head),))
        elif not _NEGATIVE.search(plain):
            tail = rng.choice((", without exception", " in every case", " in all cases"))
            yield Change(_K, head + tail + ".", (Span(len(head), len(head) + len(tail)),))
    condition = _ONLY_IF.search(text)
    if condition is None or _NEGATIVE.search(text[: condition.start()]) or len(text[: condition.start()].split()) < 4:
        return
    head = text[: condition.start()]
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
        yield Change(_K, f"{head[: be.end()]} always{head[be.end() :]}.", (Span(be.end() + 1, be.end() + 7),))
    else:
        tail = rng.choice((" in every case", ", whatever the circumstances", " in all cases", ", without exception"))
        yield Change(_K, head + tail + ".", (Span(len(head), len(head) + len(tail)),))


def _last_word(head: str) -> Span:
    return Span(head.rfind(" ") + 1, len(head))
