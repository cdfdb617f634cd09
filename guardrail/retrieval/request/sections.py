"""The sources of one text: blocks, a section called Context, numbered sources; and what is asked beside them."""

from __future__ import annotations

import re

from guardrail.retrieval.request.blocks import block_sources
from guardrail.retrieval.request.numbered import LABEL, numbered_sources
from guardrail.retrieval.request.source import Source
from guardrail.types import Passage, Span

_SECTION = re.compile(
    r"^[ \t#*]{0,8}(?:(?:retrieved|relevant|search|source|reference|background)[ \t]+)?"
    r"(?:context|documents|passages|sources|references|results|excerpts|knowledge)"
    r"(?:[ \t]+information)?(?:[ \t]+is[ \t]+below)?[*]{0,2}[ \t]{0,3}[:.][*]{0,2}",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^([-=])\1{4,}[ \t]*$", re.MULTILINE)
_ASKING = re.compile(
    r"^[\s#*]{0,8}(?:(?:user|current|customer)(?:'s)?\s+)?(?:question|query|q)[*]{0,2}\s{0,3}:[*]{0,2}\s*",
    re.IGNORECASE,
)
_ANSWERING = re.compile(r"\n[ \t]{0,8}(?:helpful[ \t]+)?(?:answer|a)[ \t]{0,3}:\Z", re.IGNORECASE)


def sources_in(text: str) -> list[Source]:
    """Sources of blocks; where there is none, of a section called Context; else numbered ones."""
    if blocks := block_sources(text):
        return blocks
    if (section := _section(text)) is None:
        return numbered_sources(text)
    block, span = section
    inner = span.of(text).strip()
    if numbered := numbered_sources(inner):
        return [Source(each.passage, each.kind, block) for each in numbered]
    return [Source(Passage(text=inner), "context_section", block)]


def question_in(text: str, sources: list[Source]) -> str | None:
    """What is asked beside the sources: behind a label such as ``Question:`` where there is one; None = nothing."""
    rest, at = [], 0
    for span in sorted({source.span for source in sources}):
        rest.append(text[at : max(at, span.start)])
        at = max(at, span.end)
    left = "\n".join(part.strip() for part in (*rest, text[at:]) if part.strip())
    if sources:
        asked = [label for label in LABEL.finditer(left) if _ASKING.match(label[0])]
        left = left[asked[-1].start() :] if asked else left
    left = _ASKING.sub("", left).strip()
    return _ANSWERING.sub("", left).strip() or None


def _section(text: str) -> tuple[Span, Span] | None:
    """A section that begins with a line such as ``Context:``; and of it, what stands behind that."""
    opening = _SECTION.search(text)
    if opening is None:
        return None
    start = opening.end()
    lines = re.compile(r"\s*").match(text, start)
    fence = _FENCE.match(text, lines.end()) if lines is not None else None
    if fence is not None:  # between two lines of dashes, as LlamaIndex writes it
        closing = _FENCE.search(text, fence.end())
        span = Span(fence.end(), len(text) if closing is None else closing.start())
    else:
        label = LABEL.search(text, start)
        span = Span(start, _before_a_question(text, start) if label is None else label.start())
    return (Span(opening.start(), span.end), span) if len(span.of(text).split()) > 2 else None


def _before_a_question(text: str, start: int) -> int:
    """The end of the text, without a last paragraph that asks something."""
    end = len(text.rstrip())
    last = text.rfind("\n\n", start, end)
    return last if last > start and text[start:last].strip() and text[:end].endswith(("?", "？")) else len(text)
