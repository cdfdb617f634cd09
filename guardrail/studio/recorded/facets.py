"""What the filters of a list can be set to: values with how many records have them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass

from guardrail.studio.recorded.chosen import Chosen
from guardrail.telemetry.labels import KEYS

MOST = 100
"""Values of one filter: those with the most records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facets:
    """Filters with their values, each with its number of records, the most frequent first.

    ``values`` is by filter: verdict, error_type, policy, engine and the labels that occur. ``since`` and ``until`` are
    the times of the first and last record (Unix seconds; None where times are unknown).
    """

    records: int
    labelled: int
    since: float | None
    until: float | None
    values: dict[str, tuple[tuple[str, int], ...]]


def facets(connection: sqlite3.Connection, chosen: Chosen, now: float) -> Facets:
    """The filters for these records."""
    where, values = chosen.where(now)
    rows = connection.execute(
        "SELECT labels, verdict, policy, engine, error_types, COUNT(*), "  # noqa: S608  the parts are ours, values are bound
        "SUM(label IS NOT NULL OR finding_labels IS NOT NULL), MIN(NULLIF(at, 0)), MAX(NULLIF(at, 0)) "
        f"FROM records WHERE {where} GROUP BY labels, verdict, policy, engine, error_types",
        values,
    ).fetchall()
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for labels, verdict, policy, engine, errors, records, *_ in rows:
        alone = {"verdict": verdict, "policy": policy, "engine": engine, **json.loads(labels)}
        for name, value in alone.items():
            if value:
                found[name][value] += records
        for error in filter(None, errors.split(",")):
            found["error_type"][error] += records
    times = [time for row in rows for time in row[7:9] if time is not None]
    return Facets(
        records=sum(row[5] for row in rows),
        labelled=sum(row[6] for row in rows),
        since=min(times, default=None),
        until=max(times, default=None),
        values={
            name: tuple(found[name].most_common(MOST))
            for name in ("verdict", "error_type", *KEYS, "policy", "engine")
            if name in found
        },
    )
