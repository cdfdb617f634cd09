"""What the filters of a list can be set to: values with how many records have them."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from guardrail.service.studio.recorded.chosen import Chosen
from guardrail.service.studio.recorded.tally import Alike
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


def facets(connection: sqlite3.Connection, chosen: Chosen, now: float, counted: Iterable[Alike]) -> Facets:
    """The filters for these records, which are counted already (``tally``)."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    records = labelled = 0
    for alike in counted:
        many = alike.part.weighed.records
        records += many
        labelled += alike.labelled
        for name, value in {"verdict": alike.part.verdict, **alike.labels}.items():
            if value:
                found[name][value] += many
        for error in alike.error_types:
            found["error_type"][error] += many
    where, values = chosen.where(now)
    ends = f"SELECT at FROM records WHERE {where} AND at > 0 ORDER BY at"  # noqa: S608  the parts are ours
    since, until = (connection.execute(f"{ends} {way} LIMIT 1", values).fetchone() for way in ("", "DESC"))
    return Facets(
        records=records,
        labelled=labelled,
        since=None if since is None else since[0],
        until=None if until is None else until[0],
        values={
            name: tuple(found[name].most_common(MOST))
            for name in ("verdict", "error_type", *KEYS, "policy", "engine")
            if name in found
        },
    )
