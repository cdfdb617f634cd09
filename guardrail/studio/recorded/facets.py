"""What the filters of a list can be set to: values with how many records have them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass

from guardrail.studio.recorded.chosen import Chosen
from guardrail.studio.recorded.source import UNCHECKED
from guardrail.telemetry.labels import KEYS

MOST = 100
"""Values of one filter: those with the most records."""

_COLUMNS = ("labels", "verdict", "policy", "engine", "error_types")
_BETWEEN = 31  # a control character that names do not have


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
    joined = f" || char({_BETWEEN}) || ".join(_COLUMNS)
    # Counted here: SQLite would sort 100,000 rows by five texts to group them, which takes twice as long.
    rows = Counter(connection.execute(f"SELECT {joined} FROM records WHERE {where}", values))  # noqa: S608  parts are ours
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (row,), records in rows.items():
        labels, verdict, policy, engine, errors = row.split(chr(_BETWEEN), len(_COLUMNS) - 1)
        alone = {"verdict": verdict, "policy": policy, "engine": engine, **json.loads(labels)}
        for name, value in alone.items():
            if value:
                found[name][value] += records
        for error in filter(None, errors.split(",")):
            found["error_type"][error] += records
    by_people = f"SELECT COUNT(*) FROM records WHERE {where} AND (label IS NOT NULL OR finding_labels IS NOT NULL)"  # noqa: S608
    ends = f"SELECT at FROM records WHERE {where} AND at > 0 ORDER BY at"  # noqa: S608
    since, until = (connection.execute(f"{ends} {way} LIMIT 1", values).fetchone() for way in ("", "DESC"))
    return Facets(
        records=rows.total(),
        labelled=connection.execute(by_people, values).fetchone()[0],
        since=None if since is None else since[0],
        until=None if until is None else until[0],
        values={
            name: tuple(found[name].most_common(MOST))
            for name in ("verdict", "error_type", *KEYS, "policy", "engine")
            if name in found
        },
    )


def marked(connection: sqlite3.Connection) -> tuple[object, ...]:
    """Something that is another once records came, went, or were checked or labelled."""
    many = "SELECT COUNT(*), MAX(number), MAX(labelled_at), SUM(verdict = ?) FROM records"
    found: tuple[object, ...] = connection.execute(many, (UNCHECKED,)).fetchone()
    return found
