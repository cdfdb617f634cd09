"""Prompts of the papers' plans, and the lists of what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from guardrail.check.contract import NotJudged, VerifyRequest
from guardrail.engines.llm.fences import fence
from guardrail.engines.llm.prompts import instructions
from guardrail.engines.llm.protocol import Prompt
from guardrail.engines.llm.replies import json_schema
from guardrail.engines.llm.steps import Replies, Steps

Block = tuple[str, Any]
"""Name and value of a data block."""

Form = TypeVar("Form", bound=BaseModel)


def ask(name: str, language: str, reply: type[BaseModel], blocks: Sequence[Block]) -> Prompt:
    """One request: the instructions of that name and language, and the data in the order given."""
    text = instructions(name, language)
    user = "\n\n".join(fence(label, value) for label, value in blocks)
    return Prompt(identity=text.identity, system=text.text, user=user, schema=json_schema(reply))


def items(raw: dict[str, Any] | NotJudged, key: str, form: type[Form]) -> list[Form]:
    """The items of a list in a reply that have the right form; one that is wrong spoils itself only."""
    listed = raw.get(key) if isinstance(raw, dict) else None
    found = []
    for item in listed if isinstance(listed, list) else []:
        try:
            found.append(form.model_validate(item))
        except ValidationError:
            continue
    return found


def context_blocks(request: VerifyRequest, numbers: Sequence[int]) -> list[Block]:
    """``documents`` with the passages of these numbers, called "d1", "d2", ... by their position; then the question."""
    passages = [(n, request.passages[n]) for n in numbers]
    listed = [{"id": f"d{n + 1}", "title": passage.title, "text": passage.text} for n, passage in passages]
    return [("documents", listed), *question_block(request.question)]


def question_block(question: str | None) -> tuple[Block, ...]:
    """The block ``question``, left out if there is none."""
    return (("question", question),) if question else ()


def replies_to(prompts: Iterable[Prompt]) -> Steps[Replies]:
    """One round of all of them; none where there is nothing to ask."""
    asked = tuple(prompts)
    return (yield asked) if asked else ()
