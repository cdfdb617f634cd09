"""Fit the scorer on held-out training records: signals of the running engine -> P(supported).

    python -m training.fit --data DATA --model guardrail/local/model

Only the fold that the weights never saw is used (training/pairs.py); nothing of a dev or bench set. Each source weighs
the same. Weights may only point the way that guardrail.local.scorer.SIGNS says.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guardrail.engine import VerifyRequest
from guardrail.local.engine import LocalEngine, gate, row_signals
from guardrail.local.reading import Library
from guardrail.local.scorer import SIGNS
from guardrail.types import Passage, Segment, Span
from training.edits import other_meaning, same_meaning
from training.pairs import held_out, human_files, join, read_rows, written_records
from training.train import auc

SEED = 11
HUMAN_SETS = ("begin", "factcg_cg2c_synth", "frank", "infotabs")
"""Human-labelled sets whose evidence looks like retrieved passages; bare NLI pairs do not."""


@dataclass(frozen=True, slots=True)
class Example:
    """A claim with the passages that a RAG application would have had, and its label."""

    claim: str
    passages: tuple[Passage, ...]
    supported: bool
    source: str


def written_examples(data: Path, rng: random.Random) -> Iterator[Example]:
    """Claims of held-out records among passages of their genre; some true claims lose their evidence."""
    records = written_records(data, held=True)
    by_genre: dict[str, list[dict[str, object]]] = {}
    for record in records:
        by_genre.setdefault(record["id"].rsplit("-", 1)[0], []).append(record)
    for record in records:
        genre = record["id"].rsplit("-", 1)[0]
        others = [r for r in by_genre[genre] if r is not record]
        sentences, cut = record["sentences"], record.get("split") or len(record["sentences"])
        for claim in [*record["supported"], *record["unsupported"]]:
            supported = "e" in claim
            kept = list(range(len(sentences)))
            if supported and rng.random() < 0.15:
                kept = [i for i in kept if i not in claim["e"]]
                supported = False
            texts = [
                join([sentences[i] for i in part], "en")
                for part in ([i for i in kept if i < cut], [i for i in kept if i >= cut])
            ]
            own = [Passage(text=t, title=record["title"]) for t in texts if t]
            far = [
                Passage(text=join(r["sentences"], "en"), title=r["title"])
                for r in rng.sample(others, min(3, len(others)))
            ]
            passages = own + far
            rng.shuffle(passages)
            yield Example(claim["c"], _numbered(passages), supported, "written")
        for sentence in rng.sample(sentences, min(5, len(sentences))):
            far = [
                Passage(text=join(r["sentences"], "en"), title=r["title"])
                for r in rng.sample(others, min(3, len(others)))
            ]
            passages = _numbered([*far, Passage(text=join(sentences, "en"), title=record["title"])])
            changed = other_meaning(sentence, rng) if rng.random() < 0.5 else None
            yield Example(same_meaning(changed or sentence, rng), passages, changed is None, "close")


def human_examples(data: Path) -> Iterator[Example]:
    """Held-out rows of the human-labelled sets."""
    for path in human_files(data):
        if not path.name.startswith(HUMAN_SETS):
            continue
        for row in read_rows(path):
            if held_out(f"{row['dataset']}:{row['group']}"):
                passages = _numbered([Passage(text=text) for text in row["passages"]])
                yield Example(row["text"], passages, row["label"] == "supported", row["dataset"])


def _numbered(passages: list[Passage]) -> tuple[Passage, ...]:
    return tuple(Passage(id=str(n), text=p.text, title=p.title) for n, p in enumerate(passages, 1))


def signals(example: Example, engine: LocalEngine) -> tuple[float, ...]:
    """The engine's signals for an example, as the running guard computes them."""
    segment = Segment(id="s1", span=Span(0, len(example.claim)), text=example.claim)
    request = VerifyRequest(segments=(segment,), passages=example.passages)
    library = Library(request.passages)
    views = library.views(segment, ())
    readings = [r for r in engine.read(request, [views])[0] or [] if r is not None]
    return row_signals(readings, gate(segment, library, readings), views.coverage_all)


def fit(
    x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64], ridge: float = 0.002
) -> tuple[NDArray[np.float64], float]:
    """Logistic regression with a sign per weight, by projected gradient descent on standardised signals."""
    mean, scale = x.mean(0), x.std(0) + 1e-6
    z, sign = (x - mean) / scale, np.array(list(SIGNS.values()), dtype=float)
    w, b = np.zeros(x.shape[1]), 0.0
    for _ in range(6000):
        error = (1 / (1 + np.exp(-(z @ w + b))) - y) * weight
        w -= 0.3 * (z.T @ error / weight.sum() + ridge * w)
        b -= 0.3 * error.sum() / weight.sum()
        w = np.where(w * sign > 0, w, 0.0)
    return w / scale, float(b - (w * mean / scale).sum())


def shift_for_answers(
    logits: NDArray[np.float64], y: NDArray[np.float64], sources: list[str], rng: random.Random
) -> float:
    """Shift of the intercept that serves whole answers: right ones pass only if each of their segments passes.

    Balanced classes would be calibrated for single claims. Answers of one and two segments, wrong ones with one wrong
    segment, are drawn from the same examples; the shift with the best mean balanced accuracy over lengths and sources
    is taken.
    """
    draws = []
    for source in sorted(set(sources)):
        here = [i for i, s in enumerate(sources) if s == source]
        right, wrong = [i for i in here if y[i] == 1], [i for i in here if y[i] == 0]
        for length in (1, 2):
            passing = [min(logits[i] for i in rng.sample(right, length)) for _ in range(300)]
            failing = [min(logits[i] for i in [*rng.sample(right, length - 1), rng.choice(wrong)]) for _ in range(300)]
            draws.append((np.array(passing), np.array(failing)))

    def accuracy(shift: float) -> float:
        return float(np.mean([((p + shift >= 0).mean() + (f + shift < 0).mean()) / 2 for p, f in draws]))

    shifts = np.arange(-1.0, 3.0, 0.05)
    best = float(shifts[np.argmax([accuracy(s) for s in shifts])])
    print(f"shift for answers {best:+.2f}: balanced accuracy {accuracy(0.0):.3f} -> {accuracy(best):.3f}")
    return best


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=Path("guardrail/local/model"))
    parser.add_argument("--limit", type=int, default=700, help="examples per source at most")
    arguments = parser.parse_args()
    rng = random.Random(SEED)
    examples = [*written_examples(arguments.data, rng), *human_examples(arguments.data)]
    rng.shuffle(examples)
    sources = sorted({e.source for e in examples})
    chosen = [
        e
        for s in sources
        for e in [e for e in examples if e.source == s][: arguments.limit * (2 if s == "written" else 1)]
    ]
    engine = LocalEngine(folder=arguments.model)
    x = np.array([signals(e, engine) for e in chosen])
    y = np.array([float(e.supported) for e in chosen])
    # Every source and both of its labels weigh the same. More for the written records would cost the overlap signals:
    # their false claims copy the passage and their true ones reword it, which is the reverse of what answers do.
    weight = np.zeros(len(chosen))
    for source in sources:
        for label in (0.0, 1.0):
            here = np.array([e.source == source for e in chosen]) & (y == label)
            weight[here] = 1.0 / max(here.sum(), 1)
    weight *= len(chosen) / weight.sum()
    weights, intercept = fit(x, y, weight)
    intercept += shift_for_answers(x @ weights + intercept, y, [e.source for e in chosen], rng)
    (arguments.model / "scorer.json").write_text(
        json.dumps(
            {
                "signals": list(SIGNS),
                "weights": [round(float(w), 4) for w in weights],
                "intercept": round(intercept, 4),
            },
            indent=1,
        )
        + "\n"
    )
    score = 1 / (1 + np.exp(-(x @ weights + intercept)))
    print(
        json.dumps(dict(zip(SIGNS, np.round(weights, 3).tolist(), strict=True)), indent=1),
        "intercept",
        round(intercept, 3),
    )
    print(f"{'source':20} {'n':>5} {'AUC':>6} {'BAcc':>6}  AUC of each signal")
    for source in sources:
        here = np.array([e.source == source for e in chosen])
        good = y[here] == 1
        bacc = (score[here] >= 0.5) == good
        alone = [auc((s * x[here, i]).tolist(), good.tolist()) for i, s in enumerate(SIGNS.values())]
        print(
            f"{source:20} {here.sum():5d} {auc(score[here].tolist(), good.tolist()):6.3f} "
            f"{(bacc[good].mean() + bacc[~good].mean()) / 2:6.3f}  {[round(a, 2) for a in alone]}"
        )


if __name__ == "__main__":
    main()
