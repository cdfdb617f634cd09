"""Train the larger reader for so many minutes; run it again with ``--start`` to go on.

python -m training.base.train --data DATA --base runs/mpnet --out runs/base --minutes 70 [--start runs/base/model.pt]

Two cores without bfloat16 read about 350 tokens a second. The loss is that of training.train, and for the two claims of
a minimal pair a ranking loss beside it: the true one's log-odds are to exceed the false one's by one.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
from torch import Tensor, nn

from guardrail.engines.local.model import ERROR_TYPES, VERDICTS
from training.base.mixture import Group, rounds
from training.base.reader import Reader, load_tokenizer, supported_probability, tensors
from training.contrast import contrast_pairs
from training.pairs import SUPPORTED, Pair
from training.train import auc, loss_of

BODY_RATE, HEAD_RATE = 4e-5, 5e-4
WARMUP_STEPS = 60
BATCH_CHARACTERS, BATCH_PAIRS = 5_500, 20
SMOOTHING = 0.03
RANKING = 0.5
SAVE_EVERY = 600
"""Seconds between checkpoints."""


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


def ranking_loss(logits: Tensor, pairs: list[Pair]) -> Tensor:
    """How far neighbours of one passage, one true and one false, are from standing apart by one in log-odds."""
    logp = torch.log_softmax(logits[:, :VERDICTS], dim=-1)
    odds = logp[:, 0] - torch.logsumexp(logp[:, 1:], dim=-1)
    good = [pair.label == SUPPORTED for pair in pairs]
    twins = [i for i in range(len(pairs) - 1) if pairs[i].group == pairs[i + 1].group and good[i] != good[i + 1]]
    if not twins:
        return odds.sum() * 0
    sign = torch.tensor([1.0 if good[i] else -1.0 for i in twins])
    first = torch.tensor(twins)
    return nn.functional.softplus(1 - (odds[first] - odds[first + 1]) * sign).mean()


def train(data: Path, base: Path, out: Path, minutes: float, start: Path | None, seed: int) -> None:
    """Run; ``out`` gets ``model.pt`` every ten minutes and at the end, with the held-out AUC in ``log.jsonl``."""
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    tokenizer = load_tokenizer(base)
    model = Reader(base)
    if start is not None:
        model.load_state_dict(torch.load(start))
    body = [p for p in model.net.parameters() if p.requires_grad]
    head = [*model.head.parameters(), *model.kinds.parameters()]
    rates = {"body": BODY_RATE, "head": HEAD_RATE}
    parts = [{"params": body, "name": "body"}, {"params": head, "name": "head"}]
    optimizer = torch.optim.AdamW(parts, weight_decay=0.01, fused=True)
    began = saved = time.monotonic()
    step = 0
    for groups in rounds(data, rng, warmed=start is not None):
        for pairs in batches(groups, rng):
            done = (time.monotonic() - began) / (60 * minutes)
            if done >= 1:
                _save(model, out, step, tokenizer)
                return
            rate = min(1.0, (step + 1) / WARMUP_STEPS) * max(0.02, 0.5 * (1 + math.cos(math.pi * done)))
            for part in optimizer.param_groups:
                part["lr"] = rates[part["name"]] * rate
            logits = model(*tensors(pairs, tokenizer))
            labels = torch.tensor([p.label for p in pairs])
            errors = torch.tensor([-1 if p.error is None else ERROR_TYPES.index(p.error) for p in pairs])
            loss = loss_of(logits, labels, errors, SMOOTHING) + RANKING * ranking_loss(logits, pairs)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(body + head, 1.0)
            optimizer.step()
            step += 1
            if time.monotonic() - saved > SAVE_EVERY:
                _save(model, out, step, tokenizer)
                saved = time.monotonic()


def _save(model: Reader, out: Path, step: int, tokenizer: object) -> None:
    torch.save(model.state_dict(), out / "model.part")
    (out / "model.part").replace(out / "model.pt")
    held = list(contrast_pairs(random.Random(1), held=True))[:300]
    scores = supported_probability(model, held, tokenizer)  # type: ignore[arg-type]
    figures = {"step": step, "contrast_auc": auc(scores, [p.label == SUPPORTED for p in held])}
    print(json.dumps(figures), flush=True)
    with (out / "log.jsonl").open("a") as log:
        log.write(json.dumps(figures) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/*.jsonl.gz and train/written/")
    parser.add_argument("--base", type=Path, default=Path("runs/mpnet"), help="what training.base.download filled")
    parser.add_argument("--out", type=Path, default=Path("runs/base"))
    parser.add_argument("--start", type=Path, help="weights of an earlier run")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    train(arguments.data, arguments.base, arguments.out, arguments.minutes, arguments.start, arguments.seed)


if __name__ == "__main__":
    main()
