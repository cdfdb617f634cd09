"""What was counted of the records, kept until they change, and added to where only new ones came.

A pass through 100,000 records takes some tenths of a second. While a service writes, only the new records are read.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Hashable, Sized
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from guardrail.service.studio.recorded.source import UNCHECKED, Source
from guardrail.telemetry.records.retention import COMPLETE_SINCE, fact

T = TypeVar("T", bound=Sized)

KEPT = 8
"""Counts of one source that are kept, the last ones: those of each view, with and without the filters of the page."""

LARGEST = 20_000
"""Groups of one count that is kept: of a label with a value for each record nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that is another once records came, went, or were checked or labelled."""

    records: int
    last: int
    last_id: str | None
    labelled: tuple[object, ...]
    changed: tuple[object, ...]
    """Of what else stands in the records: checks, and since when none was taken out by number."""

    def only_grew(self, connection: sqlite3.Connection, before: Mark) -> bool:
        """Whether the records of ``before`` are there as they were, with new ones behind them."""
        if (self.labelled, self.changed) != (before.labelled, before.changed) or self.last < before.last:
            return False
        new = connection.execute("SELECT COUNT(*) FROM records WHERE number > ?", (before.last,)).fetchone()[0]
        return self.records == before.records + new and _id_of(connection, before.last) == before.last_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Records by their numbers: those after ``after``, up to and with ``last``."""

    after: int
    last: int

    def and_where(self) -> tuple[str, list[object]]:
        """A further condition in SQL. Of all records it leaves the choice of an index to the other conditions."""
        if self.after < 0:
            return " AND +number <= ?", [self.last]
        return " AND number > ? AND +number <= ?", [self.after, self.last]


@dataclass(slots=True)
class _Place:
    turn: threading.Lock = field(default_factory=threading.Lock)
    mark: Mark | None = None
    value: Any = None


_places: WeakKeyDictionary[Source, dict[Hashable, _Place]] = WeakKeyDictionary()
_turns = threading.Lock()


def kept(
    source: Source,
    connection: sqlite3.Connection,
    key: Hashable,
    count: Callable[[Stretch], T],
    joined: Callable[[T, T], T],
    *,
    largest: int = LARGEST,
    with_labels: bool = True,
) -> T:
    """``count`` of all records; two that ask for the same at the same time share one pass.

    Args:
        source: The records.
        connection: Of the source.
        key: What is counted.
        count: Counts a stretch of the records.
        joined: What was counted of an earlier and of a later stretch, as one.
        largest: Groups that are kept at most.
        with_labels: Whether it is another count once a person labelled a record.
    """
    with _turns:
        places = _places.setdefault(source, {})
        place = places.pop(key) if key in places else _Place()
        places[key] = place  # now the last one
        for oldest in list(places)[:-KEPT]:
            del places[oldest]
    with place.turn:
        mark, before = marked(connection), place.mark
        if not with_labels:
            mark = replace(mark, labelled=())
        if mark == before:
            value: T = place.value
            return value
        if before is not None and mark.only_grew(connection, before):
            value = joined(place.value, count(Stretch(after=before.last, last=mark.last)))
        else:
            value = count(Stretch(after=-1, last=mark.last))
        place.mark, place.value = (mark, value) if len(value) <= largest else (None, None)
        return value


def marked(connection: sqlite3.Connection) -> Mark:
    """The mark of the records as they are."""
    asked = "SELECT COUNT(*), MAX(number), MAX(labelled_at), COUNT(labelled_at), SUM(verdict = ?) FROM records"
    records, last, latest, labelled, unchecked = connection.execute(asked, (UNCHECKED,)).fetchone()
    last = -1 if last is None else last
    return Mark(
        records=records,
        last=last,
        last_id=_id_of(connection, last),
        labelled=(latest, labelled),
        changed=(unchecked or 0, fact(connection, COMPLETE_SINCE)),
    )


def _id_of(connection: sqlite3.Connection, number: int) -> str | None:
    found = connection.execute("SELECT id FROM records WHERE number = ?", (number,)).fetchone()
    return None if found is None else str(found[0])
