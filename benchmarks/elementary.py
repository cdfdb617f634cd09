"""Elementary pairs: one short passage, one claim that follows from it and one that does not, in nearly the same words.

    python benchmarks/elementary.py [--kind date,unit] [--failures] [--ratchet FILE [--update]]

The pairs are in elementary.jsonl, written by hand; nothing is trained or tuned on them. Each claim is checked alone.
"Accepted": the guard calls the true claim supported; it may also find nothing to check in courtesies and in what is
said about the documents. "Caught": it calls the false one contradicted or unsupported; unverified counts on neither
side. "Ranked right": the true claim has the higher score, ties count half. Word overlap beside it: share of a claim's
distinct words (Chinese, Japanese: characters) that the passage, its title or the question has.

--ratchet FILE: what is listed there must pass; exits 1 and names what does not. A file that is not there yet is
written; --update writes it anew and names what left it. Listed is what passes by a margin of 0.1: int8 kernels
round differently from processor to processor, and one verdict in twenty turns with that (none of those listed did).
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail import Guard, Passage, Policy, Report, Verdict

PAIRS = Path(__file__).with_name("elementary.jsonl")
SIDES = ("true", "false")
THRESHOLD = Policy.monitor().threshold
MARGIN = 0.1
IDLE_KINDS = ("smalltalk", "about_documents")
"""Kinds whose true claims need no check."""

Pair = dict[str, Any]
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One claim of a pair, checked."""

    pair: Pair
    side: str
    report: Report
    overlap: float

    @property
    def id(self) -> str:
        return f"{self.pair['id']} {self.side}"

    @property
    def passed(self) -> bool:
        if self.side == "false":
            return self.report.verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
        idle = self.report.verdict is Verdict.ABSTAINED and self.pair["kind"] in IDLE_KINDS
        return idle or self.report.verdict is Verdict.SUPPORTED

    @property
    def clear(self) -> bool:
        """Passes by a margin."""
        beyond = self.report.score - THRESHOLD
        return self.passed and (beyond if self.side == "true" else -beyond) >= MARGIN


def read_pairs(path: Path = PAIRS) -> list[Pair]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def passages_of(pair: Pair) -> list[Passage]:
    alone = {"text": pair["passage"], "title": pair.get("title")} if "passage" in pair else None
    parts = [alone] if alone else pair["passages"]
    return [Passage(id=f"p{number}", **part) for number, part in enumerate(parts, start=1)]


def overlap(pair: Pair, side: str) -> float:
    given = [f"{passage.title or ''} {passage.text}" for passage in passages_of(pair)] + [pair.get("question", "")]
    words, known = (set(_WORD.findall(text.lower())) for text in (pair[side], " ".join(given)))
    return len(words & known) / len(words)


def check(guard: Guard, pairs: Iterable[Pair]) -> list[tuple[Outcome, Outcome]]:
    """Both claims of every pair: the true one, the false one."""

    def outcome(pair: Pair, side: str) -> Outcome:
        report = guard.check(pair[side], passages_of(pair), question=pair.get("question"))
        return Outcome(pair, side, report, overlap(pair, side))

    return [(outcome(pair, "true"), outcome(pair, "false")) for pair in pairs]


def ranked(values: Iterable[tuple[float, float]]) -> str:
    """Share of pairs in which the first value is the higher one."""
    each = [(true > false) + (true == false) / 2 for true, false in values]
    return f"{sum(each) / len(each):.2f}"


def row(name: str, outcomes: Sequence[tuple[Outcome, Outcome]]) -> str:
    passed = [(true.passed, false.passed) for true, false in outcomes]
    cells = (
        name,
        len(outcomes),
        sum(true for true, _ in passed),
        sum(false for _, false in passed),
        sum(true and false for true, false in passed),
        ranked((true.report.score, false.report.score) for true, false in outcomes),
        ranked((true.overlap, false.overlap) for true, false in outcomes),
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(outcomes: Sequence[tuple[Outcome, Outcome]]) -> None:
    print("| kind | pairs | true accepted | false caught | both | ranked right | by word overlap |")
    print("|" + " --- |" * 7)
    kinds = list(dict.fromkeys(true.pair["kind"] for true, _ in outcomes))
    for kind in kinds:
        print(row(kind, [both for both in outcomes if both[0].pair["kind"] == kind]))
    print(row("**all**", outcomes))


def failures(outcomes: Iterable[Outcome]) -> None:
    print("\n## Failures\n")
    for one in outcomes:
        if not one.passed:
            reasons = " ".join(finding.reason for finding in one.report.findings) or one.report.reason
            print(f"- {one.id}: {one.report.verdict.value} {one.report.score:.2f}: {one.pair[one.side]}\n  {reasons}")


def ratchet(path: Path, outcomes: Sequence[Outcome], update: bool) -> int:
    """Compare with what passed before, or write what passes now; the exit code."""
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    if before and not update:
        known = {one.id for one in outcomes}
        passing = {one.id for one in outcomes if one.passed}
        lost = [name for name in before if name in known and name not in passing]
        gained = len({one.id for one in outcomes if one.clear} - set(before))
        print(f"\n{len(before)} must pass, {len(lost)} do not; {gained} more could be listed (--update)")
        print("".join(f"- {name}\n" for name in lost), end="")
        return 1 if lost else 0
    now = [one.id for one in outcomes if one.clear]
    path.write_text(json.dumps(now, indent=0) + "\n", encoding="utf-8")
    left = [name for name in before if name not in now]
    print(f"\n{len(now)} listed in {path}, {len(left)} left it")
    print("".join(f"- {name}\n" for name in left), end="")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", help="kinds to check, such as date,unit; all without it")
    parser.add_argument("--failures", action="store_true", help="list what fails, with verdict, score and reason")
    parser.add_argument("--ratchet", type=Path, metavar="FILE", help="what must pass")
    parser.add_argument("--update", action="store_true", help="write the ratchet's file anew")
    parser.add_argument("--engine", default="local", help="such as local:FOLDER, for weights of your own")
    arguments = parser.parse_args()
    pairs = read_pairs()
    if arguments.kind:
        if arguments.ratchet and arguments.update:
            parser.error("--update needs all kinds")
        wanted = arguments.kind.split(",")
        unknown = set(wanted) - {pair["kind"] for pair in pairs}
        if unknown:
            parser.error(f"no such kind: {', '.join(sorted(unknown))}")
        pairs = [pair for pair in pairs if pair["kind"] in wanted]
    outcomes = check(Guard(policy=Policy.monitor().with_(deadline=None), engine=arguments.engine), pairs)
    single = [one for both in outcomes for one in both]
    table(outcomes)
    if arguments.failures:
        failures(single)
    return ratchet(arguments.ratchet, single, arguments.update) if arguments.ratchet else 0


if __name__ == "__main__":
    raise SystemExit(main())
