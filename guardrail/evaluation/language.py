"""The language of an answer whose data do not name it: Chinese by its script, else taken for English."""

from __future__ import annotations

import re

_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")


def language(text: str) -> str:
    """``zh`` where at least three letters in ten are Chinese characters, else ``en``."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) >= 0.3 * letters else "en"
