"""Accuracy of ``guardrail check`` on labelled sets: the real command runs on records made from them.

    python benchmarks/accuracy.py --data DATA [--sets face4rag_dev,wice__dev] [--limit 300]

DATA holds bench/face4rag_dev.jsonl, bench/entity_dev.jsonl and dev/*.jsonl.gz. Nothing is tuned here. Positive class =
supported. "recall@5%" is the share of wrong answers found at the threshold that flags 5 % of the right ones.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CORE = [
    "lfqa_verification__all",
    "factcheck_bench__claims",
    "wice__dev",
    "summedits__news",
    "summedits__qmsumm",
    "summedits__sales_email",
    "summedits__samsum",
    "face4rag_dev",
]


def rows(data: Path, name: str) -> Iterator[dict[str, Any]]:
    """Labelled rows of a set: id, question, answer, passages, good, type, lang."""
    bench = data / "bench" / f"{name}.jsonl"
    path = bench if bench.exists() else data / "dev" / f"{name}.jsonl.gz"
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        for line in lines:
            raw = json.loads(line)
            if raw["label"] == "abstained":
                continue
            yield {
                "id": raw["id"],
                "question": raw["question"],
                "answer": raw.get("answer") or raw["text"],
                "passages": raw["passages"],
                "good": raw["label"] == "supported",
                "type": raw["error_type"] or ("supported" if raw["label"] == "supported" else "unsupported"),
                "lang": raw["lang"],
            }


def check(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results of ``guardrail check`` for the records, in order."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        with source.open("w") as out:
            for r in records:
                out.write(json.dumps({k: r[k] for k in ("id", "question", "answer", "passages")}) + "\n")
        command = [sys.executable, "-m", "guardrail.cli.main", "check", str(source), "--out", str(target), "--quiet"]
        done = subprocess.run(command, check=False)
        if done.returncode == 2:
            raise SystemExit("guardrail check refused some records")
        return [json.loads(line) for line in target.open()]


def roc(scores: list[float], good: list[bool]) -> tuple[float, float, float]:
    """AUC, best balanced accuracy over all thresholds, recall of errors at 5 % false alarms."""
    positive = [s for s, g in zip(scores, good, strict=True) if g]
    negative = [s for s, g in zip(scores, good, strict=True) if not g]
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    best = recall = 0.0
    for threshold in sorted({*scores, 1.1}):
        accepted = sum(p >= threshold for p in positive) / len(positive)
        found = sum(n < threshold for n in negative) / len(negative)
        best = max(best, (accepted + found) / 2)
        if accepted >= 0.95:
            recall = max(recall, found)
    return wins / (len(positive) * len(negative)), best, recall


def table(name: str, records: list[dict[str, Any]], results: list[dict[str, Any]]) -> float:
    """Print one line per set, per-type lines below; returns balanced accuracy at the shipped threshold."""
    passed = [r["verdict"] == "supported" for r in results]
    unjudged = sum(r["verdict"] in ("unverified", "abstained") for r in results)
    good = [r["good"] for r in records]
    accepted = sum(p for p, g in zip(passed, good, strict=True) if g) / sum(good)
    found = sum(not p for p, g in zip(passed, good, strict=True) if not g) / (len(good) - sum(good))
    auc, best, recall = roc([r["score"] for r in results], good)
    print(
        f"{name:28} n {len(good):4}  BAcc {(accepted + found) / 2:.3f}  (supported accepted {accepted:.2f}, "
        f"wrong found {found:.2f})  best {best:.3f}  AUC {auc:.3f}  recall@5% {recall:.2f}  not judged {unjudged}"
    )
    return (accepted + found) / 2


def by_type(records: list[dict[str, Any]], results: list[dict[str, Any]]) -> None:
    """Share flagged per error type, and how often the type was named right."""
    groups: dict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for record, result in zip(records, results, strict=True):
        types = {f["error_type"] for f in result["findings"]}
        groups[record["lang"], record["type"]].append((result["verdict"] != "supported", record["type"] in types))
    for (lang, kind), pairs in sorted(groups.items()):
        flagged = sum(f for f, _ in pairs) / len(pairs)
        named = sum(n for _, n in pairs) / len(pairs)
        print(f"    {lang} {kind:26} n {len(pairs):3}  flagged {flagged:.2f}  type named {named:.2f}")


def namesakes(data: Path) -> None:
    """Answers that mix people up: F1 of findings typed mixed_entities against the label ``mixed``."""
    raw = [json.loads(line) for line in (data / "bench" / "entity_dev.jsonl").open()]
    results = check([{key: r[key] for key in ("id", "question", "answer", "passages")} for r in raw])
    said = [any(f["error_type"] == "mixed_entities" for f in r["findings"]) for r in results]
    hits = sum(s and r["mixed"] for s, r in zip(said, raw, strict=True))
    f1 = 2 * hits / (sum(said) + sum(r["mixed"] for r in raw))
    print(
        f"entity_dev n {len(raw)}  mixed_entities: precision {hits / max(sum(said), 1):.3f}, "
        f"recall {hits / sum(r['mixed'] for r in raw):.3f}, F1 {f1:.3f}"
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(CORE))
    parser.add_argument("--limit", type=int, default=300, help="rows per set at most, drawn with a fixed seed")
    arguments = parser.parse_args()
    accuracies = {}
    for name in arguments.sets.split(","):
        everything = list(rows(arguments.data, name))
        for lang in sorted({r["lang"] for r in everything}):
            records = [r for r in everything if r["lang"] == lang]
            random.Random(5).shuffle(records)
            records = records[: arguments.limit] if name != "face4rag_dev" else records
            results = check(records)
            accuracies[name, lang] = table(f"{name} {lang}", records, results)
            if name == "face4rag_dev":
                by_type(records, results)
    namesakes(arguments.data)
    core = {n: a for (n, lang), a in accuracies.items() if lang == "en"}
    edits = [a for n, a in core.items() if n.startswith("summedits")]
    parts = [a for n, a in core.items() if not n.startswith("summedits")] + ([sum(edits) / len(edits)] if edits else [])
    print(f"mean balanced accuracy of the core RAG sets (summedits as one): {sum(parts) / len(parts):.3f}")


if __name__ == "__main__":
    main()
