"""Quoted strings and titles, which evidence must hold literally."""

from __future__ import annotations

import re

from guardrail.text.facts.fact import Fact, FactKind
from guardrail.text.words import is_cjk
from guardrail.types import Span

_QUOTE = re.compile(
    r"“([^“”\n]{2,300})”|\"([^\"\n]{2,300})\"|「([^「」\n]{2,300})」|『([^『』\n]{2,300})』|《([^《》\n]{1,80})》|«([^«»\n]{2,300})»"
)
_LOOSE = re.compile(r"[\W_]+")


def normal_quote(text: str) -> str:
    """Letters and digits only, case-folded, words set apart by one blank (none between Chinese characters)."""
    folded = _LOOSE.sub(" ", text.casefold().replace("’", "'").replace("'s ", " ")).strip()
    return folded if folded.isascii() else re.sub(r"(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])", "", folded)


def read_quotes(text: str) -> list[Fact]:
    """Quotations of two words or four Chinese characters and more; shorter Chinese titles are names."""
    if '"' not in text and text.isascii():
        return []
    found = []
    for match in _QUOTE.finditer(text):
        inner = next(i for i in range(1, 7) if match[i] is not None)
        value = normal_quote(match[inner])
        size = sum(map(is_cjk, value))
        title = inner == 5
        if not value or (size < 4 and len(value.split()) < 2 and not title):
            continue
        kind = FactKind.NAME if title and size < 4 else FactKind.QUOTE
        found.append(Fact(kind=kind, span=Span(*match.span(inner)), value="«" + value, surface=match[inner]))
    return found
