"""JSON in a passage: one statement per object, its keys as words, after the names of what it lies in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from guardrail.text.records.statement import Statement, ranked, row_text, title
from guardrail.types import Span

_TRIES = 8
"""Opening brackets that turn out to open no JSON before the search is given up: each may cost the whole text."""
_DEEPEST = 12
"""Levels of nested JSON that are read; each costs another pass over what it holds."""
_LITERALS = {"true": "yes", "false": "no", "null": "not given"}
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_LINE_ENDS = re.compile(r"[^\w\n]{0,8}(?:\n|\Z)")
_SPACE = re.compile(r"[\s,:]*")


@dataclass(slots=True)
class _Record:
    """The plain values of one object: ``place`` names what it lies in, ``told`` are the values as they are told."""

    span: Span
    place: str
    cells: tuple[tuple[str, str], ...]
    told: Sequence[str]
    table: int = -1

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key, _ in self.cells)


def json_statements(text: str) -> Iterator[Statement]:
    """Statements of the JSON objects and arrays that begin a line."""
    end, failed = 0, 0
    for match in re.finditer(r"^[ \t]*(?=[{\[])", text, re.MULTILINE):
        start = match.end()
        if start < end or failed >= _TRIES:
            continue
        try:
            value, after = _DECODER.raw_decode(text, start)
            made = _value(text, start, [])[1]
        except (ValueError, RecursionError):
            failed += 1
            continue
        objects = isinstance(value, dict) or any(isinstance(element, dict) for element in value)
        if not objects or not _LINE_ENDS.match(text, after):
            continue  # "[1] Hallam 2022" is no array
        end = after
        for record in made:
            words = record.place + row_text(record.keys, record.told)
            yield Statement(record.span, words, record.cells, record.table)


def _value(text: str, at: int, path: list[str]) -> tuple[int, list[_Record]]:
    """End of the object or array at ``at``, and its records; ``path`` names what it lies in."""
    if len(path) > _DEEPEST:
        raise ValueError("nested too deep")
    opening, close = text[at], "}" if text[at] == "{" else "]"
    start, at = at, _skip(text, at + 1)
    own: list[tuple[str, str]] = []
    inner: list[_Record] = []
    elements: list[_Record] = []
    while text[at] != close:
        key = ""
        if opening == "{":
            name, at = _DECODER.raw_decode(text, at)
            key, at = title(name), _skip(text, at)
        if text[at] == "[" and (simple := _scalars(text, at)):
            words, at = simple
            own.append((key, words))
        elif text[at] in "{[":
            owner = next((value for _, value in own if value and not value[0].isdigit()), "")
            at, made = _value(text, at, [*path, owner, key])
            inner.extend(made)
            elements.extend(made[:1])
        else:
            value, after = _DECODER.raw_decode(text, at)
            own.append((key, _scalar(text[at:after], value)))
            at = after
        at = _skip(text, at)
    if opening == "[" and len({record.keys for record in elements}) == 1:
        for record, told in zip(elements, ranked([r.told for r in elements]), strict=True):
            record.told, record.table = told, start
    if own:
        place = ", ".join(filter(None, path))
        stop = min((r.span.start for r in inner), default=at + 1)  # spans of records must not overlap
        span = Span(start, start + len(text[start:stop].rstrip()))
        values = [value for _, value in own]
        inner.insert(0, _Record(span, f"{place}: " if place else "", tuple(own), values))
    return at + 1, inner


def _scalars(text: str, at: int) -> tuple[str, int] | None:
    """An array of plain values as one cell."""
    values: list[Any]
    values, end = _DECODER.raw_decode(text, at)
    if any(isinstance(value, dict | list) for value in values):
        return None
    return ", ".join(_scalar("", value) for value in values) or "none", end


def _scalar(raw: str, value: object) -> str:
    if value is None or isinstance(value, bool):
        return _LITERALS[raw or json.dumps(value)]
    return " ".join(str(value).split())


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
