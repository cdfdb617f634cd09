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

from training.export import quantize, write_graph
from training.mpnet.reader import TOKENS, Reader


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, default=Path("runs/mpnet/base"))
    parser.add_argument("--run", type=Path, default=Path("runs/mpnet/trained"))
    parser.add_argument("--to", type=Path, default=Path("runs/mpnet/trained/local"))
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    full = arguments.run / "model.onnx"
    model = Reader(arguments.base)
    model.load_state_dict(torch.load(arguments.run / "model.pt", map_location="cpu"))
    write_graph(model, full)
    quantize(full, arguments.to / "model.onnx")
    shutil.copy(arguments.base / "tokenizer.json", arguments.to / "tokenizer.json")
    (arguments.to / "tokens.json").write_text(json.dumps(asdict(TOKENS)) + "\n")
    print(json.dumps({"int8_mb": (arguments.to / "model.onnx").stat().st_size / 1e6}))


if __name__ == "__main__":
    main()
