"""Which answers are kept (all that somebody may have to look at, and a share of the others), and for how long."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

from guardrail.telemetry.outcome import ABANDONED, Outcome
from guardrail.telemetry.records.record import FAULTY
from guardrail.types import Action, Verdict

COMPLETE_SINCE = "complete_since"
"""Fact: up to this time (Unix seconds) records were taken out by number, so older ones say nothing of rates."""

SAMPLE = "sample"
"""Fact: the share of clean answers that is kept, as last set."""

_STEP = 500
_FINE = (Verdict.SUPPORTED, Verdict.ABSTAINED)
_LEFT_ALONE = (Action.ALLOW.value, "none")
_WHOLE = 2**64


def is_clean(outcome: Outcome) -> bool:
    """Nothing was objected to and nothing was done. What a reader left before it was checked says nothing."""
    if outcome.action == ABANDONED:
        return outcome.verdict not in FAULTY
    return outcome.verdict in _FINE and outcome.action in _LEFT_ALONE


def keep_probability(outcome: Outcome, sample: float, *, keep_faults: bool) -> float:
    """The share of such answers that is kept (0..1)."""
    return 1.0 if keep_faults and not is_clean(outcome) else sample


def is_sampled(ident: str, rate: float) -> bool:
    """Whether the answer of this id is among the share ``rate``: always the same, in every process."""
    if rate >= 1.0:
        return True
    digest = blake2b(ident.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) < rate * _WHOLE


def prune(connection: sqlite3.Connection, now: float, days: float | None, most: int | None) -> int:
    """Delete what is older than ``days``, then what is more than ``most`` records; returns how many.

    In small steps, so that writers need not wait.

    By number clean records go first, then faulty ones, then labelled ones, each the oldest first.
    """
    gone = 0
    if days is not None:
        oldest = now - days * 86_400
        while step := _delete(connection, "SELECT number FROM records WHERE at < ? LIMIT ?", (oldest, _STEP)):
            gone += step
    while most is not None and (more := _total(connection) - most) > 0:
        step = _delete(
            connection,
            "SELECT number FROM records "
            "ORDER BY label IS NOT NULL OR finding_labels IS NOT NULL, clean DESC, at LIMIT ?",
            (min(more, _STEP),),
            by_number=True,
        )
        gone += step
    return gone


def tidy(connection: sqlite3.Connection, *, fully: bool = False) -> None:
    """Give pages that became free back to the disk, where they are many or all are wanted."""
    free, pages = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
    if free and (fully or free > pages // 2):
        connection.executescript("PRAGMA incremental_vacuum")  # ``execute`` would free one page only
    if fully:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def fact(connection: sqlite3.Connection, name: str) -> float | None:
    """What is known of the store as a whole; None if nothing."""
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else float(row[0])


def note_fact(connection: sqlite3.Connection, name: str, value: float) -> None:
    """Set it."""
    connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))


def _total(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT COUNT(*) FROM records").fetchone()[0]
    return found


def _delete(
    connection: sqlite3.Connection, choose: str, values: tuple[float | int, ...], *, by_number: bool = False
) -> int:
    connection.execute("BEGIN IMMEDIATE")
    try:
        chosen = connection.execute(choose, values).fetchall()
        if by_number and chosen:
            marks = ",".join("?" * len(chosen))
            found = [number for (number,) in chosen]
            newest = connection.execute(f"SELECT MAX(at) FROM records WHERE number IN ({marks})", found)  # noqa: S608
            until = max(float(newest.fetchone()[0]), fact(connection, COMPLETE_SINCE) or 0.0)
            note_fact(connection, COMPLETE_SINCE, until)
        for table in ("contents", "records"):
            connection.executemany(f"DELETE FROM {table} WHERE number = ?", chosen)  # noqa: S608
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return len(chosen)
