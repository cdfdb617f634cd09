"""How many answers of each verdict there were, estimated from what was kept."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from dataclasses import dataclass

from guardrail.telemetry.outcome import ABANDONED
from guardrail.telemetry.records.queries import Selection
from guardrail.telemetry.records.retention import COMPLETE_SINCE, SAMPLE, fact
from guardrail.types import Verdict

_Counts = defaultdict[str, tuple[int, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRate:
    """``records`` that were kept, the ``answers`` that they stand for, and these as a ``share`` (0..1) of all."""

    verdict: Verdict
    records: int
    answers: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRate:
    """The same for one value of a label; ``verdicts`` are in the order of Verdict, without those that never came."""

    key: str
    value: str
    records: int
    answers: float
    verdicts: tuple[VerdictRate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Answers by verdict, and by label and verdict.

    Each record counts as 1 / its chance of being kept, so sampling does not bend the shares. What was pruned by number
    would: records up to ``complete_since`` (Unix seconds) are left out. ``sampled``: clean answers are kept at all; if
    not, the shares are among faulty answers. ``labelled``: records that people labelled. Without abandoned streams.
    """

    records: int
    answers: float
    labelled: int
    verdicts: tuple[VerdictRate, ...]
    labels: tuple[LabelRate, ...]
    complete_since: float | None = None
    sampled: bool = True


def rates(connection: sqlite3.Connection, chosen: Selection, now: float) -> Rates:
    """Rates over the chosen records."""
    where, values = chosen.where(now)
    complete = fact(connection, COMPLETE_SINCE)
    columns = "labels, verdict, COUNT(*), SUM(1 / rate), SUM(label IS NOT NULL OR finding_labels IS NOT NULL)"
    statement = f"SELECT {columns} FROM records WHERE {where} AND at > ? AND action != ? GROUP BY labels, verdict"  # noqa: S608
    rows = connection.execute(statement, (*values, complete or 0.0, ABANDONED)).fetchall()
    whole: _Counts = defaultdict(lambda: (0, 0.0))
    parts: dict[tuple[str, str], _Counts] = defaultdict(lambda: defaultdict(lambda: (0, 0.0)))
    labelled = 0
    for labels, verdict, records, answers, by_people in rows:
        labelled += by_people
        for counts in (whole, *(parts[pair] for pair in json.loads(labels).items())):
            before = counts[verdict]
            counts[verdict] = (before[0] + records, before[1] + answers)
    return Rates(
        records=sum(n for n, _ in whole.values()),
        answers=sum(a for _, a in whole.values()),
        labelled=labelled,
        verdicts=_verdicts(whole),
        labels=tuple(
            LabelRate(
                key=key,
                value=value,
                records=sum(n for n, _ in counts.values()),
                answers=sum(a for _, a in counts.values()),
                verdicts=_verdicts(counts),
            )
            for (key, value), counts in sorted(parts.items())
        ),
        complete_since=complete,
        sampled=fact(connection, SAMPLE) != 0.0,
    )


def _verdicts(counts: _Counts) -> tuple[VerdictRate, ...]:
    total = sum(answers for _, answers in counts.values())
    return tuple(
        VerdictRate(verdict=v, records=counts[v.value][0], answers=counts[v.value][1], share=counts[v.value][1] / total)
        for v in Verdict
        if v.value in counts
    )
