"""Tables, JSON, lists and conversations in a passage, read as statements: each row, object or item with its headers.

A cell means nothing without its column, an item nothing without the line that leads in the list, "I" nothing without
who says it. Each statement keeps the span of the row, object, item or sentence that it was read from, so that quotes
stay verbatim. Linear in the text length.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from guardrail.text.records.json_values import json_statements
from guardrail.text.records.statement import Statement, row_text
from guardrail.text.records.tables import html_rows, is_table_rule, led_list, table, table_cells
from guardrail.text.records.turns import turns
from guardrail.types import Span

__all__ = ["Statement", "is_table_rule", "row_text", "statements", "table_cells"]


def statements(text: str) -> list[Statement]:
    """What the tables, JSON values, conversations and lists with a lead-in of a passage say, in reading order.

    Args:
        text: A passage.

    Returns:
        One statement per table row, JSON object, list item and sentence of a conversation; empty for prose. Header
        lines, rules, brackets and the line that leads in a list belong to no statement.
    """
    found = list(json_statements(text))
    if "<t" in text or "<T" in text:
        free = _beside(found)
        found.extend(row for row in html_rows(text) if free(row.span))
    free = _beside(found)
    lines = [line for line in _lines(text) if free(line)]
    said = list(turns(text, lines))
    found.extend(said)
    free = _beside(said)
    found.extend(_line_records(text, [line for line in lines if free(line)]))
    return sorted(found, key=_start)


def _start(statement: Statement) -> int:
    return statement.span.start


def _beside(found: Sequence[Statement]) -> Callable[[Span], bool]:
    """Whether a span overlaps none of the statements found so far, which lie apart."""
    taken = [statement.span for statement in sorted(found, key=_start)]
    ends = [span.end for span in taken]

    def free(span: Span) -> bool:
        following = bisect_right(ends, span.start)
        return following == len(taken) or taken[following].start >= span.end

    return free


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
