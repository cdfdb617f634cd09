"""Tables, JSON and lists in a passage, read as statements: each row, object or item with its headers beside it.

A cell means nothing without its column, an item nothing without the line that leads in the list. Each statement keeps
the span of the row, object or item that it was read from, so that quotes stay verbatim. Linear in the text length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guardrail.text.records.json_values import json_statements
from guardrail.text.records.statement import Statement, row_text
from guardrail.text.records.tables import html_rows, is_table_rule, led_list, table, table_cells
from guardrail.types import Span

__all__ = ["Statement", "is_table_rule", "row_text", "statements", "table_cells"]


def statements(text: str) -> list[Statement]:
    """What the tables, JSON values and lists with a lead-in of a passage say, in reading order.

    Args:
        text: A passage.

    Returns:
        One statement per table row, JSON object and list item; empty for prose. Header lines, rules, brackets and the
        line that leads in a list belong to no statement.
    """
    found = list(json_statements(text))
    taken = [s.span for s in found]
    if "<t" in text or "<T" in text:
        found.extend(html_rows(text))
    lines = [line for line in _lines(text) if not any(t.start < line.end and line.start < t.end for t in taken)]
    found.extend(_line_records(text, lines))
    return sorted(found, key=lambda s: s.span.start)


def _lines(text: str) -> Iterator[Span]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield Span(at, at + len(line.rstrip()))
        at += len(line)


def _line_records(text: str, lines: Sequence[Span]) -> Iterator[Statement]:
    at = 0
    while at < len(lines):
        end, made = table(text, lines, at)
        if not made:
            end, made = led_list(text, lines, at)
        yield from made
        at = max(end, at + 1)
