"""What changed between two releases (indexes, models, ...): rates of each with intervals, whole and slice by slice."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from guardrail.studio.recorded.chosen import Chosen, FieldError
from guardrail.studio.recorded.figures import Figures, Part, column, counted, figures, parts
from guardrail.studio.recorded.shares import Difference, difference
from guardrail.telemetry.labels import KEYS

KEYS_TO_COMPARE = (*KEYS, "policy", "engine")
"""What two sides may differ in."""

MOST = 200
"""Slices that are shown; those with the most records come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One slice: its figures on both sides, and how its unfaithful share changed; ``key`` None: all answers."""

    key: str | None
    value: str | None
    first: Figures
    second: Figures
    unfaithful: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """All answers, their slices (the clearest change first), and how many slices there were before the cut."""

    whole: Change
    slices: tuple[Change, ...]
    compared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of a label: how many records bear it, and since and until when (Unix seconds)."""

    value: str
    records: int
    since: float
    until: float


def values_of(connection: sqlite3.Connection, chosen: Chosen, now: float, key: str) -> tuple[Value, ...]:
    """The values of a label in the order in which they came up, at most MOST: those with the most records.

    Raises:
        FieldError: there is no such label.
    """
    expression, given = column(_known(key))
    where, values = counted(connection, chosen, now)
    rows = connection.execute(
        f"SELECT {expression} AS value, COUNT(*), MIN(at), MAX(at) FROM records WHERE {where} GROUP BY value",  # noqa: S608  the parts are ours, values are bound
        (*given, *values),
    ).fetchall()
    named = [Value(value=value, records=n, since=since, until=until) for value, n, since, until in rows if value]
    return tuple(sorted(sorted(named, key=lambda v: -v.records)[:MOST], key=lambda v: (v.since, v.value)))


def changes(connection: sqlite3.Connection, chosen: Chosen, now: float, key: str, first: str, second: str) -> Changes:
    """What changed from ``first`` to ``second``, two values of the label ``key``.

    Raises:
        FieldError: there is no such label, or both values are the same.
    """
    if first == second:
        raise FieldError("second", f"Choose two different values of {key}; both are {first!r:.60}.")
    found = parts(connection, chosen, now, [column(_known(key)), ("labels", []), ("policy", []), ("engine", [])])
    sides: tuple[list[Part], list[Part]] = ([], [])
    for part in found:
        if part.key[0] in (first, second):
            sides[part.key[0] == second].append(part)
    by_slice = [_slices(side, key) for side in sides]
    wanted = sorted({*by_slice[0], *by_slice[1]})
    compared = [_change(by_slice[0].get(pair, ()), by_slice[1].get(pair, ()), *pair) for pair in wanted]
    compared.sort(key=lambda c: -(c.first.records + c.second.records))
    return Changes(whole=_change(*sides), slices=tuple(sorted(compared[:MOST], key=_clearest)), compared=len(compared))


def _slices(some: Iterable[Part], without: str) -> dict[tuple[str, str], list[Part]]:
    found: defaultdict[tuple[str, str], list[Part]] = defaultdict(list)
    read: dict[str, dict[str, str]] = {}
    for part in some:
        _, labels, policy, engine = map(str, part.key)
        if labels not in read:
            read[labels] = json.loads(labels)
        for pair in ({**read[labels], "policy": policy, "engine": engine}).items():
            if pair[0] != without and pair[1]:
                found[pair].append(part)
    return found


def _change(first: Iterable[Part], second: Iterable[Part], key: str | None = None, value: str | None = None) -> Change:
    before, after = figures(first), figures(second)
    return Change(
        key=key, value=value, first=before, second=after, unfaithful=difference(before.unfaithful, after.unfaithful)
    )


def _clearest(change: Change) -> tuple[bool, bool, float]:
    """What is beyond chance first, then what could be compared, then the larger change."""
    found = change.unfaithful
    return (not found.clear, found.value is None, -abs(found.value or 0.0))


def _known(key: str) -> str:
    if key not in KEYS_TO_COMPARE:
        raise FieldError("by", f"by must be one of {', '.join(KEYS_TO_COMPARE)}, got {key!r:.40}.")
    return key
