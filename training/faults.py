"""Fit the weights of guardrail.check.fault: ``python -m training.faults DATA [--every 2]``.

On training data only: written false claims (the fault is what differs from the nearest true twin or passage sentence,
where seven words in ten are the same), wice tokens and bump (spans marked by people). Each set weighs the same, each
segment of a set too. Prints token F1 per set on the half that was left out, then the weights of a fit on all of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from guardrail.check.decompose import decompose
from guardrail.check.fault import Marks, best_stretch, mark_words
from guardrail.engines.local.evidence import choose_evidence
from guardrail.engines.local.passage_index import Library
from guardrail.text.words import content_words, read_words
from guardrail.types import Passage, Span
from training.pairs import read_rows
from training.written import Words, difference

HUMAN = ("wice__tokens_train", "bump__task1", "bump__task2")
LENIENCE = 1.0
"""Added to the odds of every word: on the halves left out, a stretch a little too long costs least over all sets."""


class Example(NamedTuple):
    """Marks of a segment's words (words x marks) and which of them are at fault."""

    marks: np.ndarray
    fault: np.ndarray


def example(text: str, faults: Sequence[Span], library: Library) -> Example:
    """A segment of an answer with its labelled spans."""
    chosen = choose_evidence(library, content_words(text), range(len(library.sentences)))
    known = frozenset(word for sentence in library.sentences for word in sentence.words)
    words = read_words(text)
    marks = mark_words(words, [library.sentences[n].text for n in chosen], known)
    wrong = [any(w.start < s.end and s.start < w.end for s in faults) for w in words]
    return Example(np.array(marks, dtype=float), np.array(wrong))


def words_of(text: str) -> Words:
    """Words in the forms that the guard compares."""
    return [(word.form, Span(word.start, word.end)) for word in read_words(text)]


def written(folder: Path, every: int) -> Iterator[Example]:
    """False claims of every n-th English record."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        for record in [r for r in read_rows(path) if r["lang"] == "en"][::every]:
            cuts = [0, *(record.get("splits") or []), len(record["sentences"])]
            texts = [" ".join(record["sentences"][a:b]) for a, b in pairwise(cuts)]
            library = Library([Passage(text=t, id=str(n), title=record["title"]) for n, t in enumerate(texts)])
            for claim in record["unsupported"]:
                twin = [] if claim["p"] is None else [record["supported"][claim["p"]]["c"]]
                fault = difference(claim["c"], [*record["sentences"], *twin], words_of)
                if fault is not None:
                    yield example(claim["c"], [fault], library)


def human(path: Path) -> Iterator[Example]:
    """Segments that hold a span marked by people."""
    for row in read_rows(path):
        if not row["spans"] or row["label"] == "supported":
            continue
        library = Library([Passage(text=text, id=str(n)) for n, text in enumerate(row["passages"])])
        for segment in decompose(row["text"]).segments:
            start, end = segment.span
            inside = [Span(max(a, start) - start, min(b, end) - start) for a, b in row["spans"]]
            if any(a < b for a, b in inside):
                yield example(segment.span.of(row["text"]), inside, library)


def fit(sets: Sequence[Sequence[Example]]) -> np.ndarray:
    """Logistic regression by Newton's method, every set and every segment weighing the same."""
    marks = np.vstack([e.marks for s in sets for e in s])
    fault = np.concatenate([e.fault for s in sets for e in s])
    weight = np.concatenate([np.full(len(e.fault), 1 / len(s) / len(e.fault)) for s in sets for e in s])
    beta = np.zeros(marks.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-marks @ beta))
        slope = marks.T @ (weight * (fault - p)) - 1e-4 * beta
        curve = (marks * (weight * p * (1 - p))[:, None]).T @ marks + 1e-4 * np.eye(len(beta))
        beta += np.linalg.solve(curve, slope)
    return beta


def token_f1(examples: Sequence[Example], beta: np.ndarray) -> tuple[float, float]:
    """Micro and macro F1 of the marked stretches."""
    right = said = meant = 0
    each = []
    for one in examples:
        first, last = best_stretch((one.marks @ beta).tolist())
        hit = int(one.fault[first : last + 1].sum())
        right, said, meant = right + hit, said + last + 1 - first, meant + int(one.fault.sum())
        each.append(2 * hit / (last + 1 - first + one.fault.sum()))
    return 2 * right / (said + meant), float(np.mean(each))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--every", type=int, default=2)
    arguments = parser.parse_args()
    train = arguments.data / "train"
    sets = {"written": list(written(train / "written", arguments.every))}
    sets |= {name: list(human(train / f"{name}.jsonl.gz")) for name in HUMAN}
    beta = fit([examples[::2] for examples in sets.values()])
    whole = np.eye(len(beta))[0]
    for lenience in (0.5, 0.75, LENIENCE, 1.25):
        print(f"lenience {lenience}")
        for name, examples in sets.items():
            micro, macro = token_f1(examples[1::2], beta + lenience * whole)
            all_micro, all_macro = token_f1(examples[1::2], whole)
            print(f"  {name:20} F1 {micro:.3f} macro {macro:.3f}   whole segment {all_micro:.3f} {all_macro:.3f}")
    weights = Marks(*(fit(list(sets.values())) + LENIENCE * whole).round(2).tolist())
    print(weights)


if __name__ == "__main__":
    main()
