"""Documents in JSON: what tools and retrievers return, in the shapes that are in use."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from guardrail.types import Passage

TEXTS: Final = ("text", "content", "page_content", "snippet", "passage", "chunk", "body")
TITLES: Final = ("title", "source", "name", "filename", "file_name", "file_path", "url", "link")
IDS: Final = ("id", "doc_id", "document_id", "chunk_id", "file_id", "node_id", "uuid")
LISTS: Final = (
    "documents docs passages sources results chunks hits matches nodes contexts context retrieved items data content "
    "output response value".split()
)
"""Under which names an object holds its documents."""

_DEEPEST = 6
"""Objects inside objects that are looked into."""


def documents_in(text: str) -> list[Passage] | None:
    """The documents of a JSON text; None where it is no JSON, or holds none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return documents_of(value)


def documents_of(value: Any, deep: int = 0) -> list[Passage] | None:
    """The documents of a JSON value; None where it holds none.

    A list counts only if each of its items is a document, so that nothing of it is lost.
    """
    if deep > _DEEPEST:
        return None
    if isinstance(value, list):
        return _listed(value, deep)
    if isinstance(value, Mapping):
        if (one := document(value)) is not None:
            return [one]
        for name in LISTS:
            inner = value.get(name)
            if isinstance(inner, (list, Mapping)) and inner and (found := documents_of(inner, deep + 1)) is not None:
                return found
    return None


def document(item: Any) -> Passage | None:
    """One document: a text, or an object with a text and perhaps an id and a title, also inside or in ``metadata``."""
    if isinstance(item, str):
        return Passage(text=item) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    inner = next((item[k] for k in ("node", "document", "doc", "kwargs") if isinstance(item.get(k), Mapping)), None)
    if inner is not None and (read := document(inner)) is not None:
        return Passage(
            text=read.text, id=read.id or _named(item, IDS), title=read.title or _named(item, TITLES) or None
        )
    text = next((t for k in TEXTS if (t := _text(item.get(k))) is not None), None)
    if text is None:
        return None
    about = [item, *(item[k] for k in ("metadata", "meta", "extra_info") if isinstance(item.get(k), Mapping))]
    ident = next((found for each in about if (found := _named(each, IDS))), "")
    title = next((found for each in about if (found := _named(each, TITLES))), None)
    return Passage(text=text, id=ident, title=title)


def _listed(items: Sequence[Any], deep: int) -> list[Passage] | None:
    if not items:
        return None
    found: list[Passage] = []
    for item in items:
        read = [one] if (one := document(item)) is not None else None
        if read is None and isinstance(item, (list, Mapping)):  # lists of lists: one per query
            read = documents_of(item, deep + 1)
        if read is None:
            return None
        found += read
    return found


def _text(value: Any) -> str | None:
    """A text, or texts in parts."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, list) and value:
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) == len(parts):
            return "\n".join(texts)
    return None


def _named(item: Mapping[Any, Any], names: Sequence[str]) -> str:
    """The first of the fields that holds a name or a number."""
    for name in names:
        value = item.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return str(value)
    return ""
