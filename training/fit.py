"""Fit the scorer on held-out training answers: signals of the running engine -> P(supported).

    python -m training.fit --data DATA --model guardrail/engines/local/model
    python -m training.fit --data DATA --languages guardrail/engines/local/languages
    python -m training.fit --data DATA --beside guardrail/engines/local/languages

Only the fold that the weights never saw is used (training/answers.py); nothing of a dev or bench set. Each source
weighs the same, right and wrong answers too. An answer passes if its worst segment does, so the fit is on answers:
the loss reads the least of its segments' log-odds. Weights may only point as local.scorer.SIGNS says.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from guardrail.check.contract import VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.check.logic import check_logic
from guardrail.check.matrix import evidence_texts
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.judgement import gate, judge_readings, row_signals
from guardrail.engines.local.packs import reader_languages
from guardrail.engines.local.passage_index import Library
from guardrail.engines.local.rules import bare
from guardrail.engines.local.scorer import ALONE, BESIDE, SIGNS, Scorer, Signals, answer_prior
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.types import Segment
from training.answers import (
    SentenceLabels,
    case_answers,
    contrast_answers,
    elementary_answers,
    injected_answers,
    labelled_answers,
    realistic_answers,
    written_answers,
)
from training.train import auc

SEED = 11
RIDGE = 0.003
STEPS = 1200
LEAST = {"clashing_values": 2.1, "missing_values": 0.8, "refuted": 1.5}
"""Weights below which a signal may not fall: many true claims of the fit compute their numbers, and what they teach
about those (to mind them less) would let plainly wrong ones pass."""

FALSE_ALARMS = 0.2
"""Share of right single claims that fall below 0.5, on average over the sources; the intercept is set by it."""

_CONSTANT = 2e-3
"""Scale of a signal that has the same value everywhere, as the second model's where there is none."""

_ENOUGH = 20
"""Right single claims that a source must have to count there."""

REVERSED = 4.0
"""Log-odds taken off where a relation is turned round, which the guard flags whatever the score."""


@dataclass(frozen=True, slots=True)
class Example:
    """An answer: signals of its segments, shape (segments, signals), what logic objects to, and whether it is right.

    ``logic`` has shape (segments, 2): 1.0 where the passages do not license the relation, and where they reverse it.
    """

    signals: NDArray[np.float64]
    logic: NDArray[np.float64]
    good: bool
    source: str
    group: str


def read(answer: LabelledAnswer, engine: LocalEngine, scorer: Path) -> Example | None:
    """The engine's signals for an answer, as the running guard computes them; None where that scorer weighs none."""
    found = list(_read_segments(answer, engine, scorer))
    if not found:
        return None
    signals, logic = (np.array(column) for column in zip(*((s, flags) for _, s, flags in found), strict=True))
    return Example(signals, logic, answer.supported, answer.dataset, answer.group)


def read_sentences(case: SentenceLabels, engine: LocalEngine, scorer: Path) -> Iterator[Example]:
    """The signals of each sentence of an answer that somebody labelled, one example each."""
    for segment, signals, logic in _read_segments(case.answer, engine, scorer):
        good = case.label(segment.span.of(case.answer.answer))
        if good is not None:
            yield Example(np.array([signals]), np.array([logic]), good, case.answer.dataset, case.answer.group)


def _read_segments(
    answer: LabelledAnswer, engine: LocalEngine, scorer: Path
) -> Iterator[tuple[Segment, Signals, tuple[float, float]]]:
    """Segments that the scorer of that folder weighs, with their signals and what logic objects to.

    Copies are left out, for they are certain.
    """
    ids = tuple(p.id for p in answer.passages)
    segments = decompose(answer.answer, question=answer.question, passage_ids=ids).checked
    if not segments:
        return
    library = Library(answer.passages)
    views = [library.views(segment, ()) for segment in segments]
    request = VerifyRequest(segments=segments, passages=answer.passages, question=answer.question)
    for segment, view, (readings, wide, file) in zip(
        segments, views, engine.read_all(request, library, views), strict=True
    ):
        done = [r for r in readings or [] if r is not None]
        if done and file == scorer and bare(segment.text) not in library.copies:
            evidence = evidence_texts(judge_readings(segment, library, view, done, _ANY, 1), answer.passages)
            found = check_logic(segment.id, segment.text, segment.relations, evidence) if segment.relations else None
            wrong = found is not None and found.consistent is False
            flags = float(wrong and not found.contradicts), float(wrong and found.contradicts)
            yield segment, row_signals(done, gate(segment, library, done, answer.question), wide), flags


_ANY = Scorer((0.0,) * len(SIGNS), 0.0, 0.0)
"""Which sentences are quoted does not depend on the scorer; of windows that it finds alike the first is taken."""


class Fit(torch.nn.Module):
    """The scorer as guardrail.engines.local.scorer computes it, with its signs kept by construction."""

    def __init__(self, mean: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.mean, self.scale = mean, scale
        self.sign = torch.tensor(list(SIGNS.values()), dtype=torch.double)
        self.least = torch.tensor([LEAST.get(name, 0.0) for name in SIGNS], dtype=torch.double)
        self.raw = torch.nn.Parameter(torch.full((len(SIGNS),), -1.0, dtype=torch.double))
        self.bias = torch.nn.Parameter(torch.zeros((), dtype=torch.double))
        self.length = torch.nn.Parameter(torch.zeros((), dtype=torch.double))
        self.logic = torch.nn.Parameter(torch.ones((), dtype=torch.double))

    def weights(self) -> Tensor:
        """Weights of the standardised signals."""
        return self.sign * (torch.nn.functional.softplus(self.raw) + self.least * self.scale)

    def forward(self, x: Tensor, logic: Tensor, mask: Tensor, prior: Tensor) -> Tensor:
        """Log-odds of whole answers; x: (answers, segments, signals), mask: True where a segment is."""
        logits = (x - self.mean) / self.scale @ self.weights() + self.bias
        logits = logits - logic[..., 0] * torch.nn.functional.softplus(self.logic) - logic[..., 1] * REVERSED
        least: Tensor = logits.masked_fill(~mask, 1e9).min(dim=1).values
        return least + torch.sigmoid(self.length) * prior

    def record(self, shift: float) -> dict[str, object]:
        """What scorer.json holds: weights for signals as they are, not standardised; the intercept moved by a shift."""
        weights = self.weights().detach() * (self.scale > _CONSTANT)  # what never varies says nothing
        intercept = float(self.bias.detach() - (weights * self.mean / self.scale).sum())
        return {
            "signals": list(SIGNS),
            "weights": [round(float(w), 4) for w in weights / self.scale],
            "intercept": round(intercept + shift, 4),
            "length": round(float(torch.sigmoid(self.length.detach())), 4),
        }


Columns = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def padded(examples: list[Example]) -> Columns:
    """Signals, logic, mask, prior by length, labels."""
    longest = max(len(e.signals) for e in examples)
    x = torch.zeros(len(examples), longest, len(SIGNS), dtype=torch.double)
    logic = torch.zeros(len(examples), longest, 2, dtype=torch.double)
    mask = torch.zeros(len(examples), longest, dtype=torch.bool)
    for number, example in enumerate(examples):
        x[number, : len(example.signals)] = torch.from_numpy(example.signals)
        logic[number, : len(example.signals)] = torch.from_numpy(example.logic)
        mask[number, : len(example.signals)] = True
    prior = torch.tensor([answer_prior(len(e.signals)) for e in examples], dtype=torch.double)
    return x, logic, mask, prior, torch.tensor([float(e.good) for e in examples], dtype=torch.double)


def fit(examples: list[Example]) -> Fit:
    """Fit on all examples; every source and both of its labels weigh the same."""
    x, logic, mask, prior, y = padded(examples)
    rows = x[mask]
    model = Fit(rows.mean(0), rows.std(0) + 1e-3)
    weight = torch.zeros(len(examples), dtype=torch.double)
    for source in {e.source for e in examples}:
        for good in (True, False):
            here = torch.tensor([e.source == source and e.good == good for e in examples])
            weight[here] = 1.0 / max(int(here.sum()), 1)
    weight /= weight.sum()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for _ in range(STEPS):
        optimizer.zero_grad()
        losses = torch.nn.functional.binary_cross_entropy_with_logits(model(x, logic, mask, prior), y, reduction="none")
        ((losses * weight).sum() + RIDGE * (model.weights() ** 2).sum()).backward()
        optimizer.step()
        schedule.step()
    return model


def shift_for(model: Fit, examples: list[Example], rate: float) -> float:
    """What to add to the log-odds so that this share of right single claims, on average over sources, stays below 0."""
    single = [e for e in examples if e.good and len(e.signals) == 1]
    x, logic, mask, prior, _ = padded(single)
    with torch.no_grad():
        logits = model(x, logic, mask, prior)
    counts = Counter(e.source for e in single)
    sources = sorted(source for source, count in counts.items() if count >= _ENOUGH)
    of_source = [logits[torch.tensor([e.source == source for e in single])] for source in sources]
    low, high = -10.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        alarms = float(torch.stack([(values + middle < 0).double().mean() for values in of_source]).mean())
        low, high = (middle, high) if alarms > rate else (low, middle)
    return high


def table(model: Fit, examples: list[Example], shift: float) -> None:
    """AUC and balanced accuracy per source, on the answers of the fit itself."""
    x, logic, mask, prior, y = padded(examples)
    with torch.no_grad():
        logits = model(x, logic, mask, prior) + shift
    print(f"{'source':20} {'n':>5} {'AUC':>6} {'BAcc':>6} {'right passed':>13} {'wrong found':>12}")
    for source in sorted({e.source for e in examples}):
        here = torch.tensor([e.source == source for e in examples])
        good, passed = y[here] == 1, logits[here] >= 0
        accepted, found = float(passed[good].double().mean()), float((~passed[~good]).double().mean())
        area = auc(logits[here].tolist(), good.tolist())
        print(
            f"{source:20} {int(here.sum()):5d} {area:6.3f} {(accepted + found) / 2:6.3f} {accepted:13.2f} {found:12.2f}"
        )


def cross_validate(examples: list[Example], folds: int = 4) -> float:
    """Mean loss over sources of answers left out, by group."""
    groups = sorted({e.group for e in examples})
    random.Random(SEED).shuffle(groups)
    fold_of = {group: number % folds for number, group in enumerate(groups)}
    losses: dict[str, list[float]] = {}
    for fold in range(folds):
        model = fit([e for e in examples if fold_of[e.group] != fold])
        left = [e for e in examples if fold_of[e.group] == fold]
        x, logic, mask, prior, y = padded(left)
        with torch.no_grad():
            each = torch.nn.functional.binary_cross_entropy_with_logits(
                model(x, logic, mask, prior), y, reduction="none"
            )
        for example, loss in zip(left, each.tolist(), strict=True):
            losses.setdefault(example.source, []).append(loss)
    return float(np.mean([np.mean(values) for values in losses.values()]))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=Path("guardrail/engines/local/model"))
    parser.add_argument("--limit", type=int, default=700, help="answers per source at most")
    parser.add_argument("--passages", type=Path, help="folder of a second model that reads whole passages")
    parser.add_argument("--languages", type=Path, help="folder of the model of six languages: fit its scorer abroad")
    parser.add_argument("--beside", type=Path, help="the same folder: fit the scorer of both models in English")
    arguments = parser.parse_args()
    rng = random.Random(SEED)
    passages = arguments.passages or arguments.beside
    scorer = (arguments.languages or passages or arguments.model) / ALONE
    target = arguments.model / BESIDE if arguments.beside else scorer
    engine = LocalEngine(arguments.model, passage_reader=passages, languages=arguments.languages)
    if arguments.languages:
        langs = tuple(sorted(reader_languages(arguments.languages) - {"en"}))
        answers = [*written_answers(arguments.data, rng, langs)]
        answers += [answer for lang in langs for answer in contrast_answers(rng, lang)]
        told = [*case_answers(langs)]
    else:
        answers = [
            *written_answers(arguments.data, rng),
            *injected_answers(arguments.data, rng),
            *labelled_answers(arguments.data),
            *contrast_answers(rng),
            *elementary_answers(rng, arguments.limit),
        ]
        told = [*realistic_answers(), *case_answers()]
    rng.shuffle(answers)
    examples: list[Example] = []
    for source in sorted({a.dataset for a in answers}):
        chosen = [a for a in answers if a.dataset == source][: arguments.limit]
        examples.extend(e for a in chosen if (e := read(a, engine, scorer)) is not None)
    examples.extend(example for case in told for example in read_sentences(case, engine, scorer))
    print(f"cross-validated loss: {cross_validate(examples):.4f}")
    model = fit(examples)
    shift = shift_for(model, examples, FALSE_ALARMS)
    print(f"intercept moved by {shift:.2f} for false alarms of {FALSE_ALARMS:.0%} on right single claims")
    target.write_text(json.dumps(model.record(shift), indent=1) + "\n")
    print(json.dumps(model.record(shift)))
    print("guardrail.check.judge.LOGIC_ODDS:", round(float(torch.nn.functional.softplus(model.logic)), 2))
    table(model, examples, shift)


if __name__ == "__main__":
    main()
