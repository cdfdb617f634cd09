"""What is counted of answers, defined as in the Grafana dashboard (docs/monitoring.md).

Unfaithful answers are contradicted or unsupported, as they were generated. Their share is of judged answers: abstained
and unverified ones are no evidence either way. The unverified share is of all answers. What a reader left before its
end is no answer.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from guardrail.service.studio.recorded.chosen import Chosen
from guardrail.service.studio.recorded.kept import Stretch, kept
from guardrail.service.studio.recorded.shares import Share, Weighed, share
from guardrail.service.studio.recorded.source import UNCHECKED, Source
from guardrail.telemetry.outcome import ABANDONED
from guardrail.telemetry.records.record import FAULTY
from guardrail.telemetry.records.retention import COMPLETE_SINCE, fact
from guardrail.types import Action, Verdict

NOT_STOPPED = (Action.ALLOW.value, Action.FLAG.value, Action.ANNOTATE.value, "none")
"""Actions after which the reader had the answer as it was; ``none``: it was only checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Records that are alike: ``key`` is what they were grouped by."""

    key: tuple[object, ...]
    verdict: str
    action: str
    weighed: Weighed
    score_sum: float
    """Sum of score × weight."""
    since: float
    until: float
    """Times of the first and the last of them (Unix seconds)."""

    def __add__(self, other: Part) -> Part:
        """Both, which are alike."""
        return replace(
            self,
            weighed=self.weighed + other.weighed,
            score_sum=self.score_sum + other.score_sum,
            since=min(self.since, other.since),
            until=max(self.until, other.until),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Rates of some answers; ``answers`` are estimated from ``records``, as is the mean score (None: none judged)."""

    records: int
    answers: float
    unfaithful: Share
    unverified: Share
    not_stopped: Share
    score: float | None


def parts(
    connection: sqlite3.Connection,
    chosen: Chosen,
    now: float,
    by: Iterable[tuple[str, Iterable[object]]],
    stretch: Stretch | None = None,
) -> list[Part]:
    """Counts of the chosen records, grouped by verdict, action and the SQL expressions ``by`` with their values.

    ``stretch``: only of these numbers.

    Records from before the newest one that was taken out by number are left out: they say nothing of rates.
    """
    expressions: list[str] = []
    given: list[object] = []
    for expression, values in by:
        expressions.append(expression)
        given += values
    where, values = counted(connection, chosen, now)
    if stretch is not None:
        more, bounds = stretch.and_where()
        where, values = where + more, [*values, *bounds]
    columns = ", ".join(
        [f"{expression} AS key{place}" for place, expression in enumerate(expressions)] + ["verdict, action"]
    )
    names = ", ".join([f"key{place}" for place in range(len(expressions))] + ["verdict, action"])
    rows = connection.execute(
        f"SELECT {columns}, COUNT(*), SUM(1 / rate), SUM(1 / (rate * rate)), SUM(score / rate), MIN(at), MAX(at) "  # noqa: S608  the parts are ours, values are bound
        "FROM records "
        f"WHERE {where} GROUP BY {names}",
        (*given, *values),
    )
    wide = len(expressions)
    return [
        Part(
            key=tuple(row[:wide]),
            verdict=row[wide],
            action=row[wide + 1],
            weighed=Weighed(records=row[wide + 2], answers=row[wide + 3], squares=row[wide + 4]),
            score_sum=row[wide + 5],
            since=row[wide + 6],
            until=row[wide + 7],
        )
        for row in rows
    ]


def kept_parts(
    source: Source,
    connection: sqlite3.Connection,
    chosen: Chosen,
    now: float,
    by: Sequence[tuple[str, Sequence[object]]],
) -> list[Part]:
    """``parts``, as ``kept`` keeps them."""
    where, values = chosen.where(now)
    key = ("parts", where, *values, *((expression, *given) for expression, given in by))
    return kept(
        source,
        connection,
        key,
        lambda stretch: parts(connection, chosen, now, by, stretch),
        _joined,
        with_labels=chosen.selection.labelled is not None,
    )


def _joined(some: Iterable[Part], more: Iterable[Part]) -> list[Part]:
    found: dict[object, Part] = {}
    for part in (*some, *more):
        key = (part.key, part.verdict, part.action)
        found[key] = found[key] + part if key in found else part
    return list(found.values())


def counted(connection: sqlite3.Connection, chosen: Chosen, now: float) -> tuple[str, list[object]]:
    """The condition in SQL for chosen records that count in rates."""
    where, values = chosen.where(now)
    complete = fact(connection, COMPLETE_SINCE)
    if complete is not None:
        where += " AND at > ?"
        values.append(complete)
    return f"{where} AND action != ? AND verdict != ?", [*values, ABANDONED, UNCHECKED]


def figures(some: Iterable[Part]) -> Figures:
    """The rates of all these records together."""
    by_verdict: defaultdict[str, Weighed] = defaultdict(Weighed)
    passed, scores = Weighed(), 0.0
    for part in some:
        by_verdict[part.verdict] += part.weighed
        if part.verdict in FAULTY and part.action in NOT_STOPPED:
            passed += part.weighed
        if part.verdict in FAULTY or part.verdict == Verdict.SUPPORTED:
            scores += part.score_sum
    faulty = by_verdict[FAULTY[0].value] + by_verdict[FAULTY[1].value]
    fine, unsure = by_verdict[Verdict.SUPPORTED.value], by_verdict[Verdict.UNVERIFIED.value]
    whole = faulty + fine + unsure + by_verdict[Verdict.ABSTAINED.value]
    judged = faulty + fine
    return Figures(
        records=whole.records,
        answers=whole.answers,
        unfaithful=share(faulty, fine),
        unverified=share(unsure, _less(whole, unsure)),
        not_stopped=share(passed, _less(judged, passed)),
        score=scores / judged.answers if judged.answers else None,
    )


def grouped(some: Iterable[Part], place: int) -> Mapping[object, list[Part]]:
    """The parts by the value at this place of their key."""
    found: defaultdict[object, list[Part]] = defaultdict(list)
    for part in some:
        found[part.key[place]].append(part)
    return found


def _less(whole: Weighed, part: Weighed) -> Weighed:
    return Weighed(
        records=whole.records - part.records,
        answers=max(0.0, whole.answers - part.answers),
        squares=max(0.0, whole.squares - part.squares),
    )


def column(key: str) -> tuple[str, list[object]]:
    """The SQL expression for a label, or for ``policy`` or ``engine``, with its values."""
    return (key, []) if key in ("policy", "engine") else ("json_extract(labels, ?)", [f"$.{key}"])
