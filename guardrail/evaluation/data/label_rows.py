"""Lines of a label file: an answer with its texts, or a label of it; checked as they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardrail.errors import did_you_mean
from guardrail.evaluation.data.rows import (
    Row,
    RowError,
    optional_text,
    passages_field,
    read_span,
    read_spans,
    text_field,
)
from guardrail.evaluation.labels import SKIPPED, WHOLE, WORDS, WRONG, Item, Label, Labels
from guardrail.telemetry.records.record import FAULTY
from guardrail.types import ErrorType, Span, Verdict
from guardrail.types.report import passage_record

FORMAT = "guardrail-labels"
VERSION = 1

FIRST = {"format": FORMAT, "version": VERSION}
"""The first line of a label file."""


def add_row(labels: Labels, row: Row) -> None:
    """Add what a line says.

    Raises:
        RowError: says what is wrong with it.
    """
    if row.get("format") is not None:
        if row["format"] != FORMAT or row.get("version") != VERSION:
            raise RowError(
                f"is of format {row['format']!r:.60}, version {row.get('version')!r:.20}; this guardrail reads "
                f"{FORMAT!r}, version {VERSION}"
            )
    elif row.get("kind") == "answer":
        labels.add_item(read_item(row))
    elif row.get("kind") == "label":
        labels.add_label(read_label(row, labels.items))
    else:
        raise RowError(f"'kind' must be 'answer' or 'label', got {row.get('kind')!r:.60}")


def item_row(item: Item) -> dict[str, Any]:
    """The line that ``read_item`` reads."""
    return {
        "kind": "answer",
        "id": item.id,
        "question": item.question,
        "answer": item.answer,
        "passages": [passage_record(p) for p in item.passages],
        "segments": [{"id": ident, "span": list(span)} for ident, span in item.segments],
        "lang": item.lang,
        "drawn": item.drawn,
    }


def read_item(row: Row) -> Item:
    """The answer of a line.

    Raises:
        RowError: says what is wrong with it.
    """
    answer = text_field(row, "answer")
    segments = row.get("segments") or []
    if not isinstance(segments, list):
        raise RowError(f"'segments' must be a list, got {segments!r:.60}")
    pairs = []
    for number, segment in enumerate(segments):
        if not isinstance(segment, dict) or not isinstance(segment.get("id"), str):
            raise RowError(f"segments[{number}] must have 'id' and 'span', got {segment!r:.60}")
        pairs.append((segment["id"], read_span(segment.get("span"), answer, f"segments[{number}]")))
    return Item(
        id=text_field(row, "id"),
        answer=answer,
        passages=passages_field(row),
        segments=tuple(pairs),
        question=optional_text(row, "question"),
        lang=optional_text(row, "lang"),
        drawn=optional_text(row, "drawn") or "",
    )


def label_row(label: Label) -> dict[str, Any]:
    """The line that ``read_label`` reads."""
    return {
        "kind": "label",
        "key": label.key,
        "item": label.item,
        "segment": label.segment,
        "label": label.label,
        "error_type": None if label.error_type is None else label.error_type.value,
        "error_spans": [list(span) for span in label.error_spans],
        "evidence": [{"passage": number, "span": list(span)} for number, span in label.evidence],
        "by": label.by,
        "at": label.at,
        **({} if label.undoes is None else {"undoes": label.undoes}),
    }


def read_label(row: Row, items: Mapping[str, Item]) -> Label:
    """The label of a line, or of a request.

    Args:
        row: What ``label_row`` writes.
        items: The answers that may be meant.

    Raises:
        RowError: names the field and says what is wrong with it.
    """
    item = items.get(str(row.get("item")))
    if item is None:
        raise RowError(f"'item' is {row.get('item')!r:.60}, which is no answer of this file")
    word, segment, kind = row.get("label"), row.get("segment", WHOLE), row.get("error_type")
    if word is not None and word not in WORDS:
        raise RowError(f"'label' is {word!r:.60}. {did_you_mean(str(word), WORDS)}")
    if segment != WHOLE and segment not in dict(item.segments):
        raise RowError(f"'segment' is {segment!r:.60}, which answer {item.id!r:.60} does not have")
    if word in {SKIPPED, Verdict.ABSTAINED.value} and segment != WHOLE:
        raise RowError(f"'label' is {word!r}, which is said of a whole answer, not of segment {segment!r:.60}")
    if kind is not None and kind not in [known.value for known in ErrorType]:
        raise RowError(f"'error_type' is {kind!r:.60}. {did_you_mean(str(kind), [known.value for known in ErrorType])}")
    spans = read_spans(row.get("error_spans"), item.answer, "error_spans")
    if (kind is not None or spans) and word not in WRONG:
        raise RowError(f"an error belongs to a label that is {' or '.join(FAULTY)}, not to {word or 'none'}")
    by, undoes = text_field(row, "by"), optional_text(row, "undoes")
    at = row.get("at")
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise RowError(f"'at' must be Unix seconds, got {at!r:.60}")
    return Label(
        key=text_field(row, "key"),
        item=item.id,
        segment=segment,
        label=word,
        by=by,
        at=at,
        error_type=None if kind is None else ErrorType(kind),
        error_spans=spans,
        evidence=tuple(_evidence(pair, item) for pair in row.get("evidence") or ()),
        undoes=undoes,
    )


def _evidence(pair: object, item: Item) -> tuple[int, Span]:
    number = pair.get("passage") if isinstance(pair, dict) else None
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(item.passages):
        raise RowError(f"'evidence' must hold the number of a passage and a span, got {pair!r:.60}")
    return number, read_span(pair.get("span") if isinstance(pair, dict) else None, item.passages[number].text, "span")
