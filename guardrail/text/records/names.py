"""Which row or object a claim speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Cells = Sequence[tuple[str, str]]
"""(header, value) of each cell of a row; the first value names the row."""

_LEAST_NAME = 2
_NAMING = frozenset("name title product item model plan label room course description".split())
"""Headers of cells that name a row beside its first one, which may be a number in a catalogue."""


def names_of(cells: Cells) -> list[str]:
    """The words that name a row: its first cell, and those under a heading such as "name"."""
    return [
        value
        for number, (header, value) in enumerate(cells)
        if (not number or header.casefold() in _NAMING) and len(value) >= _LEAST_NAME and not value[0].isdigit()
    ]


def is_named(cells: Cells, text: str) -> bool:
    """Whether the text names the row."""
    return any(_pattern(name).search(text) for name in names_of(cells))


def places(cells: Cells, text: str) -> list[int]:
    """Where the text names the row."""
    return [match.start() for name in names_of(cells) for match in _pattern(name).finditer(text)]


@lru_cache(maxsize=2048)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?:e?s)?(?!\w)", re.IGNORECASE)
