"""Sixty answers about bridges, what Ana said of them, and a record store of two releases: for the studio's pictures."""

from __future__ import annotations

import json
import random
from pathlib import Path

from guardrail import Guard, Passage, Policy
from guardrail.evaluation.data.label_rows import FIRST, item_row, label_row
from guardrail.evaluation.labels import Item, Label
from guardrail.telemetry import Outcome
from guardrail.telemetry.records import RecordStore
from guardrail.types import ErrorType, Span

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


UNTIL, DAYS, ANSWERS = 1_790_000_000.0, 14, 1_200


def write_store(path: Path) -> Path:
    """Records of two weeks: release v41 came half way, and answers questions about tolls worse than v40."""
    guard, draw = Guard(policy=Policy.repair()), random.Random(1)  # noqa: S311  the same pictures each time
    rows = [bridge(number) for number in range(60)]
    judged = [
        guard.run(str(row["answer"]), [Passage(**one) for one in row["passages"]], question=str(row["question"]))  # type: ignore[attr-defined]
        for row in rows
    ]
    right = [number for number in range(60) if number % 3]
    with RecordStore(path, days=None, sample=1.0, queue=ANSWERS) as store:
        for number in range(ANSWERS):
            new, topic = number >= ANSWERS / 2, draw.choice(("tolls", "towers", "dates"))
            wrong = draw.random() < (0.3 if new and topic == "tolls" else 0.08)
            chosen = draw.randrange(20) * 3 if wrong else draw.choice(right)
            store.record(
                Outcome(
                    id=f"{number:032x}", at=UNTIL - DAYS * 86_400 * (1 - number / ANSWERS), seconds=0.03,
                    policy="repair", report=judged[chosen].report, guarded=judged[chosen],
                    action=judged[chosen].action.value,
                    labels={"release": "v41" if new else "v40", "topic": topic},
                )
            )  # fmt: skip
        if not store.flush(600):
            raise TimeoutError(f"{path} is not written")
    return path
