"""A further stage on trained weights: contrast sets with a ranking loss, for so many minutes.

python -m training.stage --data DATA --start runs/v1/model.pt --out runs/v2 --minutes 30

The loss is that of training.train, and for the two claims of a minimal pair a ranking loss beside it: the true one's
log-odds are to exceed the false one's by one. Resumable: run the same line again. Two cores with AMX read some 10,000
tokens a second in bfloat16, without it 1,400.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from guardrail.engines.local.model import ERROR_TYPES, VERDICTS
from training.contrast import contrast_pairs
from training.master import Master
from training.mixture import Group, rounds
from training.pairs import NOT_SUPPORTED, SUPPORTED, Pair
from training.train import (
    Recipe,
    auc,
    build_model,
    fast_type,
    load_tokenizer,
    load_weights,
    loss_of,
    save_whole,
    tensors,
)

WARMUP_STEPS = 60
BATCH_CHARACTERS, BATCH_PAIRS = 11_000, 36
SMOOTHING = 0.03
RANKING = 0.5
SMALL_RATE = 1.5e-4
HELD = 900
SAVE_EVERY = 600
"""Seconds between checkpoints."""


class Learner:
    """The reader that ships with the package, in training."""

    def __init__(self, start: Path) -> None:
        recipe = Recipe()
        self.model = build_model(recipe)
        load_weights(self.model, start, "cpu")
        self.tokenizer = load_tokenizer(recipe.max_tokens)
        self.master = Master([([p for p in self.model.parameters() if p.requires_grad], SMALL_RATE)])
        self.model.to(fast_type())

    def logits(self, pairs: list[Pair]) -> Tensor:
        """Logits, shape (pairs, 13)."""
        ids, types, mask, _, _ = tensors(pairs, self.tokenizer)
        logits: Tensor = self.model(ids, attention_mask=mask, token_type_ids=types).logits
        return logits.float()


def batches(groups: list[Group], rng: random.Random) -> list[list[Pair]]:
    """Groups of similar length together; the pairs of a group stay neighbours."""
    batch: list[Pair] = []
    made = [batch]
    for group in sorted(groups, key=lambda g: _length(g) // 100 + rng.random()):
        longest = max(_length(group), max((len(p.premise) + len(p.claim) for p in batch), default=0)) + 30
        if batch and (longest * (len(batch) + len(group)) > BATCH_CHARACTERS or len(batch) + len(group) > BATCH_PAIRS):
            batch = []
            made.append(batch)
        batch.extend(group)
    rng.shuffle(made)
    return made


def _length(group: Group) -> int:
    return max(len(pair.premise) + len(pair.claim) for pair in group)


def ranking_loss(logits: Tensor, good: Sequence[bool], groups: Sequence[object]) -> Tensor:
    """How far neighbours of one group, one true and one false, are from standing apart by one in log-odds."""
    logp = torch.log_softmax(logits[:, :VERDICTS], dim=-1)
    odds = logp[:, 0] - torch.logsumexp(logp[:, 1:], dim=-1)
    twins = [i for i in range(len(good) - 1) if groups[i] == groups[i + 1] and good[i] != good[i + 1]]
    if not twins:
        return odds.sum() * 0
    sign = torch.tensor([1.0 if good[i] else -1.0 for i in twins], device=odds.device)
    first = torch.tensor(twins, device=odds.device)
    return nn.functional.softplus(1 - (odds[first] - odds[first + 1]) * sign).mean()


def train(data: Path, learner: Learner, out: Path, minutes: float, *, seed: int, extra: Path | None = None) -> None:
    """Run or go on; ``out`` gets ``state.pt`` and ``model.pt`` (averaged weights) now and then, figures in a log."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    master, spent = learner.master, 0.0
    if (out / "state.pt").exists():
        state = torch.load(out / "state.pt", map_location="cpu")
        master.load(state)
        spent = state["spent"]
    rng = random.Random(seed + master.steps)
    began, saved, losses, tokens = time.monotonic() - spent, time.monotonic(), [0.0], 0
    learner.model.train()
    for shown in rounds(data, rng, extra):
        for pairs in batches(shown, rng):
            done = (time.monotonic() - began) / (60 * minutes)
            if done >= 1 or time.monotonic() - saved > SAVE_EVERY:
                speed = tokens / (time.monotonic() - saved)
                _save(learner, out, time.monotonic() - began, {"loss": sum(losses) / len(losses), "tokens/s": speed})
                saved, losses, tokens = time.monotonic(), [], 0
            if done >= 1:
                return
            logits = learner.logits(pairs)
            labels = torch.tensor([p.label for p in pairs])
            errors = torch.tensor([-1 if p.error is None else ERROR_TYPES.index(p.error) for p in pairs])
            good, groups = [p.label == SUPPORTED for p in pairs], [p.group for p in pairs]
            loss = loss_of(logits, labels, errors, SMOOTHING) + RANKING * ranking_loss(logits, good, groups)
            loss.backward()
            master.step(min(1.0, (master.steps + 1) / WARMUP_STEPS) * max(0.02, 0.5 * (1 + math.cos(math.pi * done))))
            losses.append(float(loss.detach()))
            tokens += sum(len(p.premise) + len(p.claim) for p in pairs) // 4


def _save(learner: Learner, out: Path, spent: float, figures: dict[str, float]) -> None:
    master = learner.master
    save_whole(master.state() | {"spent": spent}, out / "state.pt")
    save_whole(master.weights(learner.model), out / "model.pt")
    master.show_average(shown=True)
    figures = {"step": master.steps, "minutes": round(spent / 60, 1), **figures, **held_out(learner)}
    master.show_average(shown=False)
    print(json.dumps(figures), flush=True)
    with (out / "log.jsonl").open("a") as log:
        log.write(json.dumps(figures) + "\n")


@torch.no_grad()
def held_out(learner: Learner) -> dict[str, float]:
    """AUC of P(supported) on held-out contrast pairs, and the share of twins ranked right."""
    pairs = list(contrast_pairs(random.Random(1), held=True))
    pairs = [p for p in pairs if p.label != NOT_SUPPORTED][:HELD]
    learner.model.eval()
    parts = [learner.logits(pairs[start : start + 20])[:, :VERDICTS] for start in range(0, len(pairs), 20)]
    learner.model.train()
    scores = torch.softmax(torch.cat(parts), -1)[:, 0].tolist()
    twins = [scores[i] > scores[i + 1] for i in range(0, len(pairs) - 1, 2)]
    return {"contrast_auc": auc(scores, [p.label == SUPPORTED for p in pairs]), "ranked": sum(twins) / len(twins)}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/*.jsonl.gz and train/written/")
    parser.add_argument("--start", type=Path, required=True, help="weights of training.train to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--extra", type=Path, help="folder of further pairs (training.mixture.extra_pairs)")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    learner = Learner(arguments.start)
    train(arguments.data, learner, arguments.out, arguments.minutes, seed=arguments.seed, extra=arguments.extra)


if __name__ == "__main__":
    main()
