"""Dates and times of day, as precise as the text gives them."""

from __future__ import annotations

import re

from guardrail.text.facts.fact import Moment
from guardrail.text.facts.numbers import ORDINALS, read_cjk
from guardrail.text.facts.units import unit_after
from guardrail.text.language import may_be_english
from guardrail.types import Span

_MONTHS = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_DAYS = tuple("mon tue wed thu fri sat sun".split())
_DAY = r"(?:Mon(?:day)?|Tue(?:s(?:day)?)?|Wed(?:nesday)?|Thu(?:rs?(?:day)?)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)"
_SPANS = {"weekdays": (0, 4), "weekend": (5, 6), "weekends": (5, 6)}
_HOURS = tuple("one two three four five six seven eight nine ten eleven twelve".split())
_STEPS = {"five": 5, "ten": 10, "a quarter": 15, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_CENTURIES = {word: number for word, number in ORDINALS.items() if number <= 20} | {"twenty-first": 21}
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_HALF = r"(?:\s?(?P<half{n}>[ap]\.?m\b\.?|AM\b|PM\b|(?:in\sthe\s|at\s)?(?:morning|afternoon|evening|night)\b))"
_HOUR = "(?:" + "|".join(_HOURS) + r"|1[0-2]|[0-9])"

_ENGLISH = re.compile(
    rf"\b(?P<d1>[0-9]{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m1>{_MONTH})(?:,?\s(?P<y1>[0-9]{{4}})\b)?"
    rf"|\b(?P<m2>{_MONTH})\s(?:the\s)?(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9:%])(?:,?\s(?P<y2>[0-9]{{4}})\b)?"
    rf"|\b(?P<m3>{_MONTH}),?\s(?:of\s)?(?P<y3>1[0-9][0-9][0-9]|20[0-9][0-9])\b"
    r"|\b(?P<y4>[0-9]{4})-(?P<m4>[01][0-9])-(?P<d4>[0-3][0-9])\b"
    r"|\b(?P<d5>[0-9]{1,2})(?P<sep>[/.])(?P<m5>[0-9]{1,2})(?P=sep)(?P<y5>[0-9]{4})\b"
    r"|\b(?P<decade>1[0-9][0-9]|20[0-9])0['’]?s\b"
    rf"|\b(?P<century>[0-9]{{1,2}}(?:st|nd|rd|th)|{'|'.join(_CENTURIES)})[\s-]centur(?:y|ies)\b"
    rf"|\b(?P<since>{_DAY})s?\b\.?\s?(?:[-–—]|to|through|until|till)\s?(?P<till>{_DAY})s?\b"
    rf"|\b(?P<weekday>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b|\b(?P<short>{_DAY})\b(?=\.?[:,]?\s?[0-9])"
    r"|\b(?P<days>[Ww]eek(?:days|ends?))\b"
    r"|(?<![0-9:.])(?P<h1>[01]?[0-9]|2[0-4]):(?P<min1>[0-5][0-9])(?![:0-9])" + _HALF.format(n=1) + "?"
    r"|(?<![0-9:.])(?P<h6>0?[1-9]|1[0-2])\.(?P<min2>[0-5][0-9])\s?(?P<half4>[ap]\.?m\b\.?|AM\b|PM\b)"
    rf"|(?<!\d[.,:])\b(?P<h2>{_HOUR})(?:\s?(?P<oclock>o['’]clock)" + _HALF.format(n=2) + "?|" + _HALF.format(n=3) + ")"
    rf"|\b(?P<step>{'|'.join(sorted(_STEPS, key=len, reverse=True))})(?:\sminutes)?\s(?P<way>past|to)\s"
    rf"(?P<h4>{_HOUR})\b"
    r"(?!\s(?:\w+\s)?(?:hours|minutes|days|weeks|months|years|per|%))"
    r"|\b(?:at|from|until|till|by|before|after)\s(?P<h5>1[0-2]|[1-9]|" + "|".join(_HOURS) + r")"
    r"(?=[.,;!?)]*\s*$|[.,;!?)](?!\d)|\s(?:on|and|until|till|to|every|each|daily|sharp)\b)"
    r"|\b(?P<noon>[Nn]oon|[Mm]idday|[Mm]idnight)\b"
    rf"|\b(?P<m6>{_MONTH})"
    r"|(?<![\w.,:/$€£¥#-])(?P<range>1[0-9][0-9][0-9]|20[0-9][0-9])\s?[–/-]\s?(?P<end>[0-9][0-9])(?![0-9]|[-/][0-9])"
    r"|(?<![A-Za-z0-9_.,:/$€£¥#万億亿千])(?P<y7>1[5-9][0-9][0-9]|20[0-9][0-9]|2100)(?![0-9%°€£$]|[.,:][0-9]|\s?(?:million|thousand|billion))",
)
_TRIGGER = re.compile(
    r"[0-9]|day|weekend|noon|night|cent|clock|past|\b(?:to|in the)\b|[A-Z][a-z]{2}|[年月日号点时時周期世]"
)
_BARE_MONTH = re.compile(
    r"(?:\b(?:in|by|since|until|till|from|of|to|late|early|mid|last|next|each|every|and|through|after|before|during|for|this)[\s-]|–|-|\(|,\s)$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\s(?!was\b|is\b|has\b|his\b|its\b|this\b|as\b|does\b)[a-z]{2,20}s\b")
_AT_DATE = re.compile(
    r"(?:\b(?:in|by|since|until|till|from|of|before|after|during|to|and|around|about|early|late|mid|the|between|for|year)[\s-]|[(–,/-]\s?)$",
    re.IGNORECASE,
)


_EUROPEAN_MONTHS = {
    name: number % 12 + 1
    for number, name in enumerate(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember enero febrero marzo abril "
        "mayo junio julio agosto septiembre octubre noviembre diciembre janvier février mars avril mai juin juillet "
        "août septembre octobre novembre décembre".split()
    )
}
MONTH_NAMES = _EUROPEAN_MONTHS | {
    name: number
    for number, name in enumerate(
        "January February March April May June July August September October November December".split(), start=1
    )
}
"""Written out in English, German, Spanish and French, as they are spelt within a sentence."""
_ENGLISH_TOO = "April|August|September|November|mars"
_EUROPEAN_MONTH = "|".join(sorted(set(_EUROPEAN_MONTHS) - set(_ENGLISH_TOO.split("|")), key=len, reverse=True))
_EUROPEAN_YEAR = r"(?:\s(?:de\s|del\s)?(?P<y{n}>1[5-9][0-9]{{2}}|20[0-9]{{2}})\b(?!\s?(?:€|EUR|Euro|%|km|kg)))"
_HOUR_OF_DAY = "[01]?[0-9]|2[0-4]"
_EUROPEAN = re.compile(
    rf"\b(?P<d1>[0-9]{{1,2}})(?:\.|er|º)?\s?(?:de\s)?(?P<m1>{_EUROPEAN_MONTH})\b{_EUROPEAN_YEAR.format(n=1)}?"
    rf"|\b(?P<d2>[0-9]{{1,2}})(?:\.|er)?\s?(?P<m2>{_ENGLISH_TOO}){_EUROPEAN_YEAR.format(n=2)}"
    rf"|\b(?P<m3>{_EUROPEAN_MONTH}|mars){_EUROPEAN_YEAR.format(n=3)}"
    r"|\b(?P<d4>[0-9]{1,2})\.\s(?P<m4>April|August|September|November)\b"
    rf"|(?<![\w.,:])(?P<h1>{_HOUR_OF_DAY})(?:\sUhr\s(?P<min2>[0-5][0-9])(?!\w|\s[A-ZÄÖÜ])|(?:[.:](?P<min1>[0-5][0-9]))?\sUhr\b)"
    rf"|(?<![\w.,:])(?P<h4>{_HOUR_OF_DAY})(?:[.:](?P<min5>[0-5][0-9]))?"
    rf"(?=\s?(?:bis|[-–])\s?(?:{_HOUR_OF_DAY})(?:[.:][0-5][0-9])?\sUhr\b)"
    rf"|\b(?:a|de|desde|hasta|sobre|hacia|y|entre)\slas\s(?P<h2>{_HOUR_OF_DAY})\.(?P<min3>[0-5][0-9])(?![.,]?\w|\s?[%€])"
    rf"|(?<![\w.,:])(?P<h3>{_HOUR_OF_DAY})\s?h\s?(?P<min4>[0-5][0-9])(?![.,:]?\w|\s?[%€]|\s(?:min|km|kg)\b)"
)
"""German, Spanish, French: "31. März 2025", "31 de marzo de 2025", "1er mars", "20.15 Uhr", "las 20.15", "20 h 15"."""

_FRENCH_AT = re.compile(r"(?:\bà|\bvers|\bdès|\bavant|\baprès)\s$", re.IGNORECASE)
_FRENCH_TO = re.compile(r"\s?(?:à|et|[-–])\s?[0-9]{1,2}\s?h\b")
_NO_WORD = re.compile(r"\s*(?:$|[.,;:!?)])")
_SURELY_TIME = 13
"""Hours from which "13 h 30" in French is a time of day in any place; what takes less may be a length."""

_GERMAN_AT = re.compile(r"\b(?:am|bis|zum|vom|dem|der|den|des|seit|vor)\s$")

_SCHEDULE = re.compile(
    r"\b(?:open|clos|start|begin|began|end|finish|leav|depart|arriv|serv|shut|check(?:ed|s)?[\s-]?(?:in|out)|run|meet)"
    r"(?:e?s|e?d|ing|ning|ting)?\b",
    re.IGNORECASE,
)
"""Verbs beside which a bare "at 8" is a time of day."""

_AT_TIME = re.compile(r"\b(?:at|by|until|before|after|from|since)\s(?:a\s)?$")
_LATE = frozenset("下午 傍晚 晚上 晚间 夜里 午後 夕方 夜 晩".split())
_CN = "[零〇一二三四五六七八九十0-9]"
_CHINESE_DATE = re.compile(
    rf"(?:(?P<y1>{_CN}{{4}})\s?年)(?:\s?(?P<m1>{_CN}{{1,3}})\s?月(?:份|\s?(?P<d1>{_CN}{{1,3}})\s?[日号])?)?"
    rf"|(?P<m2>{_CN}{{1,3}})\s?月(?:份|底|初|中|末|\s?(?P<d2>{_CN}{{1,3}})(?:\s?[日号])?)(?!分)"
    rf"|(?P<m3>(?<![个十0-9])[0-9]{{1,2}}|十[一二]?|(?<!十)[二三四五六七八九])月(?!球|亮)"
    r"|(?P<decade>(?:1[0-9]|20)[0-9])0年代|(?P<old>[二三四五六七八九])十年代"
    rf"|(?P<century>{_CN}{{1,3}})世纪"
    r"|(?:星期|周|礼拜)(?P<weekday>[一二三四五六日天])"
    rf"|(?:(?P<part>凌晨|早上|清晨|上午|中午|下午|傍晚|晚上|晚间|夜里|午前|午後|夕方|朝|夜|晩)[の\s]?)?(?P<h1>(?<![十0-9])[0-9]{{1,2}}|(?<!分之)(?<!分之.)(?<!分之..)[一二两三四五六七八九十]{{1,3}})\s?[点时時](?P<half>半)?(?!钟头|间|間|候|代|期|点|五|数|[一二三四]?[，。]?成)(?:\s?(?P<min1>{_CN}{{1,3}})\s?分|(?P<min2>[二三四五]?十[一二三四五六七八九]?|[0-5][0-9])(?![{_CN[1:-1]}%.,个元块天年月日号公米斤克人次点小分秒]))?"
    rf"|(?P<d3>{_CN}{{1,3}})[日号](?!楼|线|馆|公路|間|以内|以上|未満|ほど|くらい|ぐらい|ごと|分の)",
)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _weekday(name: str) -> int:
    return _DAYS.index(name[:3].lower())


def _year(text: str | None) -> tuple[int, int] | None:
    return (int(text), int(text)) if text else None


def _clock(hour: str, minute: int, half: str | None) -> Moment:
    number = int(hour) if hour.isdigit() else _HOURS.index(hour) + 1
    half = (half or "").lower()
    late = half.startswith("p") or half.endswith(("afternoon", "evening", "night"))
    sure = bool(half) or number > 12 or hour.startswith("0")
    number = number % 12 + (12 if late else 0) if half else number
    return Moment(minute=(number * 60 + minute) % 1440, sure=sure)


def _english(match: re.Match[str], text: str) -> Moment | None:
    g = match.groupdict()
    if name := g["m1"] or g["m2"] or g["m3"]:
        day = g["d1"] or g["d2"]
        return Moment(years=_year(g["y1"] or g["y2"] or g["y3"]), month=_month(name), day=int(day) if day else None)
    if g["y4"]:
        return Moment(years=_year(g["y4"]), month=int(g["m4"]), day=int(g["d4"]))
    if g["y5"]:
        day, month = int(g["d5"]), int(g["m5"])
        if month > 12:
            day, month = month, day
        return Moment(years=_year(g["y5"]), month=month, day=day, swap=day <= 12)
    if g["decade"]:
        return Moment(years=(int(g["decade"]) * 10, int(g["decade"]) * 10 + 9))
    if g["century"]:
        number = _CENTURIES.get(g["century"]) or int(g["century"][:-2])
        return Moment(years=(number * 100 - 100, number * 100))
    if day := g["since"] or g["weekday"] or g["short"]:
        return Moment(weekdays=(_weekday(day), _weekday(g["till"] or day)))
    if g["days"]:
        return Moment(weekdays=_SPANS[g["days"].lower()])
    if g["h1"]:
        return _clock(g["h1"], int(g["min1"]), g["half1"])
    if g["h6"]:
        return _clock(g["h6"], int(g["min2"]), g["half4"])
    if g["h2"]:
        return _clock(g["h2"], 0, g["half2"] or g["half3"])
    if g["step"]:
        if g["way"] == "to" and not _AT_TIME.search(text, max(0, match.start() - 8), match.start()):
            return None  # "a vote of ten to five"
        moment = _clock(g["h4"], 0, None)
        shift = _STEPS[g["step"]] * (1 if g["way"] == "past" else -1)
        return moment._replace(minute=((moment.minute or 0) + shift) % 1440, sure=False)
    if g["h5"]:
        return _clock(g["h5"], 0, None) if _SCHEDULE.search(text) else None
    if g["noon"]:
        return Moment(minute=0 if g["noon"].lower() == "midnight" else 720, sure=True)
    if g["m6"]:
        # "May" and "March" are also verbs: a month alone needs a word that places it in time.
        short = len(g["m6"].rstrip(".")) < 6 and g["m6"] not in {"April", "June", "July"}
        if short and not _BARE_MONTH.search(text, max(0, match.start() - 10), match.start()):
            return None
        return Moment(month=_month(g["m6"]))
    if g["range"]:
        return Moment(years=_year(g["range"]))
    if unit_after(text, match.end()):
        return None
    placed = _AT_DATE.search(text, max(0, match.start() - 9), match.start())
    return None if not placed and _COUNTED.match(text, match.end()) else Moment(years=_year(g["y7"]))


def _european(match: re.Match[str], text: str) -> Moment | None:
    g = match.groupdict()
    if hour := g["h1"] or g["h2"] or g["h3"] or g["h4"]:
        minute = int(g["min1"] or g["min2"] or g["min3"] or g["min4"] or g["min5"] or 0)
        if g["h3"] and not (
            _FRENCH_AT.search(text, max(0, match.start() - 8), match.start())
            or _FRENCH_TO.match(text, match.end())
            or (int(hour) >= _SURELY_TIME and (_NO_WORD.match(text, match.end()) or not may_be_english(text)))
        ):
            return None  # "un retard de 2 h 15" is a length
        return Moment(minute=(int(hour) * 60 + minute) % 1440, sure=not g["h2"] or int(hour) > 12)
    day = g["d1"] or g["d2"] or g["d4"]
    month = _EUROPEAN_MONTHS[g["m1"] or g["m2"] or g["m3"] or g["m4"]]
    return Moment(years=_year(g["y1"] or g["y2"] or g["y3"]), month=month, day=int(day) if day else None)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else int(read_cjk(text))


def _chinese(match: re.Match[str]) -> Moment | None:
    g = match.groupdict()
    digits = {
        name: g[name] for name in ("y1", "m1", "d1", "m2", "d2", "m3", "d3", "century", "h1", "min1", "min2") if g[name]
    }
    if any(set(value) & set("0123456789") and not value.isdecimal() for value in digits.values()):
        return None  # Arabic and Chinese numerals mixed: not one number
    n = {name: _number(value) for name, value in digits.items()}
    if "y1" in n:
        return Moment(years=(n["y1"], n["y1"]), month=n.get("m1"), day=n.get("d1"))
    if month := n.get("m2") or n.get("m3"):
        return Moment(month=month, day=n.get("d2")) if month <= 12 else None
    if g["decade"]:
        return Moment(years=(int(g["decade"]) * 10, int(g["decade"]) * 10 + 9))
    if g["old"]:
        start = 1900 + 10 * _number(g["old"])
        return Moment(years=(start, start + 9))
    if n.get("century"):
        return Moment(years=(n["century"] * 100 - 100, n["century"] * 100))
    if g["weekday"]:
        day = 6 if g["weekday"] in "日天" else "一二三四五六".index(g["weekday"])
        return Moment(weekdays=(day, day))
    if "h1" in n:
        if n["h1"] > 24:
            return None
        late = (g["part"] or "") in _LATE and n["h1"] < 12
        minute = 30 if g["half"] else n.get("min1", n.get("min2", 0))
        sure = bool(g["part"]) or n["h1"] > 12
        return Moment(minute=((n["h1"] + 12 * late) * 60 + minute) % 1440, sure=sure)
    return Moment(day=n["d3"]) if n.get("d3", 99) <= 31 else None


def read_moments(text: str) -> list[tuple[Span, Moment]]:
    """All dates and times in order, without overlaps; "2017-19" gives both years."""
    if not _TRIGGER.search(text):
        return []
    found: list[tuple[Span, Moment]] = []
    for match in _ENGLISH.finditer(text):
        moment = _english(match, text)
        if moment is None:
            continue
        if match["range"]:
            last = int(match["range"]) // 100 * 100 + int(match["end"])
            found.append((Span(*match.span("range")), moment))
            found.append((Span(*match.span("end")), Moment(years=(last, last))))
        else:
            stop = match.end() - (moment.minute is None and text[match.end() - 1] == ".")
            found.append((Span(match.start("h5") if match["h5"] else match.start(), stop), moment))
    read = [
        (Span(match.start("h2") if match["h2"] else match.start(), match.end()), _european(match, text))
        for match in _EUROPEAN.finditer(text)
        if not match["m4"]
        or match.end() - match.start() == len(text)
        or _GERMAN_AT.search(text, max(0, match.start() - 8), match.start())
        or not may_be_english(text)  # "in 10. August was"
    ]
    if not text.isascii():
        read += [(Span(*match.span()), _chinese(match)) for match in _CHINESE_DATE.finditer(text)]
    others = [(span, moment) for span, moment in read if moment is not None]
    if not others:
        return found
    # Where two readings overlap, the longer wins ("2019年3月" is a bare year in English).
    found += others
    kept: list[tuple[Span, Moment]] = []
    for span, moment in sorted(found, key=lambda each: (each[0].start, -each[0].end)):
        if not kept or span.start >= kept[-1][0].end:
            kept.append((span, moment))
    return kept
