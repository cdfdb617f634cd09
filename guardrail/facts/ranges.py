"""What goes on throughout a range of months, weekdays or hours: "open in July" follows from "open April to October"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from guardrail.facts.fact import Facts, Moment

_TO = re.compile(r"\s?(?:[–—~～-]|to|until|till|through|至|到)\s?(?:the\s)?", re.IGNORECASE)
_AND = re.compile(r"\s?and\s(?:the\s)?", re.IGNORECASE)
_FROM = re.compile(r"\b(?:from|between)\s(?:the\s)?$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:the\s)?$", re.IGNORECASE)
_AT = re.compile(r"\b(?:in|on|at|during)\s(?:the\s)?$", re.IGNORECASE)
_LASTING = re.compile(
    r"\b(?:open|closed|shut|available|accessible|valid|active|staffed|served|offered|allowed|permitted|forbidden|prohibited|"
    r"banned|runs?|running|operates?|operating|in\s(?:force|season|service|operation)|on\s(?:sale|display|duty))\b"
    r"|开放|营业|关闭|开门|关门|提供|有效|允许|禁止|可用",
    re.IGNORECASE,
)
"""Words for what goes on throughout; what happens once ("an accident at 10:00") happens at one time of a range."""

_EDGE = re.compile(
    r"\b(?:from|until|till|since|before|after|by|to|through|between|begin\w*|began|start\w*|ends?|ended|ending|first|last|"
    r"earliest|latest|every|only|just)\b|起|止|始|结束|前|后|至|到|最|才|只|仅",
    re.IGNORECASE,
)
"""Words for where a range begins or ends: then a value within it is another edge."""


def within(claim: Facts, moment: Moment, sentences: Iterable[Facts]) -> bool:
    """Whether a sentence says of a range that holds the moment what the claim says of the moment."""
    return any(_holds(found, moment) for found in _ranges(claim, sentences))


def widened(claim: Facts, sentences: Iterable[Facts]) -> str:
    """The claim with such a moment replaced by the words of the range, as a model of language can compare them.

    A claim with several such moments stays as it is.
    """
    ranges = list(_ranges(claim, sentences))
    places = [
        (fact.span, found.text)
        for fact in claim.facts
        if isinstance(fact.value, Moment) and (found := next((r for r in ranges if _holds(r, fact.value)), None))
    ]
    if len(places) != 1:
        return claim.text
    ((span, said),) = places
    at = _AT.search(claim.text[: span.start])
    return claim.text[: at.start() if at else span.start] + said + claim.text[span.end :]


class _Range(NamedTuple):
    first: Moment
    last: Moment
    text: str


def _ranges(claim: Facts, sentences: Iterable[Facts]) -> Iterator[_Range]:
    """Ranges of sentences that speak of the same lasting thing as the claim."""
    lasting = {match.group().casefold() for match in _LASTING.finditer(claim.text)}
    if not lasting or _EDGE.search(claim.text):
        return
    for sentence in sentences:
        text = sentence.text
        if lasting.isdisjoint(match.group().casefold() for match in _LASTING.finditer(text)):
            continue
        for one, two in pairwise(fact for fact in sentence.facts if isinstance(fact.value, Moment)):
            joint = text[one.span.end : two.span.start]
            if _TO.fullmatch(joint) or (_AND.fullmatch(joint) and _BETWEEN.search(text[: one.span.start])):
                lead = _FROM.search(text[: one.span.start])
                said = text[lead.start() if lead else one.span.start : two.span.end]
                if isinstance(one.value, Moment) and isinstance(two.value, Moment):
                    yield _Range(one.value, two.value, said)


def _holds(found: _Range, moment: Moment) -> bool:
    first, last = found.first, found.last
    if first.years or last.years or moment.years:
        return False  # "1958 to 1963" is a range of what happened once, as a rule
    if moment.minute is not None:
        return moment.weekday is None and _holds_time(first, last, moment)
    if moment.weekday is not None:
        return (
            first.weekday is not None
            and last.weekday is not None
            and _round(first.weekday, last.weekday, moment.weekday)
        )
    if moment.month is None or first.month is None or last.month is None:
        return False
    low, high = first.month * 100 + (first.day or 1), last.month * 100 + (last.day or 31)
    return all(_round(low, high, moment.month * 100 + day) for day in ((moment.day,) if moment.day else (1, 31)))


def _holds_time(first: Moment, last: Moment, moment: Moment) -> bool:
    if first.minute is None or last.minute is None or moment.minute is None:
        return False
    low, high = first.minute, last.minute
    if high <= low < high + 720 and not last.sure:
        high += 720  # "9:00 to 5:00"
    own = (moment.minute,) if moment.sure else (moment.minute, (moment.minute + 720) % 1440)
    return any(_round(low, high, minute) for minute in own)


def _round(low: int, high: int, value: int) -> bool:
    """Between the ends; outside them where the range runs over the end of the day, week or year."""
    return low <= value <= high if low <= high else value >= low or value <= high
