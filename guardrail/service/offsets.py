"""Spans in the units of a caller's language: Python counts code points, JavaScript and Java UTF-16, Go bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, Literal

Unit = Literal["code-point", "utf-16", "utf-8"]


class Ruler:
    """Offsets of one text in another unit.

    Args:
        text: The text.
        unit: The unit to count in.
    """

    def __init__(self, text: str, unit: Unit) -> None:
        # Only characters that are longer than one unit are kept: most texts have few.
        extra = [(place, _units(char, unit) - 1) for place, char in enumerate(text) if char > "\x7f"]
        wide = [(place, more) for place, more in extra if more]
        self._places = [place for place, _ in wide]
        self._sums = [0, *accumulate(more for _, more in wide)]

    def at(self, offset: int) -> int:
        """The offset, given in code points."""
        return offset + self._sums[bisect_left(self._places, offset)]


def _units(char: str, unit: Unit) -> int:
    if unit == "utf-16":
        return 2 if char > "\uffff" else 1
    return len(char.encode("utf-8", "surrogatepass"))


def in_units(record: dict[str, Any], answer: str, passages: Mapping[str, str], unit: Unit) -> dict[str, Any]:
    """A record of ``guardrail.check.answer_lines`` with all spans in another unit, and the unit's name.

    Args:
        record: Of a report or an extract: code points.
        answer: What spans of findings, claims and skipped segments are of.
        passages: Texts by id, which spans of evidence are of.
        unit: ``code-point`` changes nothing.
    """
    if unit == "code-point":
        return record
    own = Ruler(answer, unit)
    others: dict[str, Ruler] = {}

    def of_passage(quote: dict[str, Any]) -> dict[str, Any]:
        ident = quote["passage_id"]
        ruler = others.get(ident) or others.setdefault(ident, Ruler(passages.get(ident, ""), unit))
        return {**quote, "span": [ruler.at(offset) for offset in quote["span"]]}

    def moved(entry: dict[str, Any]) -> dict[str, Any]:
        new = dict(entry)
        for key in ("span", "focus"):
            if entry.get(key) is not None:
                new[key] = [own.at(offset) for offset in entry[key]]
        if "evidence" in entry:
            new["evidence"] = [of_passage(quote) for quote in entry["evidence"]]
        return new

    present: list[str] = [key for key in ("findings", "claims", "skipped") if key in record]
    lists: dict[str, Any] = {key: [moved(entry) for entry in record[key]] for key in present}
    return {**record, **lists, "offsets": unit}
