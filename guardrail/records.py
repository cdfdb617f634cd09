"""JSON records: answers to check, one per line, and what comes out for each. Order and ids are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

from pydantic import BaseModel, ConfigDict, ValidationError

from guardrail.errors import UsageError, did_you_mean
from guardrail.types import Finding, GuardedAnswer, Passage


class Encoding(TypedDict):
    """How a text stream is decoded."""

    encoding: str
    errors: str


ENCODING: Encoding = {"encoding": "utf-8-sig", "errors": "surrogateescape"}
"""Decoding of JSONL streams: a byte that is not UTF-8 spoils its own line only."""

_NOT_UTF8 = re.compile("[\udc80-\udcff]")


class PassageRecord(BaseModel):
    """A passage in a record."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    id: str | int | None = None
    title: str | None = None


class Record(BaseModel):
    """One answer to check."""

    model_config = ConfigDict(extra="ignore", strict=True)

    answer: str
    passages: list[str | PassageRecord]
    id: str | int | None = None
    question: str | None = None

    def to_passages(self) -> list[str | Passage]:
        """The passages as the guard takes them."""
        return [
            p if isinstance(p, str) else Passage(text=p.text, id="" if p.id is None else str(p.id), title=p.title)
            for p in self.passages
        ]


@dataclass(frozen=True, slots=True)
class Line:
    """A record as read from line ``number`` (1-based), or the error that kept it from being read."""

    number: int
    record: Record | None
    error: str | None = None
    ident: str | int | None = None


def read_lines(lines: Iterable[str]) -> Iterator[Line]:
    """Records of a JSONL stream, one at a time; a line that is wrong yields its error, empty lines nothing."""
    for number, text in enumerate(lines, 1):
        if text.strip():
            yield _read(number, text)


def read_file(path: Path) -> Iterator[Line]:
    """Records of a file: JSONL, or with the suffix ``.json`` one object or a list of objects.

    Raises:
        UsageError: there is no such file, or it is ``.json`` and not valid UTF-8 or JSON as a whole.
    """
    try:
        if path.suffix == ".json":
            raw = json.loads(path.read_text(encoding="utf-8-sig"))
            for number, item in enumerate(raw if isinstance(raw, list) else [raw], 1):
                yield _validate(number, item)
        else:
            with path.open(**ENCODING) as handle:
                yield from read_lines(handle)
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{str(path)!r} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    except ValueError as error:  # also a number of too many digits
        raise UsageError(
            f"{str(path)!r} is not valid JSON: {error}. One record per line needs the suffix .jsonl."
        ) from error


def _read(number: int, text: str) -> Line:
    if _NOT_UTF8.search(text):
        return Line(number, None, "is not UTF-8 text")
    try:
        return _validate(number, json.loads(text))
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        return Line(number, None, f"not valid JSON: {error}")


def _validate(number: int, raw: Any) -> Line:
    if not isinstance(raw, dict):
        return Line(number, None, f"must be a JSON object, got {type(raw).__name__}")
    ident = raw.get("id") if isinstance(raw.get("id"), (str, int)) else None
    try:
        return Line(number, Record.model_validate(raw), ident=ident)
    except ValidationError as error:
        # A passage is a text or an object; of an object that is wrong, say what is wrong with it as an object.
        inside = [e for e in error.errors() if PassageRecord.__name__ in e["loc"][:-1]]
        first = (inside or error.errors())[0]
        field = str(first["loc"][0])
        if first["type"] == "missing" and len(first["loc"]) == 1:
            near = [key for key in raw if did_you_mean(str(key), [field]).startswith("Did")]
            hint = f" (did you mean to rename {near[0]!r}?)" if near else ""
            return Line(number, None, f"has no {field!r}; its keys are {sorted(raw)}{hint}", ident)
        where = ".".join(str(part) for part in first["loc"] if part != PassageRecord.__name__)
        return Line(number, None, f"{where}: {first['msg'].lower()}, got {first['input']!r:.60}", ident)


def result_record(ident: str | int | None, guarded: GuardedAnswer) -> dict[str, Any]:
    """What is written for one answer: ids, verdict, score, findings, scores, action and the text to deliver."""
    report = guarded.report
    return {
        "id": ident,
        "verdict": report.verdict.value,
        "score": round(report.score, 4),
        "action": guarded.action.value,
        "findings": [_finding(f) for f in report.findings],
        "skipped": [{"span": list(s.span), "reason": s.skipped} for s in report.skipped],
        "scores": {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(report.scores).items()},
        "reason": report.reason,
        "text": guarded.text,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "text": finding.text,
        "span": list(finding.span),
        "claim": finding.claim,
        "verdict": finding.verdict.value,
        "score": round(finding.score, 4),
        "error_type": finding.error_type.value if finding.error_type else None,
        "entity": finding.entity,
        "reason": finding.reason,
        "focus": list(finding.focus) if finding.focus else None,
        "conflict": finding.conflict,
        "evidence": [{"passage_id": e.passage_id, "span": list(e.span), "quote": e.quote} for e in finding.evidence],
    }
