"""What a model wrote: a text, or an object of which one field is the answer. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from guardrail.errors import UsageError
from guardrail.wrap.answer_field import answer_field, replaced, text_in


@dataclass(frozen=True, slots=True)
class Written:
    """One text of a model.

    Attributes:
        text: As the model wrote it; JSON, where it is an object.
        value: The object that it spells (a pydantic model, a dataclass, a dict), if it is to be read as one.
        field: The field of the object that holds the answer.
    """

    text: str
    value: Any = None
    field: str = ""

    @property
    def answer(self) -> str:
        """The text to check."""
        return text_in(self.value, self.field) if self.field else self.text

    def with_answer(self, answer: str) -> Written:
        """The same with another answer; an object keeps its type and its other fields."""
        if answer == self.answer:
            return self
        if not self.field:
            return replace(self, text=answer)
        spelled = json.loads(self.text)
        for key in _keys(self.value, self.field):
            if key in spelled:
                spelled[key] = answer
        text = json.dumps(spelled, ensure_ascii=False)
        return replace(self, text=text, value=replaced(self.value, self.field, answer))


def written(text: str | None, parsed: object, field: str | None) -> Written | None:
    """What to check of a model's text; None where there is nothing.

    Args:
        text: What it wrote.
        parsed: The object that the client made of it; None = none.
        field: The caller's choice of the field that holds the answer; a text is read as JSON then.

    Raises:
        UsageError: no field holds free text, or the chosen one does not.
    """
    if not text:
        return None
    value = _object_in(text) if parsed is None and field is not None else parsed
    if value is None:
        return Written(text)
    found = answer_field(value, field)
    if found is None:
        raise UsageError(
            f"no field of {type(value).__name__} holds free text, so there is no answer to check. Use the client "
            "within, or name a field with answer_field."
        )
    return Written(text, value, found) if text_in(value, found) else None


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _keys(value: Any, field: str) -> set[str]:
    """The names that the field may have in JSON."""
    about = getattr(type(value), "model_fields", {}).get(field)
    aliases = (getattr(about, name, None) for name in ("alias", "validation_alias"))
    return {field, *(alias for alias in aliases if isinstance(alias, str))}
