"""An audit to draw samples from, and what people say of the answers that are drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from guardrail.audit.rate.sample import Drawn
from guardrail.evaluation.labels import Item, Label
from guardrail.types import Passage
from tests.support.audited import ScoringEngine, logged, run_audit, write_lines
from tests.support.label_files import write_labels


def rows(count: int = 400) -> list[dict[str, Any]]:
    """Scores s05 to s95; every tenth answer is logged three times, and some have no passages."""
    found = [logged(n, answer=f"Valve {n} of kind s{5 + 10 * (n % 10):02} closes.", model=f"m{n % 4 // 2}")
             for n in range(count)]  # fmt: skip
    found += [logged(n, id=f"again{n}-{k}", answer=found[n]["answer"]) for n in range(0, count, 10) for k in range(2)]
    return found + [logged(n, passages=[]) for n in range(count, count + 7)]


def audit_scores(folder: Path) -> Path:
    """The folder of an audit of ``rows``; its log is log.jsonl beside it."""
    log = write_lines(folder / "log.jsonl", rows())
    return run_audit(log, folder / "out", engine=ScoringEngine(), batch=64).folder


def queue_of(drawn: Drawn) -> list[dict[str, Any]]:
    """The rows of a sample's queue."""
    return [json.loads(line) for line in drawn.queue.read_text().splitlines()]


def is_wrong(row: Mapping[str, Any]) -> bool:
    """The truth: scores below 0.3 are wrong, and one in eight of the others."""
    return int(row["answer"].split(" s")[1][:2]) < 30 or int(row["answer"].split()[1]) % 8 == 0


def labelled(drawn: Drawn, rows_of: Iterable[Mapping[str, Any]] | None = None) -> Path:
    """The label file of a sample, by the truth; ``rows_of``: the rows that somebody has labelled."""
    lines: list[Item | Label] = []
    for number, row in enumerate(queue_of(drawn) if rows_of is None else rows_of):
        passages = tuple(Passage(id=p["id"], title=p["title"], text=p["text"]) for p in row["passages"])
        lines.append(Item(id=row["id"], answer=row["answer"], passages=passages, segments=(), drawn="random"))
        word = "unsupported" if is_wrong(row) else "supported"
        lines.append(Label(key=f"k{number}", item=row["id"], segment="", label=word, by="Ana", at=1.0))
    return write_labels(drawn.queue.with_name("sample.labels.jsonl"), lines)
