"""Average the weights of several stages of one training: python -m training.average RUN... --out runs/v1.

Stages that start from one another lie in one valley of the loss, so their mean is a model, and a steadier one than the
last (Wortsman et al., Model soups, ICML 2022).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders with a model.pt each")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    stages = [torch.load(run / "model.pt", map_location="cpu") for run in arguments.runs]
    mean = {name: torch.stack([stage[name].float() for stage in stages]).mean(dim=0) for name in stages[0]}
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.save(mean, arguments.out / "model.pt")
    print(f"{len(stages)} stages averaged into {arguments.out / 'model.pt'}")


if __name__ == "__main__":
    main()
