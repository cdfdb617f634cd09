"""Where recorded answers are read from: a record store that a service may be writing to, or a JSONL file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from guardrail.telemetry.records.database import open_store
from guardrail.telemetry.records.export import as_json
from guardrail.telemetry.records.queries import find, read

UNCHECKED = "unchecked"
"""What stands in the column ``verdict`` of an answer of a file that nobody checked yet."""

UNCHECKED_RANK = 4
"""Its rank: after all that was checked."""

REDACTED = "The store keeps redacted texts of other lengths, so the marks may not be where they belong."


class Source(Protocol):
    """Recorded answers as the table ``records`` of a record store, and the texts of some of them as JSON."""

    @property
    def name(self) -> str:
        """What it is called on the page."""
        ...

    @property
    def kind(self) -> str:
        """``store`` or ``file``."""
        ...

    def open(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection that reads.

        Raises:
            UsageError: the file cannot be read, now or ever.
        """
        ...

    def read(self, connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """These records as JSON in this order, with their numbers; what is gone meanwhile is left out."""
        ...

    def find(self, connection: sqlite3.Connection, ident: str) -> dict[str, Any] | None:
        """The record of this id as JSON; None = there is none."""
        ...

    def holding(self, connection: sqlite3.Connection, numbers: Iterable[int], word: str) -> Iterator[int]:
        """Those of the numbers whose texts may hold the word (ASCII letters and digits, casefolded)."""
        ...


class StoreSource:
    """A record store, opened anew for each question and only read: in SQLite's WAL mode this holds up no writer."""

    kind = "store"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name

    def open(self) -> AbstractContextManager[sqlite3.Connection]:
        """See Source."""
        return open_store(self.path)

    def read(self, connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """See Source; the JSON is that of ``guardrail monitor export``."""
        for number in numbers:  # one by one, for the number of a record is not in what is read
            for record in read(connection, (number,)):
                yield number, _as_shown(as_json(record))

    def find(self, connection: sqlite3.Connection, ident: str) -> dict[str, Any] | None:
        """See Source."""
        found = find(connection, ident)
        return None if found is None else _as_shown(as_json(found))

    def holding(self, connection: sqlite3.Connection, numbers: Iterable[int], word: str) -> Iterator[int]:
        """See Source. The JSON is looked at as a whole, which is far quicker than to read it."""
        for number in numbers:
            row = connection.execute("SELECT content FROM contents WHERE number = ?", (number,)).fetchone()
            if row is not None and word in row[0].casefold():
                yield number


def _as_shown(record: dict[str, Any]) -> dict[str, Any]:
    """With a sentence on what the texts lack, if anything."""
    why = record["left_out"]
    missing = f"The store holds no texts of this answer ({why})." if why else None
    if missing is None and not record["spans_hold"]:
        missing = REDACTED
    return {**record, "missing": missing}
