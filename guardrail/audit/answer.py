"""One logged answer, as every source gives it, and what could not be read as one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from guardrail.audit.keys import hashed
from guardrail.types import Passage

UNDATED = "unknown"
"""The day of answers without a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAnswer:
    """An answer with the passages it was generated from.

    Attributes:
        id: In its source; where that has none, a hash of all that it holds.
        answer: The generated text.
        passages: With unique ids.
        documents: Of each passage the document that it comes from.
        question: What was asked, if known.
        at: When it was generated, in Unix seconds; None = unknown.
        labels: model, release, topic and the like.
        place: File and row.
    """

    id: str
    answer: str
    passages: tuple[Passage, ...]
    documents: tuple[str, ...]
    question: str | None = None
    at: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    @property
    def day(self) -> str:
        """The day in UTC as YYYY-MM-DD, or UNDATED."""
        return UNDATED if self.at is None else datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%d")

    @property
    def key(self) -> int:
        """The hash of the id."""
        return hashed(self.id)

    @property
    def content(self) -> int:
        """The hash of what is judged: answer, question, passages and the documents that these come from."""
        texts = [(p.id, p.title, p.text) for p in self.passages]
        return hashed(json.dumps([self.answer, self.question, texts, self.documents]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """What could not be audited: where it stands, why, and how it begins. ``rows``: how many were lost, if known."""

    place: str
    reason: str
    id: str | None = None
    excerpt: str = ""
    rows: int | None = 1


Found = tuple[LoggedAnswer | Rejected, float]
"""What a source gives for a row, and its share of the source's size (see Source.size)."""
