"""Label files for tests, and answers to label: about bridges, each with passages of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from guardrail.evaluation.data.label_rows import FIRST, item_row, label_row
from guardrail.evaluation.labels import Item, Label
from guardrail.types import ErrorType, Passage, Span

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


_TOWNS = (
    "Arden Brill Corvo Dunmore Elsby Farrow Gantry Hexham Irlam Jarrow Kelso Lorne Moffat Nairn Orkney Penrith".split()
)
_BUILT = (
    "{0} Bridge was opened to traffic in {1}. Its two towers carry a deck of steel, and the toll was dropped in 1980."
)
_CARE = "The council of {0} paints {0} Bridge every nine years."


def bridge(number: int) -> dict[str, object]:
    """An answer of two sentences on a bridge of its own; of every third one the second sentence is wrong."""
    name, year = f"{_TOWNS[number % 16]} {'North South East West'.split()[number // 16 % 4]}", 1900 + number
    second = "Its deck is made of steel."
    if number % 3 == 0:
        second = (
            "It was designed by a violinist from Vienna who disliked railways."
            if number % 2
            else f"Its toll was dropped in {1930 + number % 7}."
        )
    return {
        "id": f"b{number}",
        "question": f"What is known of {name} Bridge?",
        "answer": f"{name} Bridge was opened to traffic in {year}. {second}",
        "passages": [
            {"id": "p1", "title": f"{name} Bridge", "text": _BUILT.format(name, year)},
            {"id": "p2", "title": "Care", "text": _CARE.format(name)},
        ],
    }


def is_wrong(ident: str) -> bool:
    """Whether the second sentence of the answer ``bridge`` made is wrong."""
    return int(ident[1:]) % 3 == 0


def write_bridges(path: Path, answers: int) -> Path:
    """A file of so many answers."""
    path.write_text("".join(json.dumps(bridge(number)) + "\n" for number in range(answers)))
    return path


def label_bridges(source: Path, by: str = "Ana", *, drawn: str = "random", wrong_word: str = "contradicted") -> Path:
    """Labels for all answers of such a file, in the label file beside it; half of the errors have a kind."""
    lines: list[Item | Label] = []
    for place, row in enumerate(map(json.loads, source.read_text().splitlines())):
        answer, ident = row["answer"], row["id"]
        cut = answer.index(". ") + 1
        passages = tuple(Passage(**passage) for passage in row["passages"])
        segments = (("s1", Span(0, cut)), ("s2", Span(cut + 1, len(answer))))
        lines.append(
            Item(id=ident, answer=answer, passages=passages, segments=segments, question=row["question"], drawn=drawn)
        )
        lines.append(said(f"{by}{place}a", "s1", "supported", by, ident))
        wrong = is_wrong(ident)
        kind = ErrorType.CONTRADICTION if wrong and place % 2 else None
        lines.append(said(f"{by}{place}b", "s2", wrong_word if wrong else "supported", by, ident, error_type=kind))
    return write_labels(source.with_suffix(".labels.jsonl"), lines)
