"""A claim that one row is the cheapest, longest or newest, where the column says that another one is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from guardrail.text.facts.fact import EXACT, FactKind, Facts, Mismatch
from guardrail.text.records.names import Cells, is_named, names_of
from guardrail.text.records.statement import measure
from guardrail.text.words import content_words
from guardrail.types import Span

_LEAST_ROWS, _MOST_ROWS = 2, 300

_MONEY = re.compile(r"[€$£¥]|\b(?:price|cost|fee|rate|rent|tariff|fare|charge|EUR|USD|GBP|CHF)\b", re.IGNORECASE)
_MASS = re.compile(r"\b(?:weight|mass|mg|k?g|lbs?|oz|tonnes?)\b", re.IGNORECASE)
_HEIGHT = re.compile(r"\b(?:height|elevation|altitude)\b", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:date|released?|year|published|updated|modified|created|joined|opened|built|founded|launched)\b",
    re.IGNORECASE,
)
_NAMED = {
    "cheapest": (min, _MONEY), "least expensive": (min, _MONEY), "lowest-priced": (min, _MONEY),
    "dearest": (max, _MONEY), "most expensive": (max, _MONEY), "priciest": (max, _MONEY), "costliest": (max, _MONEY),
    "lightest": (min, _MASS), "heaviest": (max, _MASS), "tallest": (max, _HEIGHT),
    "newest": (max, _DATE), "most recent": (max, _DATE), "oldest": (min, _DATE),
}  # fmt: skip
"""Superlatives that name their column."""

_PLAIN = {
    **dict.fromkeys("highest largest biggest greatest longest latest most".split(), max),
    **dict.fromkeys("lowest smallest fewest least shortest earliest".split(), min),
}
"""Superlatives whose column the claim names: "the highest price", "the most seats"."""

_SUPERLATIVE = re.compile(rf"\b(?:{'|'.join([*_NAMED, *_PLAIN])})\b", re.IGNORECASE)
_LIMITED = re.compile(
    r"[;:()]|\b(?:second|third|next|not|no|nor|never|after|than|with|without|that|which|among|amongst|between|one\sof|only"
    r"|if|for|under|over|above|below|except|besides|but|and|or|while|whereas|although|though|because|since|as|tied|joint|almost|nearly|at\s(?:most|least)"
    r"|both|offering|including|having|would|could|may|might)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words with which a claim does not speak of the whole column."""


def superlative_clashes(claim: Facts, tables: Sequence[Sequence[Cells]]) -> Iterator[Mismatch]:
    """The superlative of the one row that the claim names, which by the column belongs to another row.

    Silent unless the claim holds one superlative, without a limit ("the cheapest with support"), names one row of one
    table, and one column of that table is meant, all of whose values are of one kind.

    Args:
        claim: Facts of the claim.
        tables: Rows of each table of the passages.
    """
    found = list(_SUPERLATIVE.finditer(claim.text)) if tables else []
    if len(found) != 1 or _LIMITED.search(claim.text):
        return
    place = found[0]
    named = [(row, rows) for rows in tables for row in rows if is_named(row, claim.text)]
    if len(named) != 1:
        return
    row, rows = named[0]
    if not _LEAST_ROWS <= len(rows) <= _MOST_ROWS:
        return
    columns = [n for n in range(1, len(row)) if _is_meant(rows, n, place.group().lower(), claim)]
    if len(columns) != 1:
        return
    column = columns[0]
    pick = _NAMED[place.group().lower()][0] if place.group().lower() in _NAMED else _PLAIN[place.group().lower()]
    sizes = [_measures(cells, column) for cells in rows]
    kinds = {kind for kind, _ in sizes}
    if len(kinds) != 1 or None in kinds:
        return
    best = pick(size for _, size in sizes)
    if sizes[rows.index(row)][1] == best:
        return
    winner = rows[[size for _, size in sizes].index(best)]
    yield Mismatch(
        kind=FactKind.RECORD,
        span=Span(*place.span()),
        claim_value=f"{place.group()} of {names_of(row)[0]}",
        evidence_value=f"{names_of(winner)[0] if names_of(winner) else winner[0][1]}: {winner[column][1]}",
        contradicts=True,
        weight=EXACT,
    )


def _is_meant(rows: Sequence[Cells], column: int, word: str, claim: Facts) -> bool:
    if any(len(cells) <= column for cells in rows):
        return False
    header, value = rows[0][column]
    if word in _NAMED:
        return _NAMED[word][1].search(f"{header} {value}") is not None
    key = set(content_words(header))
    return bool(key & claim.bag)


def _measures(cells: Cells, column: int) -> tuple[str | None, float]:
    return measure(cells[column][1])
