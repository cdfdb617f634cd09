"""Export trained weights to ONNX int8 beside the tokenizer.

python -m training.export --run runs/v1 --to guardrail/engines/local/model
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process

from training.train import Recipe, base_folder, build_model


class Logits(torch.nn.Module):
    """The classifier as a plain function of its three inputs."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> torch.Tensor:
        """Logits, shape (batch, 13)."""
        logits: torch.Tensor = self.model(
            input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
        ).logits
        return logits


def export_float(weights: Path, target: Path) -> None:
    """Float32 ONNX graph of trained weights."""
    model = build_model(Recipe(dropout=0.0))
    model.load_state_dict({name: tensor.float() for name, tensor in torch.load(weights, map_location="cpu").items()})
    write_graph(Logits(model), target)


def write_graph(reader: torch.nn.Module, target: Path) -> None:
    """Float32 ONNX graph of a function of ids, types and mask, with dynamic batch and length."""
    reader.eval()
    sample = torch.ones(2, 16, dtype=torch.long)
    names = ["input_ids", "token_type_ids", "attention_mask"]
    torch.onnx.export(
        reader,
        (sample, torch.zeros_like(sample), sample),
        str(target),
        input_names=names,
        output_names=["logits"],
        dynamic_axes={name: {0: "batch", 1: "tokens"} for name in names} | {"logits": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


def quantize(source: Path, target: Path) -> None:
    """Int8 weights per channel; activations are quantised at run time."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(str(prepared), str(target), weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    onnx.checker.check_model(str(target))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, default=Path("runs/v1"))
    parser.add_argument("--to", type=Path, default=Path("guardrail/engines/local/model"))
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    full = arguments.run / "model.onnx"
    export_float(arguments.run / "model.pt", full)
    quantize(full, arguments.to / "model.onnx")
    shutil.copy(base_folder() / "tokenizer.json", arguments.to / "tokenizer.json")
    sizes = {"float32_mb": full.stat().st_size / 1e6, "int8_mb": (arguments.to / "model.onnx").stat().st_size / 1e6}
    print(json.dumps(sizes))


if __name__ == "__main__":
    main()
