"""Questions to the store (which records, the worst, one of them, how many), and what people say of records."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from guardrail.errors import UsageError, did_you_mean
from guardrail.telemetry.labels import KEYS
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.record import FAULTY, KINDS, StoredRecord
from guardrail.telemetry.records.rows import COLUMNS, HUMAN, as_record
from guardrail.types import ErrorType, Verdict

_FIELDS = ", ".join(f"records.{name}" for name in (*COLUMNS, *HUMAN))
_PREFIX = re.compile(r"[0-9a-f]{6,31}")
_AT_ONCE = 200

When = datetime | timedelta | float
"""A time, how long ago, or Unix seconds. A time without a zone is local."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Conditions that all have to hold; None and {} leave open.

    ``faulty``: somebody may have to look at it (True), or nothing was objected to (False).
    """

    since: When | None = None
    until: When | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | str | None = None
    error_type: ErrorType | str | None = None
    labelled: bool | None = None
    faulty: bool | None = None

    def where(self, now: float) -> tuple[str, list[object]]:
        """The condition in SQL with its values.

        Raises:
            UsageError: no such verdict, error type or label.
        """
        parts: list[str] = ["1"]
        values: list[object] = []
        for bound, comparison in ((self.since, ">="), (self.until, "<")):
            if bound is not None:
                parts.append(f"at {comparison} ?")
                values.append(_seconds(bound, now))
        for key, value in self.labels.items():
            if key not in KEYS:
                raise UsageError(f"unknown label {key!r}. {did_you_mean(str(key), KEYS)}")
            parts.append("json_extract(labels, ?) = ?")
            values += [f"$.{key}", storable(value)]
        if self.verdict is not None:
            parts.append("verdict = ?")
            values.append(_known(self.verdict, "verdict", [v.value for v in Verdict]))
        if self.error_type is not None:
            parts.append("instr(error_types, ?)")
            values.append(f",{_known(self.error_type, 'error type', [e.value for e in ErrorType])},")
        if self.labelled is not None:
            parts.append(f"(label IS NULL AND finding_labels IS NULL) = {int(not self.labelled)}")
        if self.faulty is not None:
            parts.append(f"clean = {int(not self.faulty)}")
        return " AND ".join(parts), values


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


def write_label(
    connection: sqlite3.Connection,
    ident: str,
    label: str | None,
    now: float,
    *,
    finding: str | None,
    error_type: str | None,
    note: str | None,
    by: str | None,
) -> StoredRecord:
    """Set or, with None, take back a label; the record as it is then. Arguments and errors as ``RecordStore.label``."""
    names = [kind.value for kind in KINDS]
    if label is not None and label not in names:
        raise UsageError(f"unknown label {str(label)!r}. {did_you_mean(str(label), names)}")
    errors = [kind.value for kind in ErrorType]
    if error_type is not None and error_type not in errors:
        raise UsageError(f"unknown error type {str(error_type)!r}. {did_you_mean(str(error_type), errors)}")
    if error_type is not None and label not in FAULTY:
        raise UsageError(f"an error type belongs to a label that is {' or '.join(FAULTY)}, not to {label or 'none'}.")
    found = find(connection, ident)
    if found is None:
        raise UsageError(f"there is no record {ident!r}. `guardrail monitor worst` prints the ids.")
    answer, findings = found.label, dict(found.finding_labels)
    if finding is None:
        answer = None if label is None else Verdict(label)
    else:
        known = [f.id for f in found.findings]
        if finding not in known:
            raise UsageError(f"record {found.id} has no finding {finding!r}. {did_you_mean(finding, known)}")
        if label is None:
            findings.pop(finding, None)
        else:
            findings[finding] = Verdict(label)
    kind = error_type or (None if found.error_type is None else found.error_type.value)
    if replace(found, label=answer, finding_labels=findings).human_label not in FAULTY:
        kind = None
    connection.execute(
        "UPDATE records SET label = ?, label_error_type = ?, finding_labels = ?, note = ?, labelled_at = ?, "
        "labelled_by = ? WHERE id = ?",
        (
            None if answer is None else answer.value,
            kind,
            json.dumps(findings, ensure_ascii=True) if findings else None,
            storable(note) if note is not None else found.note,
            now,
            storable(by) if by is not None else found.labelled_by,
            found.id,
        ),
    )
    changed = find(connection, found.id)
    return found if changed is None else changed


def _known(value: str, what: str, names: list[str]) -> str:
    if value not in names:
        raise UsageError(f"unknown {what} {str(value)!r}. {did_you_mean(str(value), names)}")
    return str(value)


def _seconds(when: When, now: float) -> float:
    if isinstance(when, timedelta):
        return now - when.total_seconds()
    if isinstance(when, datetime):
        return when.astimezone(UTC).timestamp()
    if isinstance(when, bool) or not isinstance(when, (int, float)):
        raise UsageError(f"a time must be a datetime, a timedelta or Unix seconds, got {when!r:.60}.")
    return float(when)
