"""Sentence by sentence on realistic RAG answers, as Markdown tables: what is flagged wrongly, and what gets through.

    python benchmarks/field.py [--data DATA | --cases FILE] [--lang en,de] [--worst 10] [--json FILE]

Without DATA the 50 cases of answers.jsonl beside this file are read: answers as chat models write them, by a writer
who knew no rule of ours, in genres that are not among those of training/written/answers. DATA holds
bench/field_dev.jsonl and its description, field_dev.md. answers_later.jsonl holds 60 more of the first kind, of other
genres, answers_abroad.jsonl 80 in German, French, Spanish, Chinese and Japanese; both were written while the weights
were trained and first run on them when those were done. Nothing is tuned on any of them; look at single cases
(``--worst``) sparingly, and say how often.

How it is counted. A labelled sentence is met by the findings that overlap it by at least half of the shorter of both.
It passes if all of them are supported, or if there is none; its score is their lowest, 1 without any. A false alarm is
a supported sentence that does not pass (unverified counts), a miss a contradicted or unsupported one that passes.
Lead-ins and the like count in neither. A right answer passes whole if its verdict is "supported", or "abstained" where
it declines and claims nothing. Word overlap: share of a sentence's distinct words (Chinese, Japanese: characters) that
the passages or their titles have. Calibration error: gap between score and share supported, mean over ten bins of equal
mass (equal scores share one), of the sentences that somebody judged. Delivered: what ``Guard.run`` returns under
``Policy.repair()``, with nobody to ask for a new answer.

The model's int8 kernels round differently from processor to processor: figures move by about 0.005 with it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from guardrail import Finding, Guard, Passage, Policy, Report, Verdict

CASES = Path(__file__).with_name("answers.jsonl")

Case = dict[str, Any]
BINS = 10
JUDGED = {"supported": True, "contradicted": False, "unsupported": False}
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A labelled sentence and what was found. ``good`` is None where the label asks for no judgement."""

    case: str
    genre: str
    lang: str
    type: str
    text: str
    good: bool | None
    passed: bool
    judged: bool
    score: float
    overlap: float
    delivered: bool
    verdicts: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer. ``good``: none of its sentences is wrong. ``unchanged``: delivered to the letter."""

    case: str
    good: bool
    passed: bool
    unchanged: bool
    sentences: tuple[Sentence, ...]


def words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def met(start: int, end: int, report: Report) -> list[Finding]:
    """Findings that overlap a stretch of the answer by at least half of the shorter of both."""
    return [
        finding
        for finding in report.findings
        if 2 * (min(end, finding.span.end) - max(start, finding.span.start))
        >= min(end - start, finding.span.end - finding.span.start)
    ]


def judge(guard: Guard, case: Case) -> Answer:
    """One check, one delivered text, and what both mean for each labelled sentence."""
    passages = [Passage(**passage) for passage in case["passages"]]
    guarded = guard.run(case["answer"], passages, question=case["question"])
    report = guarded.original or guarded.report
    known = set().union(*(words(f"{passage.title or ''} {passage.text}") for passage in passages))
    sentences = []
    for gold in case["gold"]:
        text = gold["sentence"]
        start = case["answer"].index(text)
        findings = met(start, start + len(text), report)
        said = words(text)
        sentences.append(
            Sentence(
                case=case["id"],
                genre=case["genre"],
                lang=case["lang"],
                type=gold["type"],
                text=text,
                good=JUDGED.get(gold["label"]),
                passed=all(finding.verdict is Verdict.SUPPORTED for finding in findings),
                judged=any(finding.verdict is not Verdict.UNVERIFIED for finding in findings),
                score=min((finding.score for finding in findings), default=1.0),
                overlap=len(said & known) / len(said) if said else 1.0,
                delivered=text in guarded.text,
                verdicts=tuple(finding.verdict.value for finding in findings),
                reasons=tuple(finding.reason for finding in findings if finding.verdict is not Verdict.SUPPORTED),
            )
        )
    return Answer(
        case=case["id"],
        good=all(one.good is not False for one in sentences),
        passed=report.verdict in (Verdict.SUPPORTED, Verdict.ABSTAINED),
        unchanged=guarded.text == case["answer"],
        sentences=tuple(sentences),
    )


def area(good: Sequence[float], wrong: Sequence[float]) -> float:
    """Chance that a right sentence scores higher than a wrong one; ties count half."""
    if not good or not wrong:
        return float("nan")
    gap = np.array(good)[:, None] - np.array(wrong)[None, :]
    return float((gap > 0).mean() + (gap == 0).mean() / 2)


def calibration(sentences: Iterable[Sentence]) -> float:
    """Expected calibration error."""
    rows = [(one.score, one.good) for one in sentences if one.judged and one.good is not None]
    if not rows:
        return float("nan")
    score, good = np.array(rows, dtype=float).T
    bins = np.searchsorted(np.sort(score), score) * BINS // len(score)  # by the rank of the first equal score
    return sum(abs((score - good)[bins == number].sum()) for number in range(BINS)) / len(score)


def rate(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.2f})" if whole else "")


def counts(sentences: Sequence[Sentence]) -> tuple[str, str]:
    """False alarms and misses."""
    good = [one.passed for one in sentences if one.good]
    wrong = [one.passed for one in sentences if one.good is False]
    return rate(good.count(False), len(good)), rate(wrong.count(True), len(wrong))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print("\n| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def summary(answers: Sequence[Answer]) -> None:
    sentences = [one for answer in answers for one in answer.sentences]
    good, wrong = [one for one in sentences if one.good], [one for one in sentences if one.good is False]
    idle = [one for one in sentences if one.good is None]
    right, faulty = [one for one in answers if one.good], [one for one in answers if not one.good]
    alarms, misses = counts(sentences)
    kept = np.mean([one.passed for one in good] or np.nan)
    found = np.mean([not one.passed for one in wrong] or np.nan)
    auc = {key: area(*([getattr(one, key) for one in side] for side in (good, wrong))) for key in ("score", "overlap")}
    table(
        ("sentences", ""),
        [
            ("balanced accuracy", f"{(kept + found) / 2:.3f}"),
            ("AUC of the score", f"{auc['score']:.3f}"),
            ("AUC of word overlap (reversed)", f"{auc['overlap']:.3f} ({1 - auc['overlap']:.3f})"),
            ("false alarms", alarms),
            ("of them not judged", sum("unverified" in one.verdicts for one in good)),
            ("misses", misses),
            ("calibration error", f"{calibration(sentences):.3f}"),
            ("nothing to check, flagged", rate(sum(not one.passed for one in idle), len(idle))),
            ("wrong ones delivered", rate(sum(one.delivered for one in wrong), len(wrong))),
        ],
    )
    table(
        ("answers", ""),
        [
            ("right ones that pass whole", rate(sum(one.passed for one in right), len(right))),
            ("right ones delivered unchanged", rate(sum(one.unchanged for one in right), len(right))),
            ("wrong ones flagged", rate(sum(not one.passed for one in faulty), len(faulty))),
        ],
    )


def grouped(head: str, sentences: Sequence[Sentence], key: Callable[[Sentence], str]) -> None:
    """False alarms and misses of each group."""
    names = sorted({key(one) for one in sentences if one.good is not None})
    rows = [(name, *counts([one for one in sentences if key(one) == name])) for name in names]
    table((head, "false alarms", "misses"), rows)


def worst(sentences: Sequence[Sentence], number: int) -> None:
    """The surest mistakes."""
    alarms = sorted((one for one in sentences if one.good and not one.passed), key=lambda one: one.score)
    misses = sorted((one for one in sentences if one.good is False and one.passed), key=lambda one: -one.score)
    for name, rows in (("false alarms", alarms), ("misses", misses)):
        print(f"\n## Worst {name}\n")
        for one in rows[:number]:
            print(f"- {one.case} ({one.type}) {one.score:.2f}: {one.text}")
            print("".join(f"  - {reason}\n" for reason in one.reasons), end="")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with bench/field_dev.jsonl; answers.jsonl without it")
    parser.add_argument("--cases", type=Path, default=CASES, help="cases to read without DATA, as answers_later.jsonl")
    parser.add_argument("--lang", help="languages to score, such as en,de; all without it")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print the N worst mistakes of either kind")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all sentences with what was found")
    parser.add_argument("--engine", default="local", help="such as local:FOLDER, for weights of your own")
    arguments = parser.parse_args()
    source = arguments.data / "bench" / "field_dev.jsonl" if arguments.data else arguments.cases
    lines = source.read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    if arguments.lang:
        cases = [case for case in cases if case["lang"] in arguments.lang.split(",")]
    if not cases:
        parser.error(f"no case is in {arguments.lang}")
    guard = Guard(policy=Policy.repair().with_(deadline=None), engine=arguments.engine)
    answers = [judge(guard, case) for case in cases]
    sentences = [one for answer in answers for one in answer.sentences]
    if arguments.json:
        text = json.dumps([asdict(one) for one in sentences], ensure_ascii=False, indent=1)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    summary(answers)
    grouped("genre", sentences, lambda one: one.genre)
    grouped("language", sentences, lambda one: one.lang)
    wrong = [one for one in sentences if one.good is False]
    types = sorted({one.type for one in wrong})
    table(("type", "misses"), [(name, counts([one for one in wrong if one.type == name])[1]) for name in types])
    if arguments.worst:
        worst(sentences, arguments.worst)


if __name__ == "__main__":
    main()
