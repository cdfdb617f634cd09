"""Export the larger reader to ONNX int8, with its tokenizer and special tokens, as the local engine reads a folder.

python -m training.mpnet.export --base runs/mpnet/base --run runs/mpnet/trained --to runs/mpnet/trained/local
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import asdict
from pathlib import Path

import torch

from training.export import quantize
from training.mpnet.reader import TOKENS, Reader


def export_float(base: Path, weights: Path, target: Path) -> None:
    """Float32 ONNX graph with dynamic batch and length."""
    model = Reader(base)
    model.load_state_dict(torch.load(weights, map_location="cpu"))
    model.eval()
    sample = torch.ones(2, 16, dtype=torch.long)
    names = ["input_ids", "token_type_ids", "attention_mask"]
    torch.onnx.export(
        model,
        (sample, torch.zeros_like(sample), sample),
        str(target),
        input_names=names,
        output_names=["logits"],
        dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names} | {"logits": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, default=Path("runs/mpnet/base"))
    parser.add_argument("--run", type=Path, default=Path("runs/mpnet/trained"))
    parser.add_argument("--to", type=Path, default=Path("runs/mpnet/trained/local"))
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    full = arguments.run / "model.onnx"
    export_float(arguments.base, arguments.run / "model.pt", full)
    quantize(full, arguments.to / "model.onnx")
    shutil.copy(arguments.base / "tokenizer.json", arguments.to / "tokenizer.json")
    (arguments.to / "tokens.json").write_text(json.dumps(asdict(TOKENS)) + "\n")
    print(json.dumps({"int8_mb": (arguments.to / "model.onnx").stat().st_size / 1e6}))


if __name__ == "__main__":
    main()
