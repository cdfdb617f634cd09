"""Passages that disagree: one supports what the answer says, another contradicts it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from guardrail.types import Evidence, Finding, Passage, Row, Span

_SUPPORT = 0.85
_CONTRADICTION = 0.9
"""Both must be this clear before passages are said to disagree."""

_QUOTE = 120
_NAME = 60
_READABLE_ID = re.compile(r"(?!.*(?:[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{16}))[\w.:#*-]{1,40}", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{16,}", re.IGNORECASE)
_FILE = re.compile(r"\S*[/\\]([\w.%-]{1,80}\.[A-Za-z]\w{0,4})(?:[?#]\S*)?")
_LINK = re.compile(r"://|www\.")
_PASSAGE = {"en": "passage {}", "zh": "段落{}"}
_SAYS = {
    "en": "The sources disagree: {one} says “{this}”, {other} says “{that}”.",
    "zh": "资料之间不一致：{one}称“{this}”，{other}称“{that}”。",
}


def sides(row: Row, foreign: Collection[int] = ()) -> tuple[int, int] | None:
    """Numbers of the passage that clearly supports the segment most and of the one that clearly contradicts it most.

    None where the passages do not disagree. Passages in ``foreign`` are about another individual: not counted.
    """
    cells = [(number, cell) for number, cell in enumerate(row.cells) if cell is not None and number not in foreign]
    yes = [(cell.supported, -number) for number, cell in cells if cell.supported >= _SUPPORT]
    no = [(c.contradicted, -number) for number, c in cells if c.contradicted >= _CONTRADICTION and c.supported < 0.5]
    return (-max(yes)[1], -max(no)[1]) if yes and no else None


def with_conflict(
    finding: Finding, row: Row, passages: Sequence[Passage], foreign: Collection[int], language: str
) -> Finding:
    """Where the passages disagree, the finding says so in ``conflict`` and its reason, with evidence of both sides.

    Args:
        finding: Its verdict and score stay as they are.
        row: The row of its segment.
        passages: The passages in the order of the row's cells.
        foreign: Numbers of passages about other individuals than the one that the segment is about.
        language: Of the reason: ``zh`` for Chinese, else English is written.
    """
    found = None if row.unverified is not None else sides(row, foreign)
    if found is None:
        return finding
    evidence = list(finding.evidence)
    quotes = []
    for number in found:
        passage = passages[number]
        stretches = _stretches(row, number, passage)
        own = [Evidence(passage_id=passage.id, span=span, quote=span.of(passage.text)) for span in stretches]
        evidence += [e for e in own if e not in evidence]
        quotes.append(_short(" … ".join(e.quote for e in own), _QUOTE))
    one, other = (source_name(passages[number], number + 1, language) for number in found)
    if one == other:  # two passages of one document
        one, other = (f"{name} [{number + 1}]" for name, number in zip((one, other), found, strict=True))
    says = _SAYS.get(language, _SAYS["en"]).format(one=one, this=quotes[0], other=other, that=quotes[1])
    return replace(finding, conflict=True, reason=f"{says} {finding.reason}".rstrip(), evidence=tuple(evidence))


def source_name(passage: Passage, number: int, language: str = "en") -> str:
    """What readers call a passage: its title, else an id that people can read, else "passage" and its number (from 1).

    Of a path or an address the name of the file counts.
    """
    title, ident = (_file_name(" ".join(name.split())) for name in (passage.title or "", passage.id))
    if title and not _LINK.search(title) and not _UUID.fullmatch(title):
        return _short(title, _NAME)
    if ident != str(number) and _READABLE_ID.fullmatch(ident):
        return ident
    return _PASSAGE.get(language, _PASSAGE["en"]).format(number)


def _file_name(name: str) -> str:
    path = _FILE.fullmatch(name)
    return path[1] if path else name


def _stretches(row: Row, number: int, passage: Passage) -> tuple[Span, ...]:
    """What the engine read a side from: of the cell, else of the row, else the passage as a whole."""
    cell = row.cells[number]
    quoted = tuple(span for of, span in row.evidence if of == number)
    return (cell.evidence if cell is not None else ()) or quoted or (Span(0, len(passage.text)),)


def _short(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
