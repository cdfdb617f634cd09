"""Records as files: JSONL that ``guardrail check`` and ``guardrail eval`` read, or Parquet. One at a time, not all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guardrail.check.report_json import finding_record
from guardrail.errors import UsageError, did_you_mean
from guardrail.telemetry.records.record import StoredRecord
from guardrail.types import Report

FORMATS = ("jsonl", "parquet")
"""Formats of an export."""


def as_json(record: StoredRecord) -> dict[str, Any]:
    """A record of ``guardrail check`` with what was found; once a person labelled it, one of ``guardrail eval``.

    ``label``, ``error_type`` and ``error_spans`` are there only where a person set them: never the guard's own verdict.
    """
    label, other = record.human_label, record.replacement
    by_people: dict[str, Any] = {}
    if label is not None:
        by_people = {
            "label": label.value,
            "error_type": None if record.error_type is None else record.error_type.value,
            "error_spans": [list(span) for span in record.human_error_spans],
        }
    if record.labelled_at is not None:
        by_people |= {
            "finding_labels": {ident: said.value for ident, said in record.finding_labels.items()},
            "note": record.note,
            "labelled_at": record.labelled_at,
            "labelled_by": record.labelled_by,
        }
    return {
        "id": record.id,
        "question": record.question,
        "answer": record.answer,
        "passages": [{"id": p.id, "title": p.title, "text": p.text} for p in record.passages],
        "at": record.at,
        **_found(record.report),
        "action": record.action,
        "rule": record.rule,
        "policy": record.policy,
        "engine": record.report.engine,
        "labels": dict(record.labels),
        "delivered": record.text,  # not "text": that is where `guardrail eval` looks for an answer
        "attempts": record.attempts,
        "exhausted": record.exhausted,
        "replacement": None if other is None else {"answer": other.answer, **_found(other)},
        "trace_id": record.trace_id,
        "span_id": record.span_id,
        "seconds": record.seconds,
        "weight": record.weight,
        "seen": record.seen,
        "spans_hold": record.spans_hold,
        "left_out": record.left_out,
        **by_people,
    }


def _found(report: Report) -> dict[str, Any]:
    scores = {name: getattr(report.scores, name) for name in ("factscore", "d_factscore", "faithfulness")}
    return {
        "verdict": report.verdict.value,
        "score": round(report.score, 4),
        "reason": report.reason,
        "findings": [finding_record(finding) for finding in report.findings],
        "scores": {name: None if value is None else round(value, 4) for name, value in scores.items()},
    }


def write_export(records: Iterable[StoredRecord], path: Path, format: str) -> int:  # noqa: A002  as the option is named
    """Write the records, all or nothing; returns how many.

    Raises:
        UsageError: unknown format, or the file cannot be written.
        MissingExtraError: Parquet without pyarrow.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}. {did_you_mean(str(format), FORMATS)}")
    if format == "parquet":
        from guardrail.telemetry.records.parquet import write_parquet as write
    else:
        write = _write_lines
    try:
        with _whole(path) as target:
            return write(map(as_json, records), target)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}.") from error


def _write_lines(rows: Iterable[dict[str, Any]], path: Path) -> int:
    count = 0
    with path.open("w", encoding="ascii", newline="") as out:
        for count, row in enumerate(rows, 1):  # noqa: B007  the last number is the count
            out.write(json.dumps(row, ensure_ascii=True) + "\n")
    return count


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A file for its owner alone that takes the place of ``path`` when it is complete; a pipe is written into."""
    real = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        yield path
        return
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=".guardrail.")
    os.close(handle)
    try:
        yield Path(name)
        Path(name).replace(real)
    finally:
        Path(name).unlink(missing_ok=True)
