"""One answer to label: the answer as it goes into the label file, and what the page shows of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from guardrail.evaluation.data.label_rows import label_row
from guardrail.evaluation.labels import Item, Said
from guardrail.text.sentences import split_sentences
from guardrail.types import Passage, Span

Record = Mapping[str, Any]

_BREAK = re.compile(r"[\r\n]")
_SPLIT = 60
"""Passages that are taken apart into sentences to mark; of a later one the whole is marked."""


def unfit(record: Record) -> str | None:
    """Why the record cannot be labelled; None = it can."""
    if record.get("missing"):
        return str(record["missing"])
    if not record["answer"].strip():
        return "The answer is empty."
    return None if record["passages"] else "The answer has no passages to label it against."


def item_of(record: Record, drawn: str) -> Item:
    """The answer of a checked record, with the segments that the guard found in it."""
    length = len(record["answer"])
    spans = [(finding["id"], Span(*finding["span"])) for finding in record["findings"]]
    return Item(
        id=record["id"],
        answer=record["answer"],
        passages=tuple(Passage(id=p["id"], title=p["title"], text=p["text"]) for p in record["passages"]),
        segments=tuple((ident, span) for ident, span in spans if 0 <= span.start < span.end <= length),
        question=record["question"],
        drawn=drawn,
    )


def shown(item: Item, said: Said, others: Mapping[str, Said], record: Record | None) -> dict[str, Any]:
    """What the page gets.

    Args:
        item: The answer.
        said: What the person who labels has said of it.
        others: What others have, by name; only where these are to be settled.
        record: Where it is still recorded: what the guard thinks, which the page shows only when asked.
    """
    return {
        "id": item.id,
        "question": item.question,
        "answer": item.answer,
        "passages": [
            {"id": p.id, "title": p.title, "text": p.text, "sentences": _sentences(p, number)}
            for number, p in enumerate(item.passages)
        ],
        "segments": [{"id": ident, "span": list(span)} for ident, span in item.segments],
        "said": said_rows(said),
        "others": {by: said_rows(own) for by, own in others.items()},
        "hints": {} if record is None else _hints(item, record["findings"]),
    }


def said_rows(said: Said) -> dict[str, dict[str, Any]]:
    """Labels by segment, as JSON."""
    rows = {segment: label_row(label) for segment, label in said.items()}
    return {segment: {key: row[key] for key in _SHOWN} for segment, row in rows.items()}


_SHOWN = ("label", "error_type", "error_spans", "evidence")


def _sentences(passage: Passage, number: int) -> list[list[int]]:
    """Sentences without the white space around them."""
    text = _BREAK.sub(" ", passage.text)
    spans = split_sentences(text) if number < _SPLIT else [Span(0, len(text))]
    trimmed = (
        Span(span.start + len(part) - len(part.lstrip()), span.start + len(part.rstrip()))
        for span in spans
        if (part := span.of(text)).strip()
    )
    return [list(span) for span in trimmed]


def _hints(item: Item, findings: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the guard found, by segment, with evidence as the numbers and stretches of passages."""
    numbers = {passage.id: number for number, passage in enumerate(item.passages)}
    known = dict(item.segments)
    return {
        finding["id"]: {
            "verdict": finding["verdict"],
            "score": finding["score"],
            "error_type": finding["error_type"],
            "reason": finding["reason"],
            "evidence": [
                {"passage": numbers[quote["passage_id"]], "span": quote["span"]}
                for quote in finding["evidence"]
                if quote["passage_id"] in numbers
            ],
        }
        for finding in findings
        if known.get(finding["id"]) == tuple(finding["span"])
    }
