"""Prompts of the papers' plans, and the JSON of what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from guardrail.llm.fences import fence
from guardrail.llm.json_text import read_object
from guardrail.llm.prompts import instructions
from guardrail.llm.protocol import LLMError, Prompt
from guardrail.llm.replies import json_schema
from guardrail.llm.steps import Reply
from guardrail.types import Passage

Block = tuple[str, Any]
"""Name and value of a data block."""

Form = TypeVar("Form", bound=BaseModel)


def ask(name: str, language: str, reply: type[BaseModel], blocks: Sequence[Block]) -> Prompt:
    """One request: the instructions of that name and language, and the data in the order given."""
    text = instructions(name, language)
    user = "\n\n".join(fence(label, value) for label, value in blocks)
    return Prompt(identity=text.identity, system=text.text, user=user, schema=json_schema(reply))


def answer_of(reply: Reply) -> dict[str, Any] | str:
    """The JSON object of a reply, or why there is none."""
    if isinstance(reply, LLMError):
        return f"the judge could not be asked: {reply}"
    raw = read_object(reply.text)
    if raw is None:
        return "the judge's reply was cut off" if reply.cut_off else "the judge's reply holds no JSON object"
    return raw


def items(raw: dict[str, Any] | str, key: str, form: type[Form]) -> list[Form]:
    """The items of a list in a reply that have the right form; one that is wrong spoils itself only."""
    listed = raw.get(key) if isinstance(raw, dict) else None
    found = []
    for item in listed if isinstance(listed, list) else []:
        try:
            found.append(form.model_validate(item))
        except ValidationError:
            continue
    return found


def documents_block(passages: Sequence[Passage], numbers: Sequence[int]) -> Block:
    """The block ``documents`` with the passages of these numbers, called "d1", "d2", ... by their position."""
    return "documents", [{"id": f"d{n + 1}", "title": passages[n].title, "text": passages[n].text} for n in numbers]


def question_block(question: str | None) -> tuple[Block, ...]:
    """The block ``question``, left out if there is none."""
    return (("question", question),) if question else ()
