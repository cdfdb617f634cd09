"""What int8 costs: the float model of a run beside the shipped one, on held-out pairs, as a Markdown table.

python -m training.quantization --data DATA --run runs/v1 [--model guardrail/engines/local/model]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from guardrail.engines.local.model import CrossEncoder
from training.epochs import epoch_pairs
from training.pairs import SUPPORTED
from training.train import auc

SEED = 7
LIMIT = 2500
FEWEST = 50
"""Pairs of a source below which its figures say nothing."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True, help="folder of training.train with an exported model.onnx")
    parser.add_argument("--model", type=Path, default=Path("guardrail/engines/local/model"))
    arguments = parser.parse_args()
    pairs = epoch_pairs(arguments.data, SEED, human_share=0.3, held=True)[:LIMIT]
    texts = [(p.premise, p.claim) for p in pairs]
    good = np.array([p.label == SUPPORTED for p in pairs])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.onnx").symlink_to((arguments.run / "model.onnx").resolve())
        (Path(folder) / "tokenizer.json").symlink_to((arguments.model / "tokenizer.json").resolve())
        full = CrossEncoder(Path(folder)).probabilities(texts)[:, 0]
    small = CrossEncoder(arguments.model).probabilities(texts)[:, 0]
    print("| held-out pairs | n | AUC float32 | AUC int8 | mean difference | verdicts that differ at 0.5 |")
    print("| --- | --- | --- | --- | --- | --- |")
    sources = np.array([p.source for p in pairs])
    for source in ("all", *sorted(set(sources.tolist()))):
        here = np.ones(len(pairs), dtype=bool) if source == "all" else sources == source
        if here.sum() < FEWEST or good[here].all() or not good[here].any():
            continue
        areas = [auc(values[here].tolist(), good[here].tolist()) for values in (full, small)]
        gap = np.abs(full[here] - small[here]).mean()
        flips = ((full[here] >= 0.5) != (small[here] >= 0.5)).mean()
        print(f"| {source} | {here.sum()} | {areas[0]:.3f} | {areas[1]:.3f} | {gap:.3f} | {flips:.1%} |")


if __name__ == "__main__":
    main()
