"""What the audit asks of a source: pieces that any process can read by itself, and the answers of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from guardrail.audit.answer import Found, LoggedAnswer, Rejected
from guardrail.audit.columns import Columns, excerpt_of
from guardrail.errors import GuardrailError


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a file: a row group, or the lines that begin within ``start`` and ``end`` (bytes).

    ``size`` is in bytes; ``number`` counts the pieces of a file.
    """

    path: str
    size: float
    number: int = 0
    start: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A row before anybody has asked what it means, or the ``error`` that kept it from being read."""

    place: str
    size: float
    row: Mapping[str, Any] | None = None
    error: str = ""
    excerpt: str = ""
    rows: int | None = 1

    def rejected(self) -> Rejected:
        """As a row of the dead-letter table."""
        return Rejected(place=self.place, reason=self.error, excerpt=self.excerpt, rows=self.rows)


class Source(Protocol):
    """Logged answers. It is pickled for other processes, so it holds names only, no open files."""

    @property
    def size(self) -> float:
        """Bytes, or whatever ``Found`` counts in; 0 = not known."""
        ...

    def pieces(self) -> Iterator[Piece]:
        """The pieces, always in the same order."""
        ...

    def read(self, piece: Piece) -> Iterator[Found]:
        """The answers of a piece, always in the same order, one at a time."""
        ...


UNREADABLE = (GuardrailError, ValueError, TypeError, AttributeError, LookupError, OverflowError)
"""What reading a row that is made otherwise than it should be may raise: it costs that row only."""

Form = Callable[[Iterator[Raw], Columns], Iterator[Found]]
"""What makes answers of rows."""


def one_by_one(read: Callable[[Mapping[str, Any], str, Columns], LoggedAnswer | Rejected | None]) -> Form:
    """The form in which each row is an answer; None = the row is of another kind, which is no loss."""

    def form(rows: Iterator[Raw], columns: Columns) -> Iterator[Found]:
        for raw in rows:
            try:
                found = raw.rejected() if raw.row is None else read(raw.row, raw.place, columns)
            except UNREADABLE as error:
                found = Rejected(place=raw.place, reason=f"cannot be read: {error}", excerpt=excerpt_of(raw.row))
            if found is not None:
                yield found, raw.size

    return form
