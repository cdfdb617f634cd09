"""Records as Parquet, in row groups of some hundred. The only place where pyarrow is imported."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from guardrail.errors import MissingExtraError
from guardrail.telemetry.records.database import storable

_AT_ONCE = 500


def write_parquet(rows: Iterable[dict[str, Any]], path: Path) -> int:
    """Write what ``export.as_json`` makes of records; returns how many.

    ``labels`` and ``finding_labels`` are maps, ``at`` and ``labelled_at`` are times in UTC.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError('Parquet needs pyarrow: pip install "rag-guardrail[parquet]"') from error
    schema = _schema(pa)
    left, count = iter(rows), 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while some := list(islice(left, _AT_ONCE)):
            count += len(some)
            writer.write_table(pa.Table.from_pylist([_row(row) for row in some], schema=schema))
    return count


def _row(row: dict[str, Any]) -> dict[str, Any]:
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


def _schema(pa: Any) -> Any:
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
