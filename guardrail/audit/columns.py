"""From a row of any table to a logged answer: which column holds what."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from guardrail.audit.answer import LoggedAnswer, Rejected
from guardrail.audit.keys import hashed
from guardrail.errors import UsageError, did_you_mean
from guardrail.telemetry.labels import KEYS
from guardrail.types import Passage

FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "request_id", "trace_id"),
    "question": ("question", "query", "input", "user_input"),
    "answer": ("answer", "response", "output"),
    "passages": ("passages", "contexts", "retrieved_contexts", "documents", "context"),
    "at": ("at", "timestamp", "time", "created_at"),
}
"""What an answer has, and the names of columns that are looked for where none is named."""

_TEXTS = ("text", "content", "page_content", "document.content")
_DOCUMENTS = ("document_id", "document", "source", "metadata.source", "title")
_EXCERPT = 200
_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # nanoseconds, microseconds, milliseconds since 1970


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which column holds what; a dot leads into objects (``metadata.user``).

    Attributes:
        names: By ``id``, ``question``, ``answer``, ``passages``, ``at``; what is left out is looked for (FIELDS).
        labels: Columns to cut the report by, as label to column; beside ``labels``, an object, and the columns named
            application, model, retriever, index, release and topic.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.names:
            if name not in FIELDS:
                raise UsageError(f"unknown column {name!r}. {did_you_mean(name, FIELDS)}")

    def value(self, row: Mapping[str, Any], name: str) -> Any:
        """What the row holds as ``name``; None where it has no such column."""
        if name in self.names:
            return at_path(row, self.names[name])
        return next((row[known] for known in FIELDS[name] if row.get(known) is not None), None)

    def read(self, row: Mapping[str, Any], place: str) -> LoggedAnswer | Rejected:
        """The answer of a row, or why there is none."""
        given = self.value(row, "id")
        # Tables write what is missing as an empty text or NaN, too.
        ident = None if given is None or given == "" or given != given else str(given)  # noqa: PLR0124
        try:
            return self._read(row, place, ident)
        except (UsageError, ValueError, OverflowError) as error:
            return Rejected(place=place, reason=str(error), id=ident, excerpt=excerpt_of(row))

    def _read(self, row: Mapping[str, Any], place: str, ident: str | None) -> LoggedAnswer:
        answer = self.value(row, "answer")
        if answer is None:
            raise UsageError(f"has no {self._asked('answer')}; its columns are {sorted(map(str, row))}")
        question, at = self.value(row, "question"), self.value(row, "at")
        given = self.value(row, "passages")
        if given is None:
            raise UsageError(f"has no {self._asked('passages')}; its columns are {sorted(map(str, row))}")
        passages, documents = read_passages(given)
        if ident is None:  # the whole row: which columns were asked for must not decide which rows are the same
            ident = f"hash:{hashed(json.dumps(row, sort_keys=True, default=str)) & (2**64 - 1):016x}"
        return LoggedAnswer(
            id=ident,
            answer=_text(answer, "answer"),
            passages=passages,
            documents=documents,
            question=None if question is None else _text(question, "question"),
            at=None if at is None else seconds_of(at),
            labels=self._labels(row),
            place=place,
        )

    def _asked(self, name: str) -> str:
        return repr(self.names.get(name, name))

    def _labels(self, row: Mapping[str, Any]) -> dict[str, str]:
        chosen = {key: row[key] for key in KEYS if key in row} | dict(_pairs(row.get("labels")))
        chosen |= {label: at_path(row, column) for label, column in self.labels.items()}
        return {key: str(value) for key, value in chosen.items() if isinstance(value, (str, int, float, bool))}


def _pairs(labels: Any) -> Iterator[tuple[str, Any]]:
    """Labels of an object, or of a list of pairs (a map of Parquet); of anything else, tags for one, there are none."""
    for pair in labels.items() if isinstance(labels, Mapping) else labels if isinstance(labels, (list, tuple)) else ():
        if isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], str):
            yield pair[0], pair[1]


def read_passages(given: Any) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """Passages and their documents out of texts, objects, a list of either, or such a list as JSON text.

    A passage that is there twice counts once; other texts under an id that is taken get another id.

    Raises:
        UsageError: one has no text.
    """
    passages: list[Passage] = []
    documents: list[str] = []
    seen: dict[str, str] = {}
    for number, (text, ident, title, document) in enumerate(map(_passage, _listed(given)), 1):
        name = ident or f"p{number}"
        if seen.get(name) == text:
            continue
        if name in seen:
            name = f"{name}#{number}"
        seen[name] = text
        passages.append(Passage(text=text, id=name, title=title))
        documents.append(document or title or ident or nameless(text))
    return tuple(passages), tuple(documents)


def nameless(text: str, *, shown: bool = True) -> str:
    """How a passage without title, id and source is named: by how it begins, where that may be ``shown``."""
    return f"{f'{text[:60]} ' if shown else ''}[{hashed(text) & 0xFFFFFFFF:08x}]"


def _listed(given: Any) -> Iterable[Any]:
    if isinstance(given, str):
        if given.lstrip()[:1] in ("[", "{"):
            try:
                given = json.loads(given)
            except ValueError:
                return (given,)
        else:
            return (given,) if given.strip() else ()
    return (given,) if isinstance(given, (str, Mapping)) else given


def _passage(raw: Any) -> tuple[str, str | None, str | None, str | None]:
    if isinstance(raw, str):
        return raw, None, None, None
    if not isinstance(raw, Mapping):
        raise UsageError(f"passages: a passage must be a text or an object, got {type(raw).__name__}")
    text = next(_present(raw, _TEXTS), None)
    if not isinstance(text, str):
        raise UsageError(f"passages: a passage has no 'text'; its keys are {sorted(map(str, raw))}")
    ident = next(_present(raw, ("id", "document.id")), None)
    title = next(_present(raw, ("title", "metadata.title")), None)
    document = next(_present(raw, _DOCUMENTS), None)
    named = [None if value is None or isinstance(value, (Mapping, list)) else str(value)
             for value in (ident, title, document)]  # fmt: skip
    return text, named[0], named[1], named[2]


def _present(raw: Mapping[str, Any], paths: Iterable[str]) -> Iterator[Any]:
    return (value for path in paths if (value := at_path(raw, path)) is not None)


def at_path(row: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path; a column whose name holds the dots comes first."""
    if path in row:
        return row[path]
    head, dot, rest = path.partition(".")
    inner = row.get(head) if dot else None
    if isinstance(inner, str) and inner.lstrip().startswith("{"):
        try:
            inner = json.loads(inner)
        except ValueError:
            return None
    return at_path(inner, rest) if isinstance(inner, Mapping) else None


def seconds_of(value: Any) -> float:
    """A time in Unix seconds: a number (seconds to nanoseconds, by its size), ISO 8601, or a date; UTC where unsaid.

    Raises:
        UsageError: it is none.
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            try:
                value = datetime.fromisoformat(value.strip())
            except ValueError:
                raise UsageError(f"at: {value!r:.60} is no time; write Unix seconds or ISO 8601") from None
    if isinstance(value, datetime):
        value = (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    elif isinstance(value, date):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UsageError(f"at: {value!r:.60} is no time; write Unix seconds or ISO 8601")
    seconds = value / next((unit for least, unit in _UNITS if abs(value) >= least), 1)
    if not -6e10 < seconds < 2.5e11:  # years 69 to 9892
        raise UsageError(f"at: {value!r:.60} is a time in a year that no calendar has")
    return float(seconds)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name}: must be a text, got {type(value).__name__}")
    return value


def excerpt_of(raw: Any) -> str:
    """How a row begins, for the table of what was rejected."""
    return str(raw)[:_EXCERPT]
