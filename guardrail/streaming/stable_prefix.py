"""How much of a growing answer is settled: segments that no continuation takes apart otherwise.

An answer is taken apart as a whole, and what comes may change what was: a connective ties the next sentence to the
last, a quotation mark closes over two sentences, a line of dashes makes a table of the line above. So a segment is
settled only once the next one has begun far enough, and only if it comes out the same under every typical continuation.
"""

from __future__ import annotations

import re
from itertools import pairwise, takewhile

from guardrail.check.decompose import Reader
from guardrail.types import Segment

_CONTINUATIONS = (
    '" ” 」 ) ](a) ** ` x',
    "\n```\n~~~\n",
    "\n===\n\nThe bridge has carried 40 trains a day since 1932.",
    "---|---|\n| x | y |\n",
    "\n|---|---|\n| x | y |\n",
    "\n\nThe passages do not mention anything else.",
)
"""What may come: the end of a quotation, bracket or fence; a setext or table line; a plain claim; a refusal."""

_END = re.compile(r"[.!?:;…|][\"'”’)\]*_]{0,4}\s|[。！？：；]|\n")
_HEAD = re.compile(r"[\s>#*_\-+•\"'“‘「(（\[]*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_WORDS, _WIDE_CHARACTERS, _CHARACTERS = 7, 14, 64
"""How far the next sentence must have come, so that it shows whether a connective ties it to the one before."""


def last_ending(text: str, start: int) -> int:
    """Offset behind the last place from ``start`` on where a sentence may end and enough follows; else ``start``."""
    endings = (match.end() for match in _END.finditer(text, start))
    # What follows a later ending is less: where too little follows one, too little follows all behind it.
    return max(takewhile(lambda end: _begun(text, end), endings), default=start)


def stable_until(text: str, start: int, reader: Reader) -> int:
    """Offset behind the last settled segment of an answer that has come as far as ``text``; ``start`` if none is."""
    now = reader.read(text)
    segments = now.parts.segments
    ended = [
        number
        for number, (segment, after) in enumerate(pairwise(segments))
        if segment.span.end > start and _begun(text, after.span.start)
    ]
    if not ended:
        return start
    ends = {segments[number].span.end for number in ended}
    settled = segments[: ended[-1] + 1]
    for continuation in _CONTINUATIONS:
        other = reader.look(text + continuation, now).parts.segments
        pairs = enumerate(zip(settled, other, strict=False))
        settled = settled[: next((n for n, (one, two) in pairs if _differs(one, two)), len(other))]
        if not settled or settled[-1].span.end <= start:
            return start
    return max((s.span.end for s in settled if s.span.end in ends), default=start)


def _differs(one: Segment, other: Segment) -> bool:
    return one is not other and (one.span, one.text, one.skipped) != (other.span, other.text, other.skipped)


def _begun(text: str, start: int) -> bool:
    """Whether enough of a sentence stands from ``start`` on to tell that it is one, and not tied to the one before."""
    found = _HEAD.match(text, start)
    begin = start if found is None else found.end()
    rest = text[begin : begin + 2 * _CHARACTERS]
    if len(rest) >= _CHARACTERS or len(rest.split()) >= _WORDS:
        return True
    return len(rest) >= _WIDE_CHARACTERS and _WIDE.search(rest) is not None
