"""Dates and times of day in Chinese."""

from __future__ import annotations

import re

from guardrail.text.facts.chinese import read_cjk
from guardrail.text.facts.fact import Found, Moment

_CN = "[零〇一二三四五六七八九十0-9]"
_CHINESE = re.compile(
    rf"(?:(?P<y1>{_CN}{{4}})年)(?:(?P<m1>{_CN}{{1,3}})月(?:份|(?P<d1>{_CN}{{1,3}})[日号])?)?"
    rf"|(?P<m2>{_CN}{{1,3}})月(?:份|底|初|中|末|(?P<d2>{_CN}{{1,3}})[日号]?)(?!分)"
    rf"|(?P<m3>(?<![个十0-9])[0-9]{{1,2}}|十[一二]?|(?<!十)[二三四五六七八九])月(?!球|亮)"
    r"|(?P<decade>(?:1[0-9]|20)[0-9])0年代|(?P<old>[二三四五六七八九])十年代"
    rf"|(?P<century>{_CN}{{1,3}})世纪"
    r"|(?:星期|周|礼拜)(?P<weekday>[一二三四五六日天])"
    rf"|(?P<part>凌晨|早上|清晨|上午|中午|下午|傍晚|晚上|晚间|夜里)?(?P<h1>(?<![十0-9])[0-9]{{1,2}}|(?<!分之)(?<!分之.)(?<!分之..)[一二两三四五六七八九十]{{1,3}})[点时](?P<half>半)?(?!钟头|间|候|代|期|五|数|[一二三四]?[，。]?成)(?:(?P<min1>{_CN}{{1,3}})分)?"
    rf"|(?P<d3>{_CN}{{1,3}})[日号](?!楼|线|馆|公路)",
)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else int(read_cjk(text))


def _chinese(match: re.Match[str]) -> Moment | None:
    g = match.groupdict()
    digits = {name: g[name] for name in ("y1", "m1", "d1", "m2", "d2", "m3", "d3", "century", "h1", "min1") if g[name]}
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
        return Moment(weekday=6 if g["weekday"] in "日天" else "一二三四五六".index(g["weekday"]))
    if "h1" in n:
        if n["h1"] > 24:
            return None
        late = (g["part"] or "") in {"下午", "傍晚", "晚上", "晚间", "夜里"} and n["h1"] < 12
        minute = 30 if g["half"] else n.get("min1", 0)
        sure = bool(g["part"]) or n["h1"] > 12
        return Moment(minute=((n["h1"] + 12 * late) * 60 + minute) % 1440, sure=sure)
    return Moment(day=n["d3"]) if n.get("d3", 99) <= 31 else None


def read_chinese(text: str) -> list[Found]:
    """All Chinese dates and times in order."""
    pairs = ((match, _chinese(match)) for match in _CHINESE.finditer(text))
    return [Found(match.start(), match.end(), moment) for match, moment in pairs if moment is not None]
