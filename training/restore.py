"""Float weights from an int8 ONNX model, so that training can go on from what ships (train.py --start model.onnx)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

_PRODUCT = re.compile(r"^/model/(?P<name>.+)/(?:MatMul|Gemm)_output_0(?:_output)?_quantized$|^logits_quantized$")


def restore(path: Path) -> dict[str, Tensor]:
    """State dict of the classifier; word embeddings are left out, for they are the base model's own."""
    graph = onnx.load(str(path)).graph
    arrays = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    found: dict[str, Tensor] = {}
    for name, array in arrays.items():
        if name.startswith("model.") and array.dtype == np.float32 and not name.endswith("_scale"):
            found[name.removeprefix("model.")] = torch.from_numpy(array.copy())
        elif name.startswith("model.bert.embeddings") and name.endswith("_quantized"):
            stem = name.removesuffix("_quantized")
            found[stem.removeprefix("model.")] = torch.from_numpy(_plain(arrays, stem))
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        stem = node.input[1].removesuffix("_quantized")
        weight = torch.from_numpy(np.ascontiguousarray(_plain(arrays, stem).T))
        if stem.startswith("model."):  # pooler and classifier keep their names
            found[stem.removeprefix("model.").removesuffix("_Transposed")] = weight
            continue
        match = _PRODUCT.match(node.output[0])
        if match is None or match["name"] is None:
            raise ValueError(f"cannot tell which layer {node.output[0]!r} of {path} belongs to")
        found[match["name"].replace("/", ".") + ".weight"] = weight
    found.pop("bert.embeddings.word_embeddings.weight", None)
    return found


def _plain(arrays: dict[str, np.ndarray], stem: str) -> np.ndarray:
    values = arrays[f"{stem}_quantized"].astype(np.float32)
    return (values - arrays[f"{stem}_zero_point"].astype(np.float32)) * arrays[f"{stem}_scale"]
