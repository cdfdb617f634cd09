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
_UNITS = {
    **{unit: unit for unit in "mg g kg t mm cm m km ml cl l s ms min h kWh kW W V mAh Hz MHz GHz".split()},
    **{unit: unit for unit in "seconds minutes hours days weeks months years EUR USD GBP CHF GB MB TB KB".split()},
    **{unit.lower(): unit for unit in "EUR USD GBP CHF GB MB TB KB kW kWh mAh MHz GHz".split()},
    "mins": "minutes", "hrs": "hours", "sec": "seconds", "secs": "seconds",
    **dict.fromkeys(("pct", "percent", "%"), "%"),
    "m s": "m/s", "km h": "km/h", "m2": "m²", "km2": "km²", "m3": "m³",
    **{sign: sign for sign in ("€", "$", "£", "°C", "°F")},
}  # fmt: skip
"""Units in headers: "mass_g", "Price (EUR)"."""

_UNIT_LAST = re.compile(r"(?P<name>.*?\S)\s*(?:[(\[](?P<inside>[^()\[\]]{1,8})[)\]]|\s(?P<word>(?:k?m\s)?\S{1,8}))\s*")
_RATE = re.compile(r"(?:\b(?:per|each|every|an?|first|last)|/)$", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<number>[-−]?\d[\d.,]*)(?P<rank> \((?:lowest|highest)\))?")
_KEY = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A row, object or item: where it stands, and what it says in words.

    ``cells`` are (header, value) of a row or object, its name first; ``table`` is where its table or array begins.
    List items have neither. ``spoken``: a sentence of a conversation, told in the third person.
    """

    span: Span
    text: str
    cells: tuple[tuple[str, str], ...] = ()
    table: int = -1
    spoken: bool = False


def row_text(headers: Sequence[str], row: Sequence[str]) -> str:
    """A table row in words: "Plan: Move; Data: 40 GB."; a cell without a header stands alone."""
    parts = []
    for column, cell in enumerate(row):
        header = headers[column] if column < len(headers) else ""
        if cell:
            name, value = _with_unit(header, cell)
            parts.append(f"{name}: {value}" if name else value)
    return "; ".join(parts) + "." if parts else ""


def _with_unit(header: str, cell: str) -> tuple[str, str]:
    """A bare number with the unit that its header names, and the header without it."""
    number, named = _NUMBER.fullmatch(cell), _UNIT_LAST.fullmatch(header)
    if number is None or named is None or _RATE.search(named["name"]):
        return header, cell
    if named["word"] and (not header[0].islower() or named["name"][-1].isdigit()):
        return header, cell  # "Games W", "First Hour", "up to 2 kg": only keys as programs write them
    word = named["inside"] or named["word"]
    unit = _UNITS.get(word) or (_UNITS.get(word.lower()) if len(word) > 2 else None)
    if unit is None:
        return header, cell
    value = f"{unit}{number['number']}" if unit in "€$£" else f"{number['number']} {unit}"
    return named["name"], value.replace(" %", "%") + (number["rank"] or "")


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
        values = [measure(row[column]) for row in rows]
        kinds = {kind for kind, _ in values}
        if len(kinds) != 1 or None in kinds:
            continue
        sizes = [size for _, size in values]
        low, high = ("earliest", "latest") if kinds <= {"clock", "day"} else ("lowest", "highest")
        for size, word in ((min(sizes), low), (max(sizes), high)):
            if sizes.count(size) == 1:
                marked[sizes.index(size)][column] += f" ({word})"
    return marked


def measure(cell: str) -> tuple[str | None, float]:
    """What kind of value a cell holds, with its unit, and how large it is; None: no single value."""
    if clock := _CLOCK.fullmatch(cell):
        return "clock", int(clock[1]) * 60 + int(clock[2])
    if _DAY.fullmatch(cell):
        return "day", int(cell.replace("-", ""))
    if amount := _AMOUNT.fullmatch(cell):
        return f"{amount[1]}…{amount[3].removesuffix('s')}", float(amount[2].replace(",", "").replace("−", "-"))
    return None, 0.0
