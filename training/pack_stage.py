"""A training stage of a reader of packs, for so many minutes. Resumable: run the same line again.

``python -m training.mpnet.train`` and ``python -m training.multilingual.train`` run it. In bfloat16 on a GPU and on a
processor that multiplies it (two cores with AMX read 1,700 tokens a second, without it 400). On a GPU all layers and
larger batches are affordable: ``--frozen 0 --batch-characters 60000 --minutes 9``.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from guardrail.engines.local.model import ERROR_TYPES, MAX_CLAIM_TOKENS, VERDICTS
from guardrail.engines.local.packs import FIRST_POSITION, MAX_PREMISE_TOKENS, Layout, layout
from training.adapter import adapt, trained_groups
from training.contrast import contrast_pairs
from training.master import Master
from training.pack_restore import restore_packs
from training.packs import Pack, packed, rounds
from training.pairs import SUPPORTED
from training.stage import RANKING, SAVE_EVERY, SMOOTHING, WARMUP_STEPS, ranking_loss
from training.train import auc, fast_type, loss_of, save_whole

HEAD_RATE = 5e-4
BATCH_CHARACTERS = 6_500
HELD = 150
PAD = 1


class PackModel(nn.Module):
    """What is trained: (ids, positions, segments, kinds), each (packs, tokens) -> logits (packs, claims, 13)."""

    head: nn.Sequential
    kinds: nn.Embedding
    quantized: tuple[str, ...] = ("MatMul", "Gather")
    """Operators whose weights become int8 in the export."""

    def body(self) -> list[nn.Parameter]:
        """Trained weights that come from the base; those of head and kinds are new."""
        raise NotImplementedError

    def encoder(self) -> nn.Module:
        """All layers."""
        raise NotImplementedError

    def upper(self) -> nn.Module:
        """The layers that are trained."""
        raise NotImplementedError

    def judged(self, state: Tensor, segments: Tensor) -> Tensor:
        """Logits, shape (packs, claims, 13), from the last layer's state, shape (packs, tokens, width).

        A claim is known by its first token, its mean, the premise's mean and the difference of the means.
        """
        numbers = torch.arange(0, segments.max() + 1, device=state.device)
        member = (segments[:, None, :] == numbers[None, :, None]).to(state.dtype)  # (packs, 1 + claims, tokens)
        means = member @ state / member.sum(-1, keepdim=True).clamp(min=1.0)
        backwards = torch.arange(member.shape[-1], 0, -1, device=state.device)
        first = torch.argmax(member * backwards, dim=-1)
        starts = state.gather(1, first[..., None].expand(-1, -1, state.shape[-1]))[:, 1:]
        claim = means[:, 1:]
        premise = means[:, :1].expand_as(claim)
        logits: Tensor = self.head(torch.cat([starts, premise, claim, (premise - claim).abs()], dim=-1))
        return logits


def stacked(layouts: Sequence[Layout]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """ids, positions, segments, kinds, each (packs, tokens); padding has segment -1."""
    longest = max(len(each.ids) for each in layouts)

    def padded(rows: list[list[int]], fill: int) -> Tensor:
        return torch.tensor([row + [fill] * (longest - len(row)) for row in rows])

    return (
        padded([each.ids for each in layouts], PAD),
        padded([each.positions for each in layouts], FIRST_POSITION),
        padded([each.segments for each in layouts], -1),
        padded([each.kinds for each in layouts], 0),
    )


def load_tokenizer(base: Path) -> Tokenizer:
    """The base's tokenizer, without special tokens, padding or limits."""
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def encode(tokenizer: Tokenizer, premise: str, claims: Sequence[str]) -> Layout:
    """A pack's numbers; texts that are too long are cut."""

    def ids(text: str) -> list[int]:
        found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
        return found

    return layout(ids(premise)[:MAX_PREMISE_TOKENS], [ids(claim)[:MAX_CLAIM_TOKENS] for claim in claims])


def batches(packs: list[Pack], rng: random.Random, size: int) -> list[list[Pack]]:
    """Packs of similar length together, about ``size`` characters in a batch."""
    batch: list[Pack] = []
    made = [batch]
    for pack in sorted(packs, key=lambda p: len(p) * (1 + 0.06 * rng.random())):
        if batch and len(pack) * (len(batch) + 1) > size:
            batch = []
            made.append(batch)
        batch.append(pack)
    rng.shuffle(made)
    return made


class Trainer:
    """Model, optimizer and what a run goes on from."""

    def __init__(
        self,
        model: PackModel,
        base: Path,
        out: Path,
        start: Path | None,
        body_rate: float,
        langs: tuple[str, ...],
        *,
        adapter: bool = False,
    ) -> None:
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.tokenizer, self.out, self.langs = load_tokenizer(base), out, langs
        self.spent = 0.0
        self.losses: list[float] = []
        state = torch.load(out / "state.pt", map_location="cpu") if (out / "state.pt").exists() else None
        found: dict[str, Tensor] = {}
        if start is not None and state is None:
            exported = start.suffix == ".onnx"
            found = restore_packs(start) if exported else torch.load(start, map_location="cpu")
            model.load_state_dict(found, strict=not exported)
        if adapter:
            adapt(model, model.upper(), model.head)
            model.load_state_dict(
                {n: value for n, value in found.items() if n.endswith((".down", ".up"))}, strict=False
            )
        if state is not None:
            model.load_state_dict(state["model"])
        self.model = model.to(self.device)
        head = [*model.head.parameters(), *model.kinds.parameters()]
        groups = trained_groups(model) if adapter else [(model.body(), body_rate), (head, HEAD_RATE)]
        self.master = Master(groups)
        model.to(fast_type())
        if state is not None:
            self.master.load(state)
            self.spent = state["spent"]

    def logits(self, packs: list[Pack]) -> Tensor:
        """Logits of all claims in turn, shape (claims, 13)."""
        made = [encode(self.tokenizer, pack.premise, [claim.text for claim in pack.claims]) for pack in packs]
        rows = self.model(*(part.to(self.device) for part in stacked(made)))
        return torch.cat([rows[i, : len(pack.claims)] for i, pack in enumerate(packs)]).float()

    def run(self, data: Path, minutes: float, seed: int, *, size: int, warmed: bool, extra: Path | None = None) -> None:
        """Train until the minutes are spent; ``out`` gets ``state.pt`` now and then, ``model.pt`` too."""
        self.out.mkdir(parents=True, exist_ok=True)
        rng = random.Random(seed + self.master.steps)
        began = saved = time.monotonic() - self.spent
        saved += self.spent
        self.model.train()
        for shown in rounds(data, rng, warmed=warmed or self.master.steps > 0, langs=self.langs, extra=extra):
            for packs in batches(shown, rng, size):
                self.spent = time.monotonic() - began
                done = self.spent / (60 * minutes)
                if done >= 1:
                    self.save()
                    return
                logits = self.logits(packs)
                claims = [claim for pack in packs for claim in pack.claims]
                labels = torch.tensor([claim.label for claim in claims], device=self.device)
                known = [-1 if c.error is None else ERROR_TYPES.index(c.error) for c in claims]
                errors = torch.tensor(known, device=self.device)
                good = [claim.label == SUPPORTED for claim in claims]
                owners = [number for number, pack in enumerate(packs) for _ in pack.claims]
                loss = loss_of(logits, labels, errors, SMOOTHING) + RANKING * ranking_loss(logits, good, owners)
                loss.backward()
                warm = min(1.0, (self.master.steps + 1) / WARMUP_STEPS)
                self.master.step(warm * max(0.03, 0.5 * (1 + math.cos(math.pi * done))))
                self.losses.append(float(loss.detach()))
                if time.monotonic() - saved > SAVE_EVERY:
                    self.save()
                    saved = time.monotonic()

    def save(self) -> None:
        """Weights, what a run goes on from, and the held-out figures."""
        weights = self.master.weights(self.model)
        save_whole(self.master.state() | {"model": weights, "spent": self.spent}, self.out / "state.pt")
        save_whole(weights, self.out / "model.pt")
        recent = self.losses[-200:]
        figures = {
            "step": self.master.steps,
            "minutes": round(self.spent / 60, 1),
            "loss": sum(recent) / max(len(recent), 1),
        }
        self.master.show_average(shown=True)
        figures |= self.held_out(self.langs)
        self.master.show_average(shown=False)
        print(json.dumps(figures), flush=True)
        with (self.out / "log.jsonl").open("a") as log:
            log.write(json.dumps(figures) + "\n")

    @torch.no_grad()
    def held_out(self, langs: tuple[str, ...]) -> dict[str, float]:
        """AUC of P(supported) on held-out contrast sets, and the share of twins ranked right."""
        packs = packed(list(contrast_pairs(random.Random(1), held=True, langs=langs)))[:HELD]
        self.model.eval()
        logits = torch.cat([self.logits(packs[i : i + 8])[:, :VERDICTS] for i in range(0, len(packs), 8)])
        scores = torch.softmax(logits, -1)[:, 0]
        self.model.train()
        good = [claim.label == SUPPORTED for pack in packs for claim in pack.claims]
        right = twins = at = 0
        for pack in packs:
            for i in range(0, len(pack.claims) - 1, 2):
                if good[at + i] and not good[at + i + 1]:
                    twins += 1
                    right += bool(scores[at + i] > scores[at + i + 1])
            at += len(pack.claims)
        return {"contrast_auc": auc(scores.tolist(), good), "ranked": right / twins, "twins": twins}


def run_stage(
    doc: str | None,
    make: Callable[[Path, int], PackModel],
    *,
    runs: str,
    frozen: int,
    rate: float,
    langs: Sequence[str],
) -> None:
    """The command line of a reader: ``make`` builds it from the base's folder and the number of frozen layers."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/*.jsonl.gz and train/written/")
    parser.add_argument("--base", type=Path, default=Path(runs, "base"), help="as the command before filled it")
    parser.add_argument(
        "--start", type=Path, help="weights to go on from, of a run (model.pt) or exported (model.onnx)"
    )
    parser.add_argument("--out", type=Path, default=Path(runs, "trained"))
    parser.add_argument("--extra", type=Path, help="folder of further pairs (training.mixture.extra_pairs)")
    parser.add_argument("--minutes", type=float, default=100)
    parser.add_argument("--frozen", type=int, default=frozen, help="lower layers that keep their weights")
    parser.add_argument(
        "--adapter", action="store_true", help="train on beside the weights of --start (training.adapter)"
    )
    parser.add_argument("--batch-characters", type=int, default=BATCH_CHARACTERS)
    parser.add_argument("--seed", type=int, default=3)
    given = parser.parse_args()
    if given.adapter and given.start is None:
        parser.error("--adapter needs --start: weights that stay as they are, of a run or exported")
    trainer = Trainer(
        make(given.base, given.frozen),
        given.base,
        given.out,
        given.start,
        rate,
        tuple(langs),
        adapter=given.adapter,
    )
    warmed = given.start is not None
    trainer.run(given.data, given.minutes, given.seed, size=given.batch_characters, warmed=warmed, extra=given.extra)
