"""Accuracy of the shipped guard on the dev and bench sets, as the Markdown tables of docs/benchmarks.md.

    python benchmarks/accuracy.py --data DATA [--limit 300] [--sets face4rag_dev,wice__dev]

DATA holds bench/face4rag_dev.jsonl, bench/entity_dev.jsonl and dev/*.jsonl.gz. Nothing is tuned here. The figures are
those of ``guardrail eval`` (docs/evaluation.md), and the core mean, in which the four summedits sets count as one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from guardrail import Guard, Policy
from guardrail.evaluation import LabelledAnswer, judge
from guardrail.evaluation.bootstrap import Estimate
from guardrail.evaluation.data.labelled import select
from guardrail.evaluation.data.reading import find_sources, read_source
from guardrail.evaluation.evaluate import evaluate
from guardrail.evaluation.measures import Level, SetMeasures

CORE = (
    "lfqa_verification__all",
    "factcheck_bench__claims",
    "wice__dev",
    "summedits__news",
    "summedits__qmsumm",
    "summedits__sales_email",
    "summedits__samsum",
    "face4rag_dev",
)
COLUMNS = {
    "balanced_accuracy": "balanced accuracy",
    "best_balanced_accuracy": "at the best threshold",
    "auc": "AUC",
    "overlap_auc": "AUC of word overlap",
    "error_recall": "errors found",
    "false_alarm_rate": "false alarms",
    "recall_at_5": "found at 5 % false alarms",
    "calibration_error": "calibration error",
}


def answers_of(data: Path, name: str, lang: str, limit: int) -> list[LabelledAnswer]:
    """Rows of one set in one language."""
    bench = data / "bench" / f"{name}.jsonl"
    path = bench if bench.exists() else data / "dev" / f"{name}.jsonl.gz"
    rows = [row for source in find_sources(path) for row in read_source(source) if row.lang == lang]
    return rows if bench.exists() else select(rows, limit)


def shown(estimate: Estimate) -> str:
    """A figure with its interval."""
    if estimate.value is None:
        return "–"
    low = "" if estimate.low is None else f" ({estimate.low:.2f}–{estimate.high:.2f})"
    return f"{estimate.value:.3f}{low}"


def line(name: str, level: Level) -> str:
    """A table row; intervals for the first three columns only, to keep it readable."""
    cells = [shown(level.figures[key]) for key in list(COLUMNS)[:3]]
    cells += [shown(Estimate(level.figures[key].value)) for key in list(COLUMNS)[3:]]
    return f"| {name} | {level.n} | " + " | ".join(cells) + f" | {level.not_judged} |"


def types(measures: SetMeasures) -> None:
    """Share flagged per error type, beside the false alarms on supported answers."""
    print("\n| type | answers | flagged | type named right | not judged |\n| --- | --- | --- | --- | --- |")
    for row in measures.levels[0].types:
        named = "–" if row.named is None else f"{row.named:.2f}"
        print(f"| {row.name} | {row.n} | {shown(row.flagged)} | {named} | {row.not_judged} |")
    print(f"\nabstained answers seen as such: {measures.abstained_found} of {measures.abstained}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(CORE))
    parser.add_argument("--limit", type=int, default=300, help="rows per dev set at most, drawn with a fixed seed")
    parser.add_argument("--engine", default="local", help="such as local:FOLDER, for weights of your own")
    arguments = parser.parse_args()
    guard = Guard(policy=Policy.monitor().with_(deadline=None), engine=arguments.engine)
    core: dict[str, float] = {}
    print("| set | n | " + " | ".join(COLUMNS.values()) + " | not judged |")
    print("| --- | --- | " + " | ".join("---" for _ in COLUMNS) + " | --- |")
    detailed: list[tuple[str, SetMeasures]] = []
    for name in arguments.sets.split(","):
        for lang in ("en", "zh") if name == "face4rag_dev" else ("en",):
            rows = answers_of(arguments.data, name, lang, arguments.limit)
            measures = evaluate(judge(guard, rows), guard.policy).sets[0]
            level = measures.levels[0]
            print(line(f"{name} {lang}", level), flush=True)
            if lang == "en":
                core[name] = level.figures["balanced_accuracy"].value or 0.0
            if name == "face4rag_dev":
                detailed.append((f"{name} {lang}", measures))
    edits = [value for name, value in core.items() if name.startswith("summedits")]
    parts = [value for name, value in core.items() if not name.startswith("summedits")]
    parts += [sum(edits) / len(edits)] if edits else []
    print(f"\nmean balanced accuracy, summedits as one: {sum(parts) / len(parts):.3f}")
    for name, measures in detailed:
        print(f"\n## {name}, per error type")
        types(measures)
    (source,) = find_sources(arguments.data / "bench" / "entity_dev.jsonl")
    mixed = evaluate(judge(guard, list(read_source(source))), guard.policy, resamples=0).sets[0].mixed
    if mixed is not None:
        scores = f"precision {mixed.precision:.3f}, recall {mixed.recall:.3f}, F1 {mixed.f1:.3f}"
        print(f"\nentity_dev n {mixed.n}, mixed_entities: {scores}")


if __name__ == "__main__":
    main()
