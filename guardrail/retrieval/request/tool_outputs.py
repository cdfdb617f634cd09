"""Results of an agent's tools as passages, the same way in every framework."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from guardrail.check.intake import read_passages
from guardrail.retrieval.request.documents import documents_in, documents_of
from guardrail.types import Passage


def passages_of(result: Any, tool: str | None = None) -> list[Passage]:
    """The documents that a tool returned: as JSON, a text of JSON, objects of ours; else its text as one passage.

    Args:
        result: What the tool returned.
        tool: Its name: the title of passages that have none.
    """
    if isinstance(result, Passage):
        found = [result]
    elif isinstance(result, str):
        found = documents_in(result) or [Passage(text=result)]
    else:
        value = _plain(result)
        found = documents_of(value) or [Passage(text=value if isinstance(value, str) else _as_text(value))]
    return [Passage(text=p.text, id=p.id, title=p.title or tool) for p in found if p.text.strip()]


def distinct(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Each passage once, with ids that are unique."""
    unique = {(p.text, p.title): p for p in passages}
    seen: set[str] = set()
    named = []
    for passage in unique.values():
        ident = "" if passage.id in seen else passage.id
        seen.add(ident)
        named.append(Passage(text=passage.text, id=ident, title=passage.title))
    return tuple(read_passages(named))


def _plain(value: Any) -> Any:
    """Models and passages inside as JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Passage):
        return {"text": value.text, "id": value.id, "title": value.title}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
