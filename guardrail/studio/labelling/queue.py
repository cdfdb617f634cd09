"""Which answers to label, and in which order: the same ones for the same seed, whatever was labelled meanwhile."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from heapq import nsmallest

from guardrail.evaluation.labels import RANDOM, Labels, differ
from guardrail.studio.recorded.source import UNCHECKED
from guardrail.telemetry.outcome import ABANDONED
from guardrail.types import Verdict

WORST = "worst"
UNCERTAIN = "uncertain"
ENGINES = "engines"
PEOPLE = "people"
ORDERS = (RANDOM, WORST, UNCERTAIN, ENGINES, PEOPLE)
"""A sample of all answers; the worst; those with a score next to the threshold; those on which engines disagree; those
on which people do."""

MOST = 500
"""Answers of one queue."""

_JUDGED = (Verdict.SUPPORTED.value, Verdict.CONTRADICTED.value, Verdict.UNSUPPORTED.value)
_BYTES = 6
_SPARE = 4  # times as many are read as asked for: of the same answer only one is shown


def draw(connection: sqlite3.Connection, seed: int, limit: int) -> list[int]:
    """Numbers of records, drawn without replacement, each with the chance of the answers that it stands for.

    A record store keeps all faults and few of the others; a record counts as 1 / its chance of being kept, so that the
    draw is one of all answers, not of what is kept. Efraimidis and Spirakis (2006, Information Processing Letters 97):
    the smallest -ln(u) / weight, u being a hash of seed and answer.
    """
    rows = connection.execute(
        "SELECT MIN(number), digest, SUM(1 / rate) FROM records WHERE action != ? GROUP BY digest", (ABANDONED,)
    )
    begin, most = f"{seed}:".encode(), float(256**_BYTES)
    keyed = ((-math.log(_uniform(begin, most, digest)) / weight, number) for number, digest, weight in rows)
    return [number for _, number in nsmallest(limit, keyed)]


def _uniform(begin: bytes, most: float, digest: str) -> float:
    """0 < u < 1, the same for the same answer and seed."""
    found = blake2b(begin + digest.encode(), digest_size=_BYTES).digest()
    return (int.from_bytes(found, "big") + 0.5) / most


def worst(connection: sqlite3.Connection, limit: int) -> list[int]:
    """Numbers of the worst records that were checked: contradicted first, then by score, then the newest."""
    rows = connection.execute(
        "SELECT number, digest FROM records WHERE verdict != ? AND action != ? ORDER BY rank, score, at DESC LIMIT ?",
        (UNCHECKED, ABANDONED, _SPARE * limit),
    )
    return _distinct(rows, limit)


def uncertain(connection: sqlite3.Connection, threshold: float, limit: int) -> list[int]:
    """Numbers of the records whose score is the nearest to the threshold."""
    rows = connection.execute(
        "SELECT number, digest FROM records WHERE verdict IN (?, ?, ?) AND action != ? "
        "ORDER BY ABS(score - ?), number LIMIT ?",
        (*_JUDGED, ABANDONED, threshold, _SPARE * limit),
    )
    return _distinct(rows, limit)


def recorded_apart(connection: sqlite3.Connection, limit: int) -> list[int]:
    """Numbers of records of answers that several engines checked with different verdicts, the furthest apart first."""
    rows = connection.execute(
        "SELECT MIN(number) FROM records WHERE verdict != ? AND action != ? GROUP BY digest "
        "HAVING COUNT(DISTINCT engine) > 1 AND COUNT(DISTINCT verdict) > 1 "
        "ORDER BY MIN(score) - MAX(score), MIN(number) LIMIT ?",
        (UNCHECKED, ABANDONED, limit),
    )
    return [number for (number,) in rows]


def people_differ(labels: Labels) -> list[str]:
    """Ids of answers of which two people say different things, sentence by sentence, as they were labelled."""
    return [ident for ident in labels.items if _differ(labels, ident)]


def _differ(labels: Labels, ident: str) -> bool:
    said = [own for own in labels.now.get(ident, {}).values() if own]
    if differ(labels.items[ident], labels.now.get(ident, {})):
        return True
    words: dict[str, set[str | None]] = {}
    for own in said:
        for segment, label in own.items():
            words.setdefault(segment, set()).add(label.label)
    return any(len(different) > 1 for different in words.values())


def unchecked(connection: sqlite3.Connection) -> int:
    """How many answers of a file nobody checked yet."""
    found: int = connection.execute("SELECT COUNT(*) FROM records WHERE verdict = ?", (UNCHECKED,)).fetchone()[0]
    return found


def idents(connection: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[str]:
    """Ids of these records, in this order."""
    for number in numbers:
        row = connection.execute("SELECT id FROM records WHERE number = ?", (number,)).fetchone()
        if row is not None:
            yield row[0]


def _distinct(rows: Iterable[tuple[int, str]], limit: int) -> list[int]:
    """The first of each answer."""
    first: dict[str, int] = {}
    for number, digest in rows:
        first.setdefault(digest, number)
        if len(first) == limit:
            break
    return list(first.values())
