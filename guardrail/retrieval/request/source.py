"""A source that is written into a text."""

from __future__ import annotations

from dataclasses import dataclass

from guardrail.types import Passage, Span


@dataclass(frozen=True, slots=True)
class Source:
    """What it says, how it was recognised (see Found.kind), and the stretch of the text that is its block."""

    passage: Passage
    kind: str
    span: Span
