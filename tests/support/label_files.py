"""Label files for tests: answers about a bridge, and what people say of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from guardrail.evaluation.data.label_rows import FIRST, item_row, label_row
from guardrail.evaluation.labels import Item, Label
from guardrail.types import Passage, Span

PASSAGE = "The Larkmoor Bridge was opened in 1932. It carries two tracks."
SENTENCES = ("The bridge was opened in 1932.", "It carries four tracks.")


def item(ident: str = "a", drawn: str = "random", sentences: tuple[str, ...] = SENTENCES) -> Item:
    """An answer of these sentences, s1, s2, ..."""
    answer = " ".join(sentences)
    segments, start = [], 0
    for number, sentence in enumerate(sentences, 1):
        segments.append((f"s{number}", Span(start, start + len(sentence))))
        start += len(sentence) + 1
    return Item(
        id=ident,
        answer=answer,
        passages=(Passage(id="p1", text=PASSAGE),),
        segments=tuple(segments),
        question=f"When was bridge {ident} opened?",
        drawn=drawn,
    )


def said(key: str, segment: str, label: str | None, by: str = "Ana", of: str = "a", **more: object) -> Label:
    """A label; times are those of the epoch's first seconds."""
    return Label(key=key, item=of, segment=segment, label=label, by=by, at=1.0, **more)  # type: ignore[arg-type]


def write_labels(path: Path, lines: Iterable[Item | Label]) -> Path:
    """A label file with these lines."""
    rows = [FIRST, *(item_row(line) if isinstance(line, Item) else label_row(line) for line in lines)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
