"""The work of a comparison: recorded answers judged anew by several guards, or releases side by side by question."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.service.studio.recorded.chosen import Chosen
from guardrail.service.studio.recorded.comparison import Comparison, Row
from guardrail.service.studio.recorded.jobs import Job
from guardrail.service.studio.recorded.listing import statement
from guardrail.service.studio.recorded.source import REDACTED, UNCHECKED, Source
from guardrail.types import GuardedAnswer, Passage
from guardrail.types.report import finding_record

ORDERS = ("newest", "worst", "random")
MOST = 500
"""Answers of one comparison."""

SEEN = 2_000
"""Records of a release that are looked through for questions that both answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """One side: a guard, or what the record says (``guard`` None)."""

    name: str
    guard: Guard | None


def judge_all(
    job: Job[Comparison], source: Source, chosen: Chosen, now: float, judges: tuple[Judge, ...], order: str, limit: int
) -> None:
    """Have every judge say what it thinks of the chosen answers, one by one; each is a step of the job."""
    with source.open() as connection:
        numbers = pick(connection, chosen, now, order, limit)
    job.total = len(numbers)
    for number in numbers:
        if job.stopping:
            return
        with source.open() as connection:
            record = next((record for _, record in source.read(connection, (number,))), None)
        why = "its record is gone" if record is None else _unfit(record)
        if record is None or why is not None:
            job.result.pass_over(why or "")
        else:
            try:
                opinions = tuple(judged(record, judge.guard) for judge in judges)
            except UsageError as error:
                job.result.pass_over(str(error))
            else:
                job.result.rows.append(Row(opinions))
        job.done += 1


def pick(connection: sqlite3.Connection, chosen: Chosen, now: float, order: str, limit: int) -> list[int]:
    """Numbers of the chosen records: the newest, the worst, or any (by a hash, so the same ones each time)."""
    if order == "random":
        where, values = chosen.where(now)
        asked = f"SELECT number FROM records WHERE {where} ORDER BY digest LIMIT ?"  # noqa: S608  the parts are ours, values are bound
    else:
        asked, values = statement(chosen, now, order, None)
    return [row[-1] for row in connection.execute(asked, (*values, limit))]


def judged(record: Mapping[str, Any], guard: Guard | None) -> dict[str, Any] | None:
    """The record as this guard judges it; without a guard as it was recorded, None if nobody checked it.

    Raises:
        UsageError: the answer or its passages cannot be checked.
    """
    if guard is None:
        return None if record["verdict"] == UNCHECKED else dict(record)
    passages = [Passage(id=p["id"], title=p["title"], text=p["text"]) for p in record["passages"]]
    report = guard.check(record["answer"], passages, question=record["question"])
    return with_report(record, guard.apply(report))


def with_report(record: Mapping[str, Any], guarded: GuardedAnswer) -> dict[str, Any]:
    """The record with what was found in place of what stood there."""
    found = guarded.to_dict(texts=True)
    return {
        **record,
        **{key: found[key] for key in ("action", "rule", "policy", "verdict", "score", "reason", "engine", "scores")},
        "findings": [finding_record(finding) for finding in guarded.report.findings],
        "skipped": found["skipped"],
        "delivered": guarded.text,
        "seconds": guarded.report.seconds,
    }


def pair_questions(job: Job[Comparison], source: Source, chosen: Chosen, now: float, key: str) -> None:
    """The newest answers of each side to the questions that all sides answered; a side is a value of the label."""
    sides: list[dict[str, Mapping[str, Any]]] = []
    job.total = len(job.result.names)
    for name in job.result.names:
        with source.open() as connection:
            sides.append(dict(_by_question(job, source, connection, of_label(chosen, key, name), now)))
        job.done += 1
        if job.stopping:
            return
    for question, first in sides[0].items():
        others = [side.get(question) for side in sides[1:]]
        if all(other is not None for other in others):
            job.result.rows.append(Row((first, *others)))
            if len(job.result.rows) == MOST:
                return


def _by_question(
    job: Job[Comparison], source: Source, connection: sqlite3.Connection, chosen: Chosen, now: float
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each question with the newest record that holds it."""
    asked, values = statement(chosen, now, "newest", None)
    numbers = [row[-1] for row in connection.execute(asked, (*values, SEEN))]
    seen: set[str] = set()
    for _, record in source.read(connection, numbers):
        question = record["question"]
        if job.stopping:
            return
        if question and record["verdict"] != UNCHECKED and question not in seen:
            seen.add(question)
            yield question, record


def _unfit(record: Mapping[str, Any]) -> str | None:
    """Why the answer cannot be judged anew; None = it can."""
    if record["missing"] not in (None, REDACTED):
        return str(record["missing"])
    return None if record["passages"] else "It has no passages."


def of_label(chosen: Chosen, key: str, value: str) -> Chosen:
    """The chosen records of one value of a label."""
    selection = chosen.selection
    return replace(chosen, selection=replace(selection, labels={**selection.labels, key: value}))
