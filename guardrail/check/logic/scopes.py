"""Quantities: a claim about some, most or one group told of all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from guardrail.check.logic.align import Reading, Sides, best, has, words_of
from guardrail.check.logic.ruling import Ruling, refuted
from guardrail.types import ErrorType, Relation

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
    r"\b(?:(?<!at )most|mostly|some|many|several|few|usually|often|generally|sometimes|rarely|typically|mainly|"
    r"(?-i:may)|might|can|"
    r"could|"
    r"nearly|almost|about half|majority|half|part|partly|except|other than|apart from|only|unless|but not|likely|"
    r"commonly|occasionally|tend|tends|seldom|certain|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|[a-z]{3,8}teen|[a-z]{3,7}ty|\d+) "
    r"(?:of|out of|in (?:two|three|four|five|ten|\d+)))\b|"
    r"\b(?:up to|\d+ (?:percent|per cent)|provided|limited to|half)\b|\d%|"
    r"大多|多数|部分|有些|一些|少数|通常|往往|有时|除|可能|几乎|多半|常常|经常|其中|不受|另|仅|只",
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


_MODAL = re.compile(r"\b(?:may|might|can|could)\b", re.IGNORECASE)
# The segment names its own exception or condition.
_LIMITED = re.compile(
    r"\b(?:but|except\w*|apart from|other than|only|not|no|unless|save|excluding|outside|otherwise)\b|n't\b",
    re.IGNORECASE,
)
_IN_CLAUSE = re.compile(r"\b(?:when|if|where|once|as)\b[^,;]*$", re.IGNORECASE)
_RATES = frozenset({"every", "each", "每", "各"})
_TIME = re.compile(r"\s(?:year|month|week|day|hour|minute|second)\b", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"\b(?:except|excepted|apart from|other than|all but|but not|exceptions?|excluding|excluded|save for|not always|"
    r"not all|not every|but only)\b",
    re.IGNORECASE,
)
# "..., whatever their weight", "..., even small ones": added to stress the quantity, found in no evidence.
_STRESS = re.compile(
    r",?\s(?:even|whatever|regardless of|no matter|whether|including|without exception|of any kind)\b[^,.;]*|"
    r",[^,.;]*\bincluded\b",
    re.IGNORECASE,
)
# Ranges over everything in sight rather than over the noun that follows.
_SWEEPING = re.compile(
    r"\b(?:anyone|everyone|everything|nobody|no one|always|never|whatever|whenever|regardless|unanimous(?:ly)?|"
    r"throughout|in full)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(r"\s(?:else|other)\b", re.IGNORECASE)
# "They all slow it": said of a list, each member of which the evidence may name.
_FLOATING = re.compile(
    r"(?:\b(?:can|could|may|will|would|were|are|is|was|have|has|had|"
    r"they|these|them|which|who|we|you|it|must)\s|,[^,]*\band\b.*)$",
    re.IGNORECASE,
)
_GROUP = re.compile(r"\b(?:those|people|who|whoever|if|when)\b", re.IGNORECASE)


def rule(text: str, claimed: Sides, readings: Sequence[Reading]) -> list[Ruling]:
    """Judge one claimed quantity (Face4RAG: overgeneralization)."""
    relation = claimed.relation
    quantity = " ".join(relation.connective.casefold().split())
    start, end = relation.span
    if (
        quantity not in _UNIVERSAL
        or _PARTIAL.search(text[max(start - 24, 0) : start])
        or _ELSE.match(text, end)
        or (quantity == "no" and _IN_CLAUSE.search(text[max(start - 80, 0) : start]))
        or (quantity in _RATES and _RATE.match(text[end : end + 12]) and not _TIME.match(text, end))
    ):
        return []
    number, covered = best(words_of(_STRESS.sub(" ", text)) - words_of(quantity), readings)
    strict = 0.0 if quantity.isascii() else _STRICTER_ZH
    if covered < _COVERED + strict:
        return []
    evidence = readings[number].text
    own = text.casefold()
    wide = _wide(claimed, evidence)
    exception = has(_EXCEPTION, evidence)
    if exception and not _LIMITED.search(text) and quantity.isascii() and quantity not in _NEGATIVE | _RATES:
        return [] if wide and quantity.endswith("one") else [_narrower(relation, exception)]
    if wide:
        return []
    pattern = _FEWER if quantity in _NEGATIVE else _NARROW
    # What the segment says as well ("all ... may apply") does not narrow it.
    modal = quantity in _COLOURLESS or quantity.endswith(("one", "thing")) or _MODAL.search(text) is not None
    narrow = next(
        (
            m.group()
            for m in pattern.finditer(evidence)
            if m.group().casefold() not in own and not (modal and _MODAL.match(m.group()))
        ),
        None,
    )
    if narrow:
        return [_narrower(relation, narrow)]
    if (
        quantity in _NEGATIVE
        or quantity in _COLOURLESS
        or covered < _NEARLY_ALL + strict
        or has(_WIDE, evidence)
        or _TIME.match(text, end)
        or (quantity == "all" and _FLOATING.search(text[max(start - 120, 0) : start]))
        or (quantity.endswith("one") and _GROUP.search(evidence))
    ):
        return []
    reason = f"The segment says '{relation.connective}'; the evidence sets no such scope."
    return [refuted(relation, ErrorType.OVERGENERALIZATION, reason, contradicts=False)]


def _narrower(relation: Relation, narrow: str) -> Ruling:
    reason = f"The segment says '{relation.connective}'; the evidence says '{narrow}'."
    return refuted(relation, ErrorType.OVERGENERALIZATION, reason, contradicts=True)


def _wide(claimed: Sides, evidence: str) -> bool:
    """The evidence makes a claim about all of the same things."""
    if not claimed.relation.connective.isascii() or not claimed.second:
        return has(_WIDE, evidence) is not None
    if _SWEEPING.search(evidence):
        return True
    head = words_of(claimed.relation.second[:30]) or claimed.second  # what the quantity ranges over stands first
    return any(words_of(evidence[m.end() : m.end() + 40]) & head for m in islice(_WIDE.finditer(evidence), 16))
