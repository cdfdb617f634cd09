"""The tables of an audit, as pyarrow schemas, and their rows as bytes on the way to disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from guardrail.audit.sources.paths import missing
from guardrail.types import Cause, Verdict

ANSWERS, JUDGEMENTS, FINDINGS, DOCUMENTS = "answers", "judgements", "findings", "documents"
TABLES = (ANSWERS, JUDGEMENTS, FINDINGS, DOCUMENTS)
"""``answers``: one row per logged answer. The others are by ``content``: answer, question and passages, judged once."""

REJECTED = "rejected"

PASSING = (Cause.TIMEOUT.value, Cause.BUDGET.value, Cause.ENGINE.value)
"""Causes that another day may not have: time ran out; no request was left, or the endpoint was taken for down; the
engine or its endpoint failed. What is unverified for one of them is not done: the next run judges it again. But where
requests were made until the answer's own budget was spent, the same would be paid again for the same end."""


def is_passing(row: Mapping[str, Any]) -> bool:
    """Whether a judgement says only that it could not be made this time, and is worth another try."""
    return row["verdict"] == Verdict.UNVERIFIED.value and row["cause"] in PASSING and not is_spent(row)


def is_spent(row: Mapping[str, Any]) -> bool:
    """Whether the answer's own budget of requests was spent before there was a verdict."""
    return row["verdict"] == Verdict.UNVERIFIED.value and row["cause"] == Cause.BUDGET.value and bool(row["calls"])


def passing(judgements: Any, *, spent: bool = False) -> Any:
    """``is_passing`` of each row of a table, as an array of booleans; with ``spent``, or ``is_spent``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unverified = pc.equal(judgements["verdict"], Verdict.UNVERIFIED.value)
    found = pc.and_(unverified, pc.is_in(judgements["cause"], pa.array(PASSING)))
    if spent:
        return found
    if "calls" not in judgements.column_names:  # of an audit that was begun before they were noted
        return found
    paid = pc.greater(pc.fill_null(judgements["calls"], 0), 0)
    over = pc.and_(pc.equal(pc.fill_null(judgements["cause"], ""), Cause.BUDGET.value), paid)
    return pc.and_(found, pc.invert(over))


Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows by table."""


def no_rows() -> dict[str, list[dict[str, Any]]]:
    """An empty list for each of TABLES."""
    return {table: [] for table in TABLES}


@lru_cache(maxsize=1)
def schemas() -> dict[str, Any]:
    """The schema of each table.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ModuleNotFoundError as error:
        raise missing("pyarrow") from error
    text, number, count = pa.string(), pa.float64(), pa.int32()
    evidence = pa.list_(pa.struct([("passage", text), ("document", text), ("quote", text)]))
    columns: dict[str, list[tuple[str, Any]]] = {
        ANSWERS: [
            ("key", pa.int64()),
            ("id", text),
            ("content", pa.int64()),
            ("day", text),
            ("at", pa.timestamp("us", tz="UTC")),
            ("labels", pa.map_(text, text)),
            ("place", text),
        ],
        JUDGEMENTS: [
            ("content", pa.int64()),
            ("verdict", text),
            ("score", number),
            ("action", text),
            ("rule", text),
            ("reason", text),
            ("cause", text),
            ("error_types", pa.list_(text)),
            ("findings", count),
            ("faults", count),
            ("conflicts", count),
            ("mixed", pa.bool_()),
            ("passages", count),
            ("question", text),
            ("answer", text),
            ("escalated", count),
            ("calls", count),
            ("cost", number),
        ],
        FINDINGS: [
            ("content", pa.int64()),
            ("finding", text),
            ("text", text),
            ("verdict", text),
            ("score", number),
            ("error_type", text),
            ("entity", text),
            ("reason", text),
            ("cause", text),
            ("conflict", pa.bool_()),
            ("evidence", evidence),
        ],
        DOCUMENTS: [
            ("content", pa.int64()),
            ("document", text),
            ("passage", text),
            ("supported", count),
            ("contradicted", count),
            ("conflicts", count),
        ],
        REJECTED: [("place", text), ("id", text), ("reason", text), ("excerpt", text), ("rows", pa.int64())],
    }
    return {name: pa.schema(fields) for name, fields in columns.items()}


def packed(table: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as a compressed Arrow stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    schema = schemas()[table]
    with pa.ipc.new_stream(sink, schema, options=options) as writer:
        writer.write_table(pa.Table.from_pylist([dict(row) for row in rows], schema=schema))
    return bytes(sink.getvalue().to_pybytes())


def unpacked(data: bytes) -> Any:
    """The table that ``packed`` wrote."""
    import pyarrow as pa

    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()
