"""Sentences as scripted models cut them: plainly, for English and Chinese."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]*")


def sentences(text: str) -> list[str]:
    """Sentences as they stand in the text, without the white space around them."""
    return [s for s in (m.group().strip() for m in _SENTENCE.finditer(text)) if s]
