"""A statement, and how the cells of one record become one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guardrail.types import Span

_LEAST_RANKED, _MOST_RANKED = 3, 60
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_AMOUNT = re.compile(
    r"((?:[A-Z]{3} )?[^\w\-−]{0,3})([-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d{1,12}(?:\.\d{1,6})?)(\D{0,12})"
)
_KEY = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A row, object or item: where it stands, and what it says in words.

    ``cells`` are (header, value) of a row or object, its name first; ``table`` is where its table or array begins.
    List items have neither.
    """

    span: Span
    text: str
    cells: tuple[tuple[str, str], ...] = ()
    table: int = -1


def row_text(headers: Sequence[str], row: Sequence[str]) -> str:
    """A table row in words: "Plan: Move; Data: 40 GB."; a cell without a header stands alone."""
    parts = []
    for column, cell in enumerate(row):
        header = headers[column] if column < len(headers) else ""
        if cell:
            parts.append(f"{header}: {cell}" if header else cell)
    return "; ".join(parts) + "." if parts else ""


def title(name: str) -> str:
    """A column or key as words: "size_m2" and "openSince" are names in code."""
    return name if " " in name else " ".join(_KEY.sub(" ", name).split())


def ranked(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows with what only a look at the whole column tells: which value is its highest, lowest, latest, earliest.

    Only columns of at least three values of one kind are marked, only values that no other row shares, and only in
    tables of at most 60 rows.
    """
    marked = [list(row) for row in rows]
    if not _LEAST_RANKED <= len(rows) <= _MOST_RANKED:
        return marked
    for column in range(min(map(len, rows))):
        values = [_measure(row[column]) for row in rows]
        kinds = {kind for kind, _ in values}
        if len(kinds) != 1 or None in kinds:
            continue
        sizes = [size for _, size in values]
        low, high = ("earliest", "latest") if kinds <= {"clock", "day"} else ("lowest", "highest")
        for size, word in ((min(sizes), low), (max(sizes), high)):
            if sizes.count(size) == 1:
                marked[sizes.index(size)][column] += f" ({word})"
    return marked


def _measure(cell: str) -> tuple[str | None, float]:
    """What kind of value a cell holds, with its unit, and how large it is; None: no single value."""
    if clock := _CLOCK.fullmatch(cell):
        return "clock", int(clock[1]) * 60 + int(clock[2])
    if _DAY.fullmatch(cell):
        return "day", int(cell.replace("-", ""))
    if amount := _AMOUNT.fullmatch(cell):
        return f"{amount[1]}…{amount[3].removesuffix('s')}", float(amount[2].replace(",", "").replace("−", "-"))
    return None, 0.0
