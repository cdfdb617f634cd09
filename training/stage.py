"""A further stage on trained weights: contrast sets with a ranking loss, for so many minutes.

python -m training.stage --data DATA --start runs/v1/model.pt --out runs/v2 --minutes 30

The loss is that of training.train, and for the two claims of a minimal pair a ranking loss beside it: the true one's
log-odds are to exceed the false one's by one. Two cores without bfloat16 read 1,400 tokens a second.
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
from training.mixture import Group, rounds
from training.pairs import SUPPORTED, Pair
from training.train import Recipe, auc, build_model, load_tokenizer, load_weights, loss_of, save_whole, tensors

WARMUP_STEPS = 60
BATCH_CHARACTERS, BATCH_PAIRS = 11_000, 36
SMOOTHING = 0.03
RANKING = 0.5
SMALL_RATE = 1.5e-4
HELD = 300
SAVE_EVERY = 600
"""Seconds between checkpoints."""


class Learner:
    """The reader that ships with the package, in training."""

    def __init__(self, start: Path) -> None:
        recipe = Recipe()
        self.model = build_model(recipe)
        load_weights(self.model, start, "cpu")
        self.tokenizer = load_tokenizer(recipe.max_tokens)

    def parts(self) -> list[tuple[list[nn.Parameter], float]]:
        """Parameters with their highest learning rate."""
        return [([p for p in self.model.parameters() if p.requires_grad], SMALL_RATE)]

    def logits(self, pairs: list[Pair]) -> Tensor:
        """Logits, shape (pairs, 13)."""
        ids, types, mask, _, _ = tensors(pairs, self.tokenizer)
        logits: Tensor = self.model(ids, attention_mask=mask, token_type_ids=types).logits
        return logits


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


def train(data: Path, learner: Learner, out: Path, minutes: float, *, seed: int) -> None:
    """Run; ``out`` gets ``model.pt`` every ten minutes and at the end, with the held-out AUC in ``log.jsonl``."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    parts = learner.parts()
    everything = [parameter for parameters, _ in parts for parameter in parameters]
    rated = [{"params": parameters, "lr": rate} for parameters, rate in parts]
    optimizer = torch.optim.AdamW(rated, weight_decay=0.01, fused=True)
    began = saved = time.monotonic()
    step = 0
    learner.model.train()
    for shown in rounds(data, rng):
        for pairs in batches(shown, rng):
            done = (time.monotonic() - began) / (60 * minutes)
            if done >= 1:
                _save(learner, out, step)
                return
            rate = min(1.0, (step + 1) / WARMUP_STEPS) * max(0.02, 0.5 * (1 + math.cos(math.pi * done)))
            for part, (_, highest) in zip(optimizer.param_groups, parts, strict=True):
                part["lr"] = highest * rate
            logits = learner.logits(pairs)
            labels = torch.tensor([p.label for p in pairs])
            errors = torch.tensor([-1 if p.error is None else ERROR_TYPES.index(p.error) for p in pairs])
            good, groups = [p.label == SUPPORTED for p in pairs], [p.group for p in pairs]
            loss = loss_of(logits, labels, errors, SMOOTHING) + RANKING * ranking_loss(logits, good, groups)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(everything, 1.0)
            optimizer.step()
            step += 1
            if time.monotonic() - saved > SAVE_EVERY:
                _save(learner, out, step)
                saved = time.monotonic()


def _save(learner: Learner, out: Path, step: int) -> None:
    save_whole(learner.model.state_dict(), out / "model.pt")
    figures = {"step": step, "contrast_auc": held_out_auc(learner)}
    print(json.dumps(figures), flush=True)
    with (out / "log.jsonl").open("a") as log:
        log.write(json.dumps(figures) + "\n")


@torch.no_grad()
def held_out_auc(learner: Learner) -> float:
    """AUC of P(supported) on held-out contrast pairs."""
    pairs = list(contrast_pairs(random.Random(1), held=True))[:HELD]
    learner.model.eval()
    logits = torch.cat([learner.logits(pairs[start : start + 20])[:, :VERDICTS] for start in range(0, len(pairs), 20)])
    learner.model.train()
    return auc(torch.softmax(logits, -1)[:, 0].tolist(), [p.label == SUPPORTED for p in pairs])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/*.jsonl.gz and train/written/")
    parser.add_argument("--start", type=Path, required=True, help="weights of training.train to go on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    learner = Learner(arguments.start)
    train(arguments.data, learner, arguments.out, arguments.minutes, seed=arguments.seed)


if __name__ == "__main__":
    main()
