"""Cases that an answer makes up to apply a rule to: their values are its own, and no document need have them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

from guardrail.engines.llm.workings import both_ways
from guardrail.text.facts import extract
from guardrail.text.facts.fact import Amount

_MADE_UP = re.compile(
    r"\s*(?:anyone|anybody|someone|somebody|whoever|if|suppose|take)\b.{0,200}?(?=\b(?:does|do|is|are|VERBS)\b)"
    r"|\s*(?:an?|any)\b.{0,200}?(?=\b(?:does|do|cannot|can't|(?:VERBS)(?!\s+(?:not\s+)?be))\b)"
    r"|\s*(?:an?|any)\s(?:.{0,60}\b(?:who|whose|aged|with)\b|\d+-year-old\b).{0,200}?(?=\b(?:is|are|VERBS)\b)"
    r"|.{0,100}?(?:的(?:人|学生|员工|客户|用户|申请人|顾客|家庭|公司|居民|旅客|患者)|者|如果|假如|若)(?=.{0,8}?(?:不?能|不?可|必?须|无法|没有资格|有资格|会))"
    r"|\D{0,100}?仮に[^。、]{1,40}?(?:なら|だと|であれば|とすると|の場合)|\D{0,60}?(?:假设|假如)[^,，。]{1,30}(?=[,，])".replace(
        "VERBS", "would|could|can|may|must|need|needs|qualifies|gets|pays|receives"
    ),
    re.IGNORECASE | re.DOTALL,
)

_OPENING = re.compile(
    r"\s*(?:bei|mit)\sein(?:e[mnr]?)?\s[^;:,]{1,40}?\svon\s[^;:,]{1,25}"
    r"|\s*(?:ein|eine|wer|wenn|falls|un|una|une|si|s['’]il|con|quien|qui|avec|\w{2,}(?:t|en)\s(?:der|die|das|ein|eine|man|es|er|sie))\s"
    r"[^;:]{1,90}?(?=\b(?:kann|können|muss|müssen|darf|dürfen|puede|pueden|debe|deben|peut|peuvent|doit|doivent)\b)",
    re.IGNORECASE,
)
"""Such a case in German, Spanish or French, up to what is said of it."""

_RULE = re.compile(
    r"\s*(?:ein|eine|un|una|une)\s.*?(?:\bwerden\b|\bser\b|[aei]rse\b|\bêtre\b)", re.IGNORECASE | re.DOTALL
)
"""A rule, not a case, whose value is what it says: "Eine Kaution von 500 Euro muss hinterlegt werden"."""

_LIMIT = re.compile(
    r"(?<!\bnicht )(?<!\bkein )(?<!\bkeine )(?<!\bno )(?<!\bpas )"
    r"\b(?:(?P<most>bis(?:\szu)?|höchstens|maximal|hasta|máximo|jusqu['’]à)|(?P<under>unter|weniger\sals|menos\sde|moins\sde)"
    r"|(?P<least>ab|mindestens|a\spartir\sde|au\smoins|à\spartir\sde|dès)|(?P<over>über|mehr\sals|más\sde|plus\sde))\s(?=\d)",
    re.IGNORECASE,
)
_KEEPS = {"most": operator.le, "under": operator.lt, "least": operator.ge, "over": operator.gt}
_NEXT = re.compile(r"\s?([^\W\d_]+|[%€$£¥])")


def case_of(said: str) -> str:
    """The stretch of a claim that makes up a case ("An applicant who earns 3,000 would not ..."), up to its verb.

    "A deposit of 500 EUR is required" or "must be paid" is none: its value is what the claim says.
    """
    found = _MADE_UP.match(said)
    return found.group() if found else ""


def lies_within(value: str, said: str, links: Sequence[tuple[str, str]], texts: Sequence[str]) -> bool:
    """Whether a value is that of a made-up case to which a limit applies that some document states.

    Args:
        value: As the claim has it ("8.000 Euro").
        said: The claim: "Bei einem Schaden von 8.000 Euro wird nicht gekürzt."
        links: What the judge takes for the same: ("Schaden von 8.000 Euro", "Schäden bis 10.000 Euro").
        texts: The documents.
    """
    opening, amounts = _OPENING.match(said), _amounts(value)
    there = re.compile(rf"(?<![\w.,]){re.escape(value)}(?![\w]|[.,]\d)", re.IGNORECASE)
    at = there.search(opening.group()) if opening else None
    if at is None or len(amounts) != 1 or _RULE.match(said):
        return False
    for one, other in both_ways(links):
        limit = _LIMIT.search(other)
        if limit is None or not there.search(one):
            continue
        words = re.compile(rf"(?<!\w){re.escape(other[limit.start() :].strip())}(?!\w|[.,]\d)", re.IGNORECASE)
        bounds = _amounts(other[limit.end() :])
        if len(bounds) != 1 or not any(map(words.search, texts)):
            continue
        (bound, end), (amount, _) = bounds[0], amounts[0]
        alike = _unit_behind(said, at.end()) == _unit_behind(other, limit.end() + end)
        if _fits(amount, bound, _KEEPS[str(limit.lastgroup)], alike):
            return True
    return False


def _unit_behind(text: str, at: int) -> str:
    found = _NEXT.match(text, at)
    return found[1].casefold() if found else ""


def _amounts(text: str) -> list[tuple[Amount, int]]:
    """The amounts of a text, each with where it ends."""
    return [(fact.value, fact.span.end) for fact in extract(text).counted if isinstance(fact.value, Amount)]


def _fits(value: Amount, bound: Amount, keeps: Callable[[float, float], bool], alike: bool) -> bool:
    """Whether an amount keeps a limit in the same unit, or of the same things (``alike``) where one has none."""
    if value.unit and bound.unit:
        return value.unit == bound.unit and keeps(value.base, bound.base)
    return alike and keeps(value.raw, bound.raw)
