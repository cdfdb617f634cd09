"""One page of a list of records, by keyset: the next page begins after the last record shown, wherever that is then.

Conditions and order are read from the narrow table ``records``; texts are read of what is shown, and in a search of at
most SEARCHED records a request.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from guardrail.service.studio.recorded.chosen import Chosen, FieldError
from guardrail.service.studio.recorded.source import Source
from guardrail.service.studio.recorded.summary import summary

SEARCHED = 2_000
"""Records whose texts one request looks through."""

MOST = 100
"""Records of a page."""

_AT_ONCE = 200
_WORDS = re.compile("[0-9A-Za-z]+")
_KEYS = {"worst": 3, "newest": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Records as ``summary`` shows them, and where the next page begins; None = this is the last one.

    ``searched``: records whose texts were looked through; None = there was nothing to look for.
    """

    records: tuple[dict[str, Any], ...]
    after: str | None
    searched: int | None = None


def list_records(
    source: Source,
    connection: sqlite3.Connection,
    chosen: Chosen,
    now: float,
    *,
    order: str = "worst",
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """A page of records, the worst (lowest rank, then score, then the newest) or the newest first.

    Args:
        source: Where the texts are.
        connection: Of the source.
        chosen: Which ones.
        now: Unix seconds that times ago count from.
        order: ``worst`` or ``newest``.
        after: ``Page.after`` of the page before.
        limit: Records of a page, 1 to MOST.

    Raises:
        FieldError: order, after or limit is not understood.
    """
    if order not in _KEYS:
        raise FieldError("order", f"order must be one of {', '.join(_KEYS)}, got {order!r:.40}.")
    if not 1 <= limit <= MOST:
        raise FieldError("limit", f"limit must be 1 to {MOST}, got {limit}.")
    place = _place(after, order)
    if not chosen.needle:
        keys = _keys(connection, chosen, now, order, place, limit + 1)
        shown = [summary(record) for _, record in source.read(connection, [int(key[-1]) for key in keys[:limit]])]
        return Page(records=tuple(shown), after=_written(keys[limit - 1]) if len(keys) > limit else None)
    return _search(source, connection, chosen, now, order, place, limit)


def count_records(connection: sqlite3.Connection, chosen: Chosen, now: float) -> int:
    """How many records are chosen, whatever their texts say."""
    where, values = chosen.where(now)
    found: int = connection.execute(f"SELECT COUNT(*) FROM records WHERE {where}", values).fetchone()[0]  # noqa: S608  see statement
    return found


def statement(chosen: Chosen, now: float, order: str, place: Sequence[float] | None) -> tuple[str, list[object]]:
    """The question to the table ``records``, without its last value, the limit."""
    where, values = chosen.where(now)
    if order == "worst":
        columns, sorting = "rank, score, number", "rank, score, number DESC"
        if place is not None:
            where += " AND (rank, score) >= (?, ?) AND ((rank, score) > (?, ?) OR number < ?)"
            values += [*place[:2], *place]
    else:
        columns, sorting = "at, number", "at DESC, number DESC"
        if place is not None:
            where += " AND (at, number) < (?, ?)"
            values += place
    return f"SELECT {columns} FROM records WHERE {where} ORDER BY {sorting} LIMIT ?", values  # noqa: S608  parts are ours


def _keys(
    connection: sqlite3.Connection, chosen: Chosen, now: float, order: str, place: Sequence[float] | None, most: int
) -> list[tuple[float, ...]]:
    asked, values = statement(chosen, now, order, place)
    return connection.execute(asked, (*values, most)).fetchall()


def _search(
    source: Source,
    connection: sqlite3.Connection,
    chosen: Chosen,
    now: float,
    order: str,
    place: Sequence[float] | None,
    limit: int,
) -> Page:
    keys = _keys(connection, chosen, now, order, place, SEARCHED)
    found: list[dict[str, Any]] = []
    searched = 0
    left, word = iter(keys), max(_WORDS.findall(chosen.needle), key=len, default="").casefold()
    while by_number := {int(key[-1]): key for key in islice(left, _AT_ONCE)}:
        for number, record in source.read(connection, source.holding(connection, by_number, word)):
            if not _in_texts(record, chosen.needle):
                continue
            found.append(summary(record))
            if len(found) == limit:
                searched += list(by_number).index(number) + 1
                return Page(records=tuple(found), after=_written(by_number[number]), searched=searched)
        searched += len(by_number)
    return Page(records=tuple(found), after=_written(keys[-1]) if len(keys) == SEARCHED else None, searched=searched)


def _in_texts(record: dict[str, Any], needle: str) -> bool:
    """In question, answer, what was delivered, or a passage."""
    sought = needle.casefold()
    texts = [record.get("question"), record.get("answer"), record.get("delivered")]
    texts += [text for passage in record.get("passages") or () for text in (passage.get("title"), passage.get("text"))]
    return any(sought in text.casefold() for text in texts if text)


def _place(after: str | None, order: str) -> list[float] | None:
    if not after:
        return None
    try:
        place = json.loads(after)
    except ValueError:
        place = None
    if (
        not isinstance(place, list)
        or len(place) != _KEYS[order]
        or not all(isinstance(part, (int, float)) and not isinstance(part, bool) for part in place)
    ):
        raise FieldError("after", "after must be what the page before gave. Begin again with the first page.")
    return place


def _written(key: Sequence[float]) -> str:
    return json.dumps(key)
