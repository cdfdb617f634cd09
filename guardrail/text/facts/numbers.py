"""Numerals in digits, English words and Chinese characters, each with its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guardrail.text.language import may_be_english
from guardrail.text.words import Word

_DIGITS = re.compile(
    r"(?<![^\W\u3040-\u30ff\u3400-\u9fff])(?<!十)"
    r"(?:[0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3})+(?:,[0-9]{1,2})?(?![0-9.,][0-9]|[0-9])|[0-9]+(?:[.,][0-9]+)*)"
    r"(?:(?P<ordinal>st|nd|rd|th)\b"
    r"|/(?P<below>[1-9][0-9]?)(?![0-9/])"
    r"|[ \u00a0-]?(?P<scale>k|K|bn|hundred|thousand|million|billion|trillion|dozen)\b"
    r"|\s?(?P<zh>[十百千万亿億]{1,2})(?:(?<=[万億亿])(?P<rest>(?:[0-9][千百十]){0,3}(?:[0-9]{1,4}|[0-9],[0-9]{3})?万?(?:[0-9][千百十]){0,3}"
    r"(?:[0-9]{1,4}|[0-9],[0-9]{3})?)(?![0-9,.千百十万億亿]))?)?",
)
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_POINTED = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?P<decimals>,[0-9]+)?")
"""Thousands parted by points, as in German and Spanish; "1.200" alone may be a decimal number as well."""
_PRICE_IN_POINTS = re.compile(
    r"\s?(?:€|EUR\b|euros?\b)(?!\s?/|\s(?:\w{1,3}\s)?(?:lit(?:re|er|ro)s?|l|kWh|kilo(?:gramm?|s)?|kg|m³|gallons?)\b)",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"\s?(?:[kcm]?m|[km]?g|m?l|t|[kM]?Hz|[km]?V|[km]?A|[kMG]?W)\b")
"""Of what there may be thousandths: "1.250 kg"."""
_CJK = re.compile(
    r"(?P<below>[二两三四五六七八九十百千]{1,4})分之(?P<above>[零〇一二两三四五六七八九十百千万]{1,12}(?:点[零〇一二三四五六七八九]{1,8})?)"
    r"(?!点?[零〇一二两三四五六七八九十百千万亿])"
    r"|(?P<ordinal>第)?(?P<plain>[零〇一二两三四五六七八九十百千万亿]{1,16}(?:点[零〇一二三四五六七八九]{1,8})?|半)",
)
_SCALED = re.compile(r"([0-9][0-9,]*)([千百十]?)")
_PERCENT_CJK = re.compile(r"百分之\s?(?=[0-9])")
_CJK_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CJK_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000, "億": 100_000_000}
_WIDE = str.maketrans("０１２３４５６７８９", "0123456789")
_ZERO = re.compile(r"(?<=[〇一二三四五六七八九])0+(?=[零〇一二三四五六七八九年])")
_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen".split(),
    )
}
_TENS = {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)}
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_SHORT_SCALES = SCALES | {"k": 1000, "K": 1000, "bn": 10**9}
ORDINALS = {
    w: i
    for i, w in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
        " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
} | {"thirtieth": 30, "fortieth": 40, "fiftieth": 50, "hundredth": 100}
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4} | {
    w + s: i for w, i in ORDINALS.items() if i > 2 for s in ("", "s")
}
_COUNTS = {"once": 1, "twice": 2, "thrice": 3, "both": 2, "pair": 2, "couple": 2, "double": 2, "triple": 3, "twin": 2}
_WORDS = _SMALL | _TENS | SCALES
_TOO_MUCH = 1e25  # from here on a numeral is noise ("hundred hundred hundred ...")


class Numeral(NamedTuple):
    """``form``: digits, words, cjk, ordinal, fraction, percent (said as such) or count ("twice": never checked)."""

    start: int
    end: int
    value: float
    form: str
    written: bool  # in digits


def plain_digits(text: str) -> str:
    """Full-width digits made ASCII, and a zero among Chinese digits Chinese ("二０一九年"); offsets stay the same."""
    if text.isascii():
        return text
    return _ZERO.sub(lambda match: "〇" * len(match.group()), text.translate(_WIDE))


def read_cjk(numeral: str) -> float:
    """The value of a Chinese numeral, positional (一千二百) or digit by digit (二〇一九)."""
    whole, _, decimals = numeral.partition("点")
    decimals = decimals if all(c in _CJK_DIGIT for c in decimals) else ""
    if whole and all(c in _CJK_DIGIT for c in whole):
        total = float("".join(str(_CJK_DIGIT[c]) for c in whole))
    else:
        total, section, digit = 0.0, 0.0, 0.0
        for character in whole:
            if character in _CJK_DIGIT:
                digit = _CJK_DIGIT[character]
                continue
            scale = CJK_SCALE.get(character, 1)
            if scale >= 10_000:
                total = (total + section + digit or 1) * scale
                section = digit = 0.0
            else:
                section += (digit or 1) * scale
                digit = 0.0
        total += section + digit
    return total + (float("0." + "".join(str(_CJK_DIGIT[c]) for c in decimals)) if decimals else 0.0)


def read_decimal(digits: str) -> float | None:
    """The value of digits with separators; None for versions, addresses and other dotted tokens."""
    bare = digits.replace(" ", "").replace("\u00a0", "").replace("\u202f", "")
    if len(bare) > 24:
        return None
    if _THOUSANDS.fullmatch(bare):
        return float(bare.replace(",", ""))
    marks = bare.count(",") + bare.count(".")
    return float(bare.replace(",", ".")) if marks <= 1 else None


def _read_pointed(body: str, text: str, end: int) -> float | None:
    """The value of digits whose thousands are parted by points; None if they are not.

    "1.234,56" can be nothing else; "1.200" is in another language than English, and before a currency, but for a price
    of a unit ("1.659 €/l").
    """
    match = _POINTED.fullmatch(body)
    if match is None:
        return None
    if body.count(".") == 1 and not match["decimals"] and _MEASURE.match(text, end):
        return None
    sure = match["decimals"] or _PRICE_IN_POINTS.match(text, end) or not may_be_english(text)
    return float(body.replace(".", "").replace(",", ".")) if sure else None


def _rest_of(numeral: str) -> float:
    """What stands behind the largest scale: "7,270" of "1万7,270", "2千5百万" of "1億2千5百万"."""
    large, _, small = numeral.rpartition("万")
    return _in_scales(large) * CJK_SCALE["万"] + _in_scales(small)


def _in_scales(numeral: str) -> float:
    return sum(float(n.replace(",", "")) * CJK_SCALE.get(scale, 1) for n, scale in _SCALED.findall(numeral))


def _in_digits(text: str) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(text):
        start, end = match.span()
        groups = match.groupdict()
        suffix = next((name for name, group in groups.items() if group), None)
        body = text[start : end if suffix is None else match.start(suffix)].rstrip(" \u00a0-/")
        value = _read_pointed(body, text, start + len(body))
        if value is None:
            value = read_decimal(body)
        if value is None or (text[end : end + 1].isdecimal() and not text[end].isascii()):
            continue  # digits of two scripts are not one number
        form = "digits"
        if suffix == "ordinal":
            form = "ordinal"
        elif suffix == "below":
            value, form = value / int(groups["below"]), "fraction"
        elif suffix == "scale":
            value *= _SHORT_SCALES[groups["scale"]]
        elif suffix == "zh":
            for character in groups["zh"]:
                value *= CJK_SCALE[character]
            value += _rest_of(groups["rest"] or "")
        prefix = text[max(0, start - 5) : start]
        if said := _PERCENT_CJK.search(prefix + "0"):
            start, form = start - (len(prefix) - said.start()), "percent"
        yield Numeral(start, end, value, form, written=True)


def _in_cjk(text: str) -> Iterator[Numeral]:
    for match in _CJK.finditer(text):
        start, end = match.span()
        if match["below"]:
            below = read_cjk(match["below"])
            form = "percent" if match["below"] == "百" else "fraction"
            value = read_cjk(match["above"])
            yield Numeral(start, end, value if form == "percent" else value / (below or 1), form, written=False)
            continue
        if re.search("[一二三四五六七八九][一二三四五六七八九][十百千万亿]", match["plain"]):
            continue  # "六七百": a guess between two numbers
        if start and "0" <= text[start - 1] <= "9":  # the scale of a number in digits, read with it
            continue
        value = 0.5 if match["plain"] == "半" else read_cjk(match["plain"])
        yield Numeral(start, end, value, "ordinal" if match["ordinal"] else "cjk", written=False)


def _run(words: tuple[Word, ...], text: str, at: int) -> tuple[float, int]:
    """The value of the number words from ``at`` on, and where they end."""
    total, group, last = 0.0, 0.0, 0
    index = at
    while index < len(words) and (step := _WORDS.get(words[index].form)) is not None:
        if index > at:
            gap = text[words[index - 1].end : words[index].start]
            if gap not in {" ", "-"} and words[index - 1].form != "and":
                break
            # "five six" are two numbers; "twenty six" and "six hundred" are one.
            if step < 100 and words[index].form != "dozen" and (last < 20 or (last < 100 and step > 9)):
                break
        if words[index].form in SCALES:
            if step in {100, 12}:
                group = (group or 1) * step
            else:
                total, group = total + (group or 1) * step, 0.0
        else:
            group += step
        total, group = min(total, _TOO_MUCH), min(group, _TOO_MUCH)
        last = step
        index += 1
        joined = index + 1 < len(words) and words[index].form == "and" and last >= 100
        if joined and 0 < _WORDS.get(words[index + 1].form, 0) < 100:
            index += 1
    return total + group, index


def _in_words(text: str, words: tuple[Word, ...]) -> Iterator[Numeral]:
    index = 0
    while index < len(words):
        word = words[index]
        at, index = index, index + 1
        if word.form in _WORDS:
            value, index = _run(words, text, at)
            follow = words[index].form if index < len(words) else ""
            tail = [w.form for w in words[index : index + 3]]
            if follow in _PARTS and value < 20:
                index += 1
                yield Numeral(word.start, words[index - 1].end, value / _PARTS[follow], "fraction", written=False)
            elif follow in ORDINALS and value >= 20 and value % 10 == 0:
                index += 1
                yield Numeral(word.start, words[index - 1].end, value + ORDINALS[follow], "ordinal", written=False)
            elif tail == ["and", "a", "half"]:
                index += 3
                yield Numeral(word.start, words[index - 1].end, value + 0.5, "words", written=False)
            else:
                yield Numeral(word.start, words[index - 1].end, value, "words", written=False)
        elif word.form in _PARTS and (word.form == "half" or (at and words[at - 1].form == "a")):
            fraction = word.form == "half" or (index < len(words) and words[index].form in {"of", "the", "as"})
            value = 1 / _PARTS[word.form]
            if fraction:
                yield Numeral(word.start, word.end, value, "fraction", written=False)
            elif word.form in ORDINALS:
                yield Numeral(word.start, word.end, ORDINALS[word.form], "ordinal", written=False)
        elif word.form in ORDINALS:
            yield Numeral(word.start, word.end, ORDINALS[word.form], "ordinal", written=False)
        elif word.form in _COUNTS:
            yield Numeral(word.start, word.end, _COUNTS[word.form], "count", written=False)


def read_numerals(text: str, words: tuple[Word, ...]) -> list[Numeral]:
    """All numerals of the text in order, without overlaps."""
    found = [n for n in (*_in_digits(text), *_in_words(text, words), *_in_cjk(text)) if n.value < _TOO_MUCH]
    found.sort(key=lambda n: (n.start, -n.end))
    kept: list[Numeral] = []
    for numeral in found:
        if not kept or numeral.start >= kept[-1].end:
            kept.append(numeral)
    return kept
