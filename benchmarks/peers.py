"""Time beside other checkers' architectures, in one run: one answer of 6 sentences (12 claims), 5 passages, 2 threads.

    python benchmarks/peers.py [--runs 5]        needs: pip install rag-guardrail[train]

The peers run with random weights, since time does not depend on weights, in PyTorch and float32 as their packages
run them; their tokenizers and decomposition (RefChecker's and MiniCheck's claims come from elsewhere) cost extra and
are left out, which favours them. Ours is the whole ``Guard.check`` on passages that it has not seen before;
``local:base`` too, where its weights are installed (``pip install ./models/base``).

| peer | what one check reads |
| --- | --- |
| RefChecker NLI checker: roberta-large | every claim with every passage: 12 x 5 pairs |
| MiniCheck: roberta-large | every claim with the passages joined, 512 tokens at most: 12 pairs |
| LettuceDetect base: ModernBERT-base | passages, question and answer at once, a label per token: 1 sequence |
| HHEM-2.1-open: T5-base encoder | passages joined with the whole answer: 1 pair |
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import torch
from latency import Example, example
from transformers import (
    ModernBertConfig,
    ModernBertForTokenClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForTokenClassification,
)

from guardrail import Guard, Passage
from guardrail.engines.local.engine import LocalEngine

CLAIMS, PASSAGES = 12, 5
PASSAGE, CLAIM, ANSWER, QUESTION, SPECIAL = 130, 16, 150, 15, 4
"""Tokens of each part; an answer of 6 sentences has about 150."""


def peers() -> dict[str, tuple[Callable[[], torch.nn.Module], int, int]]:
    """Name -> how to build it, sequences per check, tokens per sequence."""
    large = RobertaConfig(
        vocab_size=50265,
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        max_position_embeddings=514,
        num_labels=3,
        pad_token_id=1,
    )
    t5 = T5Config(vocab_size=32128, d_model=768, d_ff=3072, d_kv=64, num_layers=12, num_heads=12, num_labels=2)
    together = PASSAGES * PASSAGE
    return {
        "RefChecker NLI (roberta-large)": (
            lambda: RobertaForSequenceClassification(large),
            CLAIMS * PASSAGES,
            PASSAGE + CLAIM + SPECIAL,
        ),
        "MiniCheck (roberta-large)": (
            lambda: RobertaForSequenceClassification(large),
            CLAIMS,
            min(512, together + CLAIM + SPECIAL),
        ),
        "LettuceDetect (ModernBERT-base)": (
            lambda: ModernBertForTokenClassification(ModernBertConfig(num_labels=2)),
            1,
            together + QUESTION + ANSWER + SPECIAL,
        ),
        "HHEM (T5-base encoder)": (lambda: T5ForTokenClassification(t5), 1, together + ANSWER + SPECIAL),
    }


def time_peer(build: Callable[[], torch.nn.Module], sequences: int, tokens: int, runs: int) -> float:
    """Median seconds of one check's forward passes, 12 sequences at a time."""
    model = build().eval()
    batches = [torch.randint(5, 30_000, (min(12, sequences - done), tokens)) for done in range(0, sequences, 12)]
    seconds = []
    with torch.inference_mode():
        model(input_ids=batches[0][:1])
        for _ in range(runs):
            started = time.perf_counter()
            for batch in batches:
                model(input_ids=batch, attention_mask=torch.ones_like(batch))
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def time_ours(runs: int, threads: int, passage_reader: Path | None = None) -> float:
    """Median seconds of a whole check on passages that are new each time."""
    guard = Guard(engine=LocalEngine(threads=threads, passage_reader=passage_reader))

    def check(case: Example) -> float:
        passages = [Passage(id=f"p{n}", **passage) for n, passage in enumerate(case.passages)]
        started = time.perf_counter()
        guard.check(case.answer, passages, question=case.question or None)
        return time.perf_counter() - started

    for variant in range(4):
        check(example(variant))
    return statistics.median(check(example(variant)) for variant in range(4, 4 + 8 * runs))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="checks per peer; ours is run eight times as often")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    load = os.getloadavg()[0]
    before = time_ours(arguments.runs, arguments.threads)
    rows = []
    for name, (build, sequences, tokens) in peers().items():
        few = arguments.runs if sequences == 1 else 1  # tens of seconds each
        rows.append((name, sequences, tokens, time_peer(build, sequences, tokens, few)))
    ours = statistics.mean((before, time_ours(arguments.runs, arguments.threads)))
    base = None
    if find_spec("guardrail_base"):
        folder = import_module("guardrail_base").FOLDER
        base = time_ours(arguments.runs, arguments.threads, folder)
    print(f"{'':34}{'sequences':>10}{'tokens':>8}{'seconds':>10}{'times ours':>12}")
    print(f"{'guardrail, whole check':34}{'':>18}{ours:10.3f}{1:12.1f}")
    if base is not None:
        print(f"{'guardrail, local:base':34}{'':>18}{base:10.3f}{base / ours:12.1f}")
    for name, sequences, tokens, seconds in rows:
        print(f"{name:34}{sequences:10}{sequences * tokens:8}{seconds:10.2f}{seconds / ours:12.1f}")
    if load > (os.cpu_count() or 1) / 2:
        print(f"load average at the start {load:.1f}; other work ran here, do not trust these times")


if __name__ == "__main__":
    main()
