"""Records as files: JSONL that ``guardrail check`` and ``guardrail eval`` read, or Parquet. One at a time, not all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from guardrail.errors import MissingExtraError, UsageError, did_you_mean
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.record import StoredRecord
from guardrail.types import Report
from guardrail.types.report import finding_record, passage_record

FORMATS = ("jsonl", "parquet")
"""Formats of an export."""

_AT_ONCE = 500


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
        "passages": [passage_record(p) for p in record.passages],
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
    write = _write_parquet if format == "parquet" else _write_lines
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


def _write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> int:
    """Write what ``as_json`` makes of records, in row groups of some hundred; returns how many.

    ``labels`` and ``finding_labels`` are maps, ``at`` and ``labelled_at`` are times in UTC.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:  # the only place where pyarrow is imported
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError('Parquet needs pyarrow: pip install "rag-guardrail[parquet]"') from error
    schema = _parquet_schema(pa)
    left, count = iter(rows), 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while some := list(islice(left, _AT_ONCE)):
            count += len(some)
            writer.write_table(pa.Table.from_pylist([_parquet_row(row) for row in some], schema=schema))
    return count


def _parquet_row(row: dict[str, Any]) -> dict[str, Any]:
    """Times in microseconds, mappings as pairs, lone surrogates as escapes: Parquet's texts are UTF-8."""
    changed: dict[str, Any] = _printable(row)
    for name in ("at", "labelled_at"):
        if changed.get(name) is not None:
            changed[name] = int(changed[name] * 1_000_000)
    for name in ("labels", "finding_labels"):
        changed[name] = list((changed.get(name) or {}).items())
    return changed


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else storable(value)
    if isinstance(value, dict):
        return {key: _printable(inner) for key, inner in value.items()}
    return [_printable(inner) for inner in value] if isinstance(value, list) else value


def _parquet_schema(pa: Any) -> Any:
    text, number, whole, truth = pa.string(), pa.float64(), pa.int32(), pa.bool_()
    time, span, names = pa.timestamp("us", tz="UTC"), pa.list_(pa.int32()), pa.map_(pa.string(), pa.string())
    evidence = pa.struct({"passage_id": text, "span": span, "quote": text})
    finding = pa.struct(
        {"id": text, "text": text, "span": span, "claim": text, "verdict": text, "score": number, "error_type": text,
         "entity": text, "reason": text, "focus": span, "conflict": truth, "cause": text,
         "evidence": pa.list_(evidence)}
    )  # fmt: skip
    found = {
        "verdict": text, "score": number, "reason": text, "findings": pa.list_(finding),
        "scores": pa.struct({"factscore": number, "d_factscore": number, "faithfulness": number}),
    }  # fmt: skip
    return pa.schema(
        {
            "id": text, "question": text, "answer": text,
            "passages": pa.list_(pa.struct({"id": text, "title": text, "text": text})), "at": time, **found,
            "action": text, "rule": text, "policy": text, "engine": text, "labels": names, "delivered": text,
            "attempts": whole, "exhausted": truth, "replacement": pa.struct({"answer": text, **found}),
            "trace_id": text, "span_id": text, "seconds": number, "weight": number, "spans_hold": truth,
            "label": text, "error_type": text, "error_spans": pa.list_(span), "finding_labels": names, "note": text,
            "labelled_at": time, "labelled_by": text,
        }
    )  # fmt: skip
