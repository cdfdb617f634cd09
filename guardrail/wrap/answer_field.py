"""The field of a structured answer that holds its text: of a dict, a pydantic model or a dataclass."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from guardrail.errors import UsageError, did_you_mean

NAMES: Final = ("answer", "final_answer", "response", "reply")
"""Fields of these names hold the answer, however long the others are (a chain of thought often is longer)."""

_TOKEN = re.compile(r"[!-~]+")
"""One word without blanks: a URL, an id, a date."""

_Structured = TypeVar("_Structured")


def is_structured(value: object) -> bool:
    """Whether the value has fields, of which one may hold the answer."""
    return isinstance(value, (Mapping, BaseModel)) or (is_dataclass(value) and not isinstance(value, type))


def answer_field(value: object, field: str | None = None) -> str | None:
    """The name of the field that holds the answer: the one that the caller names, else the longest free text.

    Free text is what the schema declares as ``str`` or ``str | None`` without a pattern; in a dict, which has no
    schema, every str. A field with one of ``NAMES`` comes first, one word without blanks (a URL) behind the others, and
    an empty field last.

    Args:
        value: A dict, pydantic model or dataclass.
        field: The caller's choice.

    Returns:
        None where no field holds free text. The value in the field may be None.

    Raises:
        UsageError: the value has no fields, there is no such one, or it holds no text.
    """
    if not is_structured(value):
        raise UsageError(f"a structured answer must be a dict, a pydantic model or a dataclass, got {_name(value)}.")
    held = _held(value)
    if field is None:
        free = {name: held[name] or "" for name in _declared(value, held) if held[name] is None or _is_text(held[name])}
        return max(free, key=lambda name: _rank(name, free[name]), default=None)
    if field not in held:
        raise UsageError(f"{_name(value)} has no field {field!r} for the answer. {did_you_mean(field, held)}")
    if held[field] is not None and not _is_text(held[field]):
        raise UsageError(f"field {field!r} of {_name(value)} must hold the answer's text, got {_name(held[field])}.")
    return field


def text_in(value: object, field: str) -> str:
    """The text in a field; empty where it holds None."""
    return _held(value)[field] or ""


def replaced(value: _Structured, field: str, text: str) -> _Structured:
    """The same value, of the same type, with another text in one field. Its validators do not run."""
    if isinstance(value, BaseModel):
        return cast("_Structured", value.model_copy(update={field: text}))
    new: Any = copy.copy(value)
    if isinstance(value, Mapping):
        new[field] = text
    else:
        object.__setattr__(new, field, text)  # frozen ones too
    return cast("_Structured", new)


def _rank(name: str, text: str) -> tuple[bool, int, bool, int]:
    known = len(NAMES) - NAMES.index(name) if name in NAMES else 0
    return bool(text.strip()), known, not _TOKEN.fullmatch(text), len(text)


def _name(value: object) -> str:
    return type(value).__name__


def _held(value: Any) -> dict[str, Any]:
    """The fields' values."""
    if isinstance(value, Mapping):
        return {name: each for name, each in value.items() if isinstance(name, str)}
    names = type(value).model_fields if isinstance(value, BaseModel) else [f.name for f in fields(value)]
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def _declared(value: Any, held: Mapping[str, Any]) -> list[str]:
    """The fields that are free text by the schema; those that hold text, where there is none to be read."""
    if isinstance(value, BaseModel):
        declared = type(value).model_fields
        free = [name for name, info in declared.items() if _is_free(info.annotation, info.metadata)]
        return [name for name in free if name in held]
    try:
        hints = {} if isinstance(value, Mapping) else get_type_hints(type(value), include_extras=True)
    except (NameError, TypeError):
        hints = {}
    return [name for name in held if (_is_free(hints[name]) if name in hints else _is_text(held[name]))]


def _is_free(hint: Any, metadata: list[Any] | tuple[Any, ...] = ()) -> bool:
    if get_origin(hint) is Annotated:
        hint, *metadata = get_args(hint)
    if any(getattr(each, "pattern", None) for each in metadata):
        return False
    if get_origin(hint) in (Union, UnionType):
        members = [each for each in get_args(hint) if each is not NoneType]
        return bool(members) and all(map(_is_free, members))
    return hint is str


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, Enum)
