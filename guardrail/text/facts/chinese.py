"""The value of Chinese numerals."""

from __future__ import annotations

import re

_CJK_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
CJK_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_WIDE = str.maketrans("０１２３４５６７８９", "0123456789")
_ZERO = re.compile(r"(?<=[〇一二三四五六七八九])0+(?=[零〇一二三四五六七八九年])")


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
