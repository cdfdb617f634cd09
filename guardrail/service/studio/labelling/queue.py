"""Which answers to label, and in which order: the same ones for the same seed, whatever was labelled meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from guardrail.evaluation.labels import RANDOM, Labels, differ
from guardrail.service.studio.recorded.kept import Stretch, kept
from guardrail.service.studio.recorded.source import UNCHECKED, Source
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

MOST_DRAWABLE = 2_000_000
"""Answers up to which what a draw is made from stays in memory."""

_JUDGED = (Verdict.SUPPORTED.value, Verdict.CONTRADICTED.value, Verdict.UNSUPPORTED.value)
_SPARE = 4  # times as many are read as asked for: of the same answer only one is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawable:
    """The different answers of a source, sorted by ``keys``; arrays of shape [answers]."""

    keys: NDArray[np.uint64]
    """A hash of each answer."""
    numbers: NDArray[np.int64]
    """Of its first record."""
    weights: NDArray[np.float64]
    """How many answers it stands for."""

    def __len__(self) -> int:
        return len(self.keys)


def drawable(connection: sqlite3.Connection, stretch: Stretch | None = None) -> Drawable:
    """What a draw is made from: 24 bytes an answer; ``stretch``: only of these numbers."""
    more, values = ("", []) if stretch is None else stretch.and_where()
    rows = connection.execute(
        f"SELECT digest, number, 1 / rate FROM records WHERE action != ?{more} ORDER BY number",  # noqa: S608  the parts are ours, values are bound
        (ABANDONED, *values),
    )
    kinds = [("key", np.uint64), ("number", np.int64), ("weight", np.float64)]
    found = np.fromiter(((_hashed(digest), *rest) for digest, *rest in rows), dtype=kinds)
    return _distinct_answers(found["key"], found["number"], found["weight"])


def drawable_of(source: Source, connection: sqlite3.Connection) -> Drawable:
    """``drawable``, as ``kept`` keeps it."""
    return kept(
        source,
        connection,
        "drawable",
        lambda stretch: drawable(connection, stretch),
        _joined,
        largest=MOST_DRAWABLE,
        with_labels=False,
    )


def _joined(some: Drawable, more: Drawable) -> Drawable:
    both = [np.concatenate(pair) for pair in (
        (some.keys, more.keys), (some.numbers, more.numbers), (some.weights, more.weights)
    )]  # fmt: skip
    return _distinct_answers(*both)


def _distinct_answers(keys: np.ndarray, numbers: np.ndarray, weights: np.ndarray) -> Drawable:
    """Each answer once: its first record, with the weight of all."""
    own, first, place = np.unique(keys, return_index=True, return_inverse=True)
    summed = np.bincount(place, weights=weights, minlength=len(own)).astype(np.float64)
    return Drawable(keys=own, numbers=numbers[first], weights=summed)


def draw(answers: Drawable, seed: int, limit: int) -> list[int]:
    """Numbers of records, drawn without replacement, each with the chance of the answers that it stands for.

    A record store keeps all faults and few of the others; a record counts as 1 / its chance of being kept, so that the
    draw is one of all answers, not of what is kept. Efraimidis and Spirakis (2006, Information Processing Letters 97):
    the smallest -ln(u) / weight, u being a hash of seed and answer.
    """
    sorting = -np.log(_uniform(answers.keys, seed)) / answers.weights
    order = np.lexsort((answers.numbers, sorting))[:limit]
    return [int(number) for number in answers.numbers[order]]


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _uniform(keys: NDArray[np.uint64], seed: int) -> NDArray[np.float64]:
    """0 < u < 1, the same for the same answer and seed.

    Keys are uniform, and stay so: each step has an inverse. The steps are those of SplitMix64 (Steele, Lea and Flood
    2014, OOPSLA), so that two seeds give draws that have nothing to do with each other.
    """
    mixed = keys ^ np.uint64(_hashed(f"seed {seed}"))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


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
