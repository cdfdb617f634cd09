"""Offsets in code points (as Python counts) to those in UTF-8 bytes and UTF-16 units."""

from __future__ import annotations

from guardrail.types import Span


class Offsets:
    """Offsets of one text, each read off in constant time.

    A lone surrogate, which has no UTF-8 form, counts three bytes, as the replacement character does.
    """

    def __init__(self, text: str) -> None:
        self._utf8, self._utf16 = [0], [0]
        for character in text:
            point = ord(character)
            self._utf8.append(
                self._utf8[-1] + (1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4)
            )
            self._utf16.append(self._utf16[-1] + (2 if point > 0xFFFF else 1))

    def utf8(self, span: Span) -> Span:
        """The span in bytes of UTF-8."""
        return Span(self._utf8[span.start], self._utf8[span.end])

    def utf16(self, span: Span) -> Span:
        """The span in code units of UTF-16, as JavaScript, Java and C# count."""
        return Span(self._utf16[span.start], self._utf16[span.end])
