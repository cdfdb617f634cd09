"""Edits of JSON texts that leave every other byte as it is.

Who parses a body and writes it again changes what he does not know: the spelling of numbers, escapes, blanks, keys that
come twice. Here a value is found in the text, and only its characters are replaced. Where a key comes twice, both are
replaced, since readers differ in which one they take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any, Final

from guardrail.types import Span

_read: Final = json.JSONDecoder().raw_decode
_blank: Final = re.compile(r"[ \t\n\r]*").match

Path = tuple[str | int, ...]
"""Keys of objects and numbers of list items, from the outside in."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: its key, where that begins, and its value."""

    key: str
    start: int
    value: Span


def dumps(value: Any) -> str:
    """JSON in one line; lone surrogates as escapes, so that it can be encoded."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def members(text: str, start: int = 0) -> list[Member]:
    """The members of the object that begins at ``start`` (blanks may precede it).

    Raises:
        ValueError: there is no object, or it is broken.
    """
    at = _expect(text, start, "{")
    found: list[Member] = []
    if text[at : at + 1] == "}":
        return found
    while True:
        if text[at : at + 1] != '"':
            raise JSONDecodeError("a key was expected", text, at)
        key, end = _read(text, at)
        value = _value(text, _expect(text, end, ":"))
        found.append(Member(key, at, value))
        at = _skip(text, value.end)
        if text[at : at + 1] == "}":
            return found
        at = _expect(text, at, ",")


def items(text: str, start: int = 0) -> Iterator[Span]:
    """The items of the list that begins at ``start``.

    Raises:
        ValueError: there is no list, or it is broken.
    """
    at = _expect(text, start, "[")
    while text[at : at + 1] != "]":
        value = _value(text, at)
        yield value
        at = _skip(text, value.end)
        if text[at : at + 1] != "]":
            at = _expect(text, at, ",")


def spans(text: str, path: Path) -> list[Span]:
    """Where the values at a path stand; none where there is no such value."""
    found = [Span(_skip(text, 0), len(text.rstrip()))]
    for step in path:
        inner: list[Span] = []
        for span in found:
            kind = text[span.start : span.start + 1]
            if isinstance(step, str) and kind == "{":
                inner += [member.value for member in members(text, span.start) if member.key == step]
            elif isinstance(step, int) and kind == "[":
                inner += [item for number, item in enumerate(items(text, span.start)) if number == step]
        found = inner
    return found


def replaced(text: str, path: Path, value: str) -> str:
    """The text with JSON in the place of the value at a path; a member that is not there is added."""
    found = spans(text, path)
    if found:
        return edited(text, [(span, value) for span in found])
    return with_member(text, path[:-1], str(path[-1]), value)


def with_member(text: str, path: Path, name: str, value: str) -> str:
    """The text with one more member at the end of the object at a path; of the same name there is no other."""
    if f'"{name}"' in text or "\\" in text:
        text = without(text, path, name)
    new = f"{json.dumps(name)}:{value}"
    edits = []
    for span in spans(text, path):
        known = members(text, span.start)
        at = known[-1].value.end if known else text.index("{", span.start) + 1
        edits.append((Span(at, at), f",{new}" if known else new))
    return edited(text, edits)


def without(text: str, path: Path, *names: str) -> str:
    """The text without the members of these names in the object at a path."""
    edits = []
    for span in spans(text, path):
        if text[span.start : span.start + 1] != "{":
            continue
        known = members(text, span.start)
        kept = [n for n, member in enumerate(known) if member.key not in names]
        if len(kept) == len(known):
            continue
        for number, member in enumerate(known):
            if member.key not in names:
                continue
            if any(n > number for n in kept):  # up to the next member, with the comma
                edits.append((Span(member.start, known[number + 1].start), ""))
            else:  # the last ones: with the comma before
                before = known[number - 1].value.end if number else member.start
                edits.append((Span(before, member.value.end), ""))
    return edited(text, edits)


def with_one(text: str, name: str) -> str:
    """The text with the last of several members of one name only: the one that was read."""
    if text.count(f'"{name}"') < 2 and "\\" not in text:
        return text
    last = [member.value for member in members(text) if member.key == name]
    return with_member(text, (), name, last[-1].of(text)) if len(last) > 1 else text


def edited(text: str, edits: list[tuple[Span, str]]) -> str:
    """The text with stretches replaced, which do not overlap."""
    pieces, at = [], 0
    for span, new in sorted(edits, key=lambda edit: edit[0]):
        pieces += [text[at : span.start], new]
        at = span.end
    return "".join([*pieces, text[at:]])


def _skip(text: str, at: int) -> int:
    match = _blank(text, at)
    return at if match is None else match.end()


def _expect(text: str, at: int, sign: str) -> int:
    """Behind the sign and the blanks around it."""
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise JSONDecodeError(f"{sign!r} was expected", text, at)
    return _skip(text, at + 1)


def _value(text: str, at: int) -> Span:
    return Span(at, _read(text, at)[1])
