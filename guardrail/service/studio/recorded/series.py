"""Rates over time, whole or by the values of a label: what the charts of Watch draw."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from guardrail.service.studio.recorded.changes import KEYS_TO_COMPARE
from guardrail.service.studio.recorded.chosen import Chosen, FieldError
from guardrail.service.studio.recorded.figures import (
    Figures,
    Part,
    column,
    counted,
    figures,
    grouped,
    kept_parts,
    parts,
)
from guardrail.service.studio.recorded.source import Source
from guardrail.service.studio.recorded.tally import Alike, tally, tally_of
from guardrail.telemetry.records.retention import COMPLETE_SINCE, SAMPLE, fact

STEPS = (60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000)
"""Seconds that one point of a chart may stand for."""

POINTS = 60
"""Points of a chart at most."""

LINES = 8
"""Lines of a chart at most: the values with the most records."""

MARKED = ("release", "index")
"""Labels whose new values are marked in the charts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the charts: figures of each point (None where there were no answers), and of the whole time."""

    value: str | None
    points: tuple[Figures | None, ...]
    whole: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A value of a label that came up in this time for the first time."""

    key: str
    value: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Charts from ``start`` on, a point each ``step`` seconds; times are Unix seconds.

    ``values``: how many values the label has, of which the LINES with the most records have a line. ``since``: rates
    begin here, for records from before were taken out by number. ``sampled``: the store keeps clean answers at all; if
    not, the shares are among faulty answers.
    """

    start: float
    step: float
    whole: Line
    lines: tuple[Line, ...]
    values: int
    marks: tuple[Mark, ...]
    since: float | None
    sampled: bool


def series(
    connection: sqlite3.Connection, chosen: Chosen, now: float, by: str | None, source: Source | None = None
) -> Series | None:
    """The charts of the chosen records; None where there are none.

    Args:
        connection: Of a source.
        chosen: Which records; without a time, all of them.
        now: Unix seconds that times ago count from.
        by: A label, ``policy`` or ``engine``, to draw a line for each of its values; None = one line.
        source: Of the connection: what was counted of it is kept; None = count anew.

    Raises:
        FieldError: there is no such label.
    """
    if by is not None and by not in KEYS_TO_COMPARE:
        raise FieldError("by", f"by must be one of {', '.join(KEYS_TO_COMPARE)}, got {by!r:.40}.")
    begin, end = _ends(connection, chosen, now)
    if begin is None or end is None:
        return None
    step = next((step for step in STEPS if math.floor(end / step) - math.floor(begin / step) < POINTS), STEPS[-1])
    start = math.floor(begin / step) * step
    count = math.floor(end / step) - math.floor(begin / step) + 1
    if count > POINTS:  # centuries, as a wrong clock makes them
        start, count = math.floor(end / step) * step - (POINTS - 1) * step, POINTS
    chosen = replace(chosen, selection=replace(chosen.selection, since=float(max(begin, start))))
    point: tuple[str, list[object]] = ("CAST((at - ?) / ? AS INTEGER)", [start, step])
    grouping = [point] if by is None else [point, column(by)]
    if source is None:
        found = parts(connection, chosen, now, grouping)
        ever = tally(connection, timeless(chosen), now)
    else:
        found = kept_parts(source, connection, chosen, now, grouping)
        ever = tally_of(source, connection, timeless(chosen), now)
    named = {} if by is None else {key: some for key, some in grouped(found, 1).items() if key}
    largest = sorted(named, key=lambda key: (-sum(part.weighed.records for part in named[key]), str(key)))[:LINES]
    return Series(
        start=start,
        step=step,
        whole=_line(None, found, count),
        lines=tuple(_line(str(key), named[key], count) for key in sorted(largest, key=str)),
        values=len(named),
        marks=_marks(ever, start + step, end),
        since=fact(connection, COMPLETE_SINCE),
        sampled=fact(connection, SAMPLE) != 0.0,
    )


def _ends(connection: sqlite3.Connection, chosen: Chosen, now: float) -> tuple[float | None, float | None]:
    """Time of the first and of the last record that counts."""
    where, values = counted(connection, chosen, now)
    asked = f"SELECT at FROM records WHERE {where} AND at > 0 ORDER BY at"  # noqa: S608  the parts are ours
    ends = [connection.execute(f"{asked} {way} LIMIT 1", values).fetchone() for way in ("", "DESC")]
    return (None, None) if None in ends else (ends[0][0], ends[1][0])


def _line(value: str | None, some: list[Part], count: int) -> Line:
    by_point: Mapping[object, list[Part]] = grouped(some, 0)
    return Line(
        value=value,
        points=tuple(figures(by_point[place]) if place in by_point else None for place in range(count)),
        whole=figures(some),
    )


def timeless(chosen: Chosen) -> Chosen:
    """The same without its times."""
    return replace(chosen, selection=replace(chosen.selection, since=None, until=None))


def _marks(counted: Iterable[Alike], after: float, end: float) -> tuple[Mark, ...]:
    """Values that came up after the first point: of what was there before nobody knows since when."""
    since: dict[tuple[str, str], float] = {}
    for alike in counted:
        for key in MARKED if alike.rated else ():
            if value := alike.labels.get(key):
                since[key, value] = min(alike.part.since, since.get((key, value), alike.part.since))
    marks = [Mark(key=key, value=value, at=at) for (key, value), at in since.items() if after <= at <= end]
    return tuple(sorted(marks, key=lambda mark: mark.at)[-LINES:])
