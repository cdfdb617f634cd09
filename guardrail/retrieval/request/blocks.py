"""Sources in a text between tags: ``<context>`` and ``<document>`` blocks, in the shapes that prompts have.

The search is linear in the text. What a block holds is data: tags among its words end it early at worst, and never make
evidence of what stands outside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from guardrail.retrieval.request.documents import documents_in
from guardrail.retrieval.request.numbered import numbered_sources
from guardrail.retrieval.request.source import Source
from guardrail.types import Passage, Span

_AROUND: Final = frozenset(
    "context contexts documents docs sources passages references search_results retrieved_documents retrieved_context "
    "retrieved_passages knowledge knowledge_base chunks".split()
)
"""Blocks that hold documents, or are one."""

_ITEMS: Final = frozenset("document doc passage chunk source snippet excerpt search_result reference".split())
_NAMES = "|".join(sorted(_AROUND | _ITEMS, key=len, reverse=True))
_TAG = re.compile(rf"<(/?)({_NAMES})\b([^<>]{{0,400}})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w:-]{1,40})\s{0,3}=\s{0,3}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_LABEL = re.compile(r"<(source|title|name|url|id)>([^<>]{0,500})</\1>", re.IGNORECASE)
_BODIES: Final = ("document_content", "document_contents", "content", "text")
_DEEPEST = 32
"""Blocks inside blocks; what is deeper is read as text."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A block whose end is not there yet; ``before``: sources found ahead of it."""

    name: str
    attributes: str
    start: int
    inside: int
    before: int


def block_sources(text: str) -> list[Source]:
    """The innermost documents of all blocks; of a block without any, its numbered sources, or all of it."""
    found: list[Source] = []
    opened: list[_Open] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            if len(opened) < _DEEPEST and not tag[3].endswith("/"):
                opened.append(_Open(name, tag[3], tag.start(), tag.end(), len(found)))
            continue
        at = next((n for n in range(len(opened) - 1, -1, -1) if opened[n].name == name), None)
        if at is None:
            continue
        block = opened[at]
        del opened[at:]
        if name in _ITEMS and opened and opened[-1].name in _ITEMS:
            continue  # the <source> of a <document>
        span = Span(block.start, tag.end())
        if len(found) > block.before:
            found[block.before :] = [Source(each.passage, each.kind, span) for each in found[block.before :]]
        else:
            found += _read(block, text[block.inside : tag.start()], span)
    return found


def _read(block: _Open, inner: str, span: Span) -> list[Source]:
    if block.name in _ITEMS:
        one = _document(block, inner)
        return [] if one is None else [Source(one, "document_block", span)]
    if (documents := documents_in(inner)) is not None:
        return [Source(each, "document_block", span) for each in documents]
    if numbered := numbered_sources(inner):
        return [Source(each.passage, each.kind, span) for each in numbered]
    return [Source(Passage(text=inner.strip()), "context_block", span)] if inner.strip() else []


def _document(block: _Open, inner: str) -> Passage | None:
    about = {key.lower(): one or two or three for key, one, two, three in _ATTRIBUTE.findall(block.attributes)}
    labels = {key.lower(): value.strip() for key, value in _LABEL.findall(inner)}
    body = next((found for name in _BODIES if (found := _between(inner, name)) is not None), None)
    if body is None:
        body = _LABEL.sub("", inner) if labels else inner
    if not body.strip():
        return None
    title = next((v for k in ("title", "name", "source", "url") for v in (about.get(k), labels.get(k)) if v), None)
    return Passage(text=body.strip(), id=about.get("id") or labels.get("id") or about.get("index") or "", title=title)


def _between(inner: str, name: str) -> str | None:
    start = inner.find(f"<{name}>")
    end = inner.rfind(f"</{name}>")
    return inner[start + len(name) + 2 : end] if 0 <= start < end else None
