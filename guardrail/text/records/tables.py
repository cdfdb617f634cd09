"""Tables in a passage: Markdown, CSV, tab-separated, HTML; and the lists that a line leads in."""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from guardrail.text.records.statement import Statement, ranked, row_text, title
from guardrail.types import Span

_RULE = frozenset("|:- \t")
_MARKER = re.compile(r"[ \t]{0,12}(?:[-*+•‣▪–]|\(?\d{1,2}[.)])[ \t]+(?=\S)")
_TAG = re.compile(r"<[^<>]{0,300}>")
_ROW_TAG = re.compile(r"<tr\b", re.IGNORECASE)
_CELL_TAG = re.compile(r"<t[hd]\b[^<>]{0,300}>", re.IGNORECASE)
_CELL_END = re.compile(r"</(?:t[hdr]|table|thead|tbody)\s*>", re.IGNORECASE)
_LONGEST_CELL = 60
"""Characters of a cell in a table without a rule under its header; longer ones are prose with commas."""
_LONGEST_LEAD = 90


def table_cells(line: str) -> tuple[str, ...]:
    """The cells of a Markdown table line, trimmed."""
    row = line.strip().replace("\\|", "\u0000").removeprefix("|").removesuffix("|")
    return tuple(cell.replace("\u0000", "|").strip() for cell in row.split("|"))


def is_table_rule(line: str) -> bool:
    """Whether this is the line under a Markdown table's header."""
    return {"|", "-"} <= set(line) <= _RULE


def table(text: str, lines: Sequence[Span], at: int) -> tuple[int, list[Statement]]:
    """The table whose header is line ``at``: the number of the line after it, and its rows."""
    header = lines[at].of(text)
    mark = next((m for m in ("|", "\t", ";", ",") if m in header), None)
    if mark is None:
        return at, []
    first = at + 1
    ruled = mark == "|" and first < len(lines) and is_table_rule(lines[first].of(text))
    if ruled:
        first += 1
    headers = tuple(map(title, _cells(header, mark)))
    if not ruled and not _heads(headers, header, mark):
        return at, []
    rows: list[Sequence[str]] = []
    for span in lines[first:]:
        line = span.of(text)
        row = _cells(line, mark) if mark in line else ()
        if not row or not (ruled or _fits(row, line, mark, len(headers))):
            break
        rows.append(row)
    if len(rows) < (1 if ruled or mark == "\t" else 2):
        return at, []
    made = [
        Statement(span, row_text(headers, told), tuple(zip(headers, row, strict=False)), lines[at].start)
        for span, row, told in zip(lines[first:], rows, ranked(rows), strict=False)
    ]
    return first + len(rows), made


def _cells(line: str, mark: str) -> tuple[str, ...]:
    if mark == "|":
        return table_cells(line)
    try:
        return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=mark), ()))
    except csv.Error:
        return ()


def _heads(headers: Sequence[str], line: str, mark: str) -> bool:
    """Whether a line without a rule under it may be a header: short titles, none of them a number."""
    titles = all(len(h) <= _LONGEST_CELL // 2 and not h[:1].isdigit() and h[-1:] not in ".!?" for h in headers)
    return titles and _fits(headers, line, mark, len(headers))


def _fits(row: Sequence[str], line: str, mark: str, columns: int) -> bool:
    least = 3 if mark in ",;" else 2
    spaced = mark in ",;" and f"{mark} " in line and '"' not in line  # in prose a space follows
    return len(row) == columns >= least and not spaced and all(len(cell) <= _LONGEST_CELL for cell in row)


def html_rows(text: str) -> Iterator[Statement]:
    """The rows of HTML tables under their last header row; they are told, not ranked or searched for clashes."""
    headers: tuple[str, ...] = ()
    borders = [*(m.start() for m in _ROW_TAG.finditer(text)), len(text)]
    for start, limit in pairwise(borders):
        opened = list(_CELL_TAG.finditer(text, start, limit))
        row, last = [], start
        for cell, following in zip(opened, [*(o.start() for o in opened[1:]), limit], strict=False):
            closed = _CELL_END.search(text, cell.end(), following)
            last = closed.start() if closed else following
            row.append(" ".join(html.unescape(_TAG.sub(" ", text[cell.end() : last])).split()))
        if opened and all(o.group().lower().startswith("<th") for o in opened):
            headers = tuple(row)
        elif any(row):
            yield Statement(Span(opened[0].end(), last), row_text(headers, row))


def led_list(text: str, lines: Sequence[Span], at: int) -> tuple[int, list[Statement]]:
    """The items that line ``at`` leads in ("Included in the fee:"), each with it."""
    lead = lines[at].of(text).strip().strip("*_# ")
    if not lead.endswith((":", "：")) or len(lead) > _LONGEST_LEAD:
        return at, []
    number = at + 1
    while number < len(lines) and lines[number].start == lines[number].end:
        number += 1
    made: list[Statement] = []
    while number < len(lines) and (item := _MARKER.match(text, lines[number].start, lines[number].end)):
        made.append(Statement(lines[number], f"{lead} {text[item.end() : lines[number].end]}"))
        number += 1
    return (number, made) if made else (at, [])
