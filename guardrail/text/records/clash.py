"""A claim against the rows of a table: the value that it gives one row, and that the table gives another one.

Its flags and superlatives are read beside: see flags and superlatives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.text.facts import Facts, Mismatch, extract
from guardrail.text.facts.fact import EXACT, Fact, mismatch
from guardrail.text.facts.values import is_equal, values_of
from guardrail.text.language import may_be_english
from guardrail.text.records.flags import flag_clashes
from guardrail.text.records.names import Cells, is_named, places
from guardrail.text.records.superlatives import superlative_clashes

_LEAST_ROWS = 2
_MOST_ROWS = 300
"""Rows of a table that is searched: every cell is read for values."""

_SIGNS = re.compile(
    r"\b(?:more|less|fewer|than|above|below|over|under|between|least|most|difference|total|sum|together|not|no|neither"
    r"|of\sthe\s\d|instead|unlike|while|whereas|before|after|until|except|every|each|all|both)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words with which a value may stand beside a row's name without being a cell of it."""


def record_clashes(
    claim: Facts, records: Sequence[Cells], tables: Sequence[Sequence[Cells]], prose: Sequence[str] = ()
) -> list[Mismatch]:
    """What tables and records say otherwise than the claim: values of another row, flags and superlatives.

    Args:
        claim: Facts of the claim.
        records: Every row and object of the passages.
        tables: Rows of each table of the passages.
        prose: The other sentences.
    """
    return [
        *row_clashes(claim, tables, prose),
        *flag_clashes(claim, records),
        *superlative_clashes(claim, tables),
    ]


def row_clashes(claim: Facts, tables: Sequence[Sequence[Cells]], prose: Sequence[str] = ()) -> list[Mismatch]:
    """Values that the claim gives to a row it names, while the table has them in another row of the column.

    Where the claim names several rows, only a value right before a row's name is that row's: "two office chairs".
    Silent where the claim names no row, compares, counts or negates, and where a row of that name in any table, or a
    sentence with that name, has the value. Among 322 true and 322 false claims on tables of the contrast sets none and
    17 have such a clash, so it decides alone.

    Args:
        claim: Facts of the claim.
        tables: Rows of each table of the passages.
        prose: The other sentences.
    """
    if not tables or _SIGNS.search(claim.text) or not may_be_english(claim.text):
        return []
    values = values_of(claim)
    named = [(row, rows) for rows in tables for row in rows if is_named(row, claim.text)]
    found: list[Mismatch] = []
    for own, rows in named:
        if not _LEAST_ROWS <= len(rows) <= _MOST_ROWS:
            continue
        alone = sum(row in rows for row, _ in named) == 1
        starts = places(own, claim.text)
        for value in values:
            beside = any(0 < start - value.span.end <= 1 for start in starts)
            if not beside and not (alone and any(map(str.isdigit, value.surface))):
                continue
            rivals = [(own, rows)] if not alone else named
            if any(_holds(cell, value) for row, _ in rivals for _, cell in row) or _said(own[0][1], value, prose):
                continue
            column = next((n for row in rows for n, (_, cell) in enumerate(row) if n and _is(cell, value)), None)
            if not alone and column is None:
                continue
            cell = own[column][1] if column is not None and column < len(own) else ""
            if values_of(extract(cell)):
                found.append(mismatch(value, EXACT, cell))
    return found


def _said(name: str, value: Fact, prose: Sequence[str]) -> bool:
    return any(_holds(sentence, value) for sentence in prose if name.casefold() in sentence.casefold())


def _holds(text: str, value: Fact) -> bool:
    return any(_is_equal(value, own) for own in values_of(extract(text)))


def _is_equal(value: Fact, own: Fact) -> bool:
    """Whether two values are equal; "34.50" of a claim may be the 34.5 of a program's record."""
    as_written = value.surface.removesuffix("0") == own.surface and "." in own.surface
    return as_written or is_equal(value, own)


def _is(cell: str, value: Fact) -> bool:
    """Whether the cell is this value and nothing else."""
    own = values_of(extract(cell))
    return len(own) == 1 and _is_equal(value, own[0])
