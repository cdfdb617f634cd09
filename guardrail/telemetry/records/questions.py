"""What the store is asked: the worst records, one of them, how many."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import islice

from guardrail.errors import UsageError
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.record import StoredRecord
from guardrail.telemetry.records.rows import COLUMNS, HUMAN, as_record
from guardrail.telemetry.records.selection import Selection

_FIELDS = ", ".join(f"records.{name}" for name in (*COLUMNS, *HUMAN))
_PREFIX = re.compile(r"[0-9a-f]{6,31}")
_AT_ONCE = 200


def find(connection: sqlite3.Connection, ident: str) -> StoredRecord | None:
    """The record of this id, or of the only one that begins so (6 hex digits or more).

    Raises:
        UsageError: several begin so.
    """
    numbers = connection.execute("SELECT number FROM records WHERE id = ?", (storable(ident),)).fetchall()
    if not numbers and _PREFIX.fullmatch(ident):
        numbers = connection.execute("SELECT number FROM records WHERE id GLOB ? LIMIT 2", (f"{ident}*",)).fetchall()
        if len(numbers) > 1:
            raise UsageError(f"several records begin with {ident!r}. Give more digits.")
    return next(read(connection, [number for (number,) in numbers]), None)


def worst(
    connection: sqlite3.Connection, n: int, chosen: Selection, now: float, *, deepest: int, distinct: bool
) -> list[StoredRecord]:
    """The ``n`` worst: contradicted first, then by score, then the newest; ``deepest`` is the last rank to show.

    ``distinct``: of records with the same question and answer only the worst, newest one.
    """
    where, values = chosen.where(now)
    apart = "digest" if distinct else "number"
    rows = connection.execute(
        f"""SELECT number, seen FROM (
            SELECT number, rank, score, at, COUNT(*) OVER (PARTITION BY {apart}) AS seen,
                ROW_NUMBER() OVER (PARTITION BY {apart} ORDER BY rank, score, at DESC) AS place
            FROM records WHERE {where} AND rank <= ?)
        WHERE place = 1 ORDER BY rank, score, at DESC LIMIT ?""",  # noqa: S608  the parts are ours, values are bound
        (*values, deepest, n),
    ).fetchall()
    seen: dict[int, int] = dict(rows)
    return list(read(connection, seen, seen))


def numbers(
    connection: sqlite3.Connection, chosen: Selection, now: float, *, worst_first: bool, limit: int | None
) -> list[int]:
    """Which records are chosen: the worst first, or as they came."""
    where, values = chosen.where(now)
    order = "rank, score, at DESC" if worst_first else "at, number"
    statement = f"SELECT number FROM records WHERE {where} ORDER BY {order} LIMIT ?"  # noqa: S608  see worst
    return [number for (number,) in connection.execute(statement, (*values, -1 if limit is None else limit))]


def count(connection: sqlite3.Connection, chosen: Selection, now: float) -> int:
    """How many records are chosen."""
    where, values = chosen.where(now)
    found: int = connection.execute(f"SELECT COUNT(*) FROM records WHERE {where}", values).fetchone()[0]  # noqa: S608
    return found


def read(
    connection: sqlite3.Connection, chosen: Iterable[int], seen: dict[int, int] | None = None
) -> Iterator[StoredRecord]:
    """The records of these numbers in order, some at a time; one that was pruned meanwhile is left out."""
    left = iter(chosen)
    while wanted := list(islice(left, _AT_ONCE)):
        marks = ",".join("?" * len(wanted))
        rows = connection.execute(
            f"SELECT records.number, {_FIELDS}, content FROM records JOIN contents USING (number) "  # noqa: S608
            f"WHERE records.number IN ({marks})",
            wanted,
        ).fetchall()
        found = {row[0]: row[1:] for row in rows}
        for number in wanted:
            if number in found:
                yield as_record((*found[number], (seen or {}).get(number, 1)))
