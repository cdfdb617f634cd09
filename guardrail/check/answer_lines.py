"""Answers to check as JSON, one per line, and what an extraction writes. Order and ids are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from guardrail.check.contract import Draft
from guardrail.check.intake import ClaimLike, sentence_of
from guardrail.errors import UsageError, did_you_mean
from guardrail.types import Claim, Passage, Span


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


TO_CHECK = ("answer", "passages")
"""Keys that a record to check must have."""


class Record(BaseModel):
    """One answer to check, or only to decompose."""

    model_config = ConfigDict(extra="ignore", strict=True)

    answer: str
    passages: list[str | PassageRecord] | None = None
    id: str | int | None = None
    question: str | None = None

    def to_passages(self) -> list[str | Passage]:
        """The passages as the guard takes them."""
        return [
            p if isinstance(p, str) else Passage(text=p.text, id="" if p.id is None else str(p.id), title=p.title)
            for p in self.passages or ()
        ]

    def to_claims(self) -> list[ClaimLike] | None:
        """The claims as the guard takes them; None: the answer is to be taken apart."""
        return None


class ClaimRecord(BaseModel):
    """A claim in a record, as ``guardrail extract`` writes it; its text may be left out beside a triplet."""

    model_config = ConfigDict(extra="ignore", strict=True)

    text: str | None = None
    triplet: Annotated[list[str], Field(min_length=3, max_length=3)] | None = None
    span: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None

    def to_claim(self) -> Claim:
        """The claim, with an empty text where it says nothing."""
        triplet = (self.triplet[0], self.triplet[1], self.triplet[2]) if self.triplet else None
        text = sentence_of(triplet or ()) if self.text is None else self.text
        return Claim(id="", text=text, triplet=triplet, span=Span(*self.span) if self.span else None)


class ClaimsRecord(Record):
    """One answer to check with the claims to check of it."""

    claims: list[str | list[str] | ClaimRecord]

    def to_claims(self) -> list[ClaimLike] | None:
        """See Record.to_claims."""
        return [c.to_claim() if isinstance(c, ClaimRecord) else c for c in self.claims]


_FORMS = {PassageRecord.__name__, ClaimRecord.__name__}


@dataclass(frozen=True, slots=True)
class Line:
    """A record as read from line ``number`` (1-based), or the error that kept it from being read."""

    number: int
    record: Record | None
    error: str | None = None
    ident: str | int | None = None


def read_lines(lines: Iterable[str], needs: Collection[str] = TO_CHECK) -> Iterator[Line]:
    """Records of a JSONL stream, one at a time; a line that is wrong yields its error, empty lines nothing.

    Args:
        lines: The lines.
        needs: Keys that each record must have; with "claims" among them the records are ClaimsRecords.
    """
    for number, text in enumerate(lines, 1):
        if text.strip():
            yield _read(number, text, needs)


def read_file(path: Path, needs: Collection[str] = TO_CHECK) -> Iterator[Line]:
    """Records of a file: JSONL, or with the suffix ``.json`` one object or a list of objects; see ``read_lines``.

    Raises:
        UsageError: there is no such file, or it is ``.json`` and not valid UTF-8 or JSON as a whole.
    """
    try:
        if path.suffix == ".json":
            raw = json.loads(path.read_text(encoding="utf-8-sig"))
            for number, item in enumerate(raw if isinstance(raw, list) else [raw], 1):
                yield _validate(number, item, needs)
        else:
            with path.open(**ENCODING) as handle:
                yield from read_lines(handle, needs)
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{str(path)!r} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    except ValueError as error:  # also a number of too many digits
        raise UsageError(
            f"{str(path)!r} is not valid JSON: {error}. One record per line needs the suffix .jsonl."
        ) from error


def _read(number: int, text: str, needs: Collection[str]) -> Line:
    if _NOT_UTF8.search(text):
        return Line(number, None, "is not UTF-8 text")
    try:
        return _validate(number, json.loads(text), needs)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        return Line(number, None, f"not valid JSON: {error}")


def _validate(number: int, raw: Any, needs: Collection[str]) -> Line:
    if not isinstance(raw, dict):
        return Line(number, None, f"must be a JSON object, got {type(raw).__name__}")
    ident = raw.get("id") if isinstance(raw.get("id"), (str, int)) else None
    for field in needs:
        if field not in raw:
            near = [key for key in raw if did_you_mean(str(key), [field]).startswith("Did")]
            hint = f" (did you mean to rename {near[0]!r}?)" if near else ""
            hint = " (RefChecker's files want --format refchecker)" if field == "answer" and "response" in raw else hint
            return Line(number, None, f"has no {field!r}; its keys are {sorted(raw)}{hint}", ident)
        if raw[field] is None:
            return Line(number, None, f"{field}: must not be null", ident)
    try:
        return Line(number, (ClaimsRecord if "claims" in needs else Record).model_validate(raw), ident=ident)
    except ValidationError as error:
        # A passage is a text or an object; of an object that is wrong, say what is wrong with it as an object.
        inside = [e for e in error.errors() if _FORMS & set(e["loc"][:-1])]
        first = (inside or error.errors())[0]
        where = ".".join(str(part) for part in first["loc"] if part not in _FORMS)
        return Line(number, None, f"{where}: {first['msg'].lower()}, got {first['input']!r:.60}", ident)


def extract_record(line: Line, draft: Draft) -> dict[str, Any]:
    """What ``guardrail extract`` writes for one answer; question and passages go through, so that it can be checked.

    ``reason`` is there where the engine failed and the rules took the answer apart.
    """
    record = Record(answer="") if line.record is None else line.record
    return {
        "id": line.ident,
        **record.model_dump(exclude={"id"}, exclude_none=True, exclude_unset=True),
        "claims": [
            {
                "id": claim.id,
                "text": claim.text,
                "triplet": list(claim.triplet) if claim.triplet else None,
                "span": list(claim.span) if claim.span else None,
            }
            for segment in draft.parts.segments
            for claim in segment.claims
        ],
        **({"reason": draft.reason} if draft.reason else {}),
    }
