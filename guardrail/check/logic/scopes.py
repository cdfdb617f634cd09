"""Quantities: a claim about some, most or one group told of all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from guardrail.check.logic.alignment import (
    Reading,
    RelationVerdict,
    Sides,
    best,
    connective_of,
    first_match,
    refuted,
    share,
    words_of,
)
from guardrail.types import ErrorType

_COVERED = 0.55
_NEARLY_ALL = 0.65  # where only the quantity differs
_STRICTER_ZH = 0.1  # single characters match sooner than words
# "No", "nobody", "each", "anyone" have too many honest rewordings: training.ablation finds them right too often.
_UNIVERSAL = frozenset(
    "all every any everyone everything anything always entirely whatever whichever "
    "所有 全部 全体 每 任何 一切 均 都 总是 一律 无一例外 全都 各".split()
) | {"without exception", "the whole"}
_COLOURLESS = frozenset(
    "any everyone everything anything whatever whichever 都 均 各 每 一切".split()
)  # often said of a plain plural
_WIDE = re.compile(
    r"\b(?:all|every|each|any|anyone|everyone|everything|none|nobody|no one|always|never|whatever|whenever|"
    r"entire|entirely|whole|regardless|neither|unanimous|unanimously|throughout|in full)\b|所有|全部|全体|每|任何|"
    r"一切|均|都|总是|从不|从未|一律|凡|各|全",
    re.IGNORECASE,
)
# Ranges over everything in sight rather than over the noun that follows.
_SWEEPING = re.compile(
    r"\b(?:anyone|everyone|everything|nobody|no one|always|never|whatever|whenever|regardless|unanimous(?:ly)?|"
    r"throughout|in full)\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:except|excepted|apart from|other than|all but|but not|exceptions?|excluding|excluded|save for|not always|"
    r"not all|not every|but only)\b",
    re.IGNORECASE,
)
_NARROW = re.compile(
    r"\b(?:(?<!at )most|mostly|some|many|several|few|usually|often|generally|sometimes|rarely|typically|mainly|"
    r"(?-i:may)|might|can|could|nearly|almost|about half|majority|half|part|partly|only|unless|likely|"
    r"commonly|occasionally|tend|tends|seldom|certain|up to|provided|limited to|\d+ (?:percent|per cent)|"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,8}teen|[a-z]{3,7}ty|\d+) "
    r"(?:of|out of|in (?:two|three|four|five|ten|\d+)))\b|\d%|"
    r"大多|多数|部分|有些|一些|少数|通常|往往|有时|除|可能|几乎|多半|常常|经常|其中|不受|另|仅|只",
    re.IGNORECASE,
)
_MODAL = re.compile(r"\b(?:may|might|can|could)\b", re.IGNORECASE)
_PERMITTED = re.compile(r"\b(?:may|might|can|could|open|allowed|permitted|entitled|free|available)\b", re.IGNORECASE)
_SAYS_NO_MORE = 0.6  # share of the evidence in the segment: "the rooms have a bath" may be told of all rooms
_PARTIAL = re.compile(
    r"\b(?:not|hardly|scarcely|nearly|almost|without|never|no|if|than)\s(?:\w+\s){0,2}$|n't\s(?:\w+\s)?$|"
    r"[不非未无没如]$",
    re.IGNORECASE,
)
# "Every ten metres", "each year", "每秒": a rate, not a claim about all of a group.
_RATE = re.compile(
    r"\s(?:\d|two\b|three\b|four\b|five\b|six\b|ten\b|other\b)|[\d一二三四五六七八九十年月周日天次秒分小时户人张个件]",
    re.IGNORECASE,
)
_TIME = re.compile(r"\s(?:year|month|week|day|hour|minute|second)\b", re.IGNORECASE)
# The segment names its own exception or condition.
_LIMITED = re.compile(
    r"\b(?:but|except\w*|apart from|other than|only|not|no|unless|save|excluding|outside|otherwise)\b|n't\b",
    re.IGNORECASE,
)
# "..., whatever their weight", "..., even small ones": added to stress the quantity, found in no evidence.
_STRESS = re.compile(
    r",?\s(?:even|whatever|regardless of|no matter|whether|including|without exception|of any kind)\b[^,.;]*|"
    r",[^,.;]*\bincluded\b",
    re.IGNORECASE,
)
# "They all slow it": said of a list, each member of which the evidence may name.
_FLOATING = re.compile(
    r"(?:\b(?:can|could|may|will|would|were|are|is|was|have|has|had|"
    r"they|these|them|which|who|we|you|it|must)\s|,[^,]*\band\b.*)$",
    re.IGNORECASE,
)


def judge_quantity(text: str, claimed: Sides, readings: Sequence[Reading]) -> RelationVerdict | None:
    """Judge one claimed quantity (Face4RAG: overgeneralization); None where the evidence does not speak of it."""
    quantity, (start, end) = connective_of(claimed), claimed.relation.span
    if (
        quantity not in _UNIVERSAL
        or _PARTIAL.search(text[max(start - 24, 0) : start])
        or (quantity in {"every", "每", "各"} and _RATE.match(text[end : end + 12]))
    ):
        return None
    number, covered = best(words_of(_STRESS.sub(" ", text)) - words_of(quantity), readings)
    strict = 0.0 if quantity.isascii() else _STRICTER_ZH
    if covered < _COVERED + strict:
        return None
    evidence = readings[number].text
    narrow = _narrow(text, quantity, evidence, _ranges_as_wide(claimed, evidence))
    if narrow:
        reason = f"The segment says '{claimed.relation.connective}'; the evidence says '{narrow}'."
    elif (
        quantity in _COLOURLESS
        or covered < _NEARLY_ALL + strict
        or share(readings[number].words, words_of(text)) >= _SAYS_NO_MORE
        or _WIDE.search(evidence)
        or _TIME.match(text, end)
        or (quantity == "all" and _FLOATING.search(text[max(start - 120, 0) : start]))
    ):
        return None
    else:
        reason = f"The segment says '{claimed.relation.connective}'; the evidence sets no such scope."
    return refuted(claimed.relation, ErrorType.OVERGENERALIZATION, reason, contradicts=narrow is not None)


def _narrow(text: str, quantity: str, evidence: str, wide: bool) -> str | None:
    """The words by which the evidence says less than all; what the segment says as well does not count."""
    exception = first_match(_EXCEPTION, evidence)
    if exception and quantity.isascii() and quantity != "every" and not _LIMITED.search(text):
        return exception
    if wide:
        return None
    said = text.casefold()
    modal = quantity in _COLOURLESS or quantity.endswith(("one", "thing")) or _PERMITTED.search(text) is not None
    found = (m.group() for m in islice(_NARROW.finditer(evidence), 64))
    return next((word for word in found if word.casefold() not in said and not (modal and _MODAL.match(word))), None)


def _ranges_as_wide(claimed: Sides, evidence: str) -> bool:
    """The evidence makes a claim about all of the same things."""
    if not claimed.relation.connective.isascii() or not claimed.second:
        return _WIDE.search(evidence) is not None
    if _SWEEPING.search(evidence):
        return True
    head = words_of(claimed.relation.second[:30]) or claimed.second  # what the quantity ranges over stands first
    return any(words_of(evidence[m.end() : m.end() + 40]) & head for m in islice(_WIDE.finditer(evidence), 16))
