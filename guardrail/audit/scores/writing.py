"""The scores of each logged answer of an audit, written under the names that a guard writes at once.

Ids are made from the trace and the name of the score, so whatever is written again replaces itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guardrail.audit.folder import AuditFolder
from guardrail.audit.report.views import chosen_fingerprint, views
from guardrail.audit.scores.sinks import Sink
from guardrail.check.threads import in_order
from guardrail.errors import UsageError
from guardrail.types import Verdict

if TYPE_CHECKING:
    from guardrail_scores import NotWrittenError, Score

TRIES = 4
_ENOUGH = 20
"""Answers in a row that were not taken, after which it is given up."""
_AT_ONCE = 2000
_PASSING = (None, 408, 429)  # and from 500 on


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many answers' scores were written, and of how many they were not taken, with the last reason."""

    written: int
    refused: int
    reason: str = ""


def write_scores(
    out: str | Path,
    sink: Sink,
    *,
    bad_only: bool = False,
    fingerprint: str | None = None,
    at_once: int = 8,
    wait: Callable[[float], object] = time.sleep,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Write verdict and score of all judged answers to the traces with their ids.

    Args:
        out: The folder of an audit of traces: the ids of its answers are those of the traces.
        sink: Where to; not closed.
        bad_only: Only of answers that are contradicted or unsupported.
        fingerprint: Of the engine and policy whose verdicts count; None = those of the last run.
        at_once: Answers in flight.
        wait: Waits so many seconds before an answer is tried again.
        progress: Told how many answers are done, and of how many.

    Raises:
        UsageError: there is no audit, its answers have no ids, or one after the other was not taken.
        MissingExtraError: an extra is not installed.
    """
    written, refused, in_a_row, reason = 0, 0, 0, ""
    with AuditFolder(out) as folder, views(folder, chosen_fingerprint(folder, fingerprint)) as connection:
        wanted = "bad = 1" if bad_only else "TRUE"
        total, nameless = connection.execute(
            f"SELECT COUNT(*), COUNT(*) FILTER (id LIKE 'hash:%') FROM judged WHERE {wanted}"  # noqa: S608  ours
        ).fetchone()
        if total and nameless == total:
            raise UsageError(
                "the answers of this audit have no ids of traces, so there is nothing to write their scores to. Audit "
                "the traces' export, or name the column of the trace with --column id=COLUMN."
            )
        for error in in_order(lambda row: _write(sink, row, wait), _rows(connection, wanted), at_once):
            in_a_row = 0 if error is None else in_a_row + 1
            written, refused = written + (error is None), refused + (error is not None)
            reason = reason if error is None else str(error)
            if in_a_row >= _ENOUGH:
                raise UsageError(
                    f"{in_a_row} answers in a row were not taken ({written:,} were): {reason} What is written stays; "
                    "the same command writes all again, without doubling any."
                )
            if progress is not None:
                progress(written + refused, total)
    return Written(written=written, refused=refused, reason=reason)


def _rows(connection: Any, wanted: str) -> Iterator[tuple[Any, ...]]:
    found = connection.execute(
        f"""SELECT id, verdict, score, findings, faults FROM judged
        WHERE {wanted} AND id NOT LIKE 'hash:%'"""  # noqa: S608  ours
    )
    while some := found.fetchmany(_AT_ONCE):
        yield from some


def _write(sink: Sink, row: tuple[Any, ...], wait: Callable[[float], object]) -> NotWrittenError | None:
    from guardrail_scores import NotWrittenError

    error = None
    for number in range(TRIES):
        if number:
            wait(2.0 ** (number - 1))
        try:
            sink.write_scores(scores_of(*row[1:]), row[0])
        except NotWrittenError as failed:
            error = failed
            if failed.status not in _PASSING and (failed.status or 0) < 500:
                return failed
        else:
            return None
    return error


def scores_of(verdict: str, score: float, findings: int, faults: int) -> list[Score]:
    """The verdict, and the score of what was verified."""
    from guardrail_scores import Score

    found = [Score("guardrail.verdict", verdict, f"{faults} of {findings} findings at fault")]
    if verdict not in (Verdict.UNVERIFIED, Verdict.ABSTAINED):
        found.append(Score("guardrail.score", round(score, 4), "the lowest of the findings"))
    return found
