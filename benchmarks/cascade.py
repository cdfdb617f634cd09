"""What a cascade's unsure band hands on, and how good the local engine is on what it keeps.

    python benchmarks/cascade.py --data FOLDER [--sets name,name] [--limit 100] [--json]

FOLDER holds labelled files (the formats of `guardrail eval`); all are read if no sets are named. The local engine
judges each answer once; the bands are tried on its scores, so no model is asked. An answer is handed on if a score of
one of its segments lies within the band or could not be told; it is kept if none does. "mistakes handed on" beside
"answers handed on" says how much better than chance the band picks. Bands are chosen on training data, never on the
data that results are reported for.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from guardrail import Guard, Policy, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.engines.local.engine import LocalEngine
from guardrail.evaluation.data.labelled import select
from guardrail.evaluation.data.reading import find_sources, read_source
from guardrail.types import Row, SupportMatrix

BANDS = (
    (0.45, 0.55),
    (0.4, 0.6),
    (0.35, 0.65),
    (0.3, 0.7),
    (0.25, 0.75),
    (0.2, 0.8),
    (0.15, 0.85),
    (0.1, 0.9),
    (0.05, 0.95),
)


@dataclass(frozen=True, slots=True)
class Case:
    """One answer: is it supported, did the local engine say so, and the scores (None = not told) of its segments."""

    dataset: str
    supported: bool
    passed: bool
    scores: tuple[float | None, ...]

    def handed_on(self, low: float, high: float) -> int:
        return sum(low <= score <= high if score is not None else low <= 1 for score in self.scores)


@dataclass(frozen=True, slots=True)
class Line:
    """Shares (0..1) for one band; None where nothing is left to measure."""

    low: float
    high: float
    segments: float
    answers: float
    mistakes: float | None
    kept: int
    accuracy: float | None
    balanced: float | None


class Watched:
    """The local engine; keeps the rows of its last request."""

    def __init__(self) -> None:
        self.inner = LocalEngine()
        self.name = "local"
        self.rows: tuple[Row, ...] = ()

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        matrix = self.inner.verify(request)
        self.rows = matrix.rows
        return matrix


def cases_of(data: Path, names: Sequence[str], limit: int) -> list[Case]:
    """The local engine's view of up to ``limit`` English answers of each file; answers without claims are left out."""
    engine = Watched()
    guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=engine)
    cases = []
    for path in sorted(path for path in data.iterdir() if path.is_file()):
        name = path.name.partition(".")[0]
        if (names and name not in names) or ".jsonl" not in path.name:
            continue
        rows = [row for source in find_sources(path) for row in read_source(source) if row.lang == "en"]
        for row in select([row for row in rows if row.label is not Verdict.ABSTAINED], limit):
            engine.rows = ()
            report = guard.check(row.answer, row.passages, question=row.question)
            if engine.rows:
                scores = tuple(None if r.unverified is not None else r.supported for r in engine.rows)
                cases.append(Case(name, row.supported, report.verdict is Verdict.SUPPORTED, scores))
    return cases


def line(cases: Sequence[Case], low: float, high: float) -> Line:
    """Figures for one band."""
    kept = [case for case in cases if not case.handed_on(low, high)]
    mistakes = [case for case in cases if case.supported is not case.passed]
    right = {label: [c.passed is label for c in kept if c.supported is label] for label in (True, False)}
    return Line(
        low,
        high,
        segments=sum(c.handed_on(low, high) for c in cases) / sum(len(c.scores) for c in cases),
        answers=1 - len(kept) / len(cases),
        mistakes=sum(bool(c.handed_on(low, high)) for c in mistakes) / len(mistakes) if mistakes else None,
        kept=len(kept),
        accuracy=sum(c.supported is c.passed for c in kept) / len(kept) if kept else None,
        balanced=sum(sum(r) / len(r) for r in right.values()) / 2 if all(right.values()) else None,
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="", help="names of files without their suffix, separated by commas")
    parser.add_argument("--limit", type=int, default=100, help="answers of each file at most, drawn with a fixed seed")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    cases = cases_of(arguments.data, [name for name in arguments.sets.split(",") if name], arguments.limit)
    if not cases:
        parser.error(f"no labelled answer of these sets in {str(arguments.data)!r}")
    lines = [line(cases, 2.0, 2.0), *(line(cases, *band) for band in BANDS)]
    if arguments.json:
        print(json.dumps([asdict(each) for each in lines]))
        return
    print(f"{len(cases)} answers of {len({case.dataset for case in cases})} sets\n")
    print(
        "| band | segments handed on | answers handed on | mistakes handed on | kept | accuracy | balanced accuracy |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for each in lines:
        band = "none" if each.low > 1 else f"{each.low:g}–{each.high:g}"
        shares = (each.segments, each.answers, each.mistakes)
        print(
            f"| {band} | {' | '.join(map(_share, shares))} | {each.kept} | "
            f"{_share(each.accuracy)} | {_share(each.balanced)} |"
        )


if __name__ == "__main__":
    main()
