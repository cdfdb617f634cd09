"""Quantities: a claim about some, most or one group told of all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.logic.align import Reading, Sides, best, has, words_of
from guardrail.logic.ruling import Ruling, refuted
from guardrail.types import ErrorType

_COVERED = 0.55
_NEARLY_ALL = 0.65  # where only the quantity differs
_STRICTER_ZH = 0.1  # single characters match sooner than words
_COLOURLESS = frozenset({"any", "each", "both", "都", "均", "各", "每", "一切"})  # often said of a plain plural
_UNIVERSAL = frozenset(
    [
        "all",
        "every",
        "each",
        "any",
        "anyone",
        "everyone",
        "everything",
        "anything",
        "none",
        "nobody",
        "nothing",
        "always",
        "never",
        "entirely",
        "whatever",
        "whichever",
        "regardless",
        "no",
        "所有",
        "全部",
        "全体",
        "每",
        "任何",
        "一切",
        "均",
        "都",
        "总是",
        "从不",
        "从未",
        "一律",
        "无一例外",
        "全都",
        "各",
    ]
) | {"no one", "without exception", "the whole"}
_WIDE = re.compile(
    r"\b(?:all|every|each|any|anyone|everyone|everything|none|nobody|no one|always|never|whatever|whenever|"
    r"entire|entirely|whole|regardless|neither|unanimous|unanimously|throughout|in full)\b|所有|全部|全体|每|任何|"
    r"一切|均|都|总是|从不|从未|一律|凡|各|全",
    re.IGNORECASE,
)
_NARROW = re.compile(
    r"\b(?:most|mostly|some|many|several|few|usually|often|generally|sometimes|rarely|typically|mainly|may|might|can|"
    r"could|"
    r"nearly|almost|about half|majority|half|part|partly|except|other than|apart from|only|unless|but not|likely|"
    r"commonly|occasionally|tend|tends|seldom|certain|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|[a-z]{3,8}teen|[a-z]{3,7}ty|\d+) "
    r"(?:of|in|out))\b|大多|多数|部分|有些|一些|少数|通常|往往|有时|除|可能|几乎|多半|常常|经常|其中|不受|另|仅|只",
    re.IGNORECASE,
)

_PARTIAL = re.compile(
    r"\b(?:not|hardly|scarcely|nearly|almost|without|never|no|if)\s(?:\w+\s){0,2}$|n't\s(?:\w+\s)?$|[不非未无没如]$",
    re.IGNORECASE,
)
# "Every ten metres", "each year", "每秒": a rate, not a claim about all of a group.
_RATE = re.compile(
    r"\s(?:\d|two\b|three\b|four\b|five\b|six\b|ten\b|year|month|week|day|hour|minute|second|other\b)|"
    r"[\d一二三四五六七八九十年月周日天次秒分小时户人张个件]",
    re.IGNORECASE,
)
# "No A is B" has many honest rewordings ("the A without B"); only a stated share speaks against it.
_NEGATIVE = frozenset({"no", "none", "nobody", "nothing", "never", "no one", "从不", "从未"})
_FEWER = re.compile(
    r"(?<!at )\bmost\b|\bmostly\b|\bsome\b|\bseveral\b|\busually\b|\bgenerally\b|\bsometimes\b|\brarely\b|\bseldom\b|"
    r"\bnearly\b|\balmost\b|大多|多数|部分|有些|一些|少数|通常|往往|有时|除|很少",
    re.IGNORECASE,
)


def rule(text: str, claimed: Sides, readings: Sequence[Reading]) -> list[Ruling]:
    """Judge one claimed quantity (Face4RAG: overgeneralization)."""
    relation = claimed.relation
    quantity = " ".join(relation.connective.casefold().split())
    start, end = relation.span
    if (
        quantity not in _UNIVERSAL
        or _PARTIAL.search(text[max(start - 24, 0) : start])
        or _RATE.match(text[end : end + 12])
    ):
        return []
    number, covered = best(words_of(text) - words_of(quantity), readings)
    strict = 0.0 if quantity.isascii() else _STRICTER_ZH
    if covered < _COVERED + strict:
        return []
    evidence = readings[number].text
    if has(_WIDE, evidence):
        return []
    pattern, own = _FEWER if quantity in _NEGATIVE else _NARROW, text.casefold()
    # What the segment says as well ("all ... may apply") does not narrow it.
    narrow = next((m.group() for m in pattern.finditer(evidence) if m.group().casefold() not in own), None)
    if narrow:
        reason = f"The segment says '{relation.connective}'; the evidence says '{narrow}'."
        return [refuted(relation, ErrorType.OVERGENERALIZATION, reason, contradicts=True)]
    if quantity in _NEGATIVE or quantity in _COLOURLESS or covered < _NEARLY_ALL + strict:
        return []
    reason = f"The segment says '{relation.connective}'; the evidence sets no such scope."
    return [refuted(relation, ErrorType.OVERGENERALIZATION, reason, contradicts=False)]
