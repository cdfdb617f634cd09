"""Sixty answers about bridges, and what Ana said of them: for the pictures of the views Label and Set."""

from __future__ import annotations

import json
from pathlib import Path

from guardrail.evaluation.data.label_rows import FIRST, item_row, label_row
from guardrail.evaluation.labels import Item, Label
from guardrail.types import ErrorType, Passage, Span

_TOWNS = "Arden Brill Corvo Dunmore Elsby Farrow Gantry Hexham Irlam Jarrow Kelso Lorne Moffat Nairn Orkney".split()


def bridge(number: int) -> dict[str, object]:
    """An answer of two sentences; the second one of every third is wrong."""
    name = f"{_TOWNS[number % 15]} {'North South East West'.split()[number // 15]} Bridge"
    said = (
        f"Its toll was dropped in {1930 + number % 7}."
        if number % 6 == 0
        else "It was designed by a violinist from Vienna."
        if number % 3 == 0
        else "Its deck is made of steel."
    )
    built = f"{name} was opened to traffic in {1900 + number}."
    more = "Its two towers carry a deck of steel, and the toll was dropped in 1980."
    return {
        "id": f"b{number}",
        "question": f"What is known of {name}?",
        "answer": f"{built} {said}",
        "passages": [
            {"id": "p1", "title": name, "text": f"{built} {more}"},
            {"id": "p2", "title": "Care", "text": f"The council paints {name} every nine years."},
        ],
    }


def write_answers(path: Path) -> Path:
    """The answers alone."""
    path.write_text("".join(json.dumps(bridge(number)) + "\n" for number in range(60)), encoding="utf-8")
    return path


def write_labels(path: Path) -> Path:
    """The labels of all of them, in the label file beside the answers."""
    rows = [FIRST]
    for number in range(60):
        row = bridge(number)
        answer, ident = str(row["answer"]), str(row["id"])
        cut = answer.index(". ") + 1
        passages = tuple(Passage(**passage) for passage in row["passages"])  # type: ignore[attr-defined]
        segments = (("s1", Span(0, cut)), ("s2", Span(cut + 1, len(answer))))
        rows.append(
            item_row(
                Item(
                    id=ident,
                    answer=answer,
                    passages=passages,
                    segments=segments,
                    question=str(row["question"]),
                    drawn="random",
                )
            )
        )
        wrong = None if number % 3 else "unsupported" if number % 6 else "contradicted"
        kind = {None: None, "unsupported": ErrorType.HALLUCINATION, "contradicted": ErrorType.CONTRADICTION}[wrong]
        for segment, label in (("s1", "supported"), ("s2", wrong or "supported")):
            given = Label(
                key=f"{ident}{segment}", item=ident, segment=segment, label=label, by="Ana", at=float(number),
                error_type=kind if segment == "s2" else None,
            )  # fmt: skip
            rows.append(label_row(given))
    labels = path.with_suffix(".labels.jsonl")
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return labels
