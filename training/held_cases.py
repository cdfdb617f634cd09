"""How a reader of passages ranks held-out cases by itself: AUC of "supported", by language and by kind of error.

    python -m training.held_cases [--reader guardrail/engines/local/languages] [--lang de,en] [--limit 150]

Each sentence is read with each passage of its case; what counts is the passage that speaks most for it. A kind of error
is compared with all right sentences of its language.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from guardrail.engines.local.loading import load
from guardrail.engines.local.model import LANGUAGES_FOLDER, Reader
from guardrail.engines.local.packs import reader_languages
from guardrail.text.passages import titled
from guardrail.text.restatement import after_question
from training.cases import cases
from training.contrast import read_passage
from training.train import auc

FEWEST = 8
"""Wrong sentences of a kind below which its figure says nothing."""


def scores(reader: Reader, row: dict[str, Any]) -> Iterator[tuple[str, bool, float]]:
    """Kind of error, whether right, and P(supported) of each sentence of a case."""
    premises = [titled(passage["title"], read_passage(passage["text"])) for passage in row["passages"]]
    shown = [(twins["type"], good) for twins in row["sentences"] for good in (True, False)]
    claims = [
        after_question(twins["right" if good else "wrong"], row["question"])
        for twins in row["sentences"]
        for good in (True, False)
    ]
    found = reader.probabilities([(premise, claim) for premise in premises for claim in claims])[:, 0]
    best = found.reshape(len(premises), len(claims)).max(axis=0)
    for (kind, good), value in zip(shown, best.tolist(), strict=True):
        yield kind, good, value


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", type=Path, default=LANGUAGES_FOLDER)
    parser.add_argument("--lang", default="", help="those of the reader if not given")
    parser.add_argument("--files", default="", help="only cases whose names begin so")
    parser.add_argument("--limit", type=int, default=150, help="cases of a language at most")
    given = parser.parse_args()
    reader = load(given.reader)
    langs = given.lang.split(",") if given.lang else sorted(reader_languages(given.reader) or {"en"})
    print("| language | cases | AUC | twins ranked right | by kind of error |\n| --- | --- | --- | --- | --- |")
    for lang in langs:
        rows = [row for row in cases(held=True, langs=(lang,)) if row["id"].startswith(given.files)]
        rows = rows[:: max(1, len(rows) // given.limit)][: given.limit]
        right: list[float] = []
        wrong: dict[str, list[float]] = defaultdict(list)
        ranked: list[bool] = []
        for row in rows:
            found = list(scores(reader, row))
            right += [value for _, good, value in found if good]
            for kind, good, value in found:
                if not good:
                    wrong[kind].append(value)
            ranked += [true[2] > false[2] for true, false in zip(found[::2], found[1::2], strict=True)]
        if not ranked:
            continue
        everything = [value for values in wrong.values() for value in values]
        kinds = {kind: _area(right, values) for kind, values in wrong.items() if len(values) >= FEWEST}
        told = ", ".join(f"{kind} {area:.2f}" for kind, area in sorted(kinds.items(), key=lambda item: item[1]))
        share = sum(ranked) / len(ranked)
        print(f"| {lang} | {len(rows)} | {_area(right, everything):.3f} | {share:.2f} | {told} |", flush=True)


def _area(right: list[float], wrong: list[float]) -> float:
    return auc(right + wrong, [True] * len(right) + [False] * len(wrong))


if __name__ == "__main__":
    main()
