"""Logged answers and engines for tests of the audit. What they hold can be pickled for other processes."""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from guardrail.audit import Audited, audit, open_source
from guardrail.audit.answer import LoggedAnswer, Rejected
from guardrail.audit.folder import AuditFolder
from guardrail.check.contract import VerifyRequest
from guardrail.testing import FakeEngine
from guardrail.types import Cell, Row, Segment, SupportMatrix, Usage

DAY = 86_400
BEGIN = 1_700_006_400.0  # midnight UTC

FAKE = FakeEngine({"wrong": "contradicted", "unheard": "unsupported"})
KIND = FakeEngine({"wrong": "contradicted", "Valve 3": "unsupported"}, name="kind")


def logged(number: int, *, bad: bool = False, **more: Any) -> dict[str, Any]:
    """A row of a log; each has texts of its own."""
    says = f"Valve {number} is wrong." if bad else f"Valve {number} closes at night."
    passages = [{"id": f"p{number}", "title": f"Manual {number % 7}", "text": f"Valve {number} closes at night."}]
    at = BEGIN + number * 600
    return {"id": f"a{number}", "question": "When?", "answer": says, "passages": passages, "at": at} | more


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """Rows as JSON lines; a text is written as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_parquet(path: Path, rows: list[dict[str, Any]], group: int = 50) -> Path:
    """Rows as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


def run_audit(source: Path, out: Path, **options: Any) -> Audited:
    """An audit by FAKE in this process, in batches of eight."""
    settings: dict[str, Any] = {"engine": FAKE, "workers": 0, "batch": 8} | options
    return audit(source, out, **settings)


def audit_rows(folder: Path, rows: Iterable[Any], name: str = "out", **options: Any) -> Audited:
    """An audit of rows, which are written to a log beside it."""
    return run_audit(write_lines(folder / f"{name}.jsonl", rows), folder / name, **options)


def audit_traces(folder: Path) -> Path:
    """The folder of an audit of ten of Langfuse's traces: a0, a3 and a6 are bad, a20 has no passages."""
    rows = [logged(n, bad=n % 3 == 0) for n in range(9)] + [logged(20, passages=[])]
    traces = [{"id": r["id"], "timestamp": "2026-11-03T10:00:00Z", "input": r["question"], "output": r["answer"],
               "metadata": {"documents": r["passages"]}, "observations": []} for r in rows]  # fmt: skip
    return audit_rows(folder, traces).folder


def read_source(source: Path | str, **options: Any) -> list[LoggedAnswer | Rejected]:
    """All that a source gives."""
    opened = open_source(str(source), **options)
    return [found for piece in opened.pieces() for found, _ in opened.read(piece)]


def ids_of(found: Iterable[LoggedAnswer | Rejected]) -> list[str | None]:
    """The ids of answers; None for what was rejected."""
    return [None if isinstance(one, Rejected) else one.id for one in found]


def told(one: LoggedAnswer) -> tuple[Any, ...]:
    """What a source says of an answer: id, question, answer, texts, documents, labels."""
    return (one.id, one.question, one.answer, [p.text for p in one.passages], one.documents, dict(one.labels))


def month(bad: Callable[[int], bool], model: str = "m1", first: int = 0, count: int = 200) -> list[dict[str, Any]]:
    """Rows of a month, every other one of the model; each by a user of its own."""
    return [
        logged(n, bad=bad(n), labels={"model": model if n % 2 else "m0", "user": f"u{n}"})
        for n in range(first, first + count)
    ]


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    """All rows of a table of an audit, as its journal lists the files, and what no file of it may hold besides."""
    from pyarrow import parquet

    with AuditFolder(folder) as opened:
        files = opened.files(name)
    assert sorted(files) == sorted((folder / name).rglob("*.parquet"))
    return [row for file in files for row in parquet.ParquetFile(file).read().to_pylist()]


def ids(folder: Path) -> Counter[str]:
    """How often each id was written."""
    return Counter(row["id"] for row in table(folder, "answers"))


@dataclass(frozen=True)
class ScoringEngine:
    """Says of a segment with the word ``s30`` that its score is 0.30; ``cost`` is that of an answer."""

    cost: float | None = None
    says: float | None = None
    asked: list[str] = field(default_factory=list, compare=False)
    name: str = "scores"

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        self.asked.extend(segment.text for segment in request.segments)
        rows = tuple(self._row(segment, len(request.passages)) for segment in request.segments)
        return SupportMatrix(rows=rows, usage=Usage(calls=1, cost=self.cost))

    def _row(self, segment: Segment, passages: int) -> Row:
        found = re.search(r"s(\d\d)", segment.text)
        score = self.says if self.says is not None else int(found[1]) / 100 if found else 0.95
        cell = Cell(supported=score, contradicted=0.02)
        return Row(segment_id=segment.id, cells=(cell,) * passages, supported=score, contradicted=0.02)


class DownEngine(ScoringEngine):
    """An engine that is paid and judges nothing."""

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        found = super().verify(request)
        return replace(found, rows=tuple(replace(row, unverified="the endpoint is down") for row in found.rows))


@dataclass(frozen=True)
class LethalEngine:
    """Ends its process where a segment holds ``fatal``; else says what FAKE says. ``name`` is the same for all."""

    fatal: str = ""
    name: str = "fake"

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        if self.fatal and any(self.fatal in segment.text for segment in request.segments):
            os.kill(os.getpid(), signal.SIGKILL)
        return FAKE.verify(request)
