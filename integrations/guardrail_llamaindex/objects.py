"""Answers that are objects: the text in them that is checked, and the object with another text in its place."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from guardrail.check.intake import lines_of
from guardrail.wrap.answer_field import answer_field, replaced, text_in

Object = BaseModel | dict[str, Any]


def checked_field(value: Object, field: str | None = None) -> str | None:
    """The field that holds the answer; None where none does, or it is empty: then all values are checked.

    Args:
        value: An answer.
        field: The caller's choice; None = see ``answer_field``.

    Raises:
        UsageError: there is no field of that name, or it holds no text.
    """
    found = answer_field(value, field)
    return found if found is not None and text_in(value, found).strip() else None


def text_of_object(value: Object, field: str | None = None) -> str:
    """The text to check: that of the answer's field, else all values, one a line."""
    found = checked_field(value, field)
    if found is not None:
        return text_in(value, found)
    return "\n".join(lines_of(value.model_dump(mode="json") if isinstance(value, BaseModel) else value))


def with_text(value: Object, text: str, field: str | None = None) -> Object | None:
    """The object, of the same type, with another text; None where all its values were checked together.

    Fields that repeat the answer word by word get the text, too.
    """
    found = checked_field(value, field)
    if found is None:
        return None
    said = text_in(value, found)
    names = list(value) if isinstance(value, dict) else list(type(value).model_fields)
    for name in names:
        held = value[name] if isinstance(value, dict) else getattr(value, name, None)
        if isinstance(held, str) and held.strip() == said.strip():
            value = replaced(value, name, text)
    return replaced(value, found, text)
