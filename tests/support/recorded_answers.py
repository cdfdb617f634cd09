"""Record stores and files full of answers, quickly made: rows as the writer makes them, with other ids and times.

python -m tests.support.recorded_answers guardrail.db --records 100000 --long
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from pathlib import Path

from guardrail.telemetry import Outcome
from guardrail.telemetry.records.database import open_to_write
from guardrail.telemetry.records.retention import SAMPLE, note_fact
from guardrail.telemetry.records.rows import COLUMNS, as_row
from guardrail.types import (
    Action,
    Cause,
    Decision,
    ErrorType,
    Evidence,
    Finding,
    GuardedAnswer,
    Passage,
    Report,
    Span,
    Verdict,
)

DAY = 86_400
SAMPLED = 0.05
RECORDED_UNTIL = 1_800_000_000.0
_DAM = Passage(
    id="d3",
    title="Larkmoor Dam: the 2021 closure",
    text="Larkmoor Dam was closed in March 2021. Engineers lowered the reservoir by six metres because divers had found "
    "a crack in the spillway gate. The dam opened again in May 2022.",
)
_TOWN = Passage(
    id="d5",
    title="Larkmoor Dam: history",
    text="Larkmoor Dam was built between 1958 and 1963 to supply the town of Fennick with drinking water.",
)
_BILL = Passage(
    id="b1",
    title="Rechnungen",
    text="Rechnungen sind innerhalb von 30 Tagen zu zahlen. Mahnungen kosten 5 Euro. Die Zahlung ist per Überweisung "
    "oder Lastschrift möglich.",
)
_ASKED = (
    ("Why was Larkmoor Dam closed in 2021?", (_DAM, _TOWN), "places"),
    ("When did the dam open again?", (_DAM, _TOWN), "places"),
    ("Bis wann muss ich die Rechnung bezahlen?", (_BILL,), "billing"),
    ("Was kostet eine Mahnung?", (_BILL,), "billing"),
    ("Who is supplied by the dam?", (_TOWN,), "people"),
)
_RIGHT = (
    "Divers found a crack in the spillway gate.",
    "The dam opened again in May 2022.",
    "Rechnungen sind innerhalb von 30 Tagen zu zahlen.",
    "Eine Mahnung kostet 5 Euro.",
    "The dam supplies the town of Fennick with drinking water.",
)
_WRONG = (
    (
        "Divers found a crack because engineers had lowered the reservoir.",
        ErrorType.CAUSAL_CONFUSION,
        "because engineers had lowered the reservoir",
        "The segment makes the lowering of the reservoir the cause; in the evidence it is the effect.",
    ),
    ("It opened again in March 2024.", ErrorType.CONTRADICTION, "March 2024", "The passage says May 2022."),
    (
        "Rechnungen sind innerhalb von 60 Tagen zu zahlen.",
        ErrorType.CONTRADICTION,
        "60 Tagen",
        "The passage says 30 Tagen.",
    ),
    ("Mahnungen sind kostenlos.", ErrorType.HALLUCINATION, "kostenlos", "The passage says 5 Euro."),
    (
        "The mayor of Fennick later apologised to local hotel owners.",
        ErrorType.HALLUCINATION,
        "apologised to local hotel owners",
        "The passages speak of something else.",
    ),
)


def outcome(
    verdict: Verdict | str, question: int = 0, *, score: float | None = None, filler: int = 0, **given
) -> Outcome:
    """An answer of two sentences with this verdict about one of five questions; ``filler``: characters of texts."""
    verdict = Verdict(verdict)
    asked, passages, topic = _ASKED[question]
    faulty = verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
    wrong, error, words, reason = _WRONG[question]
    second = wrong if faulty else "Everything else is open."
    answer = f"{_RIGHT[question]} {second}"
    if filler:
        extra = " ".join(itertools.islice(itertools.cycle(_DAM.text.split()), filler // 6))
        passages = (*passages, Passage(id="x", title="More of the same", text=extra))
    start = len(answer) - len(second)
    focus = Span(start + second.index(words), start + second.index(words) + len(words)) if faulty else None
    quote = passages[0].text.split(". ")[1 if len(passages[0].text) > 120 else 0]
    at = passages[0].text.index(quote)
    evidence = (Evidence(passage_id=passages[0].id, span=Span(at, at + len(quote)), quote=quote),)
    low = {"contradicted": 0.05, "unsupported": 0.2, "unverified": 0.0}.get(verdict, 0.93) if score is None else score
    first = Finding(
        id="s1", text=_RIGHT[question], span=Span(0, len(_RIGHT[question])), claim=_RIGHT[question],
        verdict=Verdict.SUPPORTED, score=0.97, evidence=evidence,
    )  # fmt: skip
    last = Finding(
        id="s2", text=second, span=Span(start, len(answer)), claim=second,
        verdict=Verdict.SUPPORTED if verdict is Verdict.ABSTAINED else verdict, score=low,
        error_type=error if faulty else None, reason=reason if faulty else "", focus=focus, evidence=evidence,
        cause=Cause.TIMEOUT if verdict is Verdict.UNVERIFIED else None,
    )  # fmt: skip
    report = Report(
        verdict=verdict, score=low, answer=answer, passages=passages, question=asked,
        findings=(first, last), engine=given.pop("engine", "local"), seconds=0.03,
    )  # fmt: skip
    name = given.pop("action", "flag" if faulty else "allow")
    action = Action.ALLOW if name == "abandoned" else Action(name)
    decision = Decision(action=action, rule=verdict.value if faulty else "", policy="monitor")
    guarded = GuardedAnswer(text=answer, action=action, report=report, decision=decision)
    labels = {"application": "support", "topic": topic, **given.pop("labels", {})}
    return Outcome(
        report=report,
        guarded=None if name == "abandoned" else guarded,
        action=name,
        labels=labels,
        **{"id": "0" * 32, "at": time.time(), "seconds": 0.03, "policy": "monitor", **given},
    )


def write_store(path: Path, records: int, *, now: float, days: float = 14, filler: int = 0, seed: int = 0) -> None:
    """A store of so many records of the last days: release v41 comes after v40 half way, and is worse at billing."""
    connection = open_to_write(path, 5.0)
    note_fact(connection, SAMPLE, SAMPLED)
    last = connection.execute("SELECT COALESCE(MAX(number), 0) FROM records").fetchone()[0]
    kinds, drawn = _drawn(random.Random(seed), records, last=last, now=now, days=days, filler=filler)
    own = {"id": "drawn.id", "trace_id": "drawn.trace", "digest": "drawn.digest", "at": "drawn.at",
           "score": "MAX(0.0, MIN(1.0, kinds.score + drawn.noise))"}  # fmt: skip
    names = ", ".join(("number", *COLUMNS))
    taken = ", ".join(("drawn.number", *(own.get(name, f"kinds.{name}") for name in COLUMNS)))
    connection.execute("BEGIN")
    connection.execute(f"CREATE TEMP TABLE kinds (kind INTEGER PRIMARY KEY, content, {', '.join(COLUMNS)})")
    connection.execute("CREATE TEMP TABLE drawn (number INTEGER PRIMARY KEY, kind, at, id, trace, digest, noise)")
    connection.executemany(f"INSERT INTO kinds VALUES ({', '.join('?' * (len(COLUMNS) + 2))})", kinds)
    connection.executemany("INSERT INTO drawn VALUES (?, ?, ?, ?, ?, ?, ?)", drawn)
    pairs = "FROM drawn CROSS JOIN kinds USING (kind)"
    connection.execute(f"INSERT INTO records ({names}) SELECT {taken} {pairs}")
    connection.execute(f"INSERT INTO contents (number, content) SELECT drawn.number, kinds.content {pairs}")
    connection.execute("COMMIT")
    connection.close()


def _drawn(
    chance: random.Random, records: int, *, last: int, now: float, days: float, filler: int
) -> tuple[list[tuple], list[tuple]]:
    """Kinds of records as the writer makes them, and for each record its number, kind, time, ids, and noise of its score.

    Of supported answers a twentieth is kept only.
    """
    kinds: dict[tuple, int] = {}
    made, drawn, place = [], [], {name: number for number, name in enumerate(COLUMNS)}
    for number in range(1, records + 1):
        question, new, bm25 = int(chance.random() * 5), number > records / 2, chance.random() < 0.5
        verdict = _verdict(chance, 0.16 if new and question in (2, 3) else 0.06)
        key = (verdict, question, new, bm25)
        if key not in kinds:
            kinds[key] = len(kinds)
            labels = {"release": "v41" if new else "v40", "retriever": "bm25" if bm25 else "dense"}
            row = as_row(outcome(verdict, question, labels=labels, filler=filler), 1.0, None)
            values = list(row.values)
            if verdict is Verdict.SUPPORTED:
                values[place["rate"]] = SAMPLED
            made.append((kinds[key], row.content, *values))
        ids = f"{chance.getrandbits(384):096x}"
        noise = 0.0 if verdict is Verdict.UNVERIFIED else chance.random() / 10 - 0.05
        at = now - days * DAY * (1 - number / records)
        drawn.append((last + number, kinds[key], at, ids[:32], ids[32:64], ids[64:], noise))
    return made, drawn


def _verdict(chance: random.Random, unfaithful: float) -> Verdict:
    """A verdict as it is kept."""
    supported = (1 - unfaithful - 0.02) * SAMPLED
    place = chance.random() * (unfaithful + 0.02 + supported)
    if place < unfaithful:
        return Verdict.CONTRADICTED if place < unfaithful / 2 else Verdict.UNSUPPORTED
    if place < unfaithful + 0.01:
        return Verdict.UNVERIFIED
    return Verdict.ABSTAINED if place < unfaithful + 0.02 else Verdict.SUPPORTED


def write_answers(path: Path, answers: int) -> None:
    """A file of answers that nobody checked: every third one is wrong."""
    with path.open("w", encoding="utf-8") as out:
        for number in range(answers):
            verdict = Verdict.CONTRADICTED if number % 3 == 0 else Verdict.SUPPORTED
            report = outcome(verdict, number % 5).report
            row = {
                "id": f"a{number}",
                "question": report.question,
                "answer": report.answer,
                "passages": [{"id": p.id, "title": p.title, "text": p.text} for p in report.passages],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--long", action="store_true", help="Texts of 6 kB a record rather than 1 kB.")
    chosen = parser.parse_args()
    write_store(chosen.path, chosen.records, now=time.time(), filler=5_000 if chosen.long else 0)
