"""Numbers and quantities of a text: numerals joined with their unit, hedge and name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from guardrail.text.facts.fact import Amount, Bound, Fact, FactKind
from guardrail.text.facts.numbers import SCALES, Numeral, read_numerals
from guardrail.text.facts.units import MONEY, UNITS, to_base, unit_after, unit_before
from guardrail.text.words import Word, is_cjk
from guardrail.types import Span

_ARTICLE = re.compile(
    r"\b(?:an?|per|each|every|another|half\san?|quarter\sof\san)\s(?P<unit>second|minute|hour|day|week|fortnight|month|year|decade|century)\b",
    re.IGNORECASE,
)
_MINUS = re.compile(
    r"(?:^|(?<=[\s(（=:：，、；“「『])|(?<=[ぁ-ヺ一-鿿])(?<![零〇一二两三四五六七八九十百千万亿億萬]))(?:[-−–]|minus\s)$"
    r"|(?:零下|氷点下|マイナス)\s?$",
    re.IGNORECASE,
)
_RANGE_BEFORE = re.compile(
    r"[0-9零〇一二两三四五六七八九十百千万亿億萬]\s?(?:(?:摄氏|攝氏)?度|パーセント|个?百分点|[点點成割倍折年月日])[-−–]$"
)
"""A dash behind an amount parts a range: "5度-10度"."""
_SIGNED = frozenset({"°C", "%"})
"""Units in which a minus is a sign; before others it is mostly a dash."""

_OF_UNIT = re.compile(r"\s(?:of\s)?an?\s(?P<unit>[a-z]{3,12})\b")
_RANGE = re.compile(r"\s?(?:[–—~～-]|to|and|or|至|到)\s?")
_UP_TO = re.compile(r"\s?(?:[–—~～-]|to)\s?")
_SCALE = re.compile(rf"\b({'|'.join(SCALES)})\b", re.IGNORECASE)
_VAGUE = re.compile(r"\b(?:(?:several|few|many)\s|(?:in|out\sof)\s)$", re.IGNORECASE)
_SOME = re.compile(r"\bsome\s$", re.IGNORECASE)
_SKIPPED = re.compile(
    r"^\s*[(（]?[0-9]{1,3}[.)）、](?=\s|[^0-9])|\[[0-9]{1,4}(?:[,–-]\s?[0-9]{1,4}){0,9}\]", re.MULTILINE
)
_HALF_BEFORE = re.compile(r"\s?[个個]半(?=小时|小時|钟头|月|世纪|学期|星期|礼拜)")
_HALF_BEHIND = re.compile(
    r"半(?=$|[\s，。,.;；、:：!?！？()（）「」『』〜~～-]|[的了是就才都以左之后後前内間间でにはをもがのかとへやらだ]|ほど|くらい|ぐらい|程度)"
)
"""What may follow half an hour more; "半年", "半额", "半ば" and many others are words of their own."""
_HALVED = frozenset({"s", "m", "kg"})
_CENTIMETRES = re.compile(r"[0-9]{1,2}(?=$|[\s，。;；、:：!?！？()（）]|,(?![0-9])|\.(?![0-9])|[的高长宽以左和与及])")
_TALLEST = 3
"""Whole metres of a length that goes on in centimetres: "1米42"."""
_MEASURES = frozenset(
    "个名位人次件只条张部座家间所台辆艘套批项种类页章节卷册幅块层楼户株棵头匹门本份支枚道届期级岁倍成步站场轮集首句字例组户校颗粒片瓶杯碗箱袋"
)
_VAGUE_AFTER = ("十分", "千万别", "千万不", "万一", "百姓", "百货", "万物")
_OVER = re.compile(
    r"(?:\b(?:over|more\sthan|above|beyond|exceed(?:s|ed|ing)?|at\sleast|(?:no|not)\s(?:less|fewer)\sthan|minimum\sof|upwards\sof"
    r"|greater\sthan|older\sthan|longer\sthan|higher\sthan|from|past|topp(?:ed|ing))\s(?:a\s|an\s|the\s)?|>|≥|超过|至少|不少于|多于|高于|大于|逾|不低于)\s?$",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"(?:\b(?:under|less\sthan|fewer\sthan|below|(?<!go\s)(?<!goes\s)(?<!went\s)(?<!gone\s)(?<!going\s)up\sto|at\smost|(?:no|not)\smore\sthan|within|maximum\sof|shorter\sthan|lower\sthan"
    r"|younger\sthan|smaller\sthan|until|(?:just|nearly|almost)\sshort\sof|short\sof)\s(?:a\s|an\s|the\s)?|<|≤|不到|少于|至多|最多|不超过|低于|小于|不足|不满)\s?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|some|circa|close\sto|near|or\sso)\s(?:a\s|an\s|the\s)?|[~≈]|约|大约|大概|近|将近|接近|差不多)\s?$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s?(?:(?P<over>多|余|or\s(?:more|over|older|above)|以上|\+)|(?P<under>or\s(?:less|fewer|under)|以下|以内|之内)|(?P<about>左右|上下|or\sso|来))"
)


def _minus(text: str, start: int) -> re.Match[str] | None:
    """The sign right before a number."""
    found = _MINUS.search(text, max(0, start - 6), start)
    return None if found and _RANGE_BEFORE.search(text, max(0, start - 8), start) else found


def _bound(text: str, start: int, end: int) -> Bound:
    """The hedge around the number at ``start`` to ``end``."""
    low = max(0, start - 16)
    if _UNDER.search(text, low, start):
        return Bound.UNDER
    if _OVER.search(text, low, start):
        return Bound.OVER
    if _ABOUT.search(text, low, start):
        return Bound.ABOUT
    if behind := _BEHIND.match(text, end):
        return Bound.OVER if behind["over"] else Bound.UNDER if behind["under"] else Bound.ABOUT
    return Bound.EXACT


def _is_label(text: str, numeral: Numeral, before: Word | None, *, first: bool) -> bool:
    """A number right after a capitalised word inside a sentence belongs to a name ("Korvel 40", "Windows 11")."""
    if before is None or first or not numeral.written or before.form in UNITS:
        return False
    surface = text[before.start : before.end]
    gap = text[before.end : numeral.start]
    return (
        surface[:1].isupper()
        and surface not in {"I", "Only", "About", "Over", "At"}
        and gap in {" ", "-"}
        and not is_cjk(surface[0])
    )


def _unchecked_cjk(text: str, numeral: Numeral) -> bool:
    surface = text[numeral.start : numeral.end]
    follow = text[numeral.end : numeral.end + 1]
    if any(text.startswith(word, numeral.start) for word in _VAGUE_AFTER):
        return True
    if len(surface) == 1:
        return numeral.value < 3 or follow not in _MEASURES
    return surface in {"千万", "万千", "百万"} or set(surface) == {"一"}


def _amount(text: str, numeral: Numeral, before: Word | None, *, first: bool) -> Fact | None:
    start, end, value = numeral.start, numeral.end, numeral.value
    dimension, factor = "", 1.0
    if numeral.form == "percent":
        dimension, factor = "%", 0.01
    elif numeral.form not in {"ordinal", "count"}:
        half = _HALF_BEFORE.match(text, end)  # "18个半小时"
        value, end = (value + 0.5, half.end()) if half else (value, end)
        if found := unit_after(text, end):
            dimension, factor, stop = found
            value, end = _with_rest(text, value, dimension, Span(end, stop))
        elif ahead := unit_before(text, start):
            dimension, factor, start = ahead
        elif numeral.form == "fraction" and (part := _OF_UNIT.match(text, end)) and part["unit"] in UNITS:
            (dimension, factor), end = UNITS[part["unit"]], part.end()
        elif numeral.form == "fraction":
            dimension = "%"
    if dimension == "m" and (money := unit_before(text, start)):  # "$5m" are millions of money, not metres
        (dimension, factor, start), value = money, value * 1e6
    if dimension in _SIGNED and (sign := _minus(text, start)):
        start, value = sign.start(), -value
    if not dimension and numeral.form == "digits" and text[end : end + 1].isalpha() and not is_cjk(text[end]):
        return None  # "4x4": part of a word
    amount = Amount(
        raw=value,
        base=to_base(value, dimension, factor),
        unit=dimension,
        bound=_bound(text, start, end),
        label=_is_label(text, numeral, before, first=first),
        ordinal=numeral.form == "ordinal",
        small=not numeral.written and not dimension and value <= 12,
    )
    kind = FactKind.PERCENT if dimension == "%" else FactKind.QUANTITY if dimension else FactKind.NUMBER
    span = Span(start, max(end, numeral.end))
    return Fact(kind=kind, span=span, value=amount, surface=span.of(text))


def _with_rest(text: str, value: float, dimension: str, unit: Span) -> tuple[float, int]:
    """The value with what stands behind its unit, and where that ends: "3時間半", "1米42"."""
    if dimension in _HALVED and (half := _HALF_BEHIND.match(text, unit.end)):
        return value + 0.5, half.end()
    if unit.of(text) == "米" and value in range(1, _TALLEST) and (rest := _CENTIMETRES.match(text, unit.end)):
        return value + float(f"0.{rest.group()}"), rest.end()
    return value, unit.end


def _is_slight(text: str, numeral: Numeral, amount: Amount) -> bool:
    """Too slight to check, yet good to calculate with: "one", "both", "twice", "half", idioms, "several hundred"."""
    before = max(0, numeral.start - 8), numeral.start
    if numeral.form == "count" or _VAGUE.search(text, *before):
        return True
    if numeral.written:
        return False
    if _SOME.search(text, *before):  # "some hundred"; "some 130,000" says how many
        return True
    if amount.raw in {0.5, 1.0} or (
        amount.raw < 3 and (not amount.unit or numeral.form == "ordinal") and numeral.form != "fraction"
    ):
        return True
    return numeral.form == "cjk" and not amount.unit and _unchecked_cjk(text, numeral)


def _share_scales(text: str, facts: list[Fact]) -> list[Fact]:
    """Give the first end of a range the second's scale, and the second the first's unit ("£185–195 million")."""
    for index in range(1, len(facts)):
        first, second = facts[index - 1], facts[index]
        one, two = first.value, second.value
        if not isinstance(one, Amount) or not isinstance(two, Amount) or one.ordinal or one.label:
            continue
        word = _SCALE.search(second.surface)
        if word is None or _SCALE.search(first.surface) or one.raw * SCALES[word[1].lower()] >= two.raw:
            continue
        if not _UP_TO.fullmatch(text, first.span.end, second.span.start):
            continue
        factor = one.base / one.raw if one.raw else 1.0
        raw = one.raw * SCALES[word[1].lower()]
        facts[index - 1] = replace(first, value=one._replace(raw=raw, base=raw * factor, small=False))
        if one.unit and not two.unit:
            facts[index] = replace(second, kind=first.kind, value=two._replace(base=two.raw * factor, unit=one.unit))
    return facts


def _share_units(text: str, facts: list[Fact]) -> list[Fact]:
    """Give the first end of a range the unit of the second ("5 to 7 km")."""
    for index in range(len(facts) - 1, 0, -1):
        first, second = facts[index - 1], facts[index]
        one, two = first.value, second.value
        if not isinstance(one, Amount) or not isinstance(two, Amount) or one.unit or not two.unit or one.ordinal:
            continue
        if second.span.start - first.span.end <= 5 and _RANGE.fullmatch(text, first.span.end, second.span.start):
            factor = two.base / two.raw if two.raw and two.unit != "°C" else 1.0
            base = one.raw * factor
            facts[index - 1] = Fact(
                kind=second.kind,
                span=first.span,
                value=one._replace(base=base, unit=two.unit, small=False),
                surface=first.surface,
            )
    return facts


def _with_cents(text: str, facts: Sequence[Fact]) -> list[Fact]:
    """Money with its cents as one amount: "64 euros and 50 cents"."""
    kept: list[Fact] = []
    for fact in facts:
        if kept and (joined := _joined_with_cents(text, kept[-1], fact)):
            kept[-1] = joined
        else:
            kept.append(fact)
    return kept


def _joined_with_cents(text: str, first: Fact, second: Fact) -> Fact | None:
    """Both as one, where the second is less than one unit, written in hundredths, right behind whole units of money."""
    whole, cents = first.value, second.value
    if not isinstance(whole, Amount) or not isinstance(cents, Amount) or not {whole.unit, cents.unit} <= MONEY:
        return None
    hundredths = cents.base < 1 and cents.base == cents.raw * 0.01
    if not hundredths or whole.base % 1 or text[first.span.end : second.span.start].strip(" ,") not in {"", "and"}:
        return None
    span = Span(first.span.start, second.span.end)
    total = whole._replace(raw=whole.raw + cents.base, base=whole.base + cents.base)
    return replace(first, span=span, value=total, surface=span.of(text))


def _compounds(text: str, facts: list[Fact]) -> list[Fact]:
    """Sums such as "1 hour 30 minutes" or "two years and three months"."""
    sums = []
    for first, second in pairwise(facts):
        one, two = first.value, second.value
        if not isinstance(one, Amount) or not isinstance(two, Amount) or not one.unit or one.unit != two.unit:
            continue
        smaller = abs(two.base) < abs(one.base) and two.raw and one.raw and two.base / two.raw < one.base / one.raw
        if (
            smaller
            and one.unit in {"s", "m", "kg"}
            and text[first.span.end : second.span.start].strip(" ,") in {"", "and", "零", "又"}
        ):
            total = Amount(raw=one.raw, base=one.base + two.base, unit=one.unit)
            span = Span(first.span.start, second.span.end)
            sums.append(Fact(kind=first.kind, span=span, value=total, surface=span.of(text)))
    return sums


def read_amounts(text: str, words: tuple[Word, ...], taken: Iterable[Span]) -> tuple[list[Fact], list[Fact]]:
    """Facts to check and further numbers to calculate with; ``taken`` places (dates, list marks) are passed over."""
    blocked = [*taken, *(Span(*m.span()) for m in _SKIPPED.finditer(text))] if text else []
    blocked.sort()
    facts: list[Fact] = []
    slight: list[Fact] = []
    place, cursor, done = 0, 0, 0
    for numeral in read_numerals(text, words):
        if numeral.start < done:
            continue  # read with the number before: "1米42"
        while place < len(blocked) and blocked[place].end <= numeral.start:
            place += 1
        if place < len(blocked) and blocked[place].start < numeral.end:
            continue
        while cursor < len(words) and words[cursor].end <= numeral.start:
            cursor += 1
        before = words[cursor - 1] if cursor else None
        if before is not None and numeral.written and text[numeral.start - 1] == "-" and text[before.start].isupper():
            continue  # "COVID-19": one token of a name
        fact = _amount(text, numeral, before, first=cursor <= 1)
        if fact is None or not isinstance(fact.value, Amount):
            continue
        done = fact.span.end
        if _is_slight(text, numeral, fact.value):
            slight.append(fact)
        else:
            facts.append(fact)
    facts = _with_cents(text, _share_units(text, _share_scales(text, facts)))
    slight += _compounds(text, facts)
    for match in _ARTICLE.finditer(text):
        dimension, factor = UNITS[match["unit"].casefold()]
        value = 0.5 if match.group()[:4].lower() == "half" else 1.0
        amount = Amount(raw=value, base=value * factor, unit=dimension, small=True)
        slight.append(Fact(kind=FactKind.QUANTITY, span=Span(*match.span()), value=amount, surface=match.group()))
    return facts, slight
