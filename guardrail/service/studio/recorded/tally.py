"""Recorded answers counted in one pass through the table: what filters, and changes between releases, are made of."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from guardrail.service.studio.recorded.chosen import Chosen
from guardrail.service.studio.recorded.figures import Part
from guardrail.service.studio.recorded.kept import Stretch, kept
from guardrail.service.studio.recorded.shares import Weighed
from guardrail.service.studio.recorded.source import UNCHECKED, Source
from guardrail.telemetry.outcome import ABANDONED
from guardrail.telemetry.records.retention import COMPLETE_SINCE, fact

_COLUMNS = ("labels", "verdict", "(? IS NULL OR at > ?)", "error_types", "action", "policy", "engine")
"""Names that a file may make up come last: one that holds the character below shifts nothing else."""
_BETWEEN = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Records with the same labels, policy, engine, error types, verdict and action.

    Attributes:
        labels: With ``policy`` and ``engine`` among them.
        error_types: Those that occur.
        part: Their counts; its key is empty.
        labelled: How many have a label of a person.
        rated: Whether they count in rates (``figures.counted``).
    """

    labels: Mapping[str, str]
    error_types: tuple[str, ...]
    part: Part
    labelled: int
    rated: bool


def tally(
    connection: sqlite3.Connection, chosen: Chosen, now: float, stretch: Stretch | None = None
) -> tuple[Alike, ...]:
    """The chosen records, counted.

    Args:
        connection: Of the records.
        chosen: Which of them.
        now: Unix seconds, for times such as "24h ago".
        stretch: Only of these numbers.
    """
    where, values = chosen.where(now)
    if stretch is not None:
        more, bounds = stretch.and_where()
        where, values = where + more, [*values, *bounds]
    complete = fact(connection, COMPLETE_SINCE)
    # One text to group by: SQLite sorts the rows by it, which takes a quarter longer with seven.
    joined = f" || char({_BETWEEN}) || ".join(_COLUMNS)
    rows = connection.execute(
        f"SELECT {joined} AS alike, COUNT(*), SUM(1 / rate), SUM(1 / (rate * rate)), SUM(score / rate), MIN(at), "  # noqa: S608  the parts are ours, values are bound
        "MAX(at), SUM(label IS NOT NULL OR finding_labels IS NOT NULL) "
        f"FROM records WHERE {where} GROUP BY alike",
        (complete, complete, *values),
    )
    return tuple(_alike(*row) for row in rows)


def tally_of(source: Source, connection: sqlite3.Connection, chosen: Chosen, now: float) -> tuple[Alike, ...]:
    """``tally``, as ``kept`` keeps it."""
    where, values = chosen.where(now)
    return kept(
        source,
        connection,
        ("tally", where, *values),
        lambda stretch: tally(connection, chosen, now, stretch),
        _joined,
    )


def _joined(some: Iterable[Alike], more: Iterable[Alike]) -> tuple[Alike, ...]:
    found: dict[object, Alike] = {}
    for alike in (*some, *more):
        part = alike.part
        key = (*alike.labels.items(), alike.error_types, part.verdict, part.action, alike.rated)
        same = found.get(key)
        found[key] = alike if same is None else replace(
            same, part=same.part + part, labelled=same.labelled + alike.labelled
        )  # fmt: skip
    return tuple(found.values())


def parts_of(some: Iterable[Alike]) -> list[Part]:
    """Their counts."""
    return [one.part for one in some]


def _alike(
    alike: str, records: int, answers: float, squares: float, scores: float, since: float, until: float, labelled: int
) -> Alike:
    labels, verdict, complete, errors, action, policy, engine = alike.split(chr(_BETWEEN), len(_COLUMNS) - 1)
    return Alike(
        labels={**json.loads(labels), "policy": policy, "engine": engine},
        error_types=tuple(filter(None, errors.split(","))),
        part=Part(
            key=(),
            verdict=verdict,
            action=action,
            weighed=Weighed(records=records, answers=answers, squares=squares),
            score_sum=scores,
            since=since,
            until=until,
        ),
        labelled=labelled,
        rated=complete == "1" and action != ABANDONED and verdict != UNCHECKED,
    )
