"""Texts of strangers on a terminal: nothing in them moves the cursor, sets a title or turns the text round."""

from __future__ import annotations

import re

_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed; ESC begins a terminal's commands
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the direction of the text
    "\u2028\u2029\ud800-\udfff]"  # separators of lines; lone surrogates, which no terminal can show
)
_SPACE = re.compile(r"\s+")


def printable(text: str) -> str:
    """The text with each such character replaced by "�", so that spans still point to what they did."""
    return _COMMANDS.sub("�", text)


def one_line(text: str, most: int | None = None) -> str:
    """The same in one line, cut to ``most`` characters."""
    line = _SPACE.sub(" ", printable(text)).strip()
    return line if most is None or len(line) <= most else line[:most].rstrip() + "…"
